package datapath

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var operands = block.NewSet(block.Module{Name: "operand", Params: map[string]string{"DEPTH": fmt.Sprint(dmaDepth)}})

func TestOperand(t *testing.T) { operands.Check(t, "operand", operand) }

// supply is an operand with a DMA engine and a kernel stream.
type supply struct {
	*engine
	stream, kernel *block.Input
	out, more      *block.Output
	behind         *transfer // what is read behind the one that is asked for
	joined         map[*transfer]*transfer
	mute           bool     // a read is under way whose end nobody hears of
	from           int      // it comes: 0 nowhere, 1 memory, 2 the kernel stream
	order          []*piece // that have not been given in full
	flushing       bool
	flushed        int // cycles
	beats          [4]int
}

// piece is a slice of an operand.
type piece struct {
	*transfer
	memory bool
	more   bool // is read behind a slice
	given  int  // by the kernel stream
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
		kernel: block.NewInput(b, "kernel_valid", "kernel_ready"),
		out:    block.NewOutput(b, "out_valid", "out_ready", "out_data"),
		more:   block.NewOutput(b, "more_valid", "more_ready", "out_data", "more_last"),
	}
	takesMore := block.NewRhythm(r)
	gives, takes, commands, beats, statuses, kernels := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r),
		block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
	flushes := 0
	s.clear()
	for range 40000 {
		if r.IntN(3000) == 0 {
			s.clear()
		}
		odds := 1000
		if s.pending() != nil {
			odds = 150
		}
		begins := !s.flushing && r.IntN(odds) == 0 && len(s.order) > 0
		b.Put("abandon", begins) // a cycle before the flush
		b.Put("flush", s.flushing)
		s.offer(gives.Next() && !begins)
		s.give(beats.Next(), kernels.Next())
		s.giveStatus(statuses.Next())
		b.Put("out_ready", takes.Next())
		b.Put("more_ready", takesMore.Next())
		b.Put("command_tready", commands.Next())
		if err := s.cycle(); err != nil {
			return err
		}
		if begins {
			s.abandon()
			s.begin()
			flushes++
		} else if s.flushing && len(s.open) == 0 && b.Is("idle") && r.IntN(4) == 0 {
			s.flushing = false
		}
	}
	if s.beats[0] < 30 || s.beats[1] < 300 || s.beats[2] < 300 || flushes < 5 || s.seen["bad"] < 20 {
		return fmt.Errorf("only %v slices and beats, %d flushes, %v", s.beats, flushes, s.seen)
	}
	if s.beats[3] < 300 || s.seen["joined"] < 100 || s.seen["both bad"] < 1 || s.seen["cancelled"] < 5 {
		return fmt.Errorf("only %d beats behind others, %v", s.beats[3], s.seen)
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
	s.more.Forget()
	s.order, s.joined, s.flushing, s.mute = nil, map[*transfer]*transfer{}, false, false
}

// begin gives up all that is under way, in the kernel stream as well.
func (s *supply) begin() {
	s.flushing, s.flushed, s.order = true, 0, nil
	s.cancel()
	s.ask.Withdraw()
	s.kernel.Withdraw()
	s.out.Forget()
	s.more.Forget()
}

// offer gives a slice.
func (s *supply) offer(active bool) {
	b, r := s.b, s.r
	if s.ask.Offered() {
		return
	}
	b.Scramble(r, "slice", "slice_more", "more_address", "more_bytes")
	if !active || s.flushing || s.slices() >= dmaDepth {
		return
	}
	s.next, s.behind, s.from = s.random(), nil, r.IntN(3)
	switch {
	case r.IntN(8) == 0:
		s.next.bytes = 0
	case s.from == 1 && r.IntN(2) == 0:
		s.behind = s.random()
		s.behind.host = false
	}
	s.show()
}

// slices are those that have not been given in full.
func (s *supply) slices() (n int) {
	for _, p := range s.order {
		n += int(block.Bit(!p.more))
	}
	return n
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
	if err := s.checkIdle(); err != nil {
		return err
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
	more, err := s.more.Taken()
	if err != nil {
		return err
	}
	if b.Is("out_valid") && b.Is("more_valid") {
		return errors.New("a beat goes both ways")
	}
	if s.flushing {
		if s.flushed++; s.flushed > 1 && (b.Is("out_valid") || b.Is("more_valid")) {
			return errors.New("something is given in a flush")
		}
		s.out.Forget()
		s.more.Forget()
		gone, more = false, false
	}
	s.idle++
	if gone || more {
		if err := s.leave(more); err != nil {
			return err
		}
	}
	if b.Is("read_done") {
		if err := s.end(b.Get("read_code")); err != nil {
			return err
		}
	}
	if err := s.commanded([]int{slaveError, notOkay}); err != nil {
		return err
	}
	if s.ask.Taken() {
		s.enter()
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
func (s *supply) leave(more bool) error {
	s.idle = 0
	if len(s.order) == 0 {
		return errors.New("a beat of nothing is given")
	}
	p := s.order[0]
	if p.more != more {
		return fmt.Errorf("a beat is of what is read behind a slice: %t, not %t", more, p.more)
	}
	if last := p.gone+beatBytes == p.beats(); more && s.b.Is("more_last") != last {
		return fmt.Errorf("at %d of %d bytes a beat is the last one: %t", p.gone, p.bytes, !last)
	}
	n := min(beatBytes, p.bytes-p.gone)
	if got, want := s.b.Bytes("out_data")[:n], p.data[p.gone:][:n]; !bytes.Equal(got, want) {
		return fmt.Errorf("at %d of %d bytes, from memory %t, there are %X, not %X", p.gone, p.bytes, p.memory, got, want)
	}
	switch {
	case p.more:
		s.beats[3]++
	case p.memory:
		s.beats[1]++
	}
	if p.gone += beatBytes; p.gone == p.beats() {
		s.order = s.order[1:]
	}
	return nil
}
