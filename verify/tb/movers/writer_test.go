package movers

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/tb/block"
)

// writer is a dma_writer with a DMA engine.
type writer struct {
	*engine
	data            *block.Input
	command, stream *block.Output
	idle            int
	beats           int // that were given
}

// dmaWriter gives a DMA engine what it is to write, command by command.
func dmaWriter(b *block.Bench, r *rand.Rand) error {
	e, err := newEngine(b, r)
	if err != nil {
		return err
	}
	e.ask = block.NewInput(b, "write_valid", "write_ready")
	w := writer{
		engine: e, data: block.NewInput(b, "write_data_valid", "write_data_ready"),
		command: block.NewOutput(b, "command_tvalid", "command_tready", "command_tdata", "command_tdest"),
		stream:  block.NewOutput(b, "stream_tvalid", "stream_tready", "stream_tdata", "stream_tkeep", "stream_tlast", "stream_tdest"),
	}
	faults := []int{slaveError, decodeError, internalError, notOkay, wrongTag, shortCount, noPacketEnd}
	if err := w.run(6000, faults, false); err != nil {
		return err
	}
	w.clear()
	if err := w.run(30000, faults, true); err != nil {
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

func (w *writer) clear() {
	w.b.Reset()
	w.b.Set("limit_cycles", dmaLimit)
	w.forget()
	w.ask.Withdraw()
	w.data.Withdraw()
	w.command.Forget()
	w.stream.Forget()
	w.next, w.idle, w.waiting = nil, 0, 0
}

// lacking is the first command that has not got all its data.
func (w *writer) lacking() *transfer {
	for _, t := range w.open {
		if t.moved < t.beats() {
			return t
		}
	}
	return nil
}

func (w *writer) run(cycles int, faults []int, late bool) error {
	b, r := w.b, w.r
	b.Set("limit_cycles", dmaLimit)
	gives, beats, commands, takes, statuses := rhythm(r), rhythm(r), rhythm(r), rhythm(r), rhythm(r)
	for range cycles {
		if r.IntN(3000) == 0 {
			w.clear()
		}
		if late {
			w.pause()
		}
		w.offer(gives.Next())
		w.give(beats.Next())
		b.Put("command_tready", commands.Next() && !w.hangs[hangsCommands])
		b.Put("stream_tready", takes.Next() && !w.hangs[hangsData] && len(w.commands) > 0)
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

// offer gives a command.
func (w *writer) offer(active bool) {
	if w.ask.Offered() {
		return
	}
	w.b.Scramble(w.r, "write_address", "write_host", "write_bytes")
	if !active {
		return
	}
	w.next = w.random()
	w.b.Set("write_address", w.next.address)
	w.b.Put("write_host", w.next.host)
	w.b.Set("write_bytes", uint64(w.next.bytes))
	w.ask.Offer()
}

// give shows the next data, if there is a command that lacks some.
func (w *writer) give(active bool) {
	if w.data.Offered() {
		return
	}
	w.b.Scramble(w.r, "write_data")
	if t := w.lacking(); t != nil && active {
		w.b.SetBytes("write_data", t.data[t.moved:][:beatBytes])
		w.data.Offer()
	}
}

func (w *writer) step(faults []int) error {
	b := w.b
	b.Settle()
	if b.Is("idle") != (len(w.open) == 0) {
		return fmt.Errorf("with %d commands under way it is idle: %t", len(w.open), b.Is("idle"))
	}
	b.Step()
	lacks := w.lacking()
	moved, answered := w.data.Taken(), w.status.Taken()
	written, err := w.stream.Taken()
	if err != nil {
		return err
	}
	w.note(answered || moved && !lacks.abandons && !w.wasSilent(lacks))
	w.idle++
	if answered {
		w.answers = w.answers[1:]
	}
	if written {
		if err := w.write(); err != nil {
			return err
		}
	}
	if b.Is("write_done") {
		w.idle = 0
		if len(w.open) == 0 {
			return fmt.Errorf("a command ends that nobody has given")
		}
		t := w.open[0]
		if err := w.done(b.Get("write_code"), t.beats()); err != nil {
			return err
		}
		if b.Get("write_code") != w.code["DMA_TIMEOUT"] && t.there != t.bytes {
			return fmt.Errorf("a command ends when %d of %d bytes are written", t.there, t.bytes)
		}
	}
	if moved {
		w.idle = 0
		w.beats++
		lacks.moved += beatBytes
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

// write takes a beat into memory. A packet is only cut short when its command was
// given up.
func (w *writer) write() error {
	b, t := w.b, w.commands[0]
	n := min(beatBytes, t.bytes-t.there)
	keep, last := b.Get("stream_tkeep"), b.Is("stream_tlast")
	if b.Get("stream_tdest") != flag(t.host) {
		return fmt.Errorf("a beat for %t goes to %d", t.host, b.Get("stream_tdest"))
	}
	if keep == 0 && last && (t.abandons || w.wasSilent(t)) {
		w.seen["late"]++
		w.commands, w.answers = w.commands[1:], append(w.answers, t)
		return nil
	}
	want := uint64(1)<<n - 1
	if n == beatBytes {
		want = ^uint64(0)
	}
	if keep != want || last != (t.there+n == t.bytes) {
		return fmt.Errorf("at %d of %d bytes a beat has keep %X, last %t", t.there, t.bytes, keep, last)
	}
	if got := b.Bytes("stream_tdata")[:n]; !bytes.Equal(got, t.data[t.there:][:n]) {
		return fmt.Errorf("at %d of %d bytes %X is written, not %X", t.there, t.bytes, got, t.data[t.there:][:n])
	}
	if t.there += n; last {
		w.commands, w.answers = w.commands[1:], append(w.answers, t)
	}
	return nil
}

// limit finds out how long it waits for each answer.
func (w *writer) limit() error {
	for _, what := range []int{hangsCommands, hangsData, hangsStatuses} {
		w.clear()
		w.hangs = [3]bool{}
		w.hangs[what] = true
		w.offer(true)
		last := w.b.Cycle
		for begun := false; !begun || len(w.open) > 0; begun = begun || len(w.open) > 0 {
			w.give(true)
			w.giveStatus(true)
			w.b.Put("command_tready", what != hangsCommands)
			w.b.Put("stream_tready", what != hangsData && len(w.commands) > 0)
			before := w.next.moved
			if err := errors.Join(w.step([]int{fine}), w.taken()); err != nil {
				return err
			}
			if w.next.moved > before && w.b.Cycle-last < dmaLimit {
				last = w.b.Cycle
			}
		}
		if took := w.b.Cycle - last; took < dmaLimit || took > dmaLimit+80 {
			return fmt.Errorf("it waits for %d cycles, not %d", took, dmaLimit)
		}
	}
	w.hangs = [3]bool{}
	return nil
}

// speed finds out whether a beat goes with every cycle.
func (w *writer) speed() error {
	w.clear()
	w.b.Set("command_tready", 1)
	w.beats = 0
	first := uint64(0)
	for moved := 0; moved < 200; {
		if !w.ask.Offered() {
			w.next = &transfer{address: w.r.Uint64(), bytes: 1024, data: bytesOf(w.r, 1024)}
			w.b.Set("write_address", w.next.address)
			w.b.Put("write_host", w.next.host)
			w.b.Set("write_bytes", 1024)
			w.ask.Offer()
		}
		w.give(true)
		w.giveStatus(true)
		w.b.Put("stream_tready", len(w.commands) > 0)
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
