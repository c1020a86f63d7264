package fabric_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
)

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, ports := world(t, fabric.TCP, 3, fabric.Options{})
		notified := 0
		ports[1].Notify(func() { notified++ })
		expect := func(want ...int) {
			t.Helper()
			synctest.Wait()
			receives(t, ports[1], want...)
		}
		net.SetFaults(fabric.Faults{Latency: 10 * time.Millisecond})
		send(t, ports[0], 1, numbered(0, 0))
		time.Sleep(4 * time.Millisecond)
		send(t, ports[2], 1, numbered(1, 0))
		time.Sleep(6*time.Millisecond - 1)
		expect()
		time.Sleep(time.Nanosecond)
		expect(0)
		time.Sleep(4*time.Millisecond - 1)
		expect()
		time.Sleep(time.Nanosecond)
		expect(1)
		assert.Check(t, notified == 2, "%d notifications", notified)
		// What is sent when the way has become short does not overtake.
		send(t, ports[0], 1, numbered(2, 0))
		net.SetFaults(fabric.Faults{})
		send(t, ports[0], 1, numbered(3, 0))
		send(t, ports[2], 1, numbered(4, 0)) // another link
		expect(4)
		time.Sleep(10 * time.Millisecond)
		expect(2, 3)
		send(t, ports[0], 1, numbered(5, 0))
		expect(5)
	})
}

func TestJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, ports := world(t, fabric.UDP, 2, fabric.Options{})
		net.SetFaults(fabric.Faults{Latency: time.Second, Jitter: time.Second})
		start := time.Now()
		var arrivals []time.Duration
		ports[1].Notify(func() { arrivals = append(arrivals, time.Since(start)) })
		got := []int{}
		for i := range 100 { // far apart, so that each keeps its own delay
			start = time.Now()
			send(t, ports[0], 1, numbered(i, 0))
			time.Sleep(3 * time.Second)
			synctest.Wait()
			got = append(got, numbers(receiveAll(ports[1]))...)
		}
		assert.Assert(t, len(got) == 100 && slices.IsSorted(got) && len(arrivals) == 100,
			"received %v at %v", got, arrivals)
		shortest, longest := slices.Min(arrivals), slices.Max(arrivals)
		if shortest < time.Second || shortest > 1100*time.Millisecond || longest > 2*time.Second ||
			longest < 1900*time.Millisecond {
			t.Errorf("delays from %v to %v", shortest, longest)
		}
	})
}

func TestBandwidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, ports := world(t, fabric.TCP, 2, fabric.Options{})
		net.SetFaults(fabric.Faults{BytesPerSecond: 1000, Latency: time.Second})
		for i := range 10 {
			send(t, ports[0], 1, numbered(i, 100-header)) // 0.1 s each
		}
		send(t, ports[1], 0, numbered(100, 100-header)) // the other direction has its own rate
		time.Sleep(1100*time.Millisecond - 1)
		for i := range 10 {
			synctest.Wait()
			receives(t, ports[1])
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			receives(t, ports[1], i)
			assert.Check(t, i != 0 || len(receiveAll(ports[0])) == 1, "the directions share their rate")
			time.Sleep(100*time.Millisecond - 1)
		}
		// Rates that never end.
		net.SetFaults(fabric.Faults{BytesPerSecond: 1e-300})
		send(t, ports[0], 1, numbered(0, 0), numbered(1, 0))
		time.Sleep(time.Hour)
		synctest.Wait()
		receives(t, ports[1])
	})
}

// Copies fill the window as well, and empty it when they are received.
func TestWindowWithDuplicates(t *testing.T) {
	net, ports := world(t, fabric.UDP, 2, fabric.Options{WindowBytes: 10 * header})
	for round, duplicate := range []float64{1, 0} {
		net.SetFaults(fabric.Faults{Duplicate: duplicate})
		accepted := 0
		for ; accepted < 100 && ports[0].Send(1, numbered(accepted, 0)) == nil; accepted++ {
		}
		if want := []int{6, 11}[round]; accepted != want {
			t.Errorf("accepted %d packets, want %d", accepted, want)
		}
		receiveAll(ports[1])
	}
}
