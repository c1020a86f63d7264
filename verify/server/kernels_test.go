package server_test

import (
	"testing"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/hls"
)

// negating is a platform with a kernel in C++ that runs at the kernel streams.
var negating = map[string]string{
	"negating.hcl": `
platform "negating" {
  board = "u55c"
  cclo { kernel_stream = "negate" }
  poe "tcp" {}
  arithmetic "reduce_ops" {}
  compression "hp_compression" { lanes = 3 }
}
`,
	"kernels/negate.hcl": `
kernel "negate" {
  like   = "user_kernel"
  calls  = false
  source = "hls"
  hls {
    files = ["negate.hpp"]
    calls = "negate"
  }
}
`,
	"kernels/negate.hpp": `
#include "cclo_hls.hpp"
inline void negate(cclo::Data &data) {
    cclo::kernel_beat beat = data.pull();
    for (unsigned k = 0; k < 16; k++) beat.data[32 * k + 31] = !beat.data[32 * k + 31];
    data.push(beat);
}
`,
}

// Platforms whose kernels run beside the engines serve hosts as all others do.
func TestKernelsInCppBesideServedEngines(t *testing.T) {
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	s := startDesign(t, designtest.Made(t, "negating", negating), options{ranks: 2})
	clients := s.all(t, true)
	together(t, "configure", clients, (*client).configure2024)
	together(t, "collectives", clients, func(c *client) { c.collectives(1000, false, true) })
	a, b := clients[0], clients[1]
	for _, n := range []int{1, 16, 50_000} {
		values := elements(0, n)
		in, out := a.floats(values, false), a.allocate(4*n, false)
		a.begin(call{scenario: opCopy, count: uint32(n), arith: a.float, stream: resStream, op0: in})
		a.ctrl = 1
		a.do(call{scenario: opCopy, count: uint32(n), arith: a.float, stream: op0Stream, res: out})
		a.ctrl = 0
		if code := a.finish(); code != 0 {
			t.Fatalf("copy to the kernel: 0x%X", code)
		}
		a.expect("copy from the kernel", out, false, n, func(i int) float32 { return -values[i] })
		// A put to the other rank's kernel comes back negated there.
		a.begin(call{scenario: opSend, count: uint32(n), comm: a.comm, peer: 1, tag: 5, arith: a.float,
			stream: resStream, op0: in})
		to := b.allocate(4*n, false)
		b.do(call{scenario: opCopy, count: uint32(n), arith: b.float, stream: op0Stream, res: to})
		if code := a.finish(); code != 0 {
			t.Fatalf("put: 0x%X", code)
		}
		b.expect("put", to, false, n, func(i int) float32 { return -values[i] })
		if a.err != nil || b.err != nil {
			t.Fatal(a.err, b.err)
		}
	}
	h := s.servers[0].Health()
	if h.KernelOut != 0 || len(h.Engine.Kernels) != 1 || h.Engine.Kernels[0].Streams[0].Beats != 1+1+50_000/16 {
		t.Errorf("%v", h)
	}
}
