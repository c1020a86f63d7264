package compare

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// copier is in the place of vadd_put: it writes to memory, has the engine copy that,
// and doubles what the engine has written. Its destination is the address of src, dst
// is behind that.
var copier = fstest.MapFS{
	"kernels/vadd_put.hcl": {Data: []byte(`kernel "vadd_put" {
  doc      = "A kernel."
  like     = "called_kernel"
  source   = "hls"
  instance = "vadd_${cclo.index}_0"
  needs    = ["external_dma"]
  hls {
    files = ["copier.hpp"]
    top   = "vadd_put"
  }
  argument "src" { type = "float*" }
  argument "dst" { type = "float*" }
  argument "count" { type = "int" }
  argument "destination" {}
  argument "comm_adr" {}
  argument "dpcfg_adr" {}
}
`)},
	"kernels/copier.hpp": {Data: []byte(`#include "cclo_hls.hpp"
inline void vadd_put(float *src, float *dst, int count, unsigned int destination, unsigned int comm_adr, unsigned int dpcfg_adr,
                     hls::stream<cclo::word> &cmd_to_cclo, hls::stream<cclo::word> &sts_from_cclo,
                     hls::stream<cclo::kernel_beat> &, hls::stream<cclo::kernel_beat> &) {
    cclo::Command engine(cmd_to_cclo, sts_from_cclo, comm_adr, dpcfg_adr);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < count; i++) src[i] = dst[i] + i;
        if (engine.copy(count, destination, destination + 4096) != 0) return;
        for (int i = 0; i < count; i++) dst[i] *= 2;
    }
}
`)},
}

// What a kernel writes is there when the engine does what it asks for, and what the
// engine writes when it answers.
func TestAKernelInCppSharesItsMemoryWithTheEngine(t *testing.T) {
	d := kernelDesign(t, "hls", copier)
	library := kernelLibrary(t.Context(), t, d)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	_, engines, devices := kernelWorld(ctx, t, d, library, 1)
	const count, behind = 300, 4096 / 4
	buffer, err := accl.Alloc[float32](ctx, engines[0], 2*behind)
	assert.NilError(t, err)
	for i := range buffer.Host() {
		buffer.Host()[i] = -float32(i)
	}
	assert.NilError(t, buffer.SyncToDevice(ctx))
	config, err := engines[0].ConfigAddress(accl.TypeFloat32, accl.TypeFloat32)
	assert.NilError(t, err)
	if err := accl.CallKernel(ctx, devices[0], "vadd_put", buffer.Address(), buffer.Address()+4096,
		count, buffer.Address(),
		uint64(engines[0].World().Address()), uint64(config)); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, buffer.SyncFromDevice(ctx))
	for i, got := range buffer.Host() {
		want := -float32(i)
		switch at := float32(i % behind); {
		case i < count: // 2 (dst + i) + i
			want = 2*(-float32(i+behind)+at) + at
		case i >= behind && i < behind+count:
			want = 2 * (2*(-float32(i)+at) + at)
		}
		assert.Assert(t, got == want, "element %d is %v, not %v", i, got, want)
	}
}
