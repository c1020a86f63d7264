package sim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
)

func TestWordsOfTheExchangeMemory(t *testing.T) {
	for _, odd := range []bool{false, true} {
		s := newServer(t)
		s.odd = odd
		s.words[0x1FF8] = 0xFFFFFFFF
		d := s.start().open(platform2024)
		ctx := within(t)
		v, err := d.ReadReg(ctx, 0x1FF8)
		assert.Check(t, v == 0xFFFFFFFF && err == nil, "0x%X, %v", v, err)
		assert.NilError(t, d.WriteReg(ctx, 0x10, 0x80000001))
		v, err = d.ReadReg(ctx, 0x10)
		assert.Check(t, v == 0x80000001 && err == nil, "0x%X, %v", v, err)
		var status *sim.StatusError
		_, err = d.ReadReg(ctx, 0x2000)
		assert.Check(t, errors.As(err, &status) && status.Status == 1 && strings.Contains(err.Error(), "0x2000"),
			"%v", err)
		err = d.WriteReg(ctx, 0x2000, 0)
		assert.Check(t, errors.As(err, &status) && status.Request == sim.MMIOWrite, "%v", err)
	}
}

func TestMemoryIsCopiedThroughTheSocket(t *testing.T) {
	for _, odd := range []bool{false, true} {
		s := newServer(t)
		s.odd = odd
		d := s.start().open(platform2024)
		ctx := within(t)
		offset := map[bool]int{true: 100}
		for _, host := range []bool{false, true} {
			m, err := d.Alloc(ctx, accl.MemSpec{Bytes: 300, Host: host})
			assert.NilError(t, err)
			for i := range m.Bytes() {
				m.Bytes()[i] = byte(i*7 + offset[host])
			}
			want := append(make([]byte, 10), m.Bytes()[10:260]...)
			assert.NilError(t, m.SyncTo(ctx, 10, 250))
			got := s.read(host, m.Addr(), 260)
			assert.Check(t, bytes.Equal(got, want), "host %v: the server has %v", host, got)
			assert.Check(t, !bytes.Equal(s.read(!host, m.Addr(), 260), want), "host %v: it is in the other memory", host)
			clear(m.Bytes())
			assert.NilError(t, m.SyncFrom(ctx, 0, 200))
			assert.Check(t, bytes.Equal(m.Bytes(), append(want[:200:200], make([]byte, 100)...)),
				"host %v: %v came back", host, m.Bytes())
			assert.NilError(t, m.Free())
			assert.Check(t, is.ErrorIs(m.SyncTo(ctx, 0, 1), sim.ErrFreed))
		}
	}
}

func TestLargeMemoryGoesInPieces(t *testing.T) {
	s := newServer(t).start()
	d := s.open(platform2022)
	ctx := within(t)
	const size, limit = 1<<20 + 5, 1 << 20
	m, err := d.Alloc(ctx, accl.MemSpec{Bytes: size})
	assert.NilError(t, err)
	m.Bytes()[size-1], m.Bytes()[1<<20] = 7, 8
	assert.NilError(t, errors.Join(m.SyncTo(ctx, 0, size), m.SyncFrom(ctx, 0, size)))
	assert.Check(t, m.Bytes()[size-1] == 7 && m.Bytes()[1<<20] == 8, "wrong data came back")
	written := 0
	for _, r := range s.requests(3) {
		n := len(r["wdata"].([]any))
		written += n
		assert.Check(t, n <= limit, "a message of %d bytes", n)
	}
	assert.Check(t, written == size && len(s.requests(2)) >= 2, "%d written, %d reads", written, len(s.requests(2)))
}

