package emu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world/engine"
)

func mustAlloc(t testing.TB, r *rig, n int, host bool, at *uint64) accl.Memory {
	t.Helper()
	m, err := r.Device().Alloc(t.Context(), accl.MemSpec{Bytes: n, Host: host, At: at})
	assert.NilError(t, err)
	return m
}

func TestExchangeRegisters(t *testing.T) {
	for platform, reach := range map[string][2]uint32{"u55c_tcp": {0, 0x1FFC}, "u280_2022": {0, 0x1FFC},
		"u280_manual": {0x800, 0xFFC}} {
		_, r := newRig(t, worldOptions{platform: platform})
		d := r.Device()
		for _, off := range reach {
			assert.Check(t, d.WriteReg(t.Context(), off, 0xAABBCCDD), "%s", platform)
			if v, err := d.ReadReg(t.Context(), off); v != 0xAABBCCDD || err != nil {
				t.Errorf("%s: 0x%X, %v", platform, v, err)
			}
			// The processor sees the same bytes from 0x30000 on.
			at := uint32(0x30000) + off
			assert.Check(t, r.bus.Store(at+1, 1, 0x77))
			assert.Check(t, r.bus.Store(at+2, 2, 0x1234))
			if v, _ := d.ReadReg(t.Context(), off); v != 0x123477DD {
				t.Errorf("%s: 0x%X after writes of a byte and a half word", platform, v)
			}
			for i, want := range []uint32{0xDD, 0x77, 0x34, 0x12} {
				if v, err := r.bus.Load(at+uint32(i), 1); v != want || err != nil {
					t.Errorf("byte %d: 0x%X, %v", i, v, err)
				}
			}
			if v, err := r.bus.Load(at+2, 2); v != 0x1234 || err != nil {
				t.Errorf("half word: 0x%X, %v", v, err)
			}
		}
		for _, off := range []uint32{reach[0] + 2, reach[1] + 0x84, reach[0] - 4, 0xFFFFFFFC} {
			if _, err := d.ReadReg(t.Context(), off); !errors.Is(err, ErrAddress) {
				t.Errorf("%s: reading 0x%X: %v", platform, off, err)
			}
			assert.Check(t, is.ErrorIs(d.WriteReg(t.Context(), off, 0), ErrAddress), "%s: writing 0x%X", platform, off)
		}
	}
}

// TestArbiter has three clients place calls; the processor takes them in the
// order of arrival and answers them in another.
func TestArbiter(t *testing.T) {
	w, r := newRig(t, worldOptions{})
	d := r.Device()
	clients := []int{2, 0, 1, 0, 2}
	var tickets []accl.Ticket
	for i, client := range clients {
		ticket, err := d.Start(t.Context(), client, accl.Call{Scenario: 255, Count: uint32(100 + i),
			Addr1: 0x1_2345_6789_ABCD})
		assert.NilError(t, err)
		tickets = append(tickets, ticket)
	}
	w.run()
	assert.Check(t, is.Equal(r.events, r.n.wake.call), "events 0x")
	assert.Check(t, is.Equal(r.get("calls", "status"), uint32(5)), "status 0x")
	var taken []uint32
	for i := range clients {
		taken = append(taken, r.get("calls", "take"))
		words := map[int]uint32{0: 255, 1: uint32(100 + i), 11: 0x6789_ABCD, 12: 0x1_2345}
		for at, want := range words {
			if got, err := r.bus.Load(r.n.callWindow.ProcessorBase+4*uint32(at), 4); got != want || err != nil {
				t.Errorf("call %d, word %d: 0x%X, %v", i, at, got, err)
			}
		}
	}
	assert.Check(t, r.get("calls", "take") == 0 && r.get("calls", "status") == 0, "there is another call")
	given := func(i int) bool {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := d.Wait(ctx, tickets[i])
		return err == nil
	}
	answer := func(i int) {
		r.set("calls", "ticket", taken[i])
		r.set("calls", "answer", uint32(1000+i))
	}
	answer(3)
	answer(4)
	answer(2)
	assert.Check(t, !given(3) && !given(4), "answers are given before those of earlier calls of the client")
	answer(1)
	answer(0)
	for i, ticket := range tickets {
		code, err := d.Wait(t.Context(), ticket)
		assert.Check(t, err == nil && code == accl.ReturnCode(1000+i), "call %d: %d, %v", i, code, err)
		if _, err := d.Wait(t.Context(), ticket); !errors.Is(err, ErrTicket) {
			t.Errorf("call %d: a second answer: %v", i, err)
		}
	}
	assert.Check(t, r.bus.Store(r.address("calls", "answer"), 4, 0) != nil, "an answer without a call is accepted")
	for _, client := range []int{-1, Clients} {
		if _, err := d.Start(t.Context(), client, accl.Call{}); !errors.Is(err, ErrClient) {
			t.Errorf("client %d: %v", client, err)
		}
	}
}

