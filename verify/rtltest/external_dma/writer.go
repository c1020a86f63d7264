package external_dma

import (
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// intake is what goes into a channel that writes: commands and a stream.
type intake struct {
	channel
	stream *block.Feed[beat]
	given  int // beats
	taken  int
}

func (x *intake) open() {
	b, at := x.b, x.at
	x.stream = &block.Feed[beat]{Input: block.NewInput(b, at("stream_valid"), at("stream_ready"),
		at.all("stream_data", "stream_keep", "stream_last")...)}
	x.stream.Put = func(s beat) {
		b.SetBytes(at("stream_data"), s.data)
		b.Set(at("stream_keep"), s.keep)
		b.Put(at("stream_last"), s.last)
	}
}

func (x *intake) begin() {
	x.channel.begin()
	x.commands.Pace, x.stream.Pace = x.pace(), x.pace()
}

// add adds a command with its part of the stream.
func (x *intake) add(c command) []write {
	beats, writes := transfer(x.r, c, x.memories, x.lines)
	lines := 0
	for i := range writes {
		writes[i].needs += x.given
		lines += len(writes[i].lines)
	}
	x.steps += max(1, lines, len(beats))
	x.given += len(beats)
	x.commands.Queue = append(x.commands.Queue, c)
	x.stream.Queue = append(x.stream.Queue, beats...)
	return writes
}

func (x *intake) drive() {
	x.commands.Drive(x.r)
	x.stream.Drive(x.r)
}

func (x *intake) check() bool {
	_, moved := x.commands.Gone()
	if _, ok := x.stream.Gone(); ok {
		x.taken++
		moved = true
	}
	return moved
}

func (x *intake) left() bool { return len(x.commands.Queue)+len(x.stream.Queue) > 0 }

func (x *intake) forget() {
	x.commands.Forget()
	x.stream.Forget()
	x.given, x.taken = 0, 0
}

// writePort is a memory at a port of a writer, or, if it is nobody's, all of them.
type writePort struct {
	memory  int
	at      ports
	asks    *block.Drain
	data    *block.Drain
	answers *block.Feed[uint64]
	want    []write // whose address has not come
	open    []write // whose data have not
	due     []uint64
	line    int // of the first one
}

// writer is what surrounds a channel that writes.
type writer struct {
	intake
	most    int // bursts without an answer
	under   int
	status  *block.Drain
	memory  []*writePort
	reports []report
}

func newWriter(b *block.Bench, r *rand.Rand, memories, lines, most int, at ports, of ...*writePort) *writer {
	x := &writer{intake: intake{channel: newChannel(b, r, memories, lines, at)}, most: most, memory: of}
	x.open()
	x.status = &block.Drain{Output: block.NewOutput(b, at("status_valid"), at("status_ready"), at("status_data"))}
	for _, p := range of {
		asked := p.at.all("aw_address", "aw_length")
		if p.memory == nobody {
			asked = append(asked, p.at("aw_memory"))
		}
		p.asks = &block.Drain{Output: block.NewOutput(b, p.at("aw_valid"), p.at("aw_ready"), asked...)}
		p.data = &block.Drain{Output: block.NewOutput(b, p.at("w_valid"), p.at("w_ready"),
			p.at.all("w_data", "w_strobes", "w_last")...)}
		p.answers = &block.Feed[uint64]{Input: block.NewInput(b, p.at("b_valid"), p.at("b_ready"), p.at("b_response"))}
		p.answers.Put = func(v uint64) { b.Set(p.at("b_response"), v) }
	}
	return x
}

func (x *writer) begin() {
	x.intake.begin()
	paces(x.r, x.still, x.status)
	for _, p := range x.memory {
		p.answers.Pace = x.pace()
		paces(x.r, x.still, p.asks, p.data)
	}
	faults := []int{0, 2, 20}[x.r.IntN(3)]
	for range 15 + x.r.IntN(15) {
		c := next(x.r, x.memories)
		if x.r.IntN(20) == 0 {
			c.bytes = x.r.IntN(1 << 23)
		}
		p := x.memory[min(c.memory, len(x.memory)-1)]
		writes := x.add(c)
		last := &writes[len(writes)-1]
		for _, w := range writes {
			if w.void {
				continue
			}
			answer := x.r.Uint64N(2)
			if x.r.IntN(100) < faults {
				answer += 2
			}
			last.report.slave, last.report.decode = last.report.slave || answer == 2, last.report.decode || answer == 3
			p.want, p.due = append(p.want, w), append(p.due, answer)
		}
		x.reports = append(x.reports, last.report)
	}
}

func (x *writer) drive() {
	x.intake.drive()
	x.status.Drive()
	for _, p := range x.memory {
		p.asks.Drive()
		p.data.Drive()
		p.answers.Drive(x.r)
	}
}

func (x *writer) check() (bool, error) {
	if ok, err := x.status.Taken(); err != nil {
		return false, err
	} else if ok {
		if len(x.reports) == 0 {
			return false, fmt.Errorf("a status of nothing")
		}
		if got, want := x.b.Get(x.at("status_data")), x.reports[0].status(); got != want {
			return false, fmt.Errorf("the status of a write is %08X, not %08X", got, want)
		}
		x.reports = x.reports[1:]
	}
	moved := x.b.Is(x.status.Valid)
	for _, p := range x.memory {
		ok, err := x.written(p)
		if err != nil {
			return false, err
		}
		asked, err := x.ask(p)
		if err != nil {
			return false, err
		}
		if _, gone := p.answers.Gone(); gone {
			x.under--
			moved = true
		}
		moved = moved || ok || asked
	}
	return x.intake.check() || moved, nil
}

// ask is what a memory is told of a burst: when all its data are here.
func (x *writer) ask(p *writePort) (bool, error) {
	ok, err := p.asks.Taken()
	if !ok {
		return false, err
	}
	if len(p.want) == 0 {
		return false, fmt.Errorf("a burst of nothing is written")
	}
	w := p.want[0]
	p.want, p.open = p.want[1:], append(p.open, w)
	length, address, memory := int(x.b.Get(p.at("aw_length")))+1, x.b.Get(p.at("aw_address")), w.memory
	if p.memory == nobody && x.memories > 1 {
		memory = int(x.b.Get(p.at("aw_memory")))
	}
	if length != len(w.lines) || address != w.address || memory != w.memory {
		return false, fmt.Errorf("%d lines at %X of memory %d are written, not %d at %X of %d", length, address, memory,
			len(w.lines), w.address, w.memory)
	}
	if x.taken < w.needs {
		return false, fmt.Errorf("a burst is written when %d of %d beats of the stream have come", x.taken, w.needs)
	}
	if x.under++; x.under > x.most {
		return false, fmt.Errorf("%d bursts are under way", x.under)
	}
	return true, nil
}

// written is a line of a burst that the memory knows of.
func (x *writer) written(p *writePort) (bool, error) {
	ok, err := p.data.Taken()
	if !ok {
		return false, err
	}
	if len(p.open) == 0 {
		return false, fmt.Errorf("a line is written before its address")
	}
	w := p.open[0].lines[p.line]
	last := p.line == len(p.open[0].lines)-1
	strobes, got := x.b.Get(p.at("w_strobes")), x.b.Bytes(p.at("w_data"))
	if err := w.compare(got, strobes); err != nil {
		return false, err
	}
	if x.b.Is(p.at("w_last")) != last {
		return false, fmt.Errorf("line %d of %d is the last one: %t", p.line+1, len(p.open[0].lines), !last)
	}
	if p.line++; last {
		p.line, p.open = 0, p.open[1:]
		p.answers.Queue, p.due = append(p.answers.Queue, p.due[0]), p.due[1:]
	}
	return true, nil
}

// compare compares the bytes that are written.
func (w written) compare(got []byte, strobes uint64) error {
	for i := range got {
		if strobes != w.strobes || w.strobes>>i&1 != 0 && got[i] != w.data[i] {
			return fmt.Errorf("%X is written where %X is 1, not %X where %X is", got, strobes, w.data, w.strobes)
		}
	}
	return nil
}

func (x *writer) left() bool {
	left := x.intake.left() || len(x.reports) > 0
	for _, p := range x.memory {
		left = left || len(p.want)+len(p.open)+len(p.answers.Queue) > 0
	}
	return left
}

func (x *writer) forget() {
	x.intake.forget()
	x.status.Forget()
	x.under, x.reports = 0, nil
	for _, p := range x.memory {
		p.asks.Forget()
		p.data.Forget()
		p.answers.Forget()
		p.want, p.open, p.due, p.line = nil, nil, nil, 0
	}
}
