package datapath

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// reader is a dma_reader with a DMA engine.
type reader struct {
	*engine
	stream *block.Input
}

// beats is how many bytes its beats have.
func (t *transfer) beats() int { return (t.bytes + beatBytes - 1) / beatBytes * beatBytes }

// dmaReader gives what a DMA engine reads, or zeros, command by command.
func dmaReader(b *block.Bench, r *rand.Rand) error {
	e, err := newEngine(b, r)
	if err != nil {
		return err
	}
	e.prefix, e.ask = "read_", block.NewInput(b, "read_valid", "read_ready")
	w := &reader{e, block.NewInput(b, "stream_tvalid", "stream_tready")}
	return e.both(w, []int{slaveError, decodeError, internalError, notOkay, wrongTag, noPacketEnd, earlyEnd},
		[]int{slaveError, wrongTag, earlyEnd}, w.limit)
}

func (w *reader) clear() {
	w.engine.clear()
	w.stream.Withdraw()
}

func (w *reader) take(active bool) { w.b.Put("data_ready", active) }

// give shows the next beat of the DMA engine.
func (w *reader) give(active bool) {
	if w.stream.Offered() {
		return
	}
	w.b.Scramble(w.r, "stream_tdata", "stream_tlast")
	if len(w.commands) == 0 || !active || w.hangs[hangsData] {
		return
	}
	t := w.commands[0]
	end := t.there+beatBytes == t.beats()
	w.b.SetBytes("stream_tdata", t.data[t.there:][:beatBytes])
	if t.fault == earlyEnd && !end && w.r.IntN(3) == 0 {
		end, t.ended = true, true
	}
	w.b.Put("stream_tlast", end && t.fault != noPacketEnd)
	w.stream.Offer()
}

func (w *reader) move() error {
	b := w.b
	given, answered := w.stream.Taken(), w.status.Taken()
	w.note(given || answered)
	delivered := false
	var from *transfer
	if given {
		from = w.commands[0]
	}
	if b.Is("data_valid") && b.Is("data_ready") {
		w.idle = 0
		w.beats++
		var err error
		if delivered, err = w.beat(from); err != nil {
			return err
		}
	}
	if given {
		if !delivered {
			w.seen["late"]++
		}
		if from.there += beatBytes; from.there == from.beats() || from.ended {
			if from.fault == earlyEnd && !from.ended {
				from.fault = fine
			}
			w.commands, w.answers = w.commands[1:], append(w.answers, from)
		}
	}
	if answered {
		w.answers = w.answers[1:]
	}
	if b.Is("done_valid") {
		return w.end(b.Get("done_code"))
	}
	return nil
}

// beat checks what is given for the first command that lacks something, and tells
// whether that is what has just come from the DMA engine.
func (w *reader) beat(from *transfer) (bool, error) {
	t := w.lacking()
	if t == nil {
		return false, fmt.Errorf("a beat comes for no command")
	}
	n := min(beatBytes, t.bytes-t.moved)
	got := w.b.Bytes("data")[:n]
	if w.b.Is("data_last") != (t.moved+beatBytes == t.beats()) {
		return false, fmt.Errorf("after %d of %d bytes the beat is the last one: %t", t.moved, t.bytes, w.b.Is("data_last"))
	}
	switch {
	case from == t && !t.zeros && bytes.Equal(got, t.data[t.moved:][:n]):
	case !bytes.Equal(got, make([]byte, n)):
		return false, fmt.Errorf("at %d of %d bytes there are %X", t.moved, t.bytes, got)
	case t.ended && t.there <= t.moved: // its packet was too short
	case t.abandons || w.wasSilent(t):
		t.zeros = true
	default:
		return false, fmt.Errorf("zeros come %d cycles after the last answer", w.b.Cycle-w.answered)
	}
	t.moved += beatBytes
	return from == t && !t.zeros, nil
}

// limit finds out how long it waits for each answer.
func (w *reader) limit() error {
	for _, what := range []int{hangsCommands, hangsData, hangsStatuses} {
		w.clear()
		w.hangs = [3]bool{}
		w.hangs[what] = true
		w.offer(true)
		t := w.next
		w.b.Set("data_ready", 1)
		last := w.b.Cycle
		for begun := false; !t.zeros && (!begun || len(w.open) > 0); begun = begun || len(w.open) > 0 {
			w.b.Put("command_tready", what != hangsCommands)
			w.give(true)
			w.giveStatus(true)
			moved := t.moved
			if err := errors.Join(w.step(w, []int{fine}), w.taken()); err != nil {
				return err
			}
			if t.moved > moved && !t.zeros {
				last = w.b.Cycle
			}
		}
		if took := w.b.Cycle - last; took < dmaLimit || took > dmaLimit+8 {
			return fmt.Errorf("it waits for %d cycles, not %d", took, dmaLimit)
		}
	}
	w.hangs = [3]bool{}
	return nil
}
