package external_dma

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestReadAlign(t *testing.T) { set.Check(t, "dma_read_align", readAlign) }
func TestRead(t *testing.T)      { set.Check(t, "dma_read", read(2, 8, 4)) }
func TestReadWhole(t *testing.T) { set.Check(t, "dma_read_whole", read(1, 64, 64)) }

// read reads memories in bursts of some lines.
func read(memories, lines, most int) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		x := newReader(b, r, memories, lines, plain, &readPort{memory: nobody, at: plain, never: true})
		x.rated = memories == 1
		largest := func() { x.add(command{bytes: 1<<23 - 1 - r.IntN(64), address: r.Uint64() >> 1, incrementing: true}) }
		if err := rounds(b, r, &x.delivery, x, largest); err != nil {
			return err
		}
		return waiting(b, x, most)
	}
}

// rounds are those of a reader; some end in a reset.
func rounds(b *block.Bench, r *rand.Rand, d *delivery, s side, largest func()) error {
	for n := range 16 {
		begun, limit := b.Cycle, 200_000
		if n%4 == 3 {
			limit = 1 + r.IntN(400)
		}
		if n == 7 {
			largest()
		}
		if err := round(b, limit, s); err != nil {
			return err
		}
		if took := int(b.Cycle - begun); n%4 != 3 && d.rated && d.still && took > d.steps+60 {
			return fmt.Errorf("%d steps took %d cycles", d.steps, took)
		}
		if n%4 == 3 {
			reset(b, s)
		}
	}
	return nil
}

// waiting has memory give nothing at all: as many commands are under way as there
// may be.
func waiting(b *block.Bench, x *reader, most int) error {
	p := x.memory[0]
	for range 2 * most {
		x.add(command{bytes: 1, address: x.r.Uint64() >> 1, incrementing: true})
	}
	paces(x.r, true, p.asks)
	x.commands.Pace, p.answers.Pace = nil, func() bool { return false }
	for range 5 * most {
		x.drive()
		b.Step()
		if _, err := x.check(); err != nil {
			return err
		}
	}
	if room := len(p.answers.Queue); room != most+1 { // one is with the aligner
		return fmt.Errorf("%d commands are under way, not %d", room, most+1)
	}
	return nil
}

// aligner surrounds dma_read_align, to which lines come by themselves.
type aligner struct {
	delivery
	gives *block.Feed[line]
}

func (a *aligner) add(c command) {
	for _, w := range a.delivery.add(c) {
		for i := range w.beats {
			at := w.address/lineBytes + uint64(i)
			a.gives.Queue = append(a.gives.Queue, line{data: a.content.line(w.memory, at),
				response: a.content.response(w.memory, at)})
		}
	}
}

func (a *aligner) begin() {
	a.delivery.begin()
	a.gives.Pace = a.pace()
	for range 15 + a.r.IntN(15) {
		a.add(next(a.r, a.memories))
	}
}

func (a *aligner) drive() {
	a.delivery.drive()
	a.gives.Drive(a.r)
}

func (a *aligner) check() (bool, error) {
	_, gone := a.gives.Gone()
	moved, err := a.delivery.check()
	return moved || gone, err
}

func (a *aligner) left() bool { return a.delivery.left() || len(a.gives.Queue) > 0 }

func (a *aligner) forget() {
	a.delivery.forget()
	a.gives.Forget()
}

func readAlign(b *block.Bench, r *rand.Rand) error {
	a := &aligner{delivery: delivery{b: b, r: r, at: plain, memories: 1, lines: 64}}
	a.commands = &block.Feed[command]{Input: block.NewInput(b, "command_valid", "command_ready",
		"command_bytes", "command_offset", "command_last", "command_tag", "command_invalid", "command_nowhere",
		"command_void")}
	a.commands.Put = func(c command) {
		b.Set("command_bytes", uint64(c.bytes))
		b.Set("command_offset", c.address%lineBytes)
		b.Put("command_last", c.end)
		b.Set("command_tag", c.tag)
		b.Put("command_invalid", c.internal())
		b.Put("command_nowhere", c.nowhere(1))
		b.Put("command_void", c.internal() || c.nowhere(1))
	}
	a.rated = true
	a.open()
	a.gives = &block.Feed[line]{Input: block.NewInput(b, "line_valid", "line_ready", "line_data", "line_response")}
	a.gives.Put = func(l line) {
		b.SetBytes("line_data", l.data)
		b.Set("line_response", l.response)
	}
	return rounds(b, r, &a.delivery, a, func() {
		a.add(command{bytes: 1<<23 - 1 - r.IntN(64), address: r.Uint64() >> 1, incrementing: true})
	})
}
