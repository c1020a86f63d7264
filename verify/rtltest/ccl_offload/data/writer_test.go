package datapath

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// writer is a dma_writer with a DMA engine.
type writer struct {
	*engine
	data   *block.Input
	stream *block.Output
}

// dmaWriter gives a DMA engine what it is to write, command by command.
func dmaWriter(b *block.Bench, r *rand.Rand) error {
	e, err := newEngine(b, r)
	if err != nil {
		return err
	}
	e.prefix, e.ask = "write_", block.NewInput(b, "write_valid", "write_ready")
	w := &writer{
		e, block.NewInput(b, "write_data_valid", "write_data_ready"),
		block.NewOutput(b, "stream_tvalid", "stream_tready", "stream_tdata", "stream_tkeep", "stream_tlast", "stream_tdest"),
	}
	faults := []int{slaveError, decodeError, internalError, notOkay, wrongTag, shortCount, noPacketEnd}
	return e.both(w, faults, faults, w.limit)
}

func (w *writer) clear() {
	w.engine.clear()
	w.data.Withdraw()
	w.stream.Forget()
}

func (w *writer) take(active bool) {
	w.b.Put("stream_tready", active && !w.hangs[hangsData] && len(w.commands) > 0)
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

func (w *writer) move() error {
	b := w.b
	lacks := w.lacking()
	moved, answered := w.data.Taken(), w.status.Taken()
	written, err := w.stream.Taken()
	if err != nil {
		return err
	}
	w.note(answered || moved && !lacks.abandons && !w.wasSilent(lacks))
	if answered {
		w.answers = w.answers[1:]
	}
	if written {
		if err := w.write(); err != nil {
			return err
		}
	}
	if b.Is("write_done") {
		var t *transfer
		if len(w.open) > 0 {
			t = w.open[0]
		}
		if err := w.end(b.Get("write_code")); err != nil {
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
	return nil
}

// write takes a beat into memory. A packet is only cut short when its command was
// given up.
func (w *writer) write() error {
	b, t := w.b, w.commands[0]
	n := min(beatBytes, t.bytes-t.there)
	keep, last := b.Get("stream_tkeep"), b.Is("stream_tlast")
	if b.Get("stream_tdest") != block.Bit(t.host) {
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
			w.take(true)
			before := w.next.moved
			if err := errors.Join(w.step(w, []int{fine}), w.taken()); err != nil {
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
