package fabric_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

func TestPartition(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		net, ports := world(t, kind, 5, fabric.Options{})
		exchange := func() (arrived [5][5]bool) {
			for a := range ports {
				for b := range ports {
					send(t, ports[a], b, numbered(0, 0))
				}
			}
			for b, p := range ports {
				for _, packet := range receiveAll(p) {
					arrived[packet.Session][b] = true
				}
			}
			return arrived
		}
		net.Partition([]int{0, 1}, []int{2}) // and 3 and 4
		group := []int{0, 0, 1, 2, 2}
		arrived := exchange()
		for a := range ports {
			for b := range ports {
				if want := group[a] == group[b]; arrived[a][b] != want {
					t.Errorf("from %d to %d: %v", a, b, arrived[a][b])
				}
			}
		}
		notified := 0
		ports[2].Notify(func() { notified++ })
		net.Heal()
		stalled := receiveAll(ports[2])
		s := net.Stats(0, 2)
		if kind == fabric.UDP {
			assert.Check(t, len(stalled) == 0 && s.Dropped == 1, "%d packets survive, %+v", len(stalled), s)
		} else if len(stalled) != 4 || notified == 0 || s.Delivered != 1 || s.Dropped != 0 {
			t.Errorf("%d packets arrive after all, %d notifications, %+v", len(stalled), notified, s)
		}
		for i := range ports {
			receiveAll(ports[i])
		}
		for a, row := range exchange() {
			assert.Check(t, !slices.Contains(row[:], false), "%d does not reach all: %v", a, row)
		}
	})
}

// A sender is busy while its packets wait for the end of a partition, and
// keeps its order afterwards.
func TestPartitionFillsWindow(t *testing.T) {
	net, ports := world(t, fabric.TCP, 2, fabric.Options{WindowBytes: 10 * header})
	net.Partition([]int{0})
	accepted := 0
	for ; accepted < 100 && ports[0].Send(1, numbered(accepted, 0)) == nil; accepted++ {
	}
	assert.Check(t, accepted == 11, "accepted %d packets", accepted)
	net.Heal()
	assert.Check(t, is.ErrorIs(ports[0].Send(1, numbered(11, 0)), fabric.ErrBusy))
	got := numbers(receiveAll(ports[1]))
	send(t, ports[0], 1, numbered(11, 0))
	got = append(got, numbers(receiveAll(ports[1]))...)
	assert.Check(t, len(got) == 12 && slices.IsSorted(got), "received %v", got)
}

// A partition takes hold of what is on its way, and another one may let it go.
func TestPartitionInFlight(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		synctest.Test(t, func(t *testing.T) {
			net, ports := world(t, kind, 3, fabric.Options{WindowBytes: 1})
			net.SetFaults(fabric.Faults{Latency: time.Second})
			notified := 0
			ports[0].Notify(func() { notified++ })
			send(t, ports[0], 1, numbered(0, 0))
			assert.ErrorIs(t, ports[0].Send(1, numbered(1, 0)), fabric.ErrBusy)
			net.Partition([]int{0})
			time.Sleep(time.Minute)
			synctest.Wait()
			assert.Assert(t, ports[1].Receive() == nil, "it arrives")
			assert.Check(t, notified == map[bool]int{true: 1}[kind == fabric.UDP], "%d notifications", notified)
			net.Partition([]int{0, 1})
			p := ports[1].Receive()
			assert.Check(t, (p != nil) == (kind != fabric.UDP), "received %v", p)
			assert.Check(t, notified == 1, "%d notifications", notified)
			balanced(t, net.Stats(0, 1))
		})
	})
}
