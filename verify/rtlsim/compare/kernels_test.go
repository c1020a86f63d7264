package compare

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

var rtlFlag = flag.Bool("compare.rtl", false,
	"simulate kernels that call the engine in RTL, too, which is one more build")

// kernelDesign is a platform with plugins and a user kernel, in C++ or in RTL. Files of
// a layer take the place of shipped ones.
func kernelDesign(t *testing.T, source string, layer fstest.MapFS) *design.Design {
	t.Helper()
	text := fmt.Sprintf(`platform "kernels" {
  board       = "u55c"
  clock       = 250
  host_memory = true
  cclo { kernel_stream = "vadd_put" }
  poe "tcp" {}
  arithmetic "reduce_ops" {}
  compression "hp_compression" { lanes = 3 }
  source = { vadd_put = %[1]q, reduce_ops = %[1]q, hp_compression = %[1]q }
}
`, source)
	return designtest.Of(t, designtest.Layered(t, layer).With("kernels", []byte(text)), "kernels", nil)
}

// kernelLibrary is the simulated hardware of such a platform.
func kernelLibrary(ctx context.Context, t *testing.T, d *design.Design) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short")
	}
	nightly.Only(t) // each platform is a build of its own
	for _, err := range []error{verilate.Available(ctx), hls.Available(ctx)} {
		if err != nil {
			t.Skip(err)
		}
	}
	library, err := rtlsim.Library(ctx, d, rtlsim.Build{})
	assert.NilError(t, err)
	return library
}

// TestHardwareWithPluginsInCppDoesTheSame compares hardware whose plugins are C++ with
// emulated engines whose plugins are plain Go.
func TestHardwareWithPluginsInCppDoesTheSame(t *testing.T) {
	d, plain := kernelDesign(t, "hls", nil), kernelDesign(t, "rtl", nil)
	library := kernelLibrary(t.Context(), t, d)
	clock, cards := rtlsim.NewClock(), simtest.Record(t)
	var made []*rtlsim.Engine
	inCpp := func(rank int, l *Log) world.Maker {
		return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
			e, err := rtlsim.New(ctx, d, l.Port(rank, port), rtlsim.Options{
				Library: library, Seed: *seedFlag, Clock: clock, Record: cards.Card(fmt.Sprint("rank", rank)),
				OnMove: func(i rtlsim.Issue) { l.Move(rank, Issued(i), i.Cycle) },
			})
			if err != nil {
				return nil, err
			}
			made = append(made, e)
			return e, nil
		}
	}
	inGo := func(rank int, l *Log) world.Maker {
		maker := emulated(t, plain)(rank, l)
		return func(ctx context.Context, _ *design.Design, port fabric.Port) (engine.Engine, error) {
			return maker(ctx, plain, port)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	w := &worlds{design: d, p: driverview.Of(d)}
	w.p.RxBuffers = accl.RxBuffers{Count: 8, Bytes: 512}
	w.p.Limits.MaxEagerBytes, w.p.Limits.MaxRendezvousBytes = 3000, 8192
	const ranks = 2
	w.open(ctx, t, ranks, [2]kind{inGo, inCpp})
	w.all(ctx, t, ranks, *casesFlag)
	for _, c := range converted(rand.New(rand.NewPCG(*seedFlag, 8)), &w.p, ranks) {
		assert.NilError(t, w.run(ctx, c), "%v", c)
	}
	moved := map[string]uint64{}
	for _, e := range made {
		for _, k := range e.Stats().Kernels {
			for _, s := range k.Streams {
				moved[k.Instance] += s.Beats
			}
		}
	}
	for _, name := range []string{"arith_0", "compression_0_0", "compression_0_1", "compression_0_2"} {
		assert.Check(t, moved[name] != 0, "nothing goes through %s: %v", name, moved)
	}
}

// converted are cases that need each lane, each way.
func converted(rng *rand.Rand, p *accl.Platform, ranks int) (list []conformance.Case) {
	for _, types := range [][3]accl.DType{
		{accl.TypeFloat32, accl.TypeFloat32, accl.TypeFloat16}, {accl.TypeFloat32, accl.TypeFloat16, accl.TypeFloat32},
		{accl.TypeFloat16, accl.TypeFloat32, accl.TypeFloat32},
	} {
		for {
			c := conformance.RandomOp(rng, p, ranks, "combine")
			c.Count = min(c.Count, maxCount)
			if c.Op0 == types[0] && c.Op1 == types[1] && c.Res == types[2] && c.Count > 0 {
				list = append(list, c)
				break
			}
		}
	}
	return list
}

// TestKernelsExchangeDataWithoutAHost calls a kernel on two ranks, which sends its
// operand to the other one by calls of its own.
func TestKernelsExchangeDataWithoutAHost(t *testing.T) {
	for _, source := range []string{"hls", "rtl"} {
		t.Run(source, func(t *testing.T) {
			if source == "rtl" && !*rtlFlag && !nightly.Enabled() {
				t.Skip("without -compare.rtl")
			}
			d := kernelDesign(t, source, nil)
			library := kernelLibrary(t.Context(), t, d)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			w, engines, devices := kernelWorld(ctx, t, d, library, 2)
			for _, count := range []int{1, 16, 37, 1000} {
				exchange(ctx, t, engines, devices, count)
			}
			calls := w.Engine(0).Stats().Calls
			exchange(ctx, t, engines, devices, 100)
			if now := w.Engine(0).Stats().Calls; now != calls {
				t.Errorf("the host has made %d calls", now-calls)
			}
		})
	}
}

// kernelWorld opens a world of simulated hardware.
func kernelWorld(ctx context.Context, t *testing.T, d *design.Design, library string, ranks int,
) (w *world.World, engines []*accl.Engine, devices []accl.Device) {
	t.Helper()
	clock, cards := rtlsim.NewClock(), simtest.Record(t)
	w, err := world.New(ctx, d, ranks, world.Options{Maker: func(rank int) world.Maker {
		return rtlsim.Options{Library: library, Clock: clock, Seed: *seedFlag,
			Record: cards.Card(fmt.Sprint("rank", rank))}.Make
	}})
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, w.Close())
	})
	p := driverview.Of(d)
	for rank := range ranks {
		devices = append(devices, w.Device(rank))
	}
	engines, err = accl.OpenAll(ctx, devices, &p, w.Ranks())
	assert.NilError(t, err)
	return w, engines, devices
}

