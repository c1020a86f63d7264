package faults

import (
	"context"
	"slices"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Apply puts the plan in force on a network whose port indices are ranks. It returns when
// the conditions of the start hold. Later ones follow in their time, until the context
// ends; the network keeps the last ones.
func (p *Plan) Apply(ctx context.Context, net *fabric.Net) {
	if p.None() {
		return
	}
	p.follow(ctx, nil, net.SetConditions, net.Kill)
}

// Impair puts the plan in force on the packets that the port of a rank sends, as Apply
// does. Sessions that rankOf does not know have the faults of all links only. The result
// closes the port, and is a fabric.Router if the port is one. It is the port itself if the
// plan has no faults.
func (p *Plan) Impair(ctx context.Context, port fabric.Port, rank int,
	rankOf func(session uint32) (rank int, ok bool)) fabric.Port {
	return p.impair(ctx, port, fabric.Who{Rank: rank, OfSession: rankOf})
}

// ImpairAt is Impair for ports whose sessions are known by their address, as Connect and
// Route give it.
func (p *Plan) ImpairAt(ctx context.Context, port fabric.Port, rank int, rankAt func(ip uint32, port uint16) (rank int,
	ok bool)) fabric.Port {
	return p.impair(ctx, port, fabric.Who{Rank: rank, OfAddress: rankAt})
}

func (p *Plan) impair(ctx context.Context, port fabric.Port, who fabric.Who) fabric.Port {
	if p.None() {
		return port
	}
	i := fabric.Impair(port, who)
	p.follow(ctx, i.Done(), i.SetConditions, func(rank int) {
		if rank == who.Rank {
			_ = i.Close() // the rank is gone, whatever its port says
		}
	})
	return i.Port()
}

// follow sets conditions and kills ranks when it is time, until the context
// ends or done is closed.
func (p *Plan) follow(ctx context.Context, done <-chan struct{}, set func(fabric.Conditions), kill func(rank int)) {
	start := p.Start
	if start.IsZero() {
		start = time.Now()
	}
	var now time.Duration
	catchUp := func() {
		now = time.Since(start)
		set(p.conditions(now))
		for _, k := range p.Kills {
			if k.At <= now { // again does nothing
				kill(k.Rank)
			}
		}
	}
	catchUp()
	times := p.times()
	if now >= times[len(times)-1] {
		return
	}
	go func() {
		timer := time.NewTimer(0)
		defer timer.Stop()
		for _, next := range times {
			if next <= now {
				continue
			}
			timer.Reset(next - time.Since(start))
			select {
			case <-ctx.Done():
				return
			case <-done:
				return
			case <-timer.C:
			}
			catchUp()
		}
	}()
}

// times are those at which something changes, in order.
func (p *Plan) times() []time.Duration {
	times := []time.Duration{0}
	for _, l := range p.Links {
		times = append(times, l.From, l.To)
	}
	for _, part := range p.Partitions {
		times = append(times, part.From, part.To)
	}
	for _, k := range p.Kills {
		times = append(times, k.At)
	}
	slices.Sort(times)
	return slices.Compact(times)
}

// conditions are those that hold at a time.
func (p *Plan) conditions(t time.Duration) fabric.Conditions {
	var links []Link
	for _, l := range p.Links {
		if l.holds(t) {
			links = append(links, l)
		}
	}
	var groups []map[int]int // by rank, from 1
	for _, part := range p.Partitions {
		if part.holds(t) {
			groups = append(groups, part.members())
		}
	}
	if p.Faults == (fabric.Faults{}) && len(links)+len(groups) == 0 {
		return fabric.Conditions{Seed: p.Seed}
	}
	return fabric.Conditions{Seed: p.Seed, Link: func(from, to int) fabric.Condition {
		c := fabric.Condition{Faults: p.Faults}
		for i := range links {
			if links[i].is(from, to) {
				links[i].change(&c)
			}
		}
		for _, of := range groups {
			c.Cut = c.Cut || to != fabric.Unknown && of[from] != of[to]
		}
		return c
	}}
}

func (p *Partition) members() map[int]int {
	of := map[int]int{}
	for i, group := range p.Groups {
		for _, rank := range group {
			of[rank] = i + 1
		}
	}
	return of
}

// is reports whether the way from one rank to another is meant.
func (l *Link) is(from, to int) bool {
	end := func(want, rank int) bool { return want == Any || want == rank }
	a, b := l.Ranks[0], l.Ranks[1]
	return end(a, from) && end(b, to) || !l.OneWay && end(a, to) && end(b, from)
}

func (l *Link) change(c *fabric.Condition) {
	for _, f := range fields {
		if l.Changes&f.bit != 0 {
			f.copy(c, &l.Condition)
		}
	}
}
