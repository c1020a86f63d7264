package fabric_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
)

// run sends count packets from port 0 to port 1 under faults, and returns the
// numbers of those that arrive.
func run(t *testing.T, kind fabric.Kind, seed int64, f fabric.Faults, count int) ([]int, fabric.Stats) {
	t.Helper()
	var got []int
	var stats fabric.Stats
	synctest.Test(t, func(t *testing.T) {
		net, ports := world(t, kind, 2, fabric.Options{Seed: seed, WindowBytes: 1 << 30})
		net.SetFaults(f)
		freed := make([]int, count)
		for i := range count {
			p := numbered(i, 8)
			p.Free = func() { freed[i]++ }
			send(t, ports[0], 1, p)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		for _, p := range receiveAll(ports[1]) {
			got = append(got, number(p))
			p.Release()
		}
		for i, n := range freed {
			if n != 1 {
				t.Fatalf("packet %d was released %d times", i, n)
			}
		}
		stats = net.Stats(0, 1)
		balanced(t, stats)
		if stats.Sent != uint64(count) || stats.Delivered != uint64(len(got)) || stats.Bytes != uint64(count*(header+8)) {
			t.Errorf("%d sent, %d arrived: %+v", count, len(got), stats)
		}
	})
	return got, stats
}

// near checks a count of a random event, within five standard deviations.
func near(t *testing.T, what string, got uint64, n int, p float64) {
	t.Helper()
	if mean, deviation := p*float64(n), math.Sqrt(float64(n)*p*(1-p)); math.Abs(float64(got)-mean) > 5*deviation {
		t.Errorf("%s: %d of %d, expected about %.0f", what, got, n, mean)
	}
}

func TestLoss(t *testing.T) {
	const n = 20_000
	_, s := run(t, fabric.UDP, 1, fabric.Faults{Loss: 0.1}, n)
	near(t, "lost", s.Dropped, n, 0.1)
	_, s = run(t, fabric.UDP, 1, fabric.Faults{Corrupt: 0.1}, n)
	near(t, "corrupted", s.Dropped, n, 0.1)
	_, s = run(t, fabric.UDP, 1, fabric.Faults{Loss: 0.1, Corrupt: 0.2}, n)
	near(t, "lost or corrupted", s.Dropped, n, 1-0.9*0.8)
	if got, s := run(t, fabric.UDP, 1, fabric.Faults{Loss: 1}, n); len(got) != 0 || s.Dropped != n {
		t.Errorf("%d packets survive", len(got))
	}
	if got, s := run(t, fabric.UDP, 1, fabric.Faults{Loss: -1, Latency: 1}, n); len(got) != n || s.Dropped != 0 {
		t.Errorf("%d packets survive", len(got))
	}
}

func TestDuplicate(t *testing.T) {
	const n = 20_000
	got, s := run(t, fabric.UDP, 1, fabric.Faults{Duplicate: 0.25}, n)
	near(t, "duplicated", s.Duplicated, n, 0.25)
	assert.Check(t, len(got) == n+int(s.Duplicated) && slices.IsSorted(got), "%d packets arrive", len(got))
}

// The copy has a payload of its own, which outlives the original's.
func TestDuplicatePayload(t *testing.T) {
	net, ports := world(t, fabric.UDP, 2, fabric.Options{})
	net.SetFaults(fabric.Faults{Duplicate: 1})
	p := numbered(5, 4)
	copy(p.Payload, "data")
	payload := p.Payload
	p.Free = func() { copy(payload, "gone") }
	send(t, ports[0], 1, p)
	got := receiveAll(ports[1])
	assert.Assert(t, len(got) == 2 && got[0].Header == got[1].Header && got[0].Session == got[1].Session,
		"got %d packets", len(got))
	got[0].Release()
	got[1].Release()
	if slices.ContainsFunc(got, func(q *fabric.Packet) bool { return q != p && !bytes.Equal(q.Payload, []byte("data")) }) {
		t.Error("the copy shares the payload")
	}
}

func TestReorder(t *testing.T) {
	const n = 20_000
	got, s := run(t, fabric.UDP, 1, fabric.Faults{Reorder: 0.1}, n)
	near(t, "reordered", s.Reordered, n, 0.1)
	assert.Assert(t, len(got) == n, "%d packets arrive", len(got))
	moved := 0
	for i, k := range got {
		if d := i - k; d < -3 || d > 3 {
			t.Errorf("packet %d arrives as the %dth", k, i)
		}
		if i > 0 && k < got[i-1] {
			moved++
		}
	}
	// At most as many as were held back; those held back together may keep their order.
	assert.Check(t, moved <= int(s.Reordered) && moved >= int(s.Reordered)/2,
		"%d packets were held back, %d arrive after a later one", s.Reordered, moved)
}

// Without later packets, one that is held back arrives a little later.
func TestReorderAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, ports := world(t, fabric.UDP, 2, fabric.Options{})
		net.SetFaults(fabric.Faults{Reorder: 1})
		notified := 0
		ports[1].Notify(func() { notified++ })
		send(t, ports[0], 1, numbered(0, 0))
		assert.Check(t, ports[1].Receive() == nil, "it was not held back")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		assert.Check(t, ports[1].Receive() != nil && notified == 1, "it was lost, %d notifications", notified)
	})
}

