package movers

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/tb/block"
)

var operands = block.NewSet(block.Module{Name: "operand", Params: map[string]string{"DEPTH": fmt.Sprint(dmaDepth)}})

func TestOperand(t *testing.T) { operands.Check(t, "operand", operand) }

// supply is an operand with a DMA engine and a kernel stream.
type supply struct {
	*engine
	stream, kernel *block.Input
	out            *block.Output
	from           int      // it comes: 0 nowhere, 1 memory, 2 the kernel stream
	order          []*piece // that have not been given in full
	flushing       bool
	flushed        int // cycles
	beats          [3]int
}

// piece is a slice of an operand.
type piece struct {
	*transfer
	memory bool
	given  int // by the kernel stream
	gone   int
}

// operand gives slices in order, wherever they come from.
func operand(b *block.Bench, r *rand.Rand) error {
	e, err := newEngine(b, r)
	if err != nil {
		return err
	}
	e.ask = block.NewInput(b, "slice_valid", "slice_ready")
	s := supply{
		engine: e, stream: block.NewInput(b, "stream_tvalid", "stream_tready"),
		kernel: block.NewInput(b, "kernel_valid", "kernel_ready"), out: block.NewOutput(b, "out_valid", "out_ready", "out_data"),
	}
	gives, takes, commands, beats, statuses, kernels := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
	flushes := 0
	s.clear()
	for range 20000 {
		if r.IntN(3000) == 0 {
			s.clear()
		}
		begins := !s.flushing && r.IntN(1000) == 0 && len(s.order) > 0
		b.Put("abandon", begins) // a cycle before the flush
		b.Put("flush", s.flushing)
		s.offer(gives.Next() && !begins)
		s.give(beats.Next(), kernels.Next())
		s.giveStatus(statuses.Next())
		b.Put("out_ready", takes.Next())
		b.Put("command_tready", commands.Next())
		if err := s.cycle(); err != nil {
			return err
		}
		if begins {
			s.abandon()
			s.begin()
			flushes++
		} else if s.flushing && len(s.open) == 0 && r.IntN(4) == 0 {
			s.flushing = false
		}
	}
	if s.beats[0] < 30 || s.beats[1] < 300 || s.beats[2] < 300 || flushes < 5 || s.seen["bad"] < 20 {
		return fmt.Errorf("only %v slices and beats, %d flushes, %v", s.beats, flushes, s.seen)
	}
	return nil
}

func (s *supply) clear() {
	s.b.Reset()
	s.b.Set("limit_cycles", 1<<30)
	s.forget()
	s.stream.Withdraw()
	s.kernel.Withdraw()
	s.out.Forget()
	s.order, s.flushing = nil, false
}

// begin gives up all that is under way, in the kernel stream as well.
func (s *supply) begin() {
	s.flushing, s.flushed, s.order = true, 0, nil
	s.ask.Withdraw()
	s.kernel.Withdraw()
	s.out.Forget()
}

// offer gives a slice.
func (s *supply) offer(active bool) {
	b, r := s.b, s.r
	if s.ask.Offered() {
		return
	}
	b.Scramble(r, "slice")
	if !active || s.flushing || len(s.order) == dmaDepth {
		return
	}
	s.next, s.from = s.random(), r.IntN(3)
	if r.IntN(8) == 0 {
		s.next.bytes = 0
	}
	b.Set("slice.from", b.Const([]string{"engine_pkg::FROM_NONE", "engine_pkg::FROM_MEMORY", "engine_pkg::FROM_KERNEL"}[s.from]))
	b.Set("slice.address", s.next.address)
	b.Put("slice.host", s.next.host)
	b.Set("slice.bytes", uint64(s.next.bytes))
	s.ask.Offer()
}

// entering is the first slice of the kernel stream that has not come in full.
func (s *supply) entering() *piece {
	for _, p := range s.order {
		if !p.memory && p.given < p.beats() {
			return p
		}
	}
	return nil
}

// give shows the next beats of memory and of the kernel stream.
func (s *supply) give(memory, kernel bool) {
	b := s.b
	if !s.stream.Offered() {
		b.Scramble(s.r, "stream_tdata", "stream_tlast")
		if len(s.commands) > 0 && memory {
			t := s.commands[0]
			b.SetBytes("stream_tdata", t.data[t.there:][:beatBytes])
			b.Put("stream_tlast", t.there+beatBytes == t.beats())
			s.stream.Offer()
		}
	}
	if !s.kernel.Offered() {
		b.Scramble(s.r, "kernel_data", "kernel_last")
		if p := s.entering(); p != nil && kernel && !s.flushing {
			b.SetBytes("kernel_data", p.data[p.given:][:beatBytes])
			b.Put("kernel_last", p.given+beatBytes == p.beats())
			s.kernel.Offer()
		}
	}
}

func (s *supply) cycle() error {
	b := s.b
	b.Settle()
	if b.Is("idle") != (len(s.open) == 0) {
		return fmt.Errorf("with %d reads under way it is idle: %t", len(s.open), b.Is("idle"))
	}
	b.Step()
	if s.stream.Taken() {
		if t := s.commands[0]; t.there+beatBytes == t.beats() {
			s.commands, s.answers = s.commands[1:], append(s.answers, t)
		} else {
			t.there += beatBytes
		}
	}
	if s.status.Taken() {
		s.answers = s.answers[1:]
	}
	if p := s.entering(); s.kernel.Taken() {
		p.given += beatBytes
		s.beats[2]++
	}
	gone, err := s.out.Taken()
	if err != nil {
		return err
	}
	if s.flushing {
		if s.flushed++; s.flushed > 1 && b.Is("out_valid") {
			return errors.New("something is given in a flush")
		}
		s.out.Forget()
		gone = false
	}
	s.idle++
	if gone {
		if err := s.leave(); err != nil {
			return err
		}
	}
	if b.Is("read_done") {
		if len(s.open) == 0 {
			return errors.New("a read ends that nobody has begun")
		}
		s.idle, s.open[0].moved = 0, 0
		if err := s.done(b.Get("read_code"), 0); err != nil {
			return err
		}
	}
	if err := s.commanded([]int{slaveError, notOkay}); err != nil {
		return err
	}
	if s.ask.Taken() {
		s.beats[0]++
		s.next.taken = b.Cycle
		if s.from != 0 && s.next.bytes > 0 {
			s.order = append(s.order, &piece{transfer: s.next, memory: s.from == 1})
			if s.from == 1 {
				s.open, s.all[s.next.address] = append(s.open, s.next), s.next
			}
		}
	}
	if len(s.order) == 0 && len(s.open) == 0 {
		s.idle = 0
	}
	if s.idle > 2000 {
		return fmt.Errorf("nothing has moved for %d cycles", s.idle)
	}
	return nil
}

// leave checks a beat that is given.
func (s *supply) leave() error {
	s.idle = 0
	if len(s.order) == 0 {
		return errors.New("a beat of nothing is given")
	}
	p := s.order[0]
	n := min(beatBytes, p.bytes-p.gone)
	if got, want := s.b.Bytes("out_data")[:n], p.data[p.gone:][:n]; !bytes.Equal(got, want) {
		return fmt.Errorf("at %d of %d bytes, from memory %t, there are %X, not %X", p.gone, p.bytes, p.memory, got, want)
	}
	if p.memory {
		s.beats[1]++
	}
	if p.gone += beatBytes; p.gone == p.beats() {
		s.order = s.order[1:]
	}
	return nil
}
