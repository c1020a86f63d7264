package fabric_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

func closedSessions(p fabric.Port) []uint32 {
	out := []uint32{}
	for s, ok := p.Closed(); ok; s, ok = p.Closed() {
		out = append(out, s)
	}
	return out
}

// Kill and Close look the same from outside.
var endings = map[string]func(*fabric.Net, fabric.Port, int){
	"kill":  func(n *fabric.Net, _ fabric.Port, i int) { n.Kill(i) },
	"close": func(_ *fabric.Net, p fabric.Port, _ int) { p.Close(); p.Close() },
}

func TestGone(t *testing.T) {
	for name, end := range endings {
		for _, kind := range kinds {
			net, ports := world(t, kind, 3, fabric.Options{WindowBytes: 200})
			freed, notified := 0, [3]int{}
			for i, p := range ports {
				p.Notify(func() { notified[i]++ })
			}
			packet := func(n int) *fabric.Packet {
				p := numbered(n, 100)
				p.Free = func() { freed++ }
				return p
			}
			send(t, ports[0], 1, packet(1), packet(2))
			assert.ErrorIs(t, ports[0].Send(1, packet(3)), fabric.ErrBusy)
			send(t, ports[1], 2, numbered(10, 0), numbered(11, 0))
			notified = [3]int{}

			end(net, ports[1], 1)
			if freed != 2 {
				t.Errorf("%s, %v: %d packets were released", name, kind, freed)
			}
			if notified[0] == 0 {
				t.Errorf("%s, %v: the sender that waits was not notified", name, kind)
			}
			if p := ports[1].Receive(); p != nil {
				t.Errorf("%s, %v: the port still receives", name, kind)
			}
			for from, to := range map[int]int{0: 1, 1: 0} {
				freed = 0
				err := ports[from].Send(uint32(to), packet(4))
				switch {
				case kind == fabric.UDP && (err != nil || freed != 1):
					t.Errorf("%s, %v: sending from %d to %d: %v, released %d times", name, kind, from, to, err, freed)
				case kind != fabric.UDP && (!errors.Is(err, fabric.ErrClosed) || freed != 0):
					t.Errorf("%s, %v: sending from %d to %d: %v, released %d times", name, kind, from, to, err, freed)
				}
			}

			reported := []uint32{1}
			if kind == fabric.UDP {
				reported = []uint32{}
			}
			if got := closedSessions(ports[0]); !slices.Equal(got, reported) {
				t.Errorf("%s, %v: port 0 sees sessions %v closed", name, kind, got)
			}
			if got := closedSessions(ports[2]); len(got) != 0 {
				t.Errorf("%s, %v: port 2 sees sessions %v closed, but has not received all", name, kind, got)
			}
			if got := numbers(receiveAll(ports[2])); !slices.Equal(got, []int{10, 11}) {
				t.Errorf("%s, %v: port 2 receives %v", name, kind, got)
			}
			if got := closedSessions(ports[2]); !slices.Equal(got, reported) {
				t.Errorf("%s, %v: port 2 sees sessions %v closed", name, kind, got)
			}
			if kind != fabric.UDP && notified[2] == 0 {
				t.Errorf("%s, %v: port 2 was not notified", name, kind)
			}
			if got := closedSessions(ports[1]); len(got) != 0 {
				t.Errorf("%s, %v: the port itself sees sessions %v closed", name, kind, got)
			}
			send(t, ports[0], 2, numbered(20, 0)) // the others go on
			if got := numbers(receiveAll(ports[2])); !slices.Equal(got, []int{20}) {
				t.Errorf("%s, %v: port 2 receives %v", name, kind, got)
			}
			balanced(t, net.Stats(0, 1))
			balanced(t, net.Stats(1, 2))
		}
	}
}

func TestKillNobody(t *testing.T) {
	net, ports := world(t, fabric.TCP, 1, fabric.Options{})
	net.Kill(-1)
	net.Kill(1)
	send(t, ports[0], 0, numbered(1, 0))
}

// A port that comes after another is gone knows it as closed.
func TestBornLater(t *testing.T) {
	net, ports := world(t, fabric.TCP, 1, fabric.Options{})
	net.Kill(0)
	p, _, err := net.Port(ip(5), port(5))
	assert.NilError(t, err)
	assert.Check(t, is.ErrorIs(p.Send(0, numbered(0, 0)), fabric.ErrClosed))
	err = ports[0].Send(1, numbered(0, 0))
	assert.Check(t, errors.Is(err, fabric.ErrClosed) && p.Receive() == nil, "a port that is gone sends: %v", err)
}

func TestNotifyOfClosed(t *testing.T) {
	net, ports := world(t, fabric.TCP, 2, fabric.Options{})
	net.Kill(0)
	notified := 0
	ports[1].Notify(func() { notified++ })
	assert.Check(t, notified == 1, "%d notifications of a session that closed before", notified)
}

// The end of a session arrives after the packets that are on their way, and
// is not known before.
func TestKillWithLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net, ports := world(t, fabric.TCP, 2, fabric.Options{})
		net.SetFaults(fabric.Faults{Latency: time.Second})
		freed := 0
		lost := numbered(9, 0)
		lost.Free = func() { freed++ }
		send(t, ports[0], 1, numbered(0, 0))
		send(t, ports[1], 0, lost) // will find nobody
		net.Kill(0)
		assert.Check(t, freed == 1, "%d packets were released", freed)
		lost.Free = func() { freed++ }
		send(t, ports[1], 0, lost) // not yet known to be closed
		assert.Check(t, freed == 2, "%d packets were released", freed)
		time.Sleep(time.Second - 1)
		synctest.Wait()
		if p, closed := ports[1].Receive(), closedSessions(ports[1]); p != nil || len(closed) != 0 {
			t.Errorf("early: %v, %v", p, closed)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.Check(t, len(closedSessions(ports[1])) == 0, "closed before the last packet")
		got := numbers(receiveAll(ports[1]))
		assert.Check(t, slices.Equal(got, []int{0}), "received %v", got)
		closed := closedSessions(ports[1])
		assert.Check(t, slices.Equal(closed, []uint32{0}), "closed: %v", closed)
		assert.Check(t, is.ErrorIs(ports[1].Send(0, lost), fabric.ErrClosed))
	})
}

// A partition hides that a port is gone.
func TestKillBehindPartition(t *testing.T) {
	net, ports := world(t, fabric.TCP, 2, fabric.Options{WindowBytes: 1})
	net.Partition([]int{0}, []int{1})
	send(t, ports[0], 1, numbered(0, 0))
	net.Kill(0)
	send(t, ports[1], 0, numbered(1, 0), numbered(2, 0), numbered(3, 0)) // never busy
	if p, closed := ports[1].Receive(), closedSessions(ports[1]); p != nil || len(closed) != 0 {
		t.Errorf("the partition leaks: %v, %v", p, closed)
	}
	net.Heal()
	got := numbers(receiveAll(ports[1]))
	assert.Check(t, slices.Equal(got, []int{0}), "received %v", got)
	closed := closedSessions(ports[1])
	assert.Check(t, slices.Equal(closed, []uint32{0}), "closed: %v", closed)
	assert.Check(t, is.ErrorIs(ports[1].Send(0, numbered(4, 0)), fabric.ErrClosed))
}
