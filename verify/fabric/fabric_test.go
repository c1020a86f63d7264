package fabric_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

func TestSendAndReceive(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		net, ports := world(t, kind, 3, fabric.Options{})
		freed := 0
		p := numbered(7, 100)
		p.Session, p.Free = 99, func() { freed++ }
		send(t, ports[2], 1, p)
		if got := ports[0].Receive(); got != nil {
			t.Fatalf("port 0 receives a packet for port 1")
		}
		got := ports[1].Receive()
		assert.Assert(t, got != nil && got.Session == 2 && number(got) == 7 && len(got.Payload) == 100, "got %+v", got)
		assert.Check(t, &got.Payload[0] == &p.Payload[0], "the payload was copied")
		assert.Check(t, freed == 0, "the packet was released before its receiver did")
		got.Release()
		got.Release()
		assert.Check(t, freed == 1, "Free was called %d times", freed)
		want := fabric.Stats{Sent: 1, Delivered: 1, Bytes: 164}
		if s := net.Stats(2, 1); s != want {
			t.Errorf("%+v, want %+v", s, want)
		}
		if s := net.Stats(1, 2); s != (fabric.Stats{}) {
			t.Errorf("the way back counts %+v", s)
		}
		if ports[0].Lossy() != (kind == fabric.UDP) {
			t.Errorf("lossy is %v", ports[0].Lossy())
		}
	})
	s := fabric.NewNet(fabric.UDP, fabric.Options{}).Stats(0, -1)
	assert.Check(t, s == (fabric.Stats{}), "ports that do not exist count %+v", s)
}

func TestOptions(t *testing.T) {
	_, ports := world(t, fabric.TCP, 1, fabric.Options{})
	got := ports[0].MaxPayload()
	assert.Check(t, got == 64<<10, "the default is %d bytes", got)
	_, ports = world(t, fabric.TCP, 1, fabric.Options{MaxPayload: 4032})
	got = ports[0].MaxPayload()
	assert.Check(t, got == 4032, "got %d bytes", got)
}

func TestSessionsTakeTurns(t *testing.T) {
	_, ports := world(t, fabric.TCP, 4, fabric.Options{})
	for i := range 100 {
		send(t, ports[0], 3, numbered(i, 0))
	}
	send(t, ports[1], 3, numbered(1000, 0), numbered(1001, 0), numbered(1002, 0))
	send(t, ports[3], 3, numbered(3000, 0)) // to itself
	got := numbers(receiveAll(ports[3]))
	want := []int{0, 1000, 3000, 1, 1001, 2, 1002, 3, 4}
	assert.Check(t, len(got) == 104 && slices.Equal(got[:len(want)], want), "received %v", got)
}

func TestHold(t *testing.T) {
	_, ports := world(t, fabric.TCP, 3, fabric.Options{})
	notified := 0
	ports[2].Notify(func() { notified++ })
	ports[2].Hold(0, true)
	ports[2].Hold(17, true) // nobody
	send(t, ports[0], 2, numbered(0, 0), numbered(1, 0))
	receives(t, ports[2])
	assert.Assert(t, notified == 0, "%d notifications of a session that is held", notified)
	send(t, ports[1], 2, numbered(100, 0))
	receives(t, ports[2], 100)
	assert.Assert(t, notified == 1, "%d notifications", notified)
	ports[2].Hold(0, false)
	assert.Check(t, notified == 2, "%d notifications when the session was let go", notified)
	assert.Check(t, is.Equal(number(ports[2].Receive()), 0))
	ports[2].Hold(0, true) // with a packet waiting
	send(t, ports[1], 2, numbered(101, 0))
	receives(t, ports[2], 101)
	ports[2].Hold(0, false)
	ports[2].Hold(0, true)
	ports[2].Hold(0, false)
	receives(t, ports[2], 1)
}

