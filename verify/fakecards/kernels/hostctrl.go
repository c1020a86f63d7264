package kernels

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// Registers of a host controller (the manual's "hostctrl").
const (
	scenarioAt    = 0x10
	countAt       = 0x18
	commAt        = 0x20
	rootAt        = 0x28
	functionAt    = 0x30
	tagAt         = 0x38
	arithcfgAt    = 0x40
	compressionAt = 0x48
	streamAt      = 0x50
	addr0At       = 0x58
	addr1At       = 0x64
	addr2At       = 0x70
	PostAt        = 0x80
	postedAt      = 0x84
	AnsweredAt    = 0x88
	capacityAt    = 0x8C
	answersAt     = 0x100
	capacity      = 32
)

// latestTake is when the words of a call are taken if the host does not look.
const latestTake = time.Millisecond

// Misuse of a host controller.
var (
	ErrPostedTooMany = errors.New("a call was posted while as many as there is room for are without an answer")
	ErrPostedTooSoon = errors.New("a call was posted before the words of the one before were taken")
)

// hostController places calls on an engine. The words of a call are taken as late as
// possible: when the host looks at what became of it. Who writes others before gets
// those placed.
type hostController struct {
	life   context.Context
	dev    accl.Device
	client int
	fault  func(error)
	// foreign is one of another make, at which calls can be started, but not posted.
	foreign bool

	mu       sync.Mutex
	held     map[uint32]uint32
	starting bool // a start whose words have not been taken
	running  bool // a start that has no answer
	latched  uint32
	posting  bool // a post whose words have not been taken
	posted   uint32
	answered uint32
	answers  [capacity]uint32
	tickets  chan accl.Ticket // of posted calls, in order
}

func newHostController(life context.Context, dev accl.Device, client int, fault func(error)) *hostController {
	h := &hostController{life: life, dev: dev, client: client, fault: fault, held: map[uint32]uint32{},
		tickets: make(chan accl.Ticket, capacity)}
	go h.answering()
	return h
}

// Read implements layout.Registers.
func (h *hostController) Read(_ context.Context, offset uint32) (uint32, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.foreign && offset >= PostAt:
		return 0, nil
	case offset == ControlAt:
		h.take()
		value := h.latched
		h.latched = 0
		if h.starting {
			value |= StartBit
		}
		if !h.starting && !h.running && !h.posting && h.posted == h.answered {
			value |= idleBit
		}
		return value, nil
	case offset == postedAt:
		h.take()
		return h.posted, nil
	case offset == AnsweredAt:
		h.take()
		return h.answered, nil
	case offset == capacityAt:
		return capacity, nil
	case offset == PostAt:
		return 0, nil
	case offset >= answersAt && offset < answersAt+4*capacity:
		return h.answers[(offset-answersAt)/4], nil
	}
	return h.held[offset], nil
}

// Write implements layout.Registers.
func (h *hostController) Write(_ context.Context, offset, value uint32) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.foreign && offset >= PostAt:
		return nil
	case offset == ControlAt && value&StartBit != 0:
		h.starting = true
	case offset == PostAt && h.posting:
		h.fault(fmt.Errorf("client %d: %w", h.client, ErrPostedTooSoon))
		return nil
	case offset == PostAt && h.posted-h.answered >= capacity:
		h.fault(fmt.Errorf("client %d: %w", h.client, ErrPostedTooMany))
		return nil
	case offset == PostAt:
		h.posting = true
	case offset >= scenarioAt && offset < addr2At+8:
		h.held[offset] = value
		return nil
	default:
		return nil
	}
	time.AfterFunc(latestTake, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.take()
	})
	return nil
}

// take takes the words of what is to be placed, if that can be placed now; h.mu is
// held.
func (h *hostController) take() {
	if h.posting && !h.running {
		h.posting = false
		if t, ok := h.place(); ok {
			h.tickets <- t // there is room: no more than capacity are without an answer
		}
		h.posted++
	}
	if h.starting && !h.running && h.posted == h.answered {
		h.starting = false
		h.latched |= readyBit
		h.running = true
		if t, ok := h.place(); ok {
			go h.answer(t)
		}
	}
}

// place places the call that stands in the registers. An engine that has ended takes
// it, and never answers.
func (h *hostController) place() (accl.Ticket, bool) {
	r := func(at uint32) uint32 { return h.held[at] }
	long := func(at uint32) uint64 { return uint64(h.held[at]) | uint64(h.held[at+4])<<32 }
	t, err := h.dev.Start(h.life, h.client, accl.Call{
		Scenario: r(scenarioAt), Count: r(countAt), Comm: r(commAt), RootSrcDst: r(rootAt), FunctionCode: r(functionAt),
		Tag:      r(tagAt),
		ArithCfg: r(arithcfgAt), CompressionFlags: r(compressionAt), StreamFlags: r(streamAt),
		Addr0: long(addr0At), Addr1: long(addr1At), Addr2: long(addr2At),
	})
	if err != nil {
		h.failed(err)
	}
	return t, err == nil
}

func (h *hostController) failed(err error) {
	if h.life.Err() == nil {
		h.fault(fmt.Errorf("a call of client %d: %w", h.client, err))
	}
}

// answer waits for the answer to a start, whose code the engine keeps.
func (h *hostController) answer(t accl.Ticket) {
	if _, err := h.dev.Wait(h.life, t); err != nil {
		h.failed(err)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = false
	h.latched |= DoneBit
	h.take()
}

// answering waits for the answers to posted calls.
func (h *hostController) answering() {
	for {
		var t accl.Ticket
		select {
		case t = <-h.tickets:
		case <-h.life.Done():
			return
		}
		code, err := h.dev.Wait(h.life, t)
		if err != nil {
			h.failed(err)
			return
		}
		h.mu.Lock()
		h.answers[h.answered%capacity] = uint32(code)
		h.answered++
		h.take()
		h.mu.Unlock()
	}
}
