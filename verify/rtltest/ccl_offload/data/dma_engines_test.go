package datapath

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

const (
	dmaDepth = 4
	dmaLimit = 300 // cycles in which a DMA engine has to answer
)

var dmas = block.NewSet(
	block.Module{Name: "dma_reader", Params: map[string]string{"DEPTH": fmt.Sprint(dmaDepth)}},
	block.Module{Name: "dma_writer", Params: map[string]string{"DEPTH": fmt.Sprint(dmaDepth)}},
)

func TestReader(t *testing.T) { dmas.Check(t, "dma_reader", dmaReader) }
func TestWriter(t *testing.T) { dmas.Check(t, "dma_writer", dmaWriter) }

// What may go wrong with a command, beside an answer that comes too late.
const (
	fine = iota
	slaveError
	decodeError
	internalError
	notOkay
	wrongTag
	shortCount  // of a write
	noPacketEnd // of a write, or of a read
	earlyEnd    // of a read
)

var faultCodes = map[int]string{
	slaveError: "DMA_SLAVE", decodeError: "DMA_DECODE", internalError: "DMA_INTERNAL", notOkay: "DMA_NOT_OKAY",
	wrongTag:   "DMA_TAG_MISMATCH",
	shortCount: "DMA_NOT_EXPECTED_BTT", noPacketEnd: "DMA_NOT_END_OF_PACKET", earlyEnd: "DMA_NOT_EXPECTED_BTT",
}

// transfer is a command from its beginning to its end.
type transfer struct {
	address  uint64
	bytes    int
	host     bool
	data     []byte // with what fills its last beat up
	taken    uint64 // cycle in which it was
	moved    int    // bytes that came or went, from the module's point of view
	zeros    bool   // from here on
	abandons bool   // it must end with DMA_TIMEOUT

	// In the DMA engine.
	tag   uint64
	fault int
	there int // bytes
	ended bool
}

// engine is a DMA engine.
type engine struct {
	b        *block.Bench
	r        *rand.Rand
	code     map[string]uint64
	layout   map[string]map[string]abi.Field
	all      map[uint64]*transfer
	prefix   string // of the ports that give commands
	ask      *block.Input
	command  *block.Output
	next     *transfer   // that is asked for
	waiting  int         // cycles that it has not been taken
	open     []*transfer // taken and not done
	commands []*transfer // that the DMA engine has, whose data have not moved
	answers  []*transfer // whose data have
	status   *block.Input
	tag      uint64
	answered uint64 // cycle of the last answer, or without anything under way
	silent   uint64 // cycle in which there had been none for too long
	hung     int    // cycles
	hangs    [3]bool
	idle     int // cycles without a beat or an end
	beats    int // that the module gave or took
	seen     map[string]int
}

const (
	hangsCommands = iota
	hangsData
	hangsStatuses
)

func newEngine(b *block.Bench, r *rand.Rand) (*engine, error) {
	d, err := pins.Design(platform)
	if err != nil {
		return nil, err
	}
	code, err := pins.Codes(platform)
	if err != nil {
		return nil, err
	}
	e := &engine{b: b, r: r, code: code, layout: map[string]map[string]abi.Field{}, all: map[uint64]*transfer{},
		seen: map[string]int{}}
	for _, name := range []string{"dma_command", "dma_status"} {
		e.layout[name] = map[string]abi.Field{}
		for _, f := range d.ABI().Layout(name).Fields {
			e.layout[name][f.Name] = f
		}
	}
	e.status = block.NewInput(b, "status_tvalid", "status_tready", "status_tdata")
	e.command = block.NewOutput(b, "command_tvalid", "command_tready", "command_tdata", "command_tdest")
	return e, nil
}

// taken notes a command that was taken in the cycle.
func (e *engine) taken() error {
	e.waiting++
	if !e.ask.Offered() {
		e.waiting = 0
	}
	if e.ask.Taken() {
		e.next.taken = e.b.Cycle
		e.open, e.all[e.next.address] = append(e.open, e.next), e.next
		e.waiting = 0
	}
	if len(e.open) > dmaDepth {
		return fmt.Errorf("%d commands are under way", len(e.open))
	}
	if e.waiting > 12*dmaLimit {
		return fmt.Errorf("a command waits for %d cycles", e.waiting)
	}
	return nil
}

// forget is for resets.
func (e *engine) forget() {
	e.status.Withdraw()
	e.ask.Withdraw()
	e.command.Forget()
	e.next, e.idle, e.waiting = nil, 0, 0
	e.open, e.commands, e.answers, e.tag, e.hung = nil, nil, nil, 0, 0
	e.all = map[uint64]*transfer{}
}

// random is a command that may be given.
func (e *engine) random() *transfer {
	n := block.RandomLength(e.r, beatBytes, mostBytes)
	return &transfer{address: e.r.Uint64(), bytes: n, host: e.r.IntN(2) == 0,
		data: block.RandomBytes(e.r, (n+beatBytes-1)/beatBytes*beatBytes), taken: e.b.Cycle}
}