// A packet that is held back does not delay those that overtake it.
func TestReorderWithLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, ports := world(t, fabric.UDP, 2, fabric.Options{})
		net.SetFaults(fabric.Faults{Reorder: 1})
		send(t, ports[0], 1, numbered(0, 0))
		net.SetFaults(fabric.Faults{Latency: 100 * time.Microsecond})
		send(t, ports[0], 1, numbered(1, 0))
		time.Sleep(100 * time.Microsecond)
		synctest.Wait()
		p := ports[1].Receive()
		assert.Check(t, p != nil && number(p) == 1, "received %v", p)
		time.Sleep(time.Second)
		synctest.Wait()
		receives(t, ports[1], 0)
	})
}

// Other transports repair all that.
func TestReliable(t *testing.T) {
	for _, kind := range []fabric.Kind{fabric.TCP, fabric.RDMA} {
		got, s := run(t, kind, 1, fabric.Faults{Loss: 0.5, Corrupt: 0.5, Duplicate: 0.5, Reorder: 0.5,
			Latency: time.Millisecond, Jitter: time.Millisecond}, 1000)
		assert.Check(t, len(got) == 1000 && slices.IsSorted(got), "%v: %d packets arrive: %+v", kind, len(got), s)
	}
}

// Seed, link and number of a packet decide, nothing else.
func TestDeterminism(t *testing.T) {
	const n = 2000
	all := fabric.Faults{Loss: 0.1, Corrupt: 0.1, Duplicate: 0.1, Reorder: 0.2}
	first, _ := run(t, fabric.UDP, 7, all, n)
	second, _ := run(t, fabric.UDP, 7, all, n)
	assert.Check(t, slices.Equal(first, second), "the same seed gives another result")
	other, _ := run(t, fabric.UDP, 8, all, n)
	assert.Check(t, !slices.Equal(first, other), "another seed gives the same result")
	slow := all
	slow.Latency, slow.Jitter = time.Second, time.Second
	other, _ = run(t, fabric.UDP, 7, slow, n)
	assert.Check(t, slices.Equal(first, other), "latency changes what happens to packets")

	// Links differ from each other, and do not depend on the traffic of others.
	arrivals := func(interleaved bool) (out [6][]int) {
		net, ports := world(t, fabric.UDP, 3, fabric.Options{Seed: 7})
		net.SetFaults(fabric.Faults{Loss: 0.3})
		links := [6][2]int{{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}}
		for i := range 6 * n {
			link, k := i/n, i%n
			if interleaved {
				link, k = i%6, i/6
			}
			send(t, ports[links[link][0]], links[link][1], numbered(k, 0))
		}
		for to, port := range ports {
			for _, p := range receiveAll(port) {
				i := slices.Index(links[:], [2]int{int(p.Session), to})
				out[i] = append(out[i], number(p))
			}
		}
		return out
	}
	a, b := arrivals(false), arrivals(true)
	for i := range a {
		assert.Check(t, slices.Equal(a[i], b[i]), "link %d depends on the others", i)
		for j := range i {
			assert.Check(t, !slices.Equal(a[i], a[j]), "links %d and %d lose the same packets", i, j)
		}
	}
}

// A Send that was busy does not count.
func TestBusyIsNotDecided(t *testing.T) {
	arrivals := func(window int) (got []int) {
		net, ports := world(t, fabric.UDP, 2, fabric.Options{Seed: 3, WindowBytes: window})
		net.SetFaults(fabric.Faults{Loss: 0.3})
		for i := range 500 {
			for errors.Is(ports[0].Send(1, numbered(i, 0)), fabric.ErrBusy) {
				got = append(got, numbers(receiveAll(ports[1]))...)
			}
		}
		return append(got, numbers(receiveAll(ports[1]))...)
	}
	if a, b := arrivals(1<<20), arrivals(100); !slices.Equal(a, b) || len(a) == 500 {
		t.Errorf("%d packets arrive, or %d", len(a), len(b))
	}
}
