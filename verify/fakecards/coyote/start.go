package coyote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/cluster"
	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// Start starts ranks of a design on cards; see NewHost. It closes the host when the test
// ends; the test fails if the host has faults.
func Start(t testing.TB, d *design.Design, ranks int, o HostOptions) *Host {
	t.Helper()
	var err error
	if o.Ranks, err = cluster.Addresses(cluster.DefaultNetwork, cluster.DefaultPort, ranks); err != nil {
		t.Fatal(err)
	}
	h, err := NewHost(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	ranktest.End(t, h)
	return h
}

// Returned fails a test if a process holds something of a host, or has closed a file
// without releasing it.
func Returned(t testing.TB, h *Host) {
	t.Helper()
	for _, l := range h.Leaks() {
		t.Error(l)
	}
}

// World is the engines of all ranks of a host, each opened by a process of its own.
type World struct {
	Cards   []*driver.Card
	Devices []*driver.Device
	Ranks   [][]accl.Rank // as each rank sees them
}

// OpenWorld opens the engines of all ranks and writes queue pairs between them. The world
// has to be closed, also after an error.
func OpenWorld(ctx context.Context, h *Host, d *layout.Design, p *accl.Platform) (*World, error) {
	ranks := h.Ranks()
	w := &World{Ranks: make([][]accl.Rank, len(ranks))}
	var stacks []*network.Stack
	var said [][]byte
	for i := range ranks {
		c, err := driver.Open(ctx, d, driver.Options{Card: i, System: h.Process()})
		if err != nil {
			return w, err
		}
		w.Cards = append(w.Cards, c)
		dev, err := c.Engine(ctx, p, 0)
		if err != nil {
			return w, err
		}
		w.Devices = append(w.Devices, dev)
		stack, err := network.Within(d, 0, c)
		if err != nil {
			return w, err
		}
		text, err := stack.Describe(ctx, ranks, i)
		if err != nil {
			return w, err
		}
		stacks, said = append(stacks, stack), append(said, text)
	}
	errs := make([]error, len(ranks))
	var all sync.WaitGroup
	for i, stack := range stacks {
		all.Go(func() {
			var err error
			if w.Ranks[i], err = stack.Setup(ctx, network.Config{Ranks: ranks, Local: i, Said: said}); err != nil {
				errs[i] = fmt.Errorf("rank %d: %w", i, err)
			}
		})
	}
	all.Wait()
	return w, errors.Join(errs...)
}

// Close closes all cards.
func (w *World) Close() error {
	var errs []error
	for _, c := range w.Cards {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
