package world

import (
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// BenchmarkKernelInCpp sends 16 MiB through a kernel at the kernel streams.
func BenchmarkKernelInCpp(b *testing.B) {
	compiler(b)
	d := designtest.Made(b, "made", map[string]string{"made.hcl": `
platform "made" {
  board  = "u55c"
  source = { loopback = "hls" }
  cclo {}
  poe "tcp" {}
}
`})
	p := driverview.Of(d)
	w, err := New(b.Context(), d, 1, Options{})
	assert.NilError(b, err)
	defer w.Close()
	e, err := accl.Open(b.Context(), w.Device(0), &p, w.Ranks(), 0)
	assert.NilError(b, err)
	const n = 4 << 20
	src, err := accl.Alloc[int32](b.Context(), e, n)
	assert.NilError(b, err)
	dst, err := accl.Alloc[int32](b.Context(), e, n)
	assert.NilError(b, err)
	b.SetBytes(4 * n)
	for b.Loop() {
		out, err := e.Copy(b.Context(), src, accl.KernelStream(accl.TypeInt32), n, accl.Async(), accl.FromFPGA())
		assert.NilError(b, err)
		_, err = e.Copy(b.Context(), accl.KernelStream(accl.TypeInt32), dst, n, accl.ToFPGA())
		assert.NilError(b, err)
		assert.NilError(b, out.Wait(b.Context()))
	}
	b.ReportMetric(float64(n/16)*float64(b.N)/b.Elapsed().Seconds(), "beats/s")
}