func TestWindow(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		_, ports := world(t, kind, 3, fabric.Options{WindowBytes: 10 * (header + 100)})
		notified := 0
		ports[0].Notify(func() { notified++ })
		accepted, busy := 0, numbered(11, 100)
		for ; accepted < 100 && ports[0].Send(1, numbered(accepted, 100)) == nil; accepted++ {
		}
		if accepted != 11 { // the last one when the window was full, but not overfull
			t.Fatalf("accepted %d packets", accepted)
		}
		assert.ErrorIs(t, ports[0].Send(1, busy), fabric.ErrBusy)
		send(t, ports[0], 2, numbered(0, 100)) // other sessions have room
		send(t, ports[2], 1, numbered(0, 100))
		received := 0
		for received < 6 {
			if ports[1].Receive().Session == 0 {
				received++
			}
			if want := received / 6; notified != want { // 5 of 10 are left
				t.Fatalf("%d notifications after %d packets", notified, received)
			}
		}
		send(t, ports[0], 1, busy)
		receives(t, ports[1], 6, 7, 8, 9, 10, 11)
		assert.Check(t, notified == 1, "%d notifications", notified)
	})
}

// A packet larger than the window goes by itself.
func TestLargePacket(t *testing.T) {
	_, ports := world(t, fabric.TCP, 2, fabric.Options{WindowBytes: 1})
	notified := 0
	ports[0].Notify(func() { notified++ })
	send(t, ports[0], 1, numbered(0, 1000))
	assert.ErrorIs(t, ports[0].Send(1, numbered(1, 0)), fabric.ErrBusy)
	ports[1].Receive()
	assert.Check(t, notified == 1, "%d notifications", notified)
	send(t, ports[0], 1, numbered(1, 0))
}

func TestNotify(t *testing.T) {
	_, ports := world(t, fabric.TCP, 2, fabric.Options{})
	send(t, ports[0], 1, numbered(0, 0))
	notified := 0
	ports[1].Notify(func() { notified++ })
	assert.Check(t, notified == 1, "%d notifications of a packet that was there before", notified)
	ports[1].Receive()
	send(t, ports[0], 1, numbered(1, 0))
	assert.Check(t, notified == 2, "%d notifications after another", notified)
	ports[1].Notify(nil)
	receiveAll(ports[1])
	send(t, ports[0], 1, numbered(2, 0))
	assert.Check(t, notified == 2, "%d notifications after they were given up", notified)
}

func TestConnect(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		net, ports := world(t, kind, 3, fabric.Options{})
		connect := func(i int, want error) {
			t.Helper()
			session, err := ports[0].Connect(t.Context(), ip(i), port(i))
			if !errors.Is(err, want) || err == nil && session != uint32(i) {
				t.Errorf("connecting to %d gives %d, %v; want %v", i, session, err, want)
			}
		}
		connect(1, nil) // on TCP it does not listen yet
		for i, p := range ports {
			assert.NilError(t, p.Listen(port(i)))
		}
		assert.Check(t, ports[1].Listen(port(1)), "listening again")
		connect(0, nil)
		connect(1, nil)
		connect(2, nil)
		connect(3, fabric.ErrRefused)
		another := fabric.ErrRefused
		if kind == fabric.TCP {
			another = nil // it may listen there some day
		}
		if _, err := ports[0].Connect(t.Context(), ip(1), port(2)); !errors.Is(err, another) {
			t.Errorf("connecting to another port: %v", err)
		}
		assert.Check(t, ports[1].Listen(80))
		if session, err := ports[2].Connect(t.Context(), ip(1), 80); session != 1 || err != nil {
			t.Errorf("connecting to a second port: %d, %v", session, err)
		}

		unreachable := fabric.ErrUnreachable
		if kind == fabric.UDP {
			unreachable = nil
		}
		net.Partition([]int{1})
		connect(1, unreachable)
		connect(2, nil)
		net.Heal()
		connect(1, nil)

		net.Kill(2)
		connect(2, fabric.ErrRefused)
		assert.NilError(t, ports[0].Close())
		connect(1, fabric.ErrClosed)
		assert.Check(t, is.ErrorIs(ports[0].Listen(1), fabric.ErrClosed), "listening when closed")
	})
}

