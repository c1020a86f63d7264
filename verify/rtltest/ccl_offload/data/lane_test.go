package datapath

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const laneDepth = 4

var lanes = block.NewSet(block.Module{Name: "lane", Params: map[string]string{"DEPTH": fmt.Sprint(laneDepth)}})

func TestLane(t *testing.T) { lanes.Check(t, "lane", lane) }

// passage is a slice on its way through a lane.
type passage struct {
	convert   bool
	dest      uint64
	in, out   int    // bytes
	data      []byte // that comes, whole beats
	given     int    // of it
	answer    []byte // that goes, whole beats
	gone      int    // of it
	fed       int    // bytes that the plugin has
	answered  int    // bytes that the plugin has given
	abandoned bool
}

func whole(n int) int { return (n + beatBytes - 1) / beatBytes * beatBytes }

// through is a lane with its plugin.
type through struct {
	b             *block.Bench
	r             *rand.Rand
	slices        []*passage // that have not left
	plugin        []*passage // that it has not answered in full
	feeds         []*passage // that it has not got in full
	in, result    *block.Input
	out, operand  *block.Output
	flushing      int
	owes          bool
	idle, flushes int
	passed, made  int
	zeros         int
}

// lane leads slices through a plugin or past it. When they are given up the plugin
// gets the rest of its packets, and what it still answers goes nowhere.
func lane(b *block.Bench, r *rand.Rand) error {
	l := through{
		b: b, r: r, in: block.NewInput(b, "in_valid", "in_ready"),
		result: block.NewInput(b, "result_tvalid", "result_tready"),
		out:    block.NewOutput(b, "out_valid", "out_ready", "out_data"),
		operand: block.NewOutput(b, "operand_tvalid", "operand_tready", "operand_tdata", "operand_tkeep", "operand_tlast",
			"operand_tdest"),
	}
	slices, gives, takes, feeds, answers := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r),
		block.NewRhythm(r)
	for range 20000 {
		if r.IntN(3000) == 0 {
			l.clear()
		}
		l.flush()
		added := l.cut(slices.Next(), r.IntN(2) == 0, block.RandomLength(r, beatBytes, mostBytes))
		l.give(gives.Next())
		l.answer(answers.Next())
		b.Put("out_ready", takes.Next())
		b.Put("operand_tready", feeds.Next())
		if err := l.cycle(added); err != nil {
			return err
		}
	}
	if l.passed < 200 || l.made < 200 || l.flushes < 15 || l.zeros < 15 {
		return fmt.Errorf("only %d slices passed by, %d were converted, %d beats filled after %d flushes", l.passed,
			l.made, l.zeros, l.flushes)
	}
	for _, convert := range []bool{false, true} {
		if err := l.speed(convert); err != nil {
			return err
		}
	}
	return nil
}

func (l *through) clear() {
	l.b.Reset()
	l.slices, l.plugin, l.feeds, l.flushing, l.owes, l.idle = nil, nil, nil, 0, false, 0
	l.in.Withdraw()
	l.result.Withdraw()
	l.out.Forget()
	l.operand.Forget()
}

// flush gives all slices up. What stood at the input is gone as well.
func (l *through) flush() {
	if l.flushing > 0 {
		l.flushing--
	} else if l.r.IntN(400) == 0 {
		l.flushing = 1 + l.r.IntN(20)
		l.flushes++
	}
	l.b.Put("flush", l.flushing > 0)
	if l.flushing == 0 {
		return
	}
	for _, s := range l.slices {
		s.abandoned = true
	}
	l.slices = nil
	l.in.Withdraw()
}

// cut gives the lane a slice, if there is room for one.
func (l *through) cut(active, convert bool, bytes int) *passage {
	b, r := l.b, l.r
	b.Scramble(r, "slice_convert", "slice_tdest", "slice_in_bytes", "slice_out_bytes")
	b.Put("slice_valid", false)
	if !active || len(l.slices) == laneDepth || l.flushing > 0 || convert && l.owes {
		return nil
	}
	s := &passage{convert: convert, dest: uint64(r.IntN(16)), in: bytes, out: bytes}
	if convert {
		s.out = []int{bytes, max(1, bytes/2), min(2*bytes, mostBytes)}[r.IntN(3)]
	}
	s.data = block.RandomBytes(r, whole(s.in))
	if s.answer = s.data; convert {
		s.answer = block.RandomBytes(r, whole(s.out))
	}
	b.Put("slice_valid", true)
	b.Put("slice_convert", convert)
	b.Set("slice_tdest", s.dest)
	b.Set("slice_in_bytes", uint64(s.in))
	b.Set("slice_out_bytes", uint64(s.out))
	return s
}

// entering is the first slice that has not come in full.
func (l *through) entering() *passage {
	for _, s := range l.slices {
		if s.given < len(s.data) {
			return s
		}
	}
	return nil
}

// give shows the next beat of the slices.
func (l *through) give(active bool) {
	if l.in.Offered() {
		return
	}
	l.b.Scramble(l.r, "in_data")
	if s := l.entering(); s != nil && active {
		l.b.SetBytes("in_data", s.data[s.given:][:beatBytes])
		l.in.Offer()
	}
}

// answer shows the next beat of the plugin: it has got as much as it needs for it.
func (l *through) answer(active bool) {
	if l.result.Offered() {
		return
	}
	l.b.Scramble(l.r, "result_tdata")
	if len(l.plugin) == 0 || !active {
		return
	}
	s := l.plugin[0]
	if n := min(s.answered+beatBytes, s.out); s.fed < s.in && s.fed*s.out < n*s.in {
		return
	}
	l.b.SetBytes("result_tdata", s.answer[s.answered:][:beatBytes])
	l.result.Offer()
}

