package rx

import (
	"fmt"
	"maps"
	"slices"
)

func (m *memoryOf) clone() *memoryOf {
	c := &memoryOf{slices.Clone(m.notes), map[sender][]uint64{}, slices.Clone(m.wants), maps.Clone(m.counts),
		slices.Clone(m.free)}
	for s, records := range m.senders {
		c.senders[s] = slices.Clone(records)
	}
	return c
}

// world is a state that the module may be in: it has seen the first so many effects
// of what the recorder does.
type world struct {
	*matcher
	seen int
}

func (w world) clone() world {
	c := *w.matcher
	c.model = w.model.clone()
	return world{&c, w.seen}
}

func (w world) like(o world) bool {
	same := (w.sought == nil) == (o.sought == nil) && (w.sought == nil || *w.sought == *o.sought)
	return same && w.seen == o.seen && w.alone == o.alone && w.other == o.other && w.model.differs(o.model) == nil
}

// effect is a change by the recorder, at some moment until it is over.
type effect struct {
	do   func(*memoryOf)
	over int // cycle; 0: not yet
}

// dropped are the states that it may be in when requests are under way: each drops
// messages of older collectives when it finds them, before its answer.
func (w world) dropped(asking []wanted) []world {
	all := []world{w}
	for i := 0; i < len(all); i++ {
		for _, a := range asking {
			if _, _, old := all[i].model.look(a); len(old) > 0 {
				c := all[i].clone()
				if c.drop(old[0]); !slices.ContainsFunc(all, c.like) {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// worlds are all states that the module may be in.
type worlds struct {
	all     []world
	asking  []wanted // requests under way
	effects []effect
	last    int // cycle of the last thing that was seen
}

// see has something happen that began after what was seen before: only worlds stay
// in which it could. Who only looks may be ahead of what goes on: all worlds stay.
func (x *worlds) see(cycle int, look bool, what string, happen func(world) bool) error {
	var all []world
	for _, w := range x.all {
		for n := w.seen; ; n++ {
			if n == len(x.effects) || x.effects[n].over == 0 || x.effects[n].over >= x.last-2 {
				for _, c := range w.clone().dropped(x.asking) {
					if c.seen == n && happen(c) && !slices.ContainsFunc(all, c.like) {
						all = append(all, c)
					}
				}
			}
			if n == len(x.effects) {
				break
			}
			w = w.clone()
			x.effects[n].do(w.model)
			w.seen++
		}
	}
	if len(all) == 0 {
		w := x.all[0]
		return fmt.Errorf(
			"%s cannot be, with %d messages, %d buffers, counts %X, wants %X, senders %X, and %d effects to come", what,
			len(w.model.notes), len(w.model.free), w.model.counts, w.model.wants, w.model.senders, len(x.effects)-w.seen)
	}
	if look {
		return nil
	}
	x.all, x.last = all, cycle
	if len(all) > 512 {
		return fmt.Errorf("nobody knows any more what is: %d states after %s", len(all), what)
	}
	return nil
}

// settled says that the recorder does nothing at the moment.
func (x *worlds) settled(cycle int) {
	for i := range x.effects {
		if x.effects[i].over == 0 {
			x.effects[i].over = cycle
		}
	}
	// What all have seen is forgotten.
	n := len(x.effects)
	for _, w := range x.all {
		n = min(n, w.seen)
	}
	if n == 0 {
		return
	}
	x.effects = x.effects[n:]
	for i := range x.all {
		x.all[i].seen -= n
	}
}

// begin notes what the recorder will do.
func (x *worlds) begin(cycle int, effects ...func(*memoryOf)) {
	x.settled(cycle)
	x.follow(effects...)
}

// follow notes what it will do besides, when what is under way is done.
func (x *worlds) follow(effects ...func(*memoryOf)) {
	for _, do := range effects {
		x.effects = append(x.effects, effect{do, 0})
	}
}