func TestAddressesAreGivenOutFromTheBase(t *testing.T) {
	s := newServer(t).start()
	d := openAt(t, platform2024, sim.Options{Endpoints: s.endpoints, Base: 0x10001})
	ctx := within(t)
	alloc := func(n int, host bool, at uint64) accl.Memory {
		t.Helper()
		spec := accl.MemSpec{Bytes: n, Host: host}
		if at != 0 {
			spec.At = &at
		}
		m, err := d.Alloc(ctx, spec)
		assert.NilError(t, err)
		return m
	}
	a, b, c := alloc(1, false, 0), alloc(4097, false, 0), alloc(4096, false, 0)
	assert.Check(t, a.Addr() == 0x11000 && b.Addr() == 0x12000 && c.Addr() == 0x14000,
		"0x%X, 0x%X, 0x%X", a.Addr(), b.Addr(), c.Addr())
	m := alloc(1, true, 0)
	assert.Check(t, m.Addr() == 0x11000, "host memory begins at 0x%X", m.Addr())
	assert.NilError(t, b.Free())
	assert.Check(t, is.ErrorIs(b.Free(), sim.ErrFreed))
	m = alloc(8193, false, 0)
	assert.Check(t, m.Addr() == 0x15000, "3 steps at 0x%X", m.Addr())
	m = alloc(8192, false, 0)
	assert.Check(t, m.Addr() == 0x12000, "2 steps at 0x%X", m.Addr())
	below, above := alloc(10, false, 0x20), alloc(0x100, false, 0x18FFF)
	assert.Check(t, below.Addr() == 0x20 && above.Addr() == 0x18FFF, "0x%X, 0x%X", below.Addr(), above.Addr())
	m = alloc(1, false, 0)
	assert.Check(t, m.Addr() == 0x1A000, "behind what was placed, 0x%X", m.Addr())
	for _, at := range []uint64{0x30, 0x11FFF, 0x19000, 0x17FFF} {
		_, err := d.Alloc(ctx, accl.MemSpec{Bytes: 0x2000, At: &at})
		assert.Check(t, is.ErrorIs(err, sim.ErrTaken), "0x%X", at)
	}
	end := ^uint64(0) - 100
	_, err := d.Alloc(ctx, accl.MemSpec{Bytes: 4096, At: &end})
	assert.Check(t, errors.Is(err, sim.ErrFull), "%v", err)
	_, err = d.Alloc(ctx, accl.MemSpec{})
	assert.Check(t, err != nil, "nothing was allocated")
	announced := s.requests(4)
	r := announced[1]
	assert.Check(t, len(announced) == 9 && r["addr"] == float64(0x12000) && r["len"] == 4097.0 && r["host"] == false,
		"%d announced, the second %v", len(announced), r)
}

func TestMemoryThatTheServerRefusesIsGivenBack(t *testing.T) {
	s := newServer(t)
	var relent atomic.Bool
	s.first = func(r object) object {
		if r["type"] == 4.0 && !relent.Load() {
			return object{"status": -4, "error": "the memory is full"}
		}
		return nil
	}
	d := s.start().open(platform2024)
	var status *sim.StatusError
	_, err := d.Alloc(within(t), accl.MemSpec{Bytes: 1})
	assert.Check(t, errors.As(err, &status) && status.Status == -4 && strings.Contains(err.Error(), "the memory is full"),
		"%v", err)
	relent.Store(true)
	m, err := d.Alloc(within(t), accl.MemSpec{Bytes: 1})
	assert.Check(t, err == nil && m.Addr() == 0, "%v, %v", m, err)
}

