package xrt

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// instance are registers of a kernel through the library.
type instance struct {
	c         *client
	xcl, unit uintptr
}

func (r instance) Read(_ context.Context, offset uint32) (uint32, error) {
	return r.c.read(r.xcl, r.unit, offset), nil
}

func (r instance) Write(_ context.Context, offset, value uint32) error {
	r.c.write(r.xcl, r.unit, offset, value)
	return nil
}

// TestNetworksAreSetUp has the driver set up the networks of three cards, and finds on
// the wire what it has set.
func TestNetworksAreSetUp(t *testing.T) {
	const ranks = 3
	d := designtest.Load(t, "u55c_udp", nil)
	described, err := driverview.Card(d)
	if err != nil {
		t.Fatal(err)
	}
	h := Start(t, d, ranks, HostOptions{})
	c := load(t, h.Server)
	var world []accl.Rank
	for i := range ranks {
		world = append(world, accl.Rank{IP: netip.AddrFrom4([4]byte{10, 1, 2, byte(1 + i)}), Port: uint16(5000 + i)})
	}
	done := make(chan error, ranks)
	for rank := range ranks {
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			device := c.open(rank)
			s, err := network.Of(&described, 0, func(name string) (layout.Registers, error) {
				in, ok := described.Instance(name)
				if !ok {
					return nil, errors.New("no such instance")
				}
				xcl, unit := c.unit(device, in.Kernel+":"+name)
				return instance{c, xcl, unit}, nil
			})
			if err == nil {
				_, err = s.Setup(ctx, network.Config{Ranks: world, Local: rank})
			}
			done <- err
		}()
	}
	for range ranks {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for rank := range ranks {
		on := h.Networks[rank].UDP["poe_0"]
		if ip, _ := on.Address(); ip != world[rank].IP {
			t.Errorf("rank %d has the address %v", rank, ip)
		}
		for other := range ranks {
			if other == rank {
				continue
			}
			to, from, _, ok := on.Reaches(other)
			if want := netip.AddrPortFrom(world[other].IP, world[other].Port); !ok || to != want || from != world[rank].Port {
				t.Errorf("rank %d reaches rank %d at %v from port %d, %t", rank, other, to, from, ok)
			}
		}
	}
}
