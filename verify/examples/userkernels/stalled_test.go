package userkernels_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world"
)

// faults are what emulated engines say of kernels.
type faults struct {
	sync.Mutex
	said []error
}

func (f *faults) add(err error) {
	f.Lock()
	defer f.Unlock()
	f.said = append(f.said, err)
}

// start starts ranks of a platform in the current directory.
func start(t *testing.T, platform string, n int, f *faults) (*world.World, []*accl.Engine) {
	t.Helper()
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	w, err := world.Load(t.Context(), platform, "", n, world.Options{Engine: emu.Options{OnFault: f.add}})
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, w.Close())
	})
	p, err := world.Platform(platform, "")
	assert.NilError(t, err)
	engines, err := accl.OpenAll(t.Context(), w.Devices(), p, w.Ranks())
	assert.NilError(t, err)
	return w, engines
}

// A plugin of one's own top function that loses every fifth beat.
const losing = `
#include "cclo_hls.hpp"

void bf16_ops(hls::stream<cclo::beat<8> > &in0, hls::stream<cclo::beat<0> > &in1, hls::stream<cclo::beat<0> > &out_r) {
    static unsigned beats = 0;
    cclo::beat<8> a = in0.read();
    cclo::beat<0> out = in1.read();
    out.keep = a.keep;
    out.last = a.last;
    if (++beats % 5 != 0) out_r.write(out);
}
`

func TestAPluginThatLosesABeatIsNamedWithStreamAndBeat(t *testing.T) {
	write(t, ops, `files = ["bf16.hpp", "ieee754.hpp"]`, "files = [\"losing.hpp\"]\ntop = \"bf16_ops\"")
	add(t, map[string]string{"platforms/kernels/losing.hpp": losing})
	var f faults
	_, engines := start(t, "bf16", 1, &f)
	const count = 320 // ten beats
	var b [3]*accl.Buffer[accl.BFloat16]
	for i := range b {
		var err error
		if b[i], err = accl.Alloc[accl.BFloat16](t.Context(), engines[0], count); err != nil {
			t.Fatal(err)
		}
	}
	_, err := engines[0].Combine(t.Context(), b[0], b[1], b[2], count, accl.Sum)
	var failure *accl.CallError
	assert.Check(t, errors.As(err, &failure) && len(failure.Bits) == 1 && failure.Bits[0].Name == "ARITH",
		"the call ends with %v", err)
	assert.Equal(t, len(f.said), 1, "said of kernels: %v", f.said)
	for _, text := range []string{"arith_0", "bf16_ops", "beat 9 of out_r", "10 of 10 beats of in0"} {
		assert.Check(t, strings.Contains(f.said[0].Error(), text), "it does not say %q: %v", text, f.said[0])
	}
}

// A kernel that waits for a beat more than the other ranks send it.
var waiting = map[string]string{
	"platforms/waiting.hcl": `
platform "waiting" {
  board = "u55c"
  cclo { kernel_stream = "waiting" }
  poe "tcp" {}
  arithmetic "reduce_ops" {}
}
`,
	"platforms/kernels/waiting.hcl": `
kernel "waiting" {
  like     = "called_kernel"
  calls    = false
  instance = "waiting_${cclo.index}"
  hls {
    files = ["waiting.hpp"]
    calls = "take"
  }
  argument "beats" {}
}
`,
	"platforms/kernels/waiting.hpp": `
#include "cclo_hls.hpp"

inline void take(unsigned beats, cclo::Data &data) {
    for (unsigned i = 0; i < beats; i++) data.pull();
}
`,
}

func TestAKernelThatWaitsForEverIsNamedWithStreamAndBeat(t *testing.T) {
	t.Chdir(t.TempDir())
	add(t, waiting)
	var f faults
	w, engines := start(t, "waiting", 2, &f)
	src, err := accl.Alloc[float32](t.Context(), engines[0], 64) // four beats
	assert.NilError(t, err)
	var both errgroup.Group
	both.Go(func() error {
		_, err := engines[0].StreamPut(t.Context(), src, src.Len(), 1, 9)
		return err
	})
	both.Go(func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		err := accl.CallKernel(ctx, w.Device(1), "waiting", 5)
		var failure *accl.KernelError
		if !errors.As(err, &failure) || !errors.Is(err, accl.ErrKernelStalled) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call ends with %v", err)
			return nil
		}
		if failure.Kernel != "waiting" || failure.Instance != "waiting_0" || failure.Stream != "data_from_cclo" ||
			failure.Beat != 5 {
			t.Errorf("the kernel waits for beat %d of %s: %v", failure.Beat, failure.Stream, failure)
		}
		return nil
	})
	assert.NilError(t, both.Wait())
	for _, k := range w.Engine(1).Stats().Kernels {
		if k.Instance == "waiting_0" && strings.Contains(k.Doing, "beat 5 of data_from_cclo") {
			return
		}
	}
	t.Errorf("the statistics do not say what it waits for: %+v", w.Engine(1).Stats().Kernels)
}
