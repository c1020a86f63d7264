package designtest

// Doubled are the files of a platform named made, on the UDP stack, beside whose engine is
// a kernel in C++ that hosts call: it doubles numbers. If there are none, it waits for a
// word on its stream.
var Doubled = map[string]string{
	"made.hcl": `
platform "made" {
  board = "u55c"
  cclo { kernel_stream = "doubled" }
  poe "udp" {}
}
`,
	"kernels/doubled.hcl": `
kernel "doubled" {
  like   = "called_kernel"
  source = "hls"
  hls {
    files = ["doubled.hpp"]
    calls = "doubled"
  }
  argument "src" { type = "int*" }
  argument "dst" { type = "int*" }
  argument "count" { type = "uint" }
}
`,
	"kernels/doubled.hpp": `
#include "cclo_hls.hpp"
inline void doubled(int *src, int *dst, unsigned count, cclo::Command &, cclo::Data &data) {
    if (count == 0) data.pull();
    for (unsigned i = 0; i < count; i++) dst[i] = 2 * src[i];
}
`,
}
