package kernels

import (
	"context"
	"sync"
)

// Bits of the control register of kernels that are called (ap_ctrl_hs).
const (
	StartBit = 1 << 0 // until the arguments were taken
	DoneBit  = 1 << 1 // until it is read
	idleBit  = 1 << 2
	readyBit = 1 << 3 // until it is read
	againBit = 1 << 7
)

// ControlAt is the offset of the control register.
const ControlAt = 0

// handshake is a kernel that the host calls.
type handshake struct {
	words
	run func(arguments *words) // what a call does, with arguments as they were; nil for nothing

	mu      sync.Mutex
	running bool
	again   bool // a start has come while it ran
	latched uint32
}

func newHandshake(run func(arguments *words)) *handshake { return &handshake{run: run} }

// Read implements layout.Registers.
func (h *handshake) Read(ctx context.Context, offset uint32) (uint32, error) {
	if offset != ControlAt {
		return h.words.Read(ctx, offset)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	value := h.latched
	h.latched = 0
	if h.again {
		value |= StartBit
	}
	if !h.running {
		value |= idleBit
	}
	return value, nil
}

// Write implements layout.Registers.
func (h *handshake) Write(ctx context.Context, offset, value uint32) error {
	if offset != ControlAt {
		return h.words.Write(ctx, offset, value)
	}
	if value&StartBit == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running {
		h.again = true
		return nil
	}
	h.begin()
	return nil
}

// begin starts a call; h.mu is held.
func (h *handshake) begin() {
	h.latched |= readyBit
	if h.run == nil {
		h.latched |= DoneBit
		return
	}
	h.running = true
	arguments := h.copy()
	go func() {
		h.run(arguments)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.running = false
		h.latched |= DoneBit
		if h.again {
			h.again = false
			h.begin()
		}
	}()
}