// pause begins and ends times without answers: most are short enough.
func (e *engine) pause() {
	if e.hung > 0 {
		e.hung--
		return
	}
	if e.hangs = [3]bool{}; e.r.IntN(500) == 0 {
		e.hung = 1 + e.r.IntN(dmaLimit/4)
		if e.r.IntN(3) == 0 {
			e.hung = dmaLimit + e.r.IntN(4*dmaLimit)
		}
		for i := range e.hangs {
			e.hangs[i] = e.r.IntN(3) > 0
		}
	}
}

// giveStatus answers the first command of which all data have moved.
func (e *engine) giveStatus(active bool) {
	if e.status.Offered() {
		return
	}
	e.b.Scramble(e.r, "status_tdata")
	if len(e.answers) == 0 || !active || e.hangs[hangsStatuses] {
		return
	}
	t := e.answers[0]
	word := uint64(0)
	put := func(name string, v uint64) { word |= v << e.layout["dma_status"][name].Low }
	tag := t.tag
	if t.fault == wrongTag {
		tag ^= 1 << e.r.IntN(4)
	}
	put("tag", tag)
	put("okay", block.Bit(t.fault != notOkay && t.fault != slaveError && t.fault != decodeError &&
		t.fault != internalError))
	put("slave_error", block.Bit(t.fault == slaveError))
	put("decode_error", block.Bit(t.fault == decodeError))
	put("internal_error", block.Bit(t.fault == internalError))
	if e.b.Width("status_tdata") > 8 {
		n := uint64(t.there)
		if t.fault == shortCount {
			n ^= 1 << e.r.IntN(12)
		}
		put("bytes_received", n)
		put("end_of_packet", block.Bit(t.fault != noPacketEnd))
	}
	e.b.Set("status_tdata", word)
	e.status.Offer()
}

// commanded takes what the module commands.
func (e *engine) commanded(faults []int) error {
	if taken, err := e.command.Taken(); !taken {
		return err
	}
	get := func(name string) (v uint64) {
		f := e.layout["dma_command"][name]
		word := e.b.Bytes("command_tdata")
		for i := f.Low; i <= f.High; i++ {
			v |= uint64(word[i/8]>>(i%8)&1) << (i - f.Low)
		}
		return v
	}
	t := e.all[get("address")]
	if t == nil {
		return fmt.Errorf("a command reads or writes at 0x%X", get("address"))
	}
	if get("bytes") != uint64(t.bytes) || get("tag") != e.tag || get("incrementing") != 1 || get("eof") != 1 ||
		e.b.Get("command_tdest") != block.Bit(t.host) {
		return fmt.Errorf("command 0x%X, for %d, of %d bytes with tag %d", e.b.Bytes("command_tdata"),
			e.b.Get("command_tdest"), t.bytes, e.tag)
	}
	delete(e.all, t.address)
	t.tag, e.tag = e.tag, (e.tag+1)%16
	if e.r.IntN(6) == 0 {
		t.fault = faults[e.r.IntN(len(faults))]
	}
	e.commands = append(e.commands, t)
	return nil
}

// note keeps in mind when the DMA engine has answered. The module has not taken
// anything in this cycle yet.
func (e *engine) note(answer bool) {
	owes := len(e.commands) > 0 || len(e.answers) > 0 || e.b.Is("command_tvalid")
	if answer || len(e.open) == 0 && !owes {
		e.answered = e.b.Cycle
	}
	if e.b.Cycle-e.answered >= dmaLimit {
		e.silent = e.b.Cycle
	}
}

// wasSilent tells whether there has been no answer for too long since a command
// was taken, or when it was.
func (e *engine) wasSilent(t *transfer) bool { return e.silent+3 >= t.taken && e.silent > 0 }

// done checks how a command ends.
func (e *engine) done(code uint64, whole int) error {
	if len(e.open) == 0 {
		return errors.New("a command ends that nobody has given")
	}
	t := e.open[0]
	e.open = e.open[1:]
	timeout := code == e.code["DMA_TIMEOUT"]
	switch {
	case t.moved != whole:
		return fmt.Errorf("%d of %d bytes have moved when a command ends", t.moved, whole)
	case timeout && !t.abandons && !e.wasSilent(t):
		return fmt.Errorf("a command is given up %d cycles after the last answer", e.b.Cycle-e.answered)
	case !timeout && (t.abandons || t.zeros):
		return fmt.Errorf("a command that was given up ends with 0x%X", code)
	case !timeout && code != e.code[faultCodes[t.fault]]:
		return fmt.Errorf("a command ends with 0x%X, not 0x%X", code, e.code[faultCodes[t.fault]])
	}
	switch {
	case timeout:
		e.seen["timeout"]++
	case t.fault == fine:
		e.seen["good"]++
	default:
		e.seen["bad"]++
	}
	return nil
}

// abandon gives all up that is under way.
func (e *engine) abandon() {
	for _, t := range e.open {
		t.abandons = true
	}
	e.seen["abandoned"] += len(e.open)
}

func (e *engine) enough() error {
	for _, what := range []string{"good", "bad", "timeout", "abandoned", "late"} {
		if e.seen[what] < 20 {
			return fmt.Errorf("too few commands of a kind: %v", e.seen)
		}
	}
	return nil
}
