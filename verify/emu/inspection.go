package emu

import (
	"context"
	"errors"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/verify/emu/rv32"
)

// processor is what the hardware says of the control processor. It is the goroutine's.
type processor struct {
	trap      *rv32.Trap // why it has halted, nil if it has not
	started   bool
	firmware  uint32
	heartbeat uint32
	restarts  uint32
	detail    uint32 // number of the word that was chosen
}

// inspectionWords are the words of the exchange memory by which the hardware says how it is.
type inspectionWords struct {
	at                      uint32
	names                   []string
	magic, version, restart uint32
	halted, asleep          field
	started, cause, counts  field
}

func (r *resolver) inspection(m *abi.Memory) inspectionWords {
	f := func(name string) field { return r.field("inspection_state", name) }
	w := inspectionWords{
		magic: uint32(r.constant("inspection_magic")), version: uint32(r.constant("inspection_version")),
		restart: uint32(r.constant("inspection_restart")),
		halted:  f("halted"), asleep: f("asleep"), started: f("started"), cause: f("cause"), counts: f("counts"),
	}
	record, word := r.g.Record("inspection"), m.Word("inspection")
	if record == nil || word == nil {
		r.lack("the words inspection of the exchange memory")
		return w
	}
	w.at = word.At
	for _, each := range record.Words {
		w.names = append(w.names, each.Name)
	}
	return w
}

// word is the name of the word at an offset in the exchange memory.
func (w *inspectionWords) word(off uint32) (name string, is bool) {
	i := (off - w.at) / wordBytes
	if off < w.at || off%wordBytes != 0 || i >= uint32(len(w.names)) {
		return "", false
	}
	return w.names[i], true
}

// inspect reads a word, also when the engine has ended because its processor has halted.
func (e *Engine) inspect(ctx context.Context, word string) (v uint32, _ error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := e.calls.failure(); errors.Is(err, ErrClosed) {
		return 0, err
	}
	e.do(func() { v = e.inspected(word) })
	return v, nil
}

// cyclesAt are the cycles since power-up of the clock that an engine in hardware would have.
func (e *Engine) cyclesAt(nanoseconds int64) uint32 {
	return uint32(uint64(nanoseconds) * uint64(e.clock.mhz) / 1000)
}

// designHash is 0 for designs of which only the driver's part is known.
func (e *Engine) designHash() uint32 {
	hash, err := designjson.HardwareHash(e.d)
	if err != nil {
		return 0
	}
	return hash
}

func (e *Engine) inspected(word string) uint32 {
	w, p := &e.n.inspection, &e.processor
	switch word {
	case "magic":
		return w.magic
	case "version":
		return w.version
	case "design_hash":
		return e.designHash()
	case "firmware_hash":
		return p.firmware
	case "state":
		return p.state(w, e.asleep) | w.counts.put(uint32(flag(e.d.Platform.CCLO.Activity)))
	case "pc":
		return e.cpu.PC()
	case "heartbeat":
		return p.heartbeat
	case "cycles":
		return e.cyclesAt(e.clock.now())
	case "restarts":
		return p.restarts
	case "detail":
		if p.detail >= e.n.trace.state {
			return e.trace.word(&e.n.trace, p.detail)
		}
		return e.doing(p.detail)
	}
	if p.trap != nil {
		switch word {
		case "instruction":
			return p.trap.Instr
		case "address":
			return p.trap.Addr
		}
	}
	return 0
}

func (p *processor) state(w *inspectionWords, asleep bool) (v uint32) {
	if p.started {
		v |= w.started.put(1)
	}
	if p.trap != nil {
		return v | w.halted.put(1) | w.cause.put(uint32(p.trap.Cause))
	}
	if asleep {
		v |= w.asleep.put(1)
	}
	return v
}

// control writes a word: one of them restarts the processor, one chooses what it reads next.
func (e *Engine) control(word string, v uint32) {
	if word == "detail" {
		e.processor.detail = v
	}
	if word != "control" || v != e.n.inspection.restart || e.over != nil {
		return
	}
	e.processor = processor{heartbeat: e.processor.heartbeat, restarts: e.processor.restarts + 1}
	e.asleep, e.held = false, nil
	e.cpu.Reset()
	e.answers += e.calls.drop(e.n.code.notReady)
	e.traces(&e.n.trace.processorRestarted)
}