// Who connects to a port that does not listen yet sends when it does.
func TestConnectBeforeListening(t *testing.T) {
	const other = 80
	for name, c := range map[string]struct {
		listens []uint16 // one after the other
		after   int      // how many of them let the packet through
	}{
		"at the own port":       {[]uint16{port(1)}, 1},
		"somewhere else before": {[]uint16{other, port(1)}, 2},
	} {
		_, ports := world(t, fabric.TCP, 3, fabric.Options{})
		notified := 0
		ports[0].Notify(func() { notified++ })
		session, err := ports[0].Connect(t.Context(), ip(1), port(1))
		assert.Assert(t, session == 1 && err == nil, "%s: session %d, %v", name, session, err)
		p := numbered(7, 0)
		for i, at := range c.listens {
			assert.ErrorIs(t, ports[0].Send(1, p), fabric.ErrBusy, "%s: sending before it listens", name)
			assert.NilError(t, ports[1].Listen(at))
			if there := i+1 == c.after; there != (notified > 0) {
				t.Errorf("%s: %d notifications after it listens at %d", name, notified, at)
			}
		}
		send(t, ports[0], 1, p)
		receives(t, ports[1], 7)
		_, err = ports[0].Connect(t.Context(), ip(1), 1234)
		assert.NilError(t, err)
		send(t, ports[0], 1, numbered(8, 0)) // the session is open all the same
	}
	// It never does: who waits is told.
	net, ports := world(t, fabric.TCP, 2, fabric.Options{})
	notified := 0
	ports[0].Notify(func() { notified++ })
	_, err := ports[0].Connect(t.Context(), ip(1), port(1))
	assert.NilError(t, err)
	assert.Check(t, is.ErrorIs(ports[0].Send(1, numbered(0, 0)), fabric.ErrBusy), "sending before it listens")
	net.Kill(1)
	ports[0].Closed()
	if err := ports[0].Send(1, numbered(0, 0)); !errors.Is(err, fabric.ErrClosed) || notified == 0 {
		t.Errorf("sending to who has gone: %v, %d notifications", err, notified)
	}
}

func TestAddresses(t *testing.T) {
	net, ports := world(t, fabric.TCP, 2, fabric.Options{})
	_, _, err := net.Port(ip(0), port(0))
	assert.Check(t, errors.Is(err, fabric.ErrAddressInUse), "a second port at an address: %v", err)
	other, session, err := net.Port(ip(0), 6000)
	assert.Assert(t, err == nil && session == 2, "session %d, %v", session, err)
	assert.NilError(t, ports[0].Listen(7000))
	assert.Check(t, is.ErrorIs(other.Listen(7000), fabric.ErrAddressInUse), "two ports listen at an address")
	ports[0].Close()
	assert.Check(t, other.Listen(7000), "listening where a closed port")
	if _, session, err := net.Port(ip(0), port(0)); session != 3 || err != nil {
		t.Errorf("a port where a closed one was has session %d, %v", session, err)
	}
}

func TestUnknownSession(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		_, ports := world(t, kind, 1, fabric.Options{})
		freed := 0
		p := numbered(0, 0)
		p.Free = func() { freed++ }
		err := ports[0].Send(5, p)
		if kind == fabric.UDP {
			assert.Check(t, err == nil && freed == 1, "%v, released %d times", err, freed)
		} else if !errors.Is(err, fabric.ErrClosed) || freed != 0 {
			t.Errorf("%v, released %d times", err, freed)
		}
	})
}

func TestKindNames(t *testing.T) {
	got := []string{fabric.UDP.String(), fabric.TCP.String(), fabric.RDMA.String(), fabric.Kind(9).String()}
	want := []string{"UDP", "TCP", "RDMA", "Kind(9)"}
	assert.Check(t, reflect.DeepEqual(got, want), "got %v", got)
}
