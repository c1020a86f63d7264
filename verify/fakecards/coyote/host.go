package coyote

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
)

// Host has a card for each rank of a world. Its methods may be called concurrently.
type Host struct {
	World *world.World
	// Net carries packets of engines, once queue pairs are written.
	Net *fabric.Net

	design *design.Design
	ranks  []accl.Rank
	life   context.Context
	end    context.CancelFunc
	cards  []*Card
	ether  ethernet

	mu        sync.Mutex
	processes int
	calls     []Call
	failures  []planned
	faults    []error
	left      []string
	open      map[*Process]bool
}

// HostOptions change a host.
type HostOptions struct {
	Engine emu.Options
	Net    fabric.Options
	// Ranks are the addresses of all ranks.
	Ranks []accl.Rank
	// Flags are the shell's build options, as its driver reports them; 0 for Flags.
	Flags uint64
}

// NewHost starts ranks of a design, which must be one for the shell, on a card each.
func NewHost(ctx context.Context, d *design.Design, o HostOptions) (*Host, error) {
	if d.Shell == nil {
		return nil, fmt.Errorf("%s is not built into a shell", d.Platform.Name)
	}
	if err := d.CheckShell(); err != nil {
		return nil, err
	}
	kind, err := world.Network(d)
	if err != nil {
		return nil, err
	}
	h := &Host{design: d, ranks: o.Ranks, Net: fabric.NewNet(kind, o.Net), open: map[*Process]bool{}}
	h.life, h.end = context.WithCancel(context.Background())
	o.Flags = cmp.Or(o.Flags, Flags)
	o.Engine.MemoryBytes = mapsBytes
	var members []world.Member
	for rank, at := range o.Ranks {
		ip := at.IP.As4()
		port, _, err := h.Net.Port(binary.BigEndian.Uint32(ip[:]), at.Port)
		if err != nil {
			return nil, err
		}
		c := newCard(h, rank, o.Flags)
		h.cards = append(h.cards, c)
		members = append(members, world.Member{Rank: rank, Port: &pairs{Port: port, c: c}})
	}
	if h.World, err = world.Start(ctx, d, members, o.Engine); err != nil {
		return nil, err
	}
	for rank, c := range h.cards {
		if err := c.start(h.World.Engine(rank)); err != nil {
			return nil, errors.Join(err, h.Close())
		}
	}
	return h, nil
}

// Ranks are the addresses of all ranks.
func (h *Host) Ranks() []accl.Rank { return slices.Clone(h.ranks) }

// rankAt is the rank that has an address, -1 if none has.
func (h *Host) rankAt(ip uint32) int {
	return slices.IndexFunc(h.ranks, func(r accl.Rank) bool {
		b := r.IP.Unmap().As4()
		return binary.BigEndian.Uint32(b[:]) == ip
	})
}

// Card returns the card of a rank.
func (h *Host) Card(rank int) *Card { return h.cards[rank] }

// Close ends the ranks.
func (h *Host) Close() error {
	h.end()
	return h.World.Close()
}

// Call is a request of a process to the operating system or the shell's driver.
type Call struct {
	Process  int
	Function string   // "MAP_USER_MEM", "open", …
	Words    []uint64 // arguments of a call of the shell's driver
	Answer   int
	Err      error
}

// Calls returns the requests of all processes, oldest first.
func (h *Host) Calls() []Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

type planned struct {
	function string
	in       int
	answer   int
	errno    syscall.Errno
}

// Fail makes the nth call of a function from now fail without any effect; the next one is
// 1. It fails with an errno, or if that is 0 with an answer of the shell's driver.
func (h *Host) Fail(function string, nth, answer int, errno syscall.Errno) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures = append(h.failures, planned{function, nth, answer, errno})
}

// fails is how a call is to fail.
func (h *Host) fails(function string) (planned, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.failures {
		f := &h.failures[i]
		if f.function != function {
			continue
		}
		if f.in--; f.in == 0 {
			out := *f
			h.failures = slices.Delete(h.failures, i, i+1)
			return out, true
		}
	}
	return planned{}, false
}

// do does what a process asks for, unless it is to fail, and notes it.
func (h *Host) do(p *Process, function string, words []uint64, f func() (int, error)) (int, error) {
	given := slices.Clone(words)
	var answer int
	var err error
	if plan, fails := h.fails(function); !fails {
		answer, err = f()
	} else if answer = plan.answer; plan.errno != 0 {
		err = plan.errno
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, Call{p.number, function, given, answer, err})
	return answer, err
}

func (h *Host) fault(format string, args ...any) {
	if h.life.Err() != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Errorf(format, args...))
}

// Faults returns requests that would hang or crash a real host, and failures of cards.
func (h *Host) Faults() []error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.faults)
}

// Leaks lists what processes hold, or held when they closed a file.
func (h *Host) Leaks() []string {
	h.mu.Lock()
	out := slices.Clone(h.left)
	var all []*Process
	for p := range h.open {
		all = append(all, p)
	}
	h.mu.Unlock()
	for _, p := range all {
		out = append(out, p.holds()...)
	}
	return out
}
