package world

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// made is a platform with a user kernel of a test's own.
func made(kernel, description, text string) map[string]string {
	return map[string]string{
		"made.hcl": fmt.Sprintf(`
platform "made" {
  board = "u55c"
  cclo { kernel_stream = %q }
  poe "tcp" {}
  arithmetic "reduce_ops" {}
}
`, kernel),
		"kernels/" + kernel + ".hcl": description,
		"kernels/" + kernel + ".hpp": "#include \"cclo_hls.hpp\"\n" + text,
	}
}

// start starts ranks of such a platform.
func start(t *testing.T, files map[string]string, ranks int, o Options, oo ...accl.OpenOption) (
	*World, []*accl.Engine) {
	t.Helper()
	compiler(t)
	d := designtest.Made(t, "made", files)
	p := driverview.Of(d)
	w, err := New(t.Context(), d, ranks, o)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, w.Close())
	})
	return w, open(t, w, &p, oo...)
}

// The kernel makes its operand, has it reduced over all ranks on its way, and takes
// the result as it comes.
const sumsText = `
inline void sums(unsigned rank, int *dst, unsigned count, unsigned, unsigned, cclo::Command &engine, cclo::Data &data) {
    const unsigned beats = (count + 15) / 16;
    engine.streams(cclo::stream_flags::Op0 | cclo::stream_flags::Res);
    engine.start_allreduce(count, cclo::ReduceFunction::Sum, 0, 0);
    unsigned given = 0, taken = 0;
    cclo::kernel_beat next;
    bool ready = false;
    while (taken < beats) {
        if (!ready && given < beats) {
            ap_uint<cclo::BeatBits> operand = 0;
            for (unsigned k = 0; k < 16; k++) cclo::set<int32_t>(operand, k, (rank + 1) * 1000 + given * 16 + k);
            next.data = operand;
            next.keep = -1;
            next.strb = -1;
            next.last = given + 1 == beats;
            next.dest = 0;
            ready = true;
        }
        if (ready && data.try_push(next)) {
            ready = false;
            given++;
        }
        cclo::kernel_beat beat;
        if (data.try_pull(beat)) {
            for (unsigned k = 0; k < 16 && taken * 16 + k < count; k++) dst[taken * 16 + k] = cclo::get<int32_t>(beat.data, k);
            taken++;
        }
    }
    if (engine.finish() != 0) dst[0] = -1;
}
`

const sumsKernel = `
kernel "sums" {
  like   = "called_kernel"
  source = "hls"
  hls {
    files = ["sums.hpp"]
    calls = "sums"
  }
  argument "rank" { type = "uint" }
  argument "dst" { type = "int*" }
  argument "count" { type = "uint" }
  argument "comm_adr" { type = "uint" }
  argument "dpcfg_adr" { type = "uint" }
}
`

func TestAllreduceFromKernelsToKernels(t *testing.T) {
	for ranks := 2; ranks <= 4; ranks++ {
		w, engines := start(t, made("sums", sumsKernel, sumsText), ranks, Options{})
		for _, n := range []int{1, 16, 17, 1000, 60_000} {
			each(t, ranks, func(ctx context.Context, rank int) error {
				e := engines[rank]
				dst, err := accl.Alloc[int32](ctx, e, n)
				if err != nil {
					return err
				}
				config, err := e.ConfigAddress(accl.TypeInt32, accl.TypeInt32)
				if err != nil {
					return err
				}
				if err := accl.CallKernel(ctx, w.Device(rank), "sums", uint64(rank), dst.Address(), uint64(n),
					uint64(e.World().Address()), uint64(config)); err != nil {
					return err
				}
				if err := dst.SyncFromDevice(ctx); err != nil {
					return err
				}
				for i, v := range dst.Host() {
					if want := int32(1000*ranks*(ranks+1)/2 + ranks*i); v != want {
						t.Errorf("rank %d of %d, element %d of %d: %d, not %d", rank, ranks, i, n, v, want)
						break
					}
				}
				return nil
			})
		}
		for rank := range ranks { // the host placed no call but those that configure
			if calls := w.Engine(rank).Stats().Calls; calls > 15 {
				t.Errorf("rank %d has placed %d calls", rank, calls)
			}
		}
	}
}

// Kernels that do what they should not.
const badText = `
static int sink;
inline void bad(unsigned mode, cclo::Command &engine, cclo::Data &data) {
    if (mode == 0) engine.nop();
    if (mode == 1) data.pull();
    if (mode == 2) for (;;) *(volatile int *)&sink += 1;
    if (mode == 3) { cclo::Call call; call.scenario = 255; engine.start(call); engine.finish(); engine.finish(); }
}
`

