package datapath

import (
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// side is what a reader and a writer do each in its own way.
type side interface {
	clear()
	give(active bool) // shows the next data, if there are some
	take(active bool) // says whether data are taken
	move() error      // looks at what has moved in a cycle, and what has ended
}

// clear is for resets.
func (e *engine) clear() {
	e.b.Reset()
	e.b.Set("limit_cycles", dmaLimit)
	e.forget()
}

// lacking is the first command of which not all data have moved.
func (e *engine) lacking() *transfer {
	for _, t := range e.open {
		if t.moved < t.beats() {
			return t
		}
	}
	return nil
}

// offer gives a command.
func (e *engine) offer(active bool) {
	if e.ask.Offered() {
		return
	}
	e.b.Scramble(e.r, e.prefix+"address", e.prefix+"host", e.prefix+"bytes")
	if active {
		e.show(e.random())
	}
}

// show shows a command.
func (e *engine) show(t *transfer) {
	e.next = t
	e.b.Set(e.prefix+"address", t.address)
	e.b.Put(e.prefix+"host", t.host)
	e.b.Set(e.prefix+"bytes", uint64(t.bytes))
	e.ask.Offer()
}

// both checks a module in good and in late times, and how long it waits; limit is
// what each side knows of that.
func (e *engine) both(s side, good, late []int, limit func() error) error {
	if err := e.run(s, 6000, good, false); err != nil {
		return err
	}
	s.clear()
	if err := e.run(s, 30000, late, true); err != nil {
		return err
	}
	if err := e.enough(); err != nil {
		return err
	}
	if err := limit(); err != nil {
		return err
	}
	return e.speed(s)
}

// run gives commands at random; faults are those of the DMA engine.
func (e *engine) run(s side, cycles int, faults []int, late bool) error {
	b, r := e.b, e.r
	b.Set("limit_cycles", dmaLimit)
	gives, beats, commands, takes, statuses := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(
		r), block.NewRhythm(r)
	for range cycles {
		if r.IntN(3000) == 0 {
			s.clear()
		}
		if late {
			e.pause()
		}
		e.offer(gives.Next())
		s.give(beats.Next())
		b.Put("command_tready", commands.Next() && !e.hangs[hangsCommands])
		s.take(takes.Next())
		e.giveStatus(statuses.Next())
		abandons := late && r.IntN(600) == 0
		b.Put("abandon", abandons)
		if err := e.step(s, faults); err != nil {
			return err
		}
		if abandons {
			e.abandon()
		}
		if err := e.taken(); err != nil {
			return err
		}
	}
	return nil
}

// step runs a cycle and looks at what has come; commands that end in it are gone
// behind it.
func (e *engine) step(s side, faults []int) error {
	b := e.b
	b.Settle()
	if b.Is("idle") != (len(e.open) == 0) {
		return fmt.Errorf("with %d commands under way it is idle: %t", len(e.open), b.Is("idle"))
	}
	b.Step()
	e.idle++
	if err := s.move(); err != nil {
		return err
	}
	if err := e.commanded(faults); err != nil {
		return err
	}
	if len(e.open) > 0 && e.idle > 4*dmaLimit {
		return fmt.Errorf("nothing has moved for %d cycles, %d commands are under way", e.idle, len(e.open))
	}
	return nil
}

// end is the end of the first command.
func (e *engine) end(code uint64) error {
	e.idle = 0
	if len(e.open) == 0 {
		return errors.New("a command ends that nobody has given")
	}
	return e.done(code, e.open[0].beats())
}

// speed finds out whether a beat goes with every cycle.
func (e *engine) speed(s side) error {
	s.clear()
	e.b.Set("command_tready", 1)
	e.beats = 0
	first := uint64(0)
	for moved := 0; moved < 200; {
		if !e.ask.Offered() {
			t := e.random()
			t.bytes, t.data = 1024, block.RandomBytes(e.r, 1024)
			e.show(t)
		}
		s.give(true)
		s.take(true)
		e.giveStatus(true)
		if err := errors.Join(e.step(s, []int{fine}), e.taken()); err != nil {
			return err
		}
		if moved == 0 {
			first = e.b.Cycle
		}
		moved = e.beats
	}
	if took := e.b.Cycle - first; took > 210 {
		return fmt.Errorf("200 beats take %d cycles", took)
	}
	return nil
}