func TestResetRequested(t *testing.T) {
	_, r := newRig(t, worldOptions{})
	start := func(scenario, function uint32) {
		if _, err := r.Device().Start(t.Context(), 0, accl.Call{Scenario: scenario, FunctionCode: function}); err != nil {
			t.Fatal(err)
		}
	}
	start(255, 0) // nop
	start(0, 1)   // enable_pkt
	assert.Check(t, is.Equal(r.get("calls", "status"), uint32(2)), "status 0x")
	start(0, 0)
	assert.Check(t, is.Equal(r.get("calls", "status"), uint32(0x103)), "status 0x")
	for range 3 {
		r.get("calls", "take")
	}
	assert.Check(t, is.Equal(r.get("calls", "status"), uint32(0)), "status 0x")
}

func TestSleepAndAlarm(t *testing.T) {
	_, r := newRig(t, worldOptions{})
	sleep := func() (uint32, error) { return r.bus.Load(r.address("system", "sleep"), 4) }
	now := r.get("timers", "milliseconds")
	r.set("system", "alarm", now+1_000_000)
	if _, err := sleep(); err == nil {
		t.Error("no event, and it does not sleep")
	}
	r.later(1000 * time.Second)
	if v, err := sleep(); v != 0 || err != nil {
		t.Errorf("alarm: 0x%X, %v", v, err)
	}
	r.set("system", "alarm", r.get("timers", "milliseconds")+1_000_000)
	r.raise(r.n.wake.call | r.n.wake.move)
	if v, err := sleep(); v != 3 || err != nil {
		t.Errorf("events: 0x%X, %v", v, err)
	}
	if _, err := sleep(); err == nil {
		t.Error("events were not cleared")
	}
	// The time wraps around.
	r.later(1 << 32 * time.Millisecond)
	if got := r.get("timers", "milliseconds"); got-now > 10_000_000 {
		t.Errorf("milliseconds %d after 2^32", got)
	}
	before := uint64(r.clock.now())
	cycles := r.get64("timers", "cycles")
	if after := uint64(r.clock.now()); cycles < before/4-1 || cycles > after/4 { // 250 MHz
		t.Errorf("%d cycles between %d and %d ns", cycles, before, after)
	}
}

func TestKernelStream(t *testing.T) {
	user := map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")}
	w, r := newRig(t, worldOptions{vars: user, engine: Options{StreamBytes: 256}})
	d := r.Device()
	data := random(1, 1000)
	pushed := make(chan error, 1)
	go func() { // more than the stream holds
		pushed <- d.Push(t.Context(), 3, data)
	}()
	r.set("move", "bytes", 100) // two beats each
	for i := range 8 {
		r.set64("move", "result_address", uint64(1000*i))
		r.issue("op0=kernel_stream", "result=memory", fmt.Sprint("queue=", i/4))
	}
	for end := time.Now().Add(10 * time.Second); ; {
		r.turn()
		a, _ := r.queue(0)
		b, _ := r.queue(1)
		if a == 4 && b == 4 || time.Now().After(end) {
			break
		}
	}
	assert.NilError(t, <-pushed)
	// Two queues take turns at beats, so that only these are known: each is taken once,
	// and those of a move in order.
	const beat = 64
	beats := map[string]int{}
	for i := range 16 {
		beats[string(data[beat*i:beat*i+36])] = i
	}
	for i := range 8 {
		moved := r.read(uint64(1000*i), 100)
		first, ok1 := beats[string(moved[:36])]
		second, ok2 := beats[string(moved[beat:])]
		assert.Check(t, ok1 && ok2 && first <= second && bytes.Equal(moved[:beat], data[beat*first:beat*first+beat]),
			"move %d: beats %d and %d (%v, %v)", i, first, second, ok1, ok2)
		delete(beats, string(moved[:36]))
		delete(beats, string(moved[beat:]))
	}

	// Out: whole beats with TDEST, no more than there is room for.
	r.write(0, data)
	r.set64("move", "op0_address", 0)
	r.set("move", "bytes", 1000)
	r.set("move", "tdest", 0xA5<<16)
	r.issue("op0=memory", "result=kernel_stream")
	w.run()
	var got []byte
	for len(got) < 1024 {
		tdest, b, err := d.Pull(t.Context(), 200)
		assert.Assert(t, err == nil && tdest == 0xA5 && len(b)%64 == 0 && len(b) <= 200,
			"TDEST %d, %d bytes, %v", tdest, len(b), err)
		got = append(got, b...)
		w.run()
	}
	assert.Check(t, bytes.Equal(got, append(append([]byte{}, data...), make([]byte, 24)...)), "wrong data")
	if _, _, err := d.Pull(t.Context(), 63); !errors.Is(err, engine.ErrBeat) {
		t.Errorf("less than a beat: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, _, err := d.Pull(ctx, 64); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nothing there: %v", err)
	}
}

