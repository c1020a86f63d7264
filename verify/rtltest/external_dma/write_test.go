package external_dma

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestWriteAlign(t *testing.T) { set.Check(t, "dma_write_align", writeAlign) }
func TestWrite(t *testing.T)      { set.Check(t, "dma_write", writes(2, 4, 5)) }
func TestWriteWhole(t *testing.T) { set.Check(t, "dma_write_whole", writes(1, 16, 64)) }

// writes writes memories in bursts of some lines.
func writes(memories, lines, most int) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		x := newWriter(b, r, memories, lines, most, plain, &writePort{memory: nobody, at: plain})
		x.rated = memories == 1
		return writeRounds(b, r, &x.intake, x)
	}
}

// writeRounds are those of a writer; some end in a reset.
func writeRounds(b *block.Bench, r *rand.Rand, x *intake, s side) error {
	for n := range 16 {
		begun, limit := b.Cycle, 200_000
		if n%4 == 3 {
			limit = 1 + r.IntN(400)
		}
		if err := round(b, limit, s); err != nil {
			return err
		}
		if took := int(b.Cycle - begun); n%4 != 3 && x.rated && x.still && took > x.steps+60 {
			return fmt.Errorf("%d steps took %d cycles", x.steps, took)
		}
		if n%4 == 3 {
			reset(b, s)
		}
	}
	return nil
}

// cutter surrounds dma_write_align: bursts and lines go their own ways.
type cutter struct {
	intake
	bursts, lines func() bool
	line          *block.Output
	want          []write
	lineWant      []write
	at            int // line of the first one
}

func (x *cutter) begin() {
	x.intake.begin()
	x.bursts, x.lines = block.NewRhythm(x.r).Next, block.NewRhythm(x.r).Next
	if x.still {
		x.bursts, x.lines = always, always
	}
	for range 15 + x.r.IntN(15) {
		c := next(x.r, x.memories)
		if x.r.IntN(20) == 0 {
			c.bytes = x.r.IntN(1 << 23)
		}
		for _, w := range x.add(c) {
			x.want = append(x.want, w)
			if !w.void {
				x.lineWant = append(x.lineWant, w)
			}
		}
	}
}

func always() bool { return true }

func (x *cutter) drive() {
	x.intake.drive()
	x.b.Put("burst_ready", x.bursts())
	x.b.Put("line_ready", x.lines())
}

func (x *cutter) check() (bool, error) {
	moved := x.intake.check()
	if x.b.Is("burst_valid") && x.b.Is("burst_ready") {
		if len(x.want) == 0 {
			return false, fmt.Errorf("a burst of nothing")
		}
		if err := x.burst(x.want[0]); err != nil {
			return false, err
		}
		x.want, moved = x.want[1:], true
	}
	if ok, err := x.line.Taken(); err != nil {
		return false, err
	} else if ok {
		if len(x.lineWant) == 0 {
			return false, fmt.Errorf("a line of nothing")
		}
		w := x.lineWant[0]
		if err := w.lines[x.at].compare(x.b.Bytes("line_data"), x.b.Get("line_strobes")); err != nil {
			return false, err
		}
		last := x.at == len(w.lines)-1
		if x.b.Is("line_last") != last {
			return false, fmt.Errorf("line %d of %d is the last one: %t", x.at+1, len(w.lines), !last)
		}
		if x.at++; last {
			x.at, x.lineWant = 0, x.lineWant[1:]
		}
		moved = true
	}
	return moved, nil
}

// burst is one that is described.
func (x *cutter) burst(w write) error {
	b := x.b
	if b.Is("burst_void") != w.void || b.Is("burst_ends") != w.ends {
		return fmt.Errorf("a burst is void %t, ends %t; not %t, %t", b.Is("burst_void"), b.Is("burst_ends"), w.void, w.ends)
	}
	if !w.void && (b.Get("burst_line") != w.address/lineBytes || int(b.Get("burst_length")) != len(w.lines)-1 ||
		int(b.Get("burst_memory")) != w.memory) {
		return fmt.Errorf("a burst of %d+1 lines at line %X of memory %d; not %d at %X of %d", b.Get("burst_length"),
			b.Get("burst_line"), b.Get("burst_memory"), len(w.lines), w.address, w.memory)
	}
	if !w.ends {
		return nil
	}
	got := report{tag: b.Get("burst_tag"), internal: b.Is("burst_internal_error"), decode: b.Is("burst_decode_error"),
		bytes: int(b.Get("burst_bytes")), end: b.Is("burst_end_of_packet")}
	if got != w.report {
		return fmt.Errorf("a burst reports %+v, not %+v", got, w.report)
	}
	return nil
}

func (x *cutter) left() bool { return x.intake.left() || len(x.want)+len(x.lineWant) > 0 }

func (x *cutter) forget() {
	x.intake.forget()
	x.line.Forget()
	x.want, x.lineWant, x.at = nil, nil, 0
}

func writeAlign(b *block.Bench, r *rand.Rand) error {
	x := &cutter{intake: intake{b: b, r: r, at: plain, memories: 2, lines: 4, rated: true}}
	x.line = block.NewOutput(b, "line_valid", "line_ready", "line_data", "line_strobes", "line_last")
	x.commands = &block.Feed[command]{Input: block.NewInput(b, "command_valid", "command_ready",
		"command_bytes", "command_address", "command_tag", "command_memory", "command_invalid", "command_nowhere",
		"command_void")}
	x.commands.Put = func(c command) {
		b.Set("command_bytes", uint64(c.bytes))
		b.Set("command_address", c.address)
		b.Set("command_tag", c.tag)
		b.Set("command_memory", uint64(c.memory&1))
		b.Put("command_invalid", c.internal())
		b.Put("command_nowhere", c.nowhere(2))
		b.Put("command_void", c.internal() || c.nowhere(2))
	}
	x.open()
	return writeRounds(b, r, &x.intake, x)
}