// cycle runs one and checks what moves in it.
func (l *through) cycle(added *passage) error {
	b := l.b
	b.Settle()
	if b.Is("owes") != l.owes {
		return fmt.Errorf("it owes something: %t, with %d packets to be fed and %d to be answered", b.Is("owes"),
			len(l.feeds), len(l.plugin))
	}
	drains := l.flushing > 0 || l.owes
	owes := drains && len(l.feeds)+len(l.plugin) > 0
	b.Step()
	comes := l.entering()
	if l.in.Taken() {
		comes.given += beatBytes
		if l.flushing > 0 {
			return errors.New("a beat is taken in a flush")
		}
		l.idle = 0
	}
	fed, err := l.operand.Taken()
	if err != nil {
		return err
	}
	if fed {
		if err := l.feed(); err != nil {
			return err
		}
	}
	answered := l.result.Taken()
	if b.Is("progress") != (fed || answered) {
		return fmt.Errorf("the plugin has got something: %t, given something: %t; there is progress: %t", fed,
			answered, b.Is("progress"))
	}
	if answered {
		s := l.plugin[0]
		s.answered += beatBytes
		if last := s.answered == len(s.answer); b.Is("result_last") != last {
			return fmt.Errorf("after %d of %d bytes of the plugin, they are the last ones: %t", s.answered, s.out, !last)
		}
		if s.answered == len(s.answer) {
			l.plugin = l.plugin[1:]
		}
	}
	if l.flushing > 0 {
		l.out.Forget()
	}
	taken, err := l.out.Taken()
	if err != nil {
		return err
	}
	if l.flushing > 0 {
		l.out.Forget()
	} else if taken {
		if err := l.leave(); err != nil {
			return err
		}
	}
	if added != nil {
		l.slices = append(l.slices, added)
		if added.convert {
			l.plugin, l.feeds = append(l.plugin, added), append(l.feeds, added)
		}
	}
	if l.owes = owes; len(l.slices) == 0 && !owes {
		l.idle = 0
	}
	if l.idle++; l.idle > 3000 {
		return fmt.Errorf("nothing has moved for %d cycles: %d slices, owes %t", l.idle, len(l.slices), l.owes)
	}
	return nil
}

// feed checks a beat that the plugin gets.
func (l *through) feed() error {
	b := l.b
	if l.idle = 0; len(l.feeds) == 0 {
		return errors.New("the plugin gets a beat of nothing")
	}
	s := l.feeds[0]
	n := min(beatBytes, s.in-s.fed)
	keep := ^uint64(0)
	if n < beatBytes {
		keep = 1<<n - 1
	}
	if b.Get("operand_tkeep") != keep || b.Is("operand_tlast") != (s.fed+n == s.in) || b.Get("operand_tdest") != s.dest {
		return fmt.Errorf("at %d of %d bytes for %d the plugin gets a beat with keep %X, last %t, for %d", s.fed, s.in,
			s.dest, b.Get("operand_tkeep"), b.Is("operand_tlast"), b.Get("operand_tdest"))
	}
	want := s.data[s.fed:][:n]
	if s.fed >= s.given {
		if !s.abandoned {
			return errors.New("the plugin gets what has not come")
		}
		want = make([]byte, n)
		l.zeros++
	}
	if got := b.Bytes("operand_tdata")[:n]; !bytes.Equal(got, want) {
		return fmt.Errorf("at %d of %d bytes the plugin gets %X, not %X", s.fed, s.in, got, want)
	}
	if s.fed += n; s.fed == s.in {
		l.feeds = l.feeds[1:]
	}
	return nil
}

// leave checks a beat that leaves the lane.
func (l *through) leave() error {
	if l.idle = 0; len(l.slices) == 0 {
		return errors.New("a beat of nothing leaves")
	}
	s := l.slices[0]
	n := min(beatBytes, s.out-s.gone)
	if got, want := l.b.Bytes("out_data")[:n], s.answer[s.gone:][:n]; !bytes.Equal(got, want) {
		return fmt.Errorf("at %d of %d bytes, converted %t, %X leaves, not %X", s.gone, s.out, s.convert, got, want)
	}
	if s.gone += beatBytes; s.convert && s.gone > s.answered || !s.convert && s.gone > s.given {
		return errors.New("a beat leaves that has not come")
	}
	if s.gone < len(s.answer) {
		return nil
	}
	if l.slices = l.slices[1:]; s.convert {
		l.made++
	} else {
		l.passed++
	}
	return nil
}

// speed finds out whether a beat goes with every cycle.
func (l *through) speed(convert bool) error {
	l.clear()
	l.b.Put("out_ready", true)
	l.b.Put("operand_tready", true)
	count := &l.passed
	if convert {
		count = &l.made
	}
	for before, first := *count, uint64(0); *count < before+20; {
		added := l.cut(true, convert, 1024)
		if added != nil {
			added.out, added.answer = 1024, block.RandomBytes(l.r, 1024)
			if !convert {
				added.answer = added.data
			}
			l.b.Set("slice_out_bytes", 1024)
		}
		l.give(true)
		l.answer(true)
		if err := l.cycle(added); err != nil {
			return err
		}
		if *count == before {
			first = l.b.Cycle
		} else if took := l.b.Cycle - first; took > uint64(1024/beatBytes*(*count-before)+10) {
			return fmt.Errorf("%d slices of 16 beats take %d cycles, converted %t", *count-before, took, convert)
		}
	}
	return nil
}
