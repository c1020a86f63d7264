package movers

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/tb/block"
)

// reader is a dma_reader with a DMA engine.
type reader struct {
	*engine
	stream  *block.Input
	command *block.Output
	idle    int // cycles without a beat or an end
	beats   int
}

func (t *transfer) beats() int { return whole(t.bytes) }

// dmaReader gives what a DMA engine reads, or zeros, command by command.
func dmaReader(b *block.Bench, r *rand.Rand) error {
	e, err := newEngine(b, r)
	if err != nil {
		return err
	}
	e.ask = block.NewInput(b, "read_valid", "read_ready")
	w := reader{
		engine: e, stream: block.NewInput(b, "stream_tvalid", "stream_tready"),
		command: block.NewOutput(b, "command_tvalid", "command_tready", "command_tdata", "command_tdest"),
	}
	good := []int{slaveError, decodeError, internalError, notOkay, wrongTag, noPacketEnd, earlyEnd}
	if err := w.run(6000, good, false); err != nil {
		return err
	}
	w.clear()
	if err := w.run(30000, []int{slaveError, wrongTag, earlyEnd}, true); err != nil {
		return err
	}
	if err := w.enough(); err != nil {
		return err
	}
	if err := w.limit(); err != nil {
		return err
	}
	return w.speed()
}

func (w *reader) clear() {
	w.b.Reset()
	w.b.Set("limit_cycles", dmaLimit)
	w.forget()
	w.ask.Withdraw()
	w.stream.Withdraw()
	w.command.Forget()
	w.next, w.idle, w.waiting = nil, 0, 0
}

// run gives commands at random; faults are those of the DMA engine.
func (w *reader) run(cycles int, faults []int, late bool) error {
	b, r := w.b, w.r
	b.Set("limit_cycles", dmaLimit)
	gives, takes, commands, beats, statuses := rhythm(r), rhythm(r), rhythm(r), rhythm(r), rhythm(r)
	for range cycles {
		if r.IntN(3000) == 0 {
			w.clear()
		}
		if late {
			w.pause()
		}
		if !w.ask.Offered() {
			b.Scramble(r, "read_address", "read_host", "read_bytes")
			if gives.Next() {
				w.next = w.random()
				b.Set("read_address", w.next.address)
				b.Put("read_host", w.next.host)
				b.Set("read_bytes", uint64(w.next.bytes))
				w.ask.Offer()
			}
		}
		b.Put("data_ready", takes.Next())
		b.Put("command_tready", commands.Next() && !w.hangs[hangsCommands])
		w.give(beats.Next())
		w.giveStatus(statuses.Next())
		abandons := late && r.IntN(600) == 0
		b.Put("abandon", abandons)
		if err := w.step(faults); err != nil {
			return err
		}
		if abandons {
			w.abandon()
		}
		if err := w.taken(); err != nil {
			return err
		}
	}
	return nil
}

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

// step runs a cycle and looks at what has come; commands that end in it are gone
// behind it.
func (w *reader) step(faults []int) error {
	b := w.b
	b.Settle()
	if b.Is("idle") != (len(w.open) == 0) {
		return fmt.Errorf("with %d commands under way it is idle: %t", len(w.open), b.Is("idle"))
	}
	b.Step()
	given, answered := w.stream.Taken(), w.status.Taken()
	w.note(given || answered)
	delivered := false
	w.idle++
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
		w.idle = 0
		if len(w.open) == 0 {
			return fmt.Errorf("a command ends that nobody has given")
		}
		if err := w.done(b.Get("done_code"), w.open[0].beats()); err != nil {
			return err
		}
	}
	commanded, err := w.command.Taken()
	if err != nil {
		return err
	}
	if commanded {
		if err := w.engine.command(faults); err != nil {
			return err
		}
	}
	if len(w.open) > 0 && w.idle > 4*dmaLimit {
		return fmt.Errorf("nothing has moved for %d cycles, %d commands are under way", w.idle, len(w.open))
	}
	return nil
}

// beat checks what is given for the first command that lacks something, and tells
// whether that is what has just come from the DMA engine.
func (w *reader) beat(from *transfer) (bool, error) {
	var t *transfer
	for _, x := range w.open {
		if x.moved < x.beats() {
			t = x
			break
		}
	}
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
		t := w.random()
		w.b.Set("read_address", t.address)
		w.b.Put("read_host", t.host)
		w.b.Set("read_bytes", uint64(t.bytes))
		w.ask.Offer()
		w.next = t
		w.b.Set("data_ready", 1)
		last := w.b.Cycle
		for begun := false; !t.zeros && (!begun || len(w.open) > 0); begun = begun || len(w.open) > 0 {
			w.b.Put("command_tready", what != hangsCommands)
			w.give(true)
			w.giveStatus(true)
			moved := t.moved
			if err := errors.Join(w.step([]int{fine}), w.taken()); err != nil {
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

// speed finds out whether a beat comes with every cycle.
func (w *reader) speed() error {
	w.clear()
	w.b.Set("data_ready", 1)
	w.b.Set("command_tready", 1)
	w.beats = 0
	first := uint64(0)
	for moved := 0; moved < 200; {
		if !w.ask.Offered() {
			w.next = w.random()
			w.next.bytes, w.next.data = 1024, bytesOf(w.r, 1024)
			w.b.Set("read_address", w.next.address)
			w.b.Put("read_host", w.next.host)
			w.b.Set("read_bytes", 1024)
			w.ask.Offer()
		}
		w.give(true)
		w.giveStatus(true)
		if err := errors.Join(w.step([]int{fine}), w.taken()); err != nil {
			return err
		}
		if moved == 0 {
			first = w.b.Cycle
		}
		moved = w.beats
	}
	if took := w.b.Cycle - first; took > 210 {
		return fmt.Errorf("200 beats take %d cycles", took)
	}
	return nil
}
