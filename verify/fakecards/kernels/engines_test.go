package kernels_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/world"
)

// connected sets up the TCP stacks of n ranks, and returns the ranks as each sees them
// and their places on the network that their connections make.
func connected(t *testing.T, on *layout.Design, n int, sessions network.Connections) (
	seen [][]accl.Rank, places []fabric.Port) {
	w := kernels.NewWire(false)
	ranks := make([]accl.Rank, n)
	stacks := make([]*kernels.TCP, n)
	for i := range ranks {
		ranks[i] = accl.Rank{IP: netip.AddrFrom4([4]byte{10, 9, 8, byte(11 + i)}), Port: uint16(5500 + i)}
		stacks[i] = w.TCP()
	}
	seen, places = make([][]accl.Rank, n), make([]fabric.Port, n)
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			c := stacks[i]
			h := kernels.NewHandler(c, 5*time.Second)
			s, err := network.Of(on, 0, func(name string) (layout.Registers, error) {
				return map[string]layout.Registers{"poe_0": c.Registers(), "session_handler_0": h}[name], nil
			})
			if err == nil {
				seen[i], err = s.Setup(t.Context(), network.Config{Ranks: ranks, Local: i, Receive: 64 << 20, Connections: sessions,
					Timeout: 20 * time.Second})
			}
			errs[i] = err
		})
	}
	group.Wait()
	assert.NilError(t, errors.Join(errs...))
	net := fabric.NewNet(fabric.TCP, fabric.Options{})
	var numbering kernels.Numbering
	for i, r := range ranks {
		ip := r.IP.As4()
		port, _, err := net.Port(binary.BigEndian.Uint32(ip[:]), r.Port)
		assert.NilError(t, err)
		places[i] = numbering.Port(uint32(i), port, stacks[i])
	}
	return seen, places
}

// Engines know senders by the sessions on which their messages arrive. On stacks that
// number connections by themselves they understand each other if a pair of ranks has one
// connection, and not if each has its own: host programs of ACCL, which connect so, have
// engines that look at no session.
func TestEnginesOnStacksThatNumberSessions(t *testing.T) {
	const n = 4
	d := designtest.Load(t, "u55c_tcp", nil)
	on, err := driverview.Card(d)
	assert.NilError(t, err)
	p := driverview.Of(d)
	for _, test := range []struct {
		sessions network.Connections
		works    bool
	}{{network.OncePerPair, true}, {network.EachWay, false}} {
		t.Run(fmt.Sprint(test.sessions), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			seen, places := connected(t, &on, n, test.sessions)
			members := make([]world.Member, n)
			for i, port := range places {
				members[i] = world.Member{Rank: i, Port: port}
			}
			o := emu.Options{}
			if !test.works {
				o.RemoteTimeout, o.Patience = 200*time.Millisecond, 200*time.Millisecond
			}
			w, err := world.Start(ctx, d, members, o)
			assert.NilError(t, err)
			defer w.Close()
			// What is sent before an engine is configured is lost.
			engines := make([]*accl.Engine, n)
			for i := range n {
				if engines[i], err = accl.Open(ctx, w.Device(i), &p, seen[i], i, accl.GivenSessions()); err != nil {
					t.Fatal(err)
				}
			}
			errs := make([]error, n)
			var group sync.WaitGroup
			for i, e := range engines {
				group.Go(func() { errs[i] = sum(ctx, e) })
			}
			group.Wait()
			if err := errors.Join(errs...); (err == nil) != test.works {
				t.Errorf("works: %t, want %t: %v", err == nil, test.works, err)
			} else {
				t.Log(err)
			}
		})
	}
}

func sum(ctx context.Context, e *accl.Engine) error {
	for _, count := range []int{5, 1000, 70000} {
		if err := ranktest.Sum[int32](ctx, e, count, 1); err != nil {
			return fmt.Errorf("rank %d: %w", e.Rank(), err)
		}
	}
	return nil
}