func TestStreamTimeout(t *testing.T) {
	w, r := newRig(t, worldOptions{engine: Options{Patience: time.Hour}})
	r.set("timers", "limit_cycles", 1000)
	r.set("move", "bytes", 64)
	r.issue("op0=kernel_stream", "result=memory")
	w.run()
	r.later(30 * time.Minute) // far above 1000 cycles, but below the patience
	w.run()
	r.completes(0, 0)
	r.set("move_status", "abort", 1) // it does not wait for a remote rank
	w.run()
	r.completes(0, 0)
	r.later(31 * time.Minute)
	w.run()
	r.completes(1, r.bit("KRNL_TIMEOUT_STS"))
}

func TestLoopbackStream(t *testing.T) {
	w, r := newRig(t, worldOptions{raw: 1})
	r.write(0, []byte("to the kernel"))
	r.set("move", "bytes", 13)
	r.issue("op0=memory", "result=kernel_stream")
	r.set64("move", "result_address", 0x100)
	r.issue("op0=kernel_stream", "result=memory")
	w.run()
	r.completes(2, 0)
	w.send(w.raw[0], 0, head{count: 5, strm: 20, src: 1}, []byte("a put"))
	w.run()
	assert.Check(t, is.Equal(string(r.read(0x100, 13)), "to the kernel"))
	r.set("move", "bytes", 64)
	r.issue("op0=kernel_stream", "result=memory")
	w.run()
	r.completes(3, 0)
	if got := r.read(0x100, 64); string(got[:5]) != "a put" || !bytes.Equal(got[5:], make([]byte, 59)) {
		t.Errorf("%q", got)
	}
	assert.Check(t, is.ErrorIs(r.Device().Push(t.Context(), 0, nil), engine.ErrLoopback))
	if _, _, err := r.Device().Pull(t.Context(), 64); !errors.Is(err, engine.ErrLoopback) {
		t.Error(err)
	}
}

func TestSessions(t *testing.T) {
	for _, platform := range []string{"u280_2022", "u280_manual"} {
		w := newWorld(t, worldOptions{platform: platform, engines: 2})
		a, b := w.rigs[0], w.rigs[1]
		const ready, success = 1 << 31, 1 << 30
		a.set("sessions", "ip", ip(1))
		connect := func() uint32 {
			t.Helper()
			a.mu.Lock() // as a turn holds it
			a.set("sessions", "connect", 7000)
			got := a.get("sessions", "connect_status")
			a.mu.Unlock()
			assert.Check(t, is.Equal(got, uint32(0)), "ready at once: 0x")
			for end := time.Now().Add(10 * time.Second); got == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
				a.do(func() { got = a.get("sessions", "connect_status") })
			}
			return got
		}
		assert.Check(t, is.Equal(connect(), uint32(ready|success|1)), "connecting to who does not listen yet: 0x")
		a.set("sessions", "ip", 0)
		assert.Check(t, is.Equal(connect(), uint32(ready)), "connecting to nobody: 0x")
		a.set("sessions", "ip", ip(1))
		b.set("sessions", "listen", 7000)
		assert.Check(t, is.Equal(b.get("sessions", "listen_status"), uint32(ready|success)), "listening: 0x")
		assert.Check(t, is.Equal(connect(), uint32(ready|success|1)), "connecting: 0x")
		assert.Check(t, a.events&a.n.wake.network != 0, "the processor is not woken")
	}
}

