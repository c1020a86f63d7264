package world

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"github.com/cclforge/cclforge/driver/accl"
)

const (
	sample accl.DType = "sample" // two numbers of 64 bits, of which the second is for other things
	packed accl.DType = "quad"   // the first, as four numbers of 16 bits that are added for themselves
)

// ownTypes is a platform with types of its own, and plugins in C++ for them.
var ownTypes = map[string]string{
	"types.hcl": `
platform "types" {
  board = "u55c"
  type "bfloat16" { bytes = 2 }
  type "quad" {
    bytes = 8
    align = 8
  }
  type "sample" {
    bytes = 16
    align = 16
  }
  cclo {}
  poe "tcp" {}
  arithmetic "quad_ops" {}
  compression "packer" { lanes = 3 }
}
`,
	"kernels/quad_ops.hcl": `
kernel "quad_ops" {
  like   = "arithmetic_plugin"
  source = "hls"
  hls { files = ["quad_ops.hpp"] }
  function "sum" { tdest = { quad = 3 } }
}
`,
	"kernels/quad_ops.hpp": `
#include "cclo_hls.hpp"
inline cclo::types::quad sum(cclo::types::quad a, cclo::types::quad b) {
    cclo::types::quad out;
    for (int i = 0; i < 4; i++) out.bits.range(16 * i + 15, 16 * i) = a.bits.range(16 * i + 15, 16 * i) + b.bits.range(16 * i + 15, 16 * i);
    return out;
}
`,
	"kernels/packer.hcl": `
kernel "packer" {
  like   = "compression_plugin"
  source = "hls"
  hls { files = ["packer.hpp"] }
  conversion "sample" "quad" { tdest = 2 }
  conversion "quad" "sample" { tdest = 5 }
  conversion "float32" "bfloat16" { tdest = 0 }
  conversion "bfloat16" "float32" { tdest = 1 }
}
`,
	"kernels/packer.hpp": `
#include "cclo_hls.hpp"
inline cclo::types::quad sample_to_quad(cclo::types::sample s) {
    cclo::types::quad out;
    out.bits = s.bits.range(63, 0);
    return out;
}
inline cclo::types::bfloat16 float32_to_bfloat16(cclo::types::float32 f) {
    cclo::types::bfloat16 out;
    out.bits = f.bits.range(31, 16);
    return out;
}
inline cclo::types::float32 bfloat16_to_float32(cclo::types::bfloat16 f) {
    cclo::types::float32 out;
    out.bits = ap_uint<32>(f.bits) << 16;
    return out;
}
inline cclo::types::sample quad_to_sample(cclo::types::quad p) {
    cclo::types::sample out;
    out.bits = p.bits;
    return out;
}
`,
}

// raw is n elements of random bytes that depend on seed alone.
func raw(ctx context.Context, e *accl.Engine, t accl.DType, n int, seed uint64) (*accl.RawBuffer, error) {
	b, err := accl.AllocRaw(ctx, e, t, n)
	if err == nil {
		rng := rand.New(rand.NewPCG(seed, 2))
		for i := range b.Host() {
			b.Host()[i] = byte(rng.Uint32())
		}
	}
	return b, err
}

// bytesOf is what raw fills an element count of some size with.
func bytesOf(n, size int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 2))
	out := make([]byte, n*size)
	for i := range out {
		out[i] = byte(rng.Uint32())
	}
	return out
}

// addPacked adds elements of the type packed, in plain Go.
func addPacked(a, b []byte) []byte {
	out := make([]byte, len(a))
	for i := 0; i < len(a); i += 2 {
		binary.LittleEndian.PutUint16(out[i:], binary.LittleEndian.Uint16(a[i:])+binary.LittleEndian.Uint16(b[i:]))
	}
	return out
}

// firstHalves is what remains of samples that were packed: the first 8 bytes of 16.
func firstHalves(samples []byte) []byte {
	var out []byte
	for i := 0; i < len(samples); i += 16 {
		out = append(out, samples[i:i+8]...)
	}
	return out
}

func widened(packed []byte) []byte {
	var out []byte
	for i := 0; i < len(packed); i += 8 {
		out = append(append(out, packed[i:i+8]...), make([]byte, 8)...)
	}
	return out
}
