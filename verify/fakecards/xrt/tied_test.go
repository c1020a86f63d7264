package xrt

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// alone is the engine of a card, in a world of its own.
func alone(ctx context.Context, t *testing.T) *accl.Engine {
	t.Helper()
	d := designtest.Load(t, "u55c_udp", nil)
	p := driverview.Of(d)
	h := Start(t, d, 1, HostOptions{})
	dev := newDevice(load(t, h.Server), 0, "0")
	dev.group = groupOf(t, h, d, 0)
	e, err := accl.Open(ctx, dev, &p, h.Ranks(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestPeerToPeer runs a call on memory that is never synced: the host sees device
// memory.
func TestPeerToPeer(t *testing.T) {
	const n = 5000
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := alone(ctx, t)
	src, err := accl.Alloc[int32](ctx, e, n, accl.PeerToPeer())
	if err != nil {
		t.Fatal(err)
	}
	dst, err := accl.Alloc[int32](ctx, e, n, accl.PeerToPeer())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 9))
	for range 5 {
		for range 100 {
			src.Host()[r.IntN(n)] = r.Int32()
		}
		if _, err := e.Copy(ctx, src, dst, n); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(src.Host(), dst.Host()) {
			t.Fatal("the copy has something else")
		}
	}
}

// TestPeerToPeerMemoryThatWasUsed: host and device begin with the same bytes where
// another buffer was before.
func TestPeerToPeerMemoryThatWasUsed(t *testing.T) {
	const n = 1000
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := alone(ctx, t)
	dst, err := accl.Alloc[int32](ctx, e, n)
	if err != nil {
		t.Fatal(err)
	}
	var used uint64
	for round := range 2 {
		src, err := accl.Alloc[int32](ctx, e, n, accl.PeerToPeer())
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int32, n)
		for i := range want {
			want[i] = int32((1 - round) * (i + 1)) // zeros behind numbers
		}
		copy(src.Host(), want)
		if _, err := e.Copy(ctx, src, dst, n); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(dst.Host(), want) {
			t.Errorf("round %d: the device has something else", round)
		}
		if round == 1 && src.Address() != used {
			t.Fatalf("the memory is another one: 0x%X and 0x%X", used, src.Address())
		}
		used = src.Address()
		if err := src.Free(); err != nil {
			t.Fatal(err)
		}
	}
}

// ownMemory is that of an engine, in a test.
func ownMemory() *plain { return &plain{data: make([]byte, 3*compareBytes)} }

// TestTiedMemory has both sides change bytes, each its own.
func TestTiedMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	device := ownMemory()
	host := make([]byte, len(device.data))
	x := &tied{backing: device, shared: host, known: make([]byte, len(host))}
	want := make([]byte, len(host))
	for range 200 {
		for range r.IntN(50) {
			at := r.IntN(len(want))
			want[at] = byte(r.Uint32())
			if at%2 == 0 {
				host[at] = want[at]
			} else {
				device.data[at] = want[at]
			}
		}
		if err := x.push(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := x.pull(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(host, want) || !bytes.Equal(device.data, want) {
			t.Fatal("one of them has something else")
		}
	}
}

// TestSharedBanks has two engines reach a bank, each with memory of its own.
func TestSharedBanks(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	first, second := ownMemory(), ownMemory()
	all := &several{parts: []backing{first, second}, known: make([]byte, len(first.data))}
	want := make([]byte, len(first.data))
	for range 200 {
		offset := r.IntN(len(want))
		n := r.IntN(len(want) - offset)
		switch r.IntN(3) {
		case 0: // the host
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
			}
			copy(want[offset:], b)
			if err := all.write(t.Context(), b, uint64(offset)); err != nil {
				t.Fatal(err)
			}
		default: // the engines, each in bytes of its own
			for i, m := range []*plain{first, second} {
				at := r.IntN(len(want)/2)*2 + i
				m.data[at] = byte(r.Uint32())
				want[at] = m.data[at]
			}
		}
		got := make([]byte, len(want))
		if err := all.read(t.Context(), got, 0); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) || !bytes.Equal(first.data, want) || !bytes.Equal(second.data, want) {
			t.Fatal("somebody has something else")
		}
	}
}
