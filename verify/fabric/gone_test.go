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

// closes takes all that a port says of closed sessions, which must be these.
func closes(t *testing.T, p fabric.Port, want ...uint32) {
	t.Helper()
	var got []uint32
	for s, ok := p.Closed(); ok; s, ok = p.Closed() {
		got = append(got, s)
	}
	assert.Check(t, slices.Equal(got, want), "sessions %v are closed, not %v", got, want)
}

// Kill and Close look the same from outside.
var endings = map[string]func(*fabric.Net, fabric.Port, int){
	"kill":  func(n *fabric.Net, _ fabric.Port, i int) { n.Kill(i) },
	"close": func(_ *fabric.Net, p fabric.Port, _ int) { p.Close(); p.Close() },
}

func TestGone(t *testing.T) {
	for name, end := range endings {
		t.Run(name, func(t *testing.T) { eachKind(t, func(t *testing.T, kind fabric.Kind) { gone(t, end, kind) }) })
	}
}

func gone(t *testing.T, end func(*fabric.Net, fabric.Port, int), kind fabric.Kind) {
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
	assert.Check(t, freed == 2, "%d packets were released", freed)
	assert.Check(t, notified[0] != 0, "the sender that waits was not notified")
	receives(t, ports[1])
	for from, to := range map[int]int{0: 1, 1: 0} {
		freed = 0
		err := ports[from].Send(uint32(to), packet(4))
		right := errors.Is(err, fabric.ErrClosed) && freed == 0
		if kind == fabric.UDP {
			right = err == nil && freed == 1
		}
		assert.Check(t, right, "sending from %d to %d: %v, released %d times", from, to, err, freed)
	}

	reported := []uint32{1}
	if kind == fabric.UDP {
		reported = []uint32{}
	}
	closes(t, ports[0], reported...)
	closes(t, ports[2]) // it has not received all
	receives(t, ports[2], 10, 11)
	closes(t, ports[2], reported...)
	assert.Check(t, kind == fabric.UDP || notified[2] != 0, "port 2 was not notified")
	closes(t, ports[1])
	send(t, ports[0], 2, numbered(20, 0)) // the others go on
	receives(t, ports[2], 20)
	balanced(t, net.Stats(0, 1))
	balanced(t, net.Stats(1, 2))
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
		receives(t, ports[1])
		closes(t, ports[1])
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		closes(t, ports[1]) // not before the last packet
		receives(t, ports[1], 0)
		closes(t, ports[1], 0)
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
	receives(t, ports[1])                                                // nothing leaks
	closes(t, ports[1])
	net.Heal()
	receives(t, ports[1], 0)
	closes(t, ports[1], 0)
	assert.Check(t, is.ErrorIs(ports[1].Send(0, numbered(4, 0)), fabric.ErrClosed))
}