func TestRepliesThatAreNoneAreErrors(t *testing.T) {
	s := newServer(t)
	var reply atomic.Value
	s.first = func(r object) object { return object{"raw": reply.Load()} }
	d := s.start().open(platform2024)
	ctx := within(t)
	m := new(accl.Memory)
	for _, c := range []struct {
		reply string
		do    func() error
		names string
	}{
		{"hello", func() error { _, err := d.ReadReg(ctx, 0); return err }, "not JSON"},
		{`{"status":0}`, func() error { _, err := d.ReadReg(ctx, 0); return err }, "rdata"},
		{`{"status":0,"rdata":[1]}`, func() error { _, err := d.ReadReg(ctx, 0); return err }, "rdata"},
		{`{"rdata":5}`, func() error { _, err := d.ReadReg(ctx, 0); return err }, "status"},
		{``, func() error { return d.WriteReg(ctx, 0, 0) }, "not JSON"},
		{`{"status":0}`, func() (err error) { *m, err = d.Alloc(ctx, accl.MemSpec{Bytes: 4}); return err }, ""},
		{`{"status":0,"rdata":[1,2,3]}`, func() error { return (*m).SyncFrom(ctx, 0, 4) }, "3 bytes"},
		{`{"status":0,"rdata":7}`, func() error { return (*m).SyncFrom(ctx, 0, 4) }, "rdata"},
		{`{"status":0,"rdata":[1,2,3,256]}`, func() error { return (*m).SyncFrom(ctx, 0, 4) }, "256"},
	} {
		reply.Store(c.reply)
		err := c.do()
		if c.names == "" && err != nil || c.names != "" &&
			(!errors.Is(err, sim.ErrMessage) || !strings.Contains(err.Error(), c.names)) {
			t.Errorf("%s: %v", c.reply, err)
		}
	}
}

// A reply that comes after its request was given up is not taken for another.
func TestLateRepliesAreNotMixedUp(t *testing.T) {
	s := newServer(t)
	s.words[4], s.words[8] = 44, 88
	s.first = func(r object) object {
		if r["addr"] == 4.0 {
			time.Sleep(200 * time.Millisecond)
		}
		return nil
	}
	d := s.start().open(platform2024)
	for range 3 {
		_, err := d.ReadReg(briefly(t), 4)
		assert.Check(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), "no answer"),
			"a slow reply: %v", err)
		v, err := d.ReadReg(within(t), 8)
		assert.Check(t, v == 88 && err == nil, "the next request: %d, %v", v, err)
	}
}

func TestOpenWaitsForTheServer(t *testing.T) {
	s := newServer(t)
	p := platformOf(t, platform2024)
	began := time.Now()
	_, err := sim.Open(within(t), p, sim.Options{Endpoints: s.endpoints, Dialing: 100 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), s.endpoints.Command(0)) || time.Since(began) > 5*time.Second {
		t.Errorf("nobody there: %v after %v", err, time.Since(began))
	}
	_, err = sim.Open(briefly(t), p, sim.Options{Endpoints: s.endpoints})
	assert.Check(t, errors.Is(err, context.DeadlineExceeded), "the context ends: %v", err)
	go func() {
		time.Sleep(100 * time.Millisecond)
		s.start()
	}()
	d := s.open(platform2024)
	_, err = d.ReadReg(within(t), 0)
	assert.Check(t, err)
	_, err = sim.Open(within(t), nil, sim.Options{Endpoints: s.endpoints})
	assert.Check(t, err != nil, "no platform was opened")
	for _, o := range []sim.Options{{}, {Endpoints: sim.Endpoints{Ranks: 2}, Rank: 2},
		{Endpoints: sim.Endpoints{Ranks: 1, Port: 65535}}, {Endpoints: s.endpoints, Base: ^uint64(0)}} {
		_, err := sim.Open(within(t), p, o)
		assert.Check(t, err != nil, "%+v was opened", o)
	}
}

