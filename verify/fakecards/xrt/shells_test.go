package xrt_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/cluster"
	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
)

// shells is a host with cards in the shell, and what all ranks are told.
type shells struct {
	*coyote.Host
	told
	processes []*coyote.Process
}

func newShells(t *testing.T, size int, limit time.Duration) *shells {
	t.Helper()
	d, all := tell(t, "u55c_rdma", map[string]cty.Value{"host_memory": cty.True}, size)
	s := &shells{Host: coyote.Start(t, d, size,
		coyote.HostOptions{Engine: emu.Options{RemoteTimeout: limit, Patience: limit}}), told: all}
	for range size {
		s.processes = append(s.processes, s.Process())
	}
	return s
}

// open brings up all ranks at the same time.
func (s *shells) open(t *testing.T, change func(rank int, o *cluster.Options)) ([]*cluster.Rank, []error) {
	t.Helper()
	return s.told.open(t, func(rank int, o *cluster.Options) {
		o.Shell = &driver.Options{Card: rank, System: s.processes[rank]}
		change(rank, o)
	})
}

// TestWorldsOfShells: all ranks are ready, and compute; two times, one after the other,
// the second one after a rank that has died.
func TestWorldsOfShells(t *testing.T) {
	for _, size := range []int{1, 2, 4} {
		s := newShells(t, size, 20*time.Second)
		for round := range 2 {
			ranks, errs := s.open(t, nothing)
			if err := errors.Join(errs...); err != nil {
				for i := range size {
					t.Logf("rank %d: %d packets lost, %v", i, s.Card(i).Lost(), s.World.Engine(i).Stats())
				}
				t.Fatalf("%d ranks, round %d: %v", size, round, err)
			}
			work(t, ranks)
			coyote.Returned(t, s.Host)
			if round == 0 {
				p := s.Process()
				_, err := cluster.TakeShell(t.Context(), &s.p, &s.lies, driver.Options{System: p})
				assert.NilError(t, err)
				p.Die()
			}
		}
	}
}

// TestErrorsOfAllShells: what goes wrong on one rank, all ranks say, with the rank to
// look at, its address and its port.
func TestErrorsOfAllShells(t *testing.T) {
	second := netip.MustParseAddrPort("10.10.10.2:5500")
	for _, test := range []struct {
		name string
		// prepare lets something be wrong with rank 1.
		prepare func(s *shells)
		change  func(s *shells, o *cluster.Options)
		kind    error // of the bring-up
		says    []string
	}{
		{"no such card", nil, func(_ *shells, o *cluster.Options) { o.Shell.Card = 9 }, bringup.ErrNotReady,
			[]string{"rank 1", "no such card", "/dev/coyote_fpga_9_v0"}},
		{"a card that another has", nil, func(_ *shells, o *cluster.Options) { o.Shell.Card = 0 }, bringup.ErrNotReady,
			[]string{"another process uses it", "card 0"}},
		{"an address of another network", nil,
			func(_ *shells, o *cluster.Options) { o.Network = netip.MustParsePrefix("10.10.20.1/24") },
			bringup.ErrNotReady, []string{"it is not in the network"}},
		{"the link is down", func(s *shells) { s.Card(1).Plug(false) }, nil, bringup.ErrNotReady,
			[]string{"rank 1 at " + second.String()}},
		{"a rank that answers nobody", func(s *shells) { s.Card(1).Mute(true) }, nil, bringup.ErrNotReady,
			[]string{"rank 1 at " + second.String()}},
		{"an address that another card had", func(s *shells) { s.Card(0).Knows(0x0A0A0A02, 0x020304050607) }, nil,
			cluster.ErrMessages, []string{"rank 1: between it and rank 0 at 10.10.10.1:5500", "RECEIVE_TIMEOUT"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newShells(t, 3, time.Second)
			if test.prepare != nil {
				test.prepare(s)
			}
			_, errs := s.open(t, func(rank int, o *cluster.Options) {
				o.Stack.Timeout = 2 * time.Second
				if rank == 1 && test.change != nil {
					test.change(s, o)
				}
			})
			for rank, err := range errs {
				if err == nil || !errors.Is(err, test.kind) || err.Error() != errs[0].Error() {
					t.Errorf("rank %d: %v", rank, err)
					continue
				}
				for _, says := range test.says {
					assert.Check(t, strings.Contains(err.Error(), says), "rank %d does not say %q: %v", rank, says, err)
				}
			}
			coyote.Returned(t, s.Host)
		})
	}
}
