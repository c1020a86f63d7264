package selftest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
)

// inProcess is a world on the network in process.
func inProcess(t *testing.T, platform string, ranks int, faults fabric.Faults) Soaked {
	t.Helper()
	d := designtest.Load(t, platform, nil)
	p := driverview.Of(d)
	SmallLimits(&p)
	w, err := world.New(t.Context(), d, ranks, world.Options{Engine: emu.Options{RemoteTimeout: 500 * time.Millisecond}})
	assert.NilError(t, err)
	w.Net().SetFaults(faults)
	return Soaked{Name: platform, Platform: &p, Devices: w.Devices(), Ranks: w.Ranks(), Lossy: p.Stack == "udp",
		Close: w.Close}
}

func TestWorldsTakeTurnsAndLossesAreReported(t *testing.T) {
	before := runtime.NumGoroutine()
	worlds := []Soaked{
		inProcess(t, "u55c_udp", 3, fabric.Faults{Loss: 0.02, Duplicate: 0.1, Reorder: 0.1}),
		inProcess(t, "u55c_tcp", 3, fabric.Faults{Jitter: 20 * time.Microsecond}),
	}
	var out strings.Builder
	o := Soak{Seed: 7, Duration: 3 * time.Second, Turn: 500 * time.Millisecond}
	assert.NilError(t, o.Run(t.Context(), worlds, &out))
	for _, want := range []string{"u55c_udp: ", "u55c_tcp: ", "with a reported loss", "memory in use"} {
		assert.Check(t, strings.Contains(out.String(), want), "the report does not say %q:\n%s", want, &out)
	}
	assert.Check(t, !strings.Contains(out.String(), ": 0 cases right"), "nothing was right:\n%s", &out)
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	n := runtime.NumGoroutine()
	assert.Check(t, n <= before, "%d goroutines, %d before", n, before)
}

// liar flips a bit of what it reads back, now and then.
type liar struct {
	accl.Device
	reads *atomic.Int32
}

type lyingMemory struct {
	accl.Memory
	reads *atomic.Int32
}

func (l liar) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	m, err := l.Device.Alloc(ctx, spec)
	return lyingMemory{m, l.reads}, err
}

func (m lyingMemory) SyncFrom(ctx context.Context, offset, bytes int) error {
	err := m.Memory.SyncFrom(ctx, offset, bytes)
	if bytes > 0 && m.reads.Add(1) > 20 {
		m.Bytes()[offset] ^= 1
	}
	return err
}

func TestWrongDataEndsTheRun(t *testing.T) {
	w := inProcess(t, "u55c_udp", 2, fabric.Faults{})
	w.Devices[1] = liar{w.Devices[1], new(atomic.Int32)}
	var out strings.Builder
	err := Soak{Seed: 11, Duration: 20 * time.Second}.Run(t.Context(), []Soaked{w}, &out)
	var f *conformance.Failure
	assert.Check(t, errors.As(err, &f) && strings.Contains(err.Error(), "u55c_udp, seed 11, after"), "error %v", err)
}

func TestGrowthIsNoticed(t *testing.T) {
	for name, test := range map[string]struct {
		first, last look
		looks       int
		leaks       bool
	}{
		"flat":              {look{100 << 20, 50}, look{120 << 20, 52}, 9, false},
		"memory":            {look{100 << 20, 50}, look{160 << 20, 50}, 9, true},
		"goroutines":        {look{100 << 20, 50}, look{100 << 20, 59}, 9, true},
		"looked at it once": {look{100 << 20, 50}, look{900 << 20, 99}, 1, false},
	} {
		w := watch{test.first, test.last, test.looks}
		err := w.verdict()
		assert.Check(t, errors.Is(err, ErrLeak) == test.leaks && (err != nil) == test.leaks, "%s: %v", name, err)
	}
	var kept [][]byte
	w := newWatch()
	w.note(0, time.Minute)
	assert.Check(t, is.Equal(w.looks, 0), "looked before everything was used once")
	w.note(time.Minute, time.Minute)
	kept = append(kept, make([]byte, 200<<20))
	w.note(time.Minute, time.Minute)
	assert.Check(t, is.ErrorIs(w.verdict(), ErrLeak), "200 MiB more: %v", w)
	runtime.KeepAlive(kept)
}