// TestWhatIsNotServedIsSaid: there are fewer ranks than are opened, no world, or another
// server at the port.
func TestWhatIsNotServedIsSaid(t *testing.T) {
	listener := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		assert.NilError(t, err)
		t.Cleanup(func() { l.Close() })
		return l
	}
	packets := listener()
	publisher := zmq.NewPublisher(packets, zmq.Limits{}, 1<<10)
	t.Cleanup(func() { publisher.Close() })
	silent, gone := listener(), listener()
	gone.Close()
	port := func(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }
	for _, test := range []struct {
		port, rank int
		dialing    time.Duration
		want       []string
	}{
		{port(packets) - 4, 4, time.Hour, []string{
			"rank 4 of 5", fmt.Sprintf("127.0.0.1:%d is another socket of a world with fewer than 5 ranks", port(packets)),
			"open as many as it serves",
			fmt.Sprintf("go tool mage emulate u55c_tcp -n=5 -port=%d", port(packets)-4),
		}},
		{port(gone), 0, time.Second, []string{
			"rank 0 of 5", fmt.Sprintf("nobody listens at 127.0.0.1:%d; serve the world", port(gone)), "refused",
			fmt.Sprintf("go tool mage emulate u55c_tcp -n=5 -port=%d, or name", port(gone)),
		}},
		{port(gone) - 4, 4, time.Second, []string{"rank 4 of 5", "nobody listens", "served with fewer ranks, open no more"}},
		{port(silent), 0, time.Second, []string{"does not answer as a server of ranks; is that the host and port"}},
	} {
		o := sim.Options{Endpoints: sim.Endpoints{Port: test.port, Ranks: 5}, Rank: test.rank, Dialing: test.dialing}
		_, err := sim.Open(within(t), platformOf(t, platform2024), o)
		assert.ErrorIs(t, err, sim.ErrNotServed, "%+v", test)
		for _, want := range test.want {
			assert.Check(t, strings.Contains(err.Error(), want), "%q is not in %v", want, err)
		}
	}
}

func TestOpenWorldOpensAllRanksOrNone(t *testing.T) {
	e := freePorts(t, 2)
	var servers [2]*server
	for i := range servers {
		servers[i] = newServer(t)
		servers[i].endpoints = sim.Endpoints{Port: e.Port + i, Ranks: 1}
		servers[i].words[0] = uint32(i)
		servers[i].start()
	}
	devices, err := sim.OpenWorld(within(t), platformOf(t, platform2022), e)
	assert.NilError(t, err)
	for i, d := range devices {
		v, err := d.ReadReg(within(t), 0)
		assert.Check(t, v == uint32(i) && err == nil, "rank %d: %d, %v", i, v, err)
		assert.NilError(t, d.Close())
	}
	assert.Check(t, len(devices) == 2, "%d devices", len(devices))
	servers[1].stop()
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Second) // rank 0 is reached on a busy machine, too
	defer cancel()
	_, err = sim.OpenWorld(soon, platformOf(t, platform2022), e)
	assert.Check(t, err != nil && strings.Contains(err.Error(), "rank 1 of 2"), "%v", err)
}

func TestCloseEndsWhatWaits(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, platform := range []string{platform2022, platform2024} {
		s := newServer(t)
		s.work = func(object) (uint32, func() bool) { return 0, s.stopped }
		d := s.start().open(platform)
		ctx := within(t)
		ticket, err := d.Start(ctx, 0, accl.Call{})
		assert.NilError(t, err)
		waited := make(chan error, 2)
		go func() {
			_, err := d.Wait(ctx, ticket)
			waited <- err
		}()
		go func() {
			_, _, err := d.Pull(ctx, 64)
			waited <- err
		}()
		time.Sleep(20 * time.Millisecond)
		assert.NilError(t, d.Close())
		for range 2 {
			if err := <-waited; !errors.Is(err, sim.ErrClosed) && !errors.Is(err, zmq.ErrClosed) &&
				!strings.Contains(err.Error(), "refused") {
				t.Errorf("%s: %v", platform, err)
			}
		}
		_, err = d.ReadReg(ctx, 0)
		assert.Check(t, errors.Is(err, sim.ErrClosed), "%v", err)
		_, err = d.Start(ctx, 0, accl.Call{})
		assert.Check(t, errors.Is(err, sim.ErrClosed), "%v", err)
		assert.Check(t, is.ErrorIs(d.Push(ctx, 0, make([]byte, 64)), sim.ErrClosed))
		assert.Check(t, d.Close(), "closing again")
		s.stop()
	}
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
