package rtlsim

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// laneDesign is a platform whose compression is in C++: the reference plugin, or a
// top function of its own.
func laneDesign(t *testing.T, top string) *design.Design {
	t.Helper()
	layer := map[string]string{"lane.hcl": `platform "lane" {
  board = "u55c"
  clock = 250
  cclo { kernel_stream = "vadd_put" }
  poe "tcp" {}
  compression "hp_compression" {}
  source = { hp_compression = "hls", vadd_put = "hls" }
}
`}
	layer["kernels/vadd_put.hcl"] = calledKernel
	layer["kernels/called.hpp"] = calledTop
	if top != "" {
		layer["kernels/hp_compression.hcl"] = `kernel "hp_compression" {
  doc    = "A lane."
  like   = "compression_plugin"
  source = "hls"
  hls {
    files = ["own.hpp"]
    top   = "hp_compression"
  }
  conversion "float32" "float16" { tdest = 0 }
  conversion "float16" "float32" { tdest = 1 }
}
`
		layer["kernels/own.hpp"] = "#include \"cclo_hls.hpp\"\n#include <stdexcept>\n" + top
	}
	return designtest.Made(t, "lane", layer)
}

// calledKernel is a kernel that adds 1 to elements in memory. It waits for a beat for
// ever if there are -1, writes beats without end if there are -2, and behind its memory
// if there are -3.
const (
	calledKernel = `kernel "vadd_put" {
  doc      = "A kernel."
  like     = "called_kernel"
  source   = "hls"
  instance = "vadd_${cclo.index}_0"
  hls {
    files = ["called.hpp"]
    top   = "vadd_put"
  }
  argument "src" { type = "float*" }
  argument "dst" { type = "float*" }
  argument "count" { type = "int" }
}
`
	calledTop = `#include "cclo_hls.hpp"
inline void vadd_put(const float *src, float *dst, int count, hls::stream<cclo::word> &cmd_to_cclo, hls::stream<cclo::word> &sts_from_cclo,
                     hls::stream<cclo::beat<8> > &data_to_cclo, hls::stream<cclo::beat<8> > &data_from_cclo) {
    cclo::beat<8> beat;
    if (count == -1) beat = data_from_cclo.read();
    while (count == -2) data_to_cclo.write(beat);
    if (count == -3) dst[1024] = 1;
    for (int i = 0; i < count; i++) dst[i] = src[i] + 1;
}
`
)

// laneEngine has a lane of compression with the host at both its streams, and a kernel
// that the host calls. All tests share one build.
func laneEngine(t *testing.T, top string, o Options) *Engine {
	t.Helper()
	ctx := t.Context()
	for _, err := range []error{verilate.Available(ctx), hls.Available(ctx)} {
		if err != nil {
			t.Skip(err)
		}
	}
	d := laneDesign(t, top)
	all, err := verilate.SourcesOf(ctx, d, "sim", "hp_compression", "vadd_put")
	assert.NilError(t, err)
	var some []string
	for _, s := range all {
		base, common := filepath.Base(s), filepath.Base(filepath.Dir(s)) == "common"
		if base == "cclo_pkg.sv" || base == "hp_compression.sv" || base == "vadd_put.sv" || strings.HasPrefix(base, "sim_") ||
			common {
			some = append(some, s)
		}
	}
	text, err := os.ReadFile("testdata/hls/platform_top.sv")
	assert.NilError(t, err)
	own, err := verilate.Place(map[string][]byte{"platform_top.sv": text})
	assert.NilError(t, err)
	o.Build = Build{Careful: true, KernelPort: true}
	kernels, err := calledKernels(d)
	at := slices.IndexFunc(kernels[0], func(k *called) bool { return k.component >= 0 })
	assert.Assert(t, err == nil && at >= 0, "no kernel in C++ is called: %v", err)
	control, err := controlPort(d, 0)
	assert.NilError(t, err)
	params := map[string]string{"CONTROL": fmt.Sprint(control), "CALLED": fmt.Sprint(kernels[0][at].control)}
	o.Library, err = build(ctx, append(some, own...), o.Build, params)
	assert.NilError(t, err)
	o.Image = []byte{1, 2, 3, 4}
	if o.Record == nil {
		o.Record = Record(t, "lane")
	}
	port, _, err := fabric.NewNet(fabric.TCP, fabric.Options{}).Port(1, 1)
	assert.NilError(t, err)
	e, err := New(t.Context(), d, port, o)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, e.Close())
	})
	return e
}