func TestNetworkStack(t *testing.T) {
	for platform, own := range map[string]uint32{"u55c_udp": 0, "u55c_tcp": 1, "u55c_rdma": 2} {
		_, r := newRig(t, worldOptions{platform: platform})
		for v := range uint32(3) {
			r.set("network", "stack", v)
			if got := r.get("network", "stack"); got != own {
				t.Errorf("%s: stack %d after %d was written", platform, got, v)
			}
		}
	}
}

func TestAllocator(t *testing.T) {
	_, r := newRig(t, worldOptions{engine: Options{MemoryBytes: 1 << 20}})
	d := r.Device()
	alloc := func(n int) accl.Memory { return mustAlloc(t, r, n, false, nil) }
	a, b, c := alloc(1), alloc(4097), alloc(100)
	assert.Check(t, a.Addr() == 0 && b.Addr() == 0x1000 && c.Addr() == 0x3000,
		"at 0x%X, 0x%X, 0x%X", a.Addr(), b.Addr(), c.Addr())
	assert.NilError(t, b.Free())
	assert.Check(t, is.ErrorIs(b.Free(), ErrFreed), "a second time")
	assert.Check(t, is.ErrorIs(b.SyncTo(t.Context(), 0, 1), ErrFreed), "after it was freed")
	assert.Check(t, is.Equal(alloc(8193).Addr(), uint64(0x4000)), "3 steps at 0x")
	assert.Check(t, is.Equal(alloc(8192).Addr(), uint64(0x1000)), "2 steps at 0x")
	for _, at := range []uint64{0x10, 0x3FFF, 0x6FFF} {
		if _, err := d.Alloc(t.Context(), accl.MemSpec{Bytes: 1, At: &at}); !errors.Is(err, ErrTaken) {
			t.Errorf("at 0x%X: %v", at, err)
		}
	}
	at := uint64(0x9010)
	if m := mustAlloc(t, r, 0x100, false, &at); m.Addr() != at {
		t.Errorf("at 0x%X", m.Addr())
	}
	if m := alloc(2 * 4096); m.Addr() != 0x7000 {
		t.Errorf("before it, at 0x%X", m.Addr())
	}
	if _, err := d.Alloc(t.Context(), accl.MemSpec{Bytes: 1 << 20}); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	end := uint64(1<<20 - 4)
	for _, n := range []int{4, 5} {
		if _, err := d.Alloc(t.Context(), accl.MemSpec{Bytes: n, At: &end}); n == 4 != (err == nil) {
			t.Errorf("%d bytes before the end: %v", n, err)
		}
	}
	if _, err := d.Alloc(t.Context(), accl.MemSpec{Bytes: 4, Host: true}); !errors.Is(err, ErrNoMemory) {
		t.Errorf("host memory: %v", err)
	}
	if _, err := d.Alloc(t.Context(), accl.MemSpec{}); err == nil {
		t.Error("nothing was allocated")
	}
}

// TestMemoryGrowsConcurrently writes neighbouring bytes of untouched pages
// from several goroutines.
func TestMemoryGrowsConcurrently(t *testing.T) {
	m, err := newPagedMemory(1<<40, 0)
	assert.NilError(t, err)
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			for i := range uint64(8) {
				addr := i*tableBytes/2 + g
				assert.Check(t, copyIn(m, addr, []byte{byte(1 + g)}))
				if b := m.read(addr, 1); b[0] != byte(1+g) {
					t.Errorf("0x%X: %d", addr, b[0])
				}
			}
		})
	}
	wg.Wait()
	if n := m.pages.Load(); n != 8 {
		t.Errorf("%d pages", n)
	}
	assert.Check(t, untouched.data == (page{}).data, "memory that nobody has written to is not zero")
}

// TestHostCopiesAreMadeLate allocates more device memory than any host has: the
// host's copy takes room only where somebody asks for it.
func TestHostCopiesAreMadeLate(t *testing.T) {
	_, r := newRig(t, worldOptions{})
	large := mustAlloc(t, r, 1<<39, false, nil)
	assert.Check(t, large.SyncTo(t.Context(), 1<<39, 1) != nil, "a byte behind the end was copied")
	small := mustAlloc(t, r, 100, false, nil)
	assert.NilError(t, copyIn(r.device, small.Addr()+90, []byte{1, 2, 3}))
	assert.NilError(t, small.SyncFrom(t.Context(), 91, 2))
	if b := small.Bytes(); len(b) != 100 || b[90] != 0 || b[91] != 2 || b[92] != 3 {
		t.Errorf("%d bytes, from 90 on %v", len(b), b[90:93])
	}
	assert.Check(t, large.Free())
}
