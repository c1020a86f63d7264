package datapath

import (
	"errors"
	"fmt"
)

// show gives the operand the slice that is next, and what is read behind it.
func (s *supply) show() {
	b := s.b
	b.Set("slice.from",
		b.Const([]string{"engine_pkg::FROM_NONE", "engine_pkg::FROM_MEMORY", "engine_pkg::FROM_KERNEL"}[s.from]))
	b.Set("slice.address", s.next.address)
	b.Put("slice.host", s.next.host)
	b.Set("slice.bytes", uint64(s.next.bytes))
	b.Put("slice_more", s.behind != nil)
	if s.behind != nil {
		b.Set("more_address", s.behind.address)
		b.Set("more_bytes", uint64(s.behind.bytes))
	}
	s.ask.Offer()
}

// enter takes the slice that was given.
func (s *supply) enter() {
	s.beats[0]++
	if s.from == 0 || s.next.bytes == 0 {
		return
	}
	s.next.taken = s.b.Cycle
	s.order = append(s.order, &piece{transfer: s.next, memory: s.from == 1})
	if s.from == 1 {
		s.open, s.all[s.next.address] = append(s.open, s.next), s.next
	}
	if t := s.behind; t != nil {
		t.taken = s.b.Cycle
		s.order = append(s.order, &piece{transfer: t, memory: true, more: true})
		s.open, s.all[t.address], s.joined[s.next] = append(s.open, t), t, t
	}
}

// begun tells whether a read behind a slice's own one has been commanded: until
// then a flush ends both without a word.
func (s *supply) begun(t *transfer) bool {
	return s.all[t.address] != t || s.b.Is("command_tvalid") && s.address() == t.address
}

// address is that of the command that is shown.
func (s *supply) address() (v uint64) {
	f := s.layout["dma_command"]["address"]
	word := s.b.Bytes("command_tdata")
	for i := f.Low; i <= f.High; i++ {
		v |= uint64(word[i/8]>>(i%8)&1) << (i - f.Low)
	}
	return v
}

// cancel forgets the read that has not begun when all is given up, and the one
// before, whose end nobody hears of.
func (s *supply) cancel() {
	if second := s.pending(); second != nil {
		delete(s.all, second.address)
		s.open, s.mute = s.open[:len(s.open)-2], true
		s.seen["cancelled"]++
	}
}

// pending is a read behind another one that has not begun.
func (s *supply) pending() *transfer {
	if n := len(s.open); n >= 2 && s.joined[s.open[n-2]] == s.open[n-1] && !s.begun(s.open[n-1]) {
		return s.open[n-1]
	}
	return nil
}

// checkIdle compares what it says about reads under way. One that has not begun
// may be counted or not.
func (s *supply) checkIdle() error {
	idle, owes := s.b.Is("idle"), false
	for i, t := range s.open {
		first := s.joined[t] != nil // ends with the next one
		owes = owes || !first && (i == 0 || s.joined[s.open[i-1]] != t || s.begun(t))
	}
	if idle && owes || !idle && len(s.open) == 0 && !s.mute {
		return fmt.Errorf("with %d reads under way it is idle: %t", len(s.open), idle)
	}
	s.mute = s.mute && !idle
	return nil
}

// end is that of the first slice's read: of both, if there is one behind it.
func (s *supply) end(code uint64) error {
	if len(s.open) == 0 {
		return errors.New("a read ends that nobody has begun")
	}
	first := s.open[0]
	s.idle, first.moved = 0, 0
	second := s.joined[first]
	if second == nil {
		return s.done(code, 0)
	}
	delete(s.joined, first)
	s.open = s.open[2:]
	want := s.code[faultCodes[first.fault]] | s.code[faultCodes[second.fault]]
	switch {
	case s.flushing && code&s.code["DMA_TIMEOUT"] != 0:
	case code != want || second.abandons:
		return fmt.Errorf("two reads end with 0x%X, not 0x%X", code, want)
	case first.fault != fine && second.fault != fine:
		s.seen["both bad"]++
	}
	s.seen["joined"]++
	return nil
}
