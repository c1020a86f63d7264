package kernels

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

const switched = 3

type switchEvent struct{ to, from, bytes, _ uint64 } // as in the shell

type switchBench struct {
	t       *testing.T
	handle  uintptr
	delete  func(b uintptr)
	stop    func(b uintptr, at, from int64)
	send    func(b uintptr, from, to uint64, data *byte, bytes uint64)
	run     func(b uintptr, events, cycles uint64) int64
	event   func(b uintptr, e *switchEvent, data *byte) uint64
	cycle   func(b uintptr) uint64
	refused func(b uintptr) uint64

	sent, received [switched][switched][][]byte // from, to
	count          int
}

func newSwitch(t *testing.T, seed, pauses uint64) *switchBench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := verilate.Available(ctx); errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	sources, err := verilate.Sources(ctx, "u55c_axis3x", "network_krnl_axis", "axis_switch")
	assert.NilError(t, err)
	_, file, _, _ := runtime.Caller(0)
	shell := filepath.Join(filepath.Dir(file), "shell")
	b := &switchBench{t: t}
	var create func(seed, pauses uint64) uintptr
	assert.NilError(t, verilate.Build{
		Top: "axis_bench", Sources: append(sources, filepath.Join(shell, "axis_bench.sv")),
		Shell: []string{filepath.Join(shell, "axis_bench.cpp")}, Careful: true,
	}.Bind(ctx, "bench_", map[string]any{
		"new": &create, "delete": &b.delete, "stop": &b.stop, "send": &b.send, "run": &b.run, "event": &b.event,
		"cycle": &b.cycle, "refused": &b.refused,
	}))
	b.handle = create(seed, pauses)
	t.Cleanup(func() { b.delete(b.handle) })
	b.stop(b.handle, -1, -1)
	return b
}

func (b *switchBench) packet(r *rand.Rand, from, to, size int) {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	b.sent[from][to] = append(b.sent[from][to], p)
	b.send(b.handle, uint64(from), uint64(to), &p[0], uint64(size))
	b.count++
}

// until runs until so many packets have come.
func (b *switchBench) until(count int, cycles uint64) (got int) {
	b.t.Helper()
	if b.run(b.handle, uint64(count), cycles) < 0 {
		b.t.Fatalf("cycle %d: the streams break their rules", b.cycle(b.handle))
	}
	var e switchEvent
	data := make([]byte, 1<<16)
	for ; b.event(b.handle, &e, &data[0]) != 0; got++ {
		b.received[e.from][e.to] = append(b.received[e.from][e.to], bytes.Clone(data[:e.bytes]))
	}
	return got
}

func (b *switchBench) check() {
	b.t.Helper()
	for from := range switched {
		for to := range switched {
			want, got := b.sent[from][to], b.received[from][to]
			if len(got) != len(want) {
				b.t.Fatalf("%d packets from %d to %d, not %d", len(got), from, to, len(want))
			}
			for i := range want {
				if !bytes.Equal(got[i], want[i]) {
					b.t.Fatalf("packet %d from %d to %d is another one", i, from, to)
				}
			}
		}
	}
}

func TestEnginesOfACardReachEachOther(t *testing.T) {
	for seed := range uint64(4) {
		t.Logf("seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 1))
		b := newSwitch(t, seed, seed*50)
		for range 300 {
			size := 1 + r.IntN(4096)
			if r.IntN(2) == 0 {
				size = 1 + r.IntN(200)
			}
			b.packet(r, r.IntN(switched), r.IntN(switched), size)
		}
		b.until(b.count, 300_000)
		b.until(1, 2000)
		b.check()
	}
}

func TestAnEngineThatIsFullHoldsItsSendersOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(0, 2))
	b := newSwitch(t, 0, 20)
	b.stop(b.handle, 1, 0)
	for range 20 {
		for from := range switched {
			for to := range switched {
				b.packet(r, from, to, 1+r.IntN(4096))
			}
		}
	}
	b.until(b.count, 60_000)
	if n := len(b.received[0][1]); n > 0 {
		t.Fatalf("%d packets were read", n)
	}
	for from := range switched {
		for to := range switched {
			if n := len(b.received[from][to]); (from != 0 || to != 1) && n != 20 {
				t.Errorf("%d packets from %d to %d, not 20", n, from, to)
			}
		}
	}
	assert.Check(t, b.refused(b.handle) != 0, "the sender was not held")
	b.stop(b.handle, -1, -1)
	b.until(20, 60_000)
	b.check()
}

func TestABeatACycleBetweenEngines(t *testing.T) {
	r := rand.New(rand.NewPCG(0, 3))
	b := newSwitch(t, 0, 0)
	const packets = 60
	for i := range packets * switched {
		b.packet(r, i%switched, (i+1)%switched, 4096)
	}
	from := b.cycle(b.handle)
	b.until(b.count, 100_000)
	b.check()
	rate := float64(b.cycle(b.handle)-from) / (packets * 64)
	t.Logf("%.3f cycles a beat of each engine", rate)
	if rate > 1.15 {
		t.Errorf("%.3f cycles a beat", rate)
	}
}