const badKernel = `
kernel "bad" {
  like   = "called_kernel"
  source = "hls"
  hls {
    files = ["bad.hpp"]
    calls = "bad"
  }
  argument "mode" { type = "uint" }
}
`

func TestKernelsThatStopAreReported(t *testing.T) {
	w, engines := start(t, made("bad", badKernel, badText), 1,
		Options{Engine: emu.Options{Patience: 50 * time.Millisecond}}, accl.WithTimeout(10000))
	call := func(mode uint64, limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return accl.CallKernel(ctx, w.Device(0), "bad", mode)
	}
	assert.NilError(t, call(0, 10*time.Second))
	var stalled *accl.KernelError
	if err := call(1, 50*time.Millisecond); !errors.As(err, &stalled) || stalled.Stream != "data_from_cclo" ||
		stalled.Beat != 1 ||
		stalled.Doing != "waits to read beat 1 of data_from_cclo (0 read)" || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	assert.Check(t, is.ErrorIs(call(0, 10*time.Second), accl.ErrKernelBusy))
	b, err := accl.Alloc[int32](t.Context(), engines[0], 1)
	assert.NilError(t, err)
	_, err = engines[0].Copy(t.Context(), b, accl.KernelStream(accl.TypeInt32), 1)
	assert.NilError(t, err)
	for { // its first call ends now
		if err = call(3, 200*time.Millisecond); !errors.Is(err, accl.ErrKernelBusy) {
			break
		}
	}
	if !errors.As(err, &stalled) || stalled.Stream != "sts_from_cclo" || stalled.Beat != 3 ||
		!strings.HasSuffix(stalled.Doing, ", with 0 calls that are not answered") {
		t.Error(err)
	}
}

// A kernel that computes without end cannot be stopped; everything else ends.
func TestKernelsThatComputeWithoutEnd(t *testing.T) {
	compiler(t)
	d := designtest.Made(t, "made", made("bad", badKernel, badText))
	w, err := New(t.Context(), d, 1, Options{})
	assert.NilError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err = accl.CallKernel(ctx, w.Device(0), "bad", 2)
	assert.Check(t, errors.Is(err, accl.ErrKernelStalled) && strings.Contains(err.Error(), "computes, for "),
		"%v", err)
	k := w.Engine(0).Stats().Kernels
	assert.Check(t, len(k) == 1 && strings.HasPrefix(k[0].Doing, "computes, for "), "%v", k)
	if err = w.Close(); !errors.Is(err, accl.ErrKernelFailed) || !strings.Contains(err.Error(), "computes without end") {
		t.Error(err)
	}
}

// The loopback in C++ is what the engine's own is to hosts.
func TestLoopbackInCpp(t *testing.T) {
	w, engines := start(t, map[string]string{"made.hcl": `
platform "made" {
  board  = "u55c"
  source = { loopback = "hls" }
  cclo {}
  poe "tcp" {}
}
`}, 1, Options{})
	const n = 10_000
	ctx, e := t.Context(), engines[0]
	src, err := accl.Alloc[int32](ctx, e, n)
	assert.NilError(t, err)
	dst, err := accl.Alloc[int32](ctx, e, n)
	assert.NilError(t, err)
	for i := range src.Host() {
		src.Host()[i] = int32(i * i)
	}
	out, err := e.Copy(ctx, src, accl.KernelStream(accl.TypeInt32), n, accl.Async())
	assert.NilError(t, err)
	_, err = e.Copy(ctx, accl.KernelStream(accl.TypeInt32), dst, n)
	assert.NilError(t, err)
	assert.NilError(t, out.Wait(ctx))
	for i, v := range dst.Host() {
		assert.Assert(t, v == int32(i*i), "element %d is %d", i, v)
	}
	_, _, err = w.Device(0).Pull(ctx, 64)
	assert.Check(t, errors.Is(err, engine.ErrLoopback), "%v", err)
	k := w.Engine(0).Stats().Kernels
	if len(k) != 1 || !strings.Contains(k[0].String(), "in 625") || !strings.Contains(k[0].String(), "out 625") {
		t.Error(k)
	}
}

// Platforms whose user kernel is RTL leave the kernel streams to clients.
func TestKernelsInRTLAreLeftToClients(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")})
	w, err := New(t.Context(), d, 1, Options{})
	assert.NilError(t, err)
	defer w.Close()
	assert.Check(t, engine.ForClients(w.Engine(0)) && len(w.Engine(0).Stats().Kernels) <= 0,
		"%+v", w.Engine(0).Stats())
	err = accl.CallKernel(t.Context(), w.Device(0), "vadd_put", 0, 0, 0, 0, 0, 0)
	assert.Check(t, errors.Is(err, accl.ErrNoKernel), "%v", err)
}