// exchange has vadd_put of all ranks put their elements to the next one.
func exchange(ctx context.Context, t *testing.T, engines []*accl.Engine, devices []accl.Device, count int) {
	t.Helper()
	var sources, results []*accl.Buffer[float32]
	for rank, e := range engines {
		src, err := accl.Alloc[float32](ctx, e, count)
		assert.NilError(t, err)
		dst, err := accl.Alloc[float32](ctx, e, count+16)
		assert.NilError(t, err)
		for i := range src.Host() {
			src.Host()[i] = float32(1000*rank) + float32(i)/8
		}
		for i := range dst.Host() {
			dst.Host()[i] = -1
		}
		for _, b := range []*accl.Buffer[float32]{src, dst} {
			assert.NilError(t, b.SyncToDevice(ctx))
		}
		sources, results = append(sources, src), append(results, dst)
	}
	errs := make([]error, len(engines))
	var all sync.WaitGroup
	for rank, e := range engines {
		all.Go(func() {
			config, err := e.ConfigAddress(accl.TypeFloat32, accl.TypeFloat32)
			if err != nil {
				errs[rank] = err
				return
			}
			errs[rank] = accl.CallKernel(ctx, devices[rank], "vadd_put", sources[rank].Address(), results[rank].Address(),
				uint64(count),
				uint64((rank+1)%len(engines)), uint64(e.World().Address()), uint64(config))
		})
	}
	all.Wait()
	for rank, err := range errs {
		assert.NilError(t, err, "%d elements, rank %d", count, rank)
		assert.NilError(t, results[rank].SyncFromDevice(ctx))
		from := (rank + len(engines) - 1) % len(engines)
		want := slices.Repeat([]float32{-1}, count+16)
		for i, v := range sources[from].Host() {
			want[i] = float32(float64(v) + 1)
		}
		if got := results[rank].Host(); !slices.EqualFunc(got, want,
			func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
			t.Errorf("%d elements, rank %d: %v and not %v", count, rank, got, want)
		}
	}
	for _, b := range slices.Concat(sources, results) {
		assert.Check(t, b.Free())
	}
}
