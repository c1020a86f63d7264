package plugins_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtltest/ieee"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
	"github.com/cclforge/cclforge/verify/world"
)

// small is a platform with a type of 8 bits, of which there are few enough pairs.
// What ieee754.hpp makes of one format it makes of all.
const small = `
platform "float8" {
  board = "u55c"
  type "float8" { bytes = 1 }
  poe "tcp" {}
  arithmetic "small_ops" {}
  compression "small_compression" { lanes = 1 }
}
`

const smallKernels = `
kernel "small_ops" {
  like = "arithmetic_plugin"
  hls { files = ["small.hpp", "ieee754.hpp"] }
  function "sum" { tdest = { float8 = 0 } }
  function "max" { tdest = { float8 = 1 } }
  function "min" { tdest = { float8 = 2 } }
}

kernel "small_compression" {
  like = "compression_plugin"
  hls { files = ["small.hpp", "ieee754.hpp"] }
  conversion "float16" "float8" { tdest = 0 }
  conversion "float8" "float16" { tdest = 1 }
}
`

const smallFunctions = `
#include "ieee754.hpp"
using namespace cclo::types;

inline float8 sum(float8 a, float8 b) { return {ieee754::sum<%[1]d, %[2]d>(a.bits, b.bits)}; }
inline float8 max(float8 a, float8 b) { return {ieee754::maximum<%[1]d, %[2]d>(a.bits, b.bits)}; }
inline float8 min(float8 a, float8 b) { return {ieee754::minimum<%[1]d, %[2]d>(a.bits, b.bits)}; }
inline float8 float16_to_float8(float16 a) { return {ieee754::narrow<5, 10, %[1]d, %[2]d>(a.bits)}; }
inline float16 float8_to_float16(float8 a) { return {ieee754::widen<%[1]d, %[2]d, 5, 10>(a.bits)}; }
`

func loadSmall(t *testing.T, f ieee.Format) *design.Design {
	t.Helper()
	t.Chdir(t.TempDir())
	assert.NilError(t, os.MkdirAll("platforms/kernels", 0o755))
	for name, text := range map[string]string{
		"float8.hcl": small, "kernels/small.hcl": smallKernels, "kernels/small.hpp": fmt.Sprintf(smallFunctions,
			f.Exponent, f.Fraction),
	} {
		assert.NilError(t, os.WriteFile(filepath.Join("platforms", filepath.FromSlash(name)), []byte(text), 0o644))
	}
	d, err := world.Design("float8", "")
	assert.NilError(t, err)
	return d
}

func TestAllNumbersOfSmallFormatsAreExact(t *testing.T) {
	formats := []ieee.Format{{Exponent: 4, Fraction: 3}, {Exponent: 5, Fraction: 2}, {Exponent: 3, Fraction: 4}}
	for _, f := range nightly.Of(formats[:1], formats) {
		t.Run(fmt.Sprintf("%d bits of exponent", f.Exponent), func(t *testing.T) {
			d, r := loadSmall(t, f), rand.New(rand.NewPCG(8, 0))
			ops := open(t, compiled(t, d, "small_ops"), 64)
			for tdest, exact := range map[uint32]func(a, b uint64) uint64{0: f.Sum, 1: f.Max, 2: f.Min} {
				in0, in1, want := make([]hls.Beat, 1<<10), make([]hls.Beat, 1<<10), make([]hls.Beat, 1<<10)
				for i := range 1 << 16 {
					a, b := uint64(i>>8), uint64(i&0xFF)
					beat, at := i/64, i%64
					in0[beat].Data[at], in1[beat].Data[at], want[beat].Data[at] = byte(a), byte(b), byte(exact(a, b))
					in0[beat].Keep, in0[beat].Dest, want[beat].Keep = streams.Full, tdest, streams.Full
				}
				out, err := through(ops, r, in0, in1)
				if err == nil {
					err = same(out, want, true)
				}
				assert.Check(t, err, "TDEST %d", tdest)
			}

			conversions := open(t, compiled(t, d, "small_compression"), 64)
			narrow, narrowed := make([]hls.Beat, 1<<11), make([]hls.Beat, 1<<10)
			for i := range 1 << 16 {
				le.PutUint16(narrow[i/32].Data[i%32*2:], uint16(i))
				narrow[i/32].Keep, narrowed[i/64].Keep = streams.Full, streams.Full
				narrowed[i/64].Data[i%64] = byte(ieee.Convert(ieee.Float16, f, uint64(i)))
			}
			widen, widened := make([]hls.Beat, 4), make([]hls.Beat, 8)
			for i := range 1 << 8 {
				widen[i/64].Data[i%64] = byte(i)
				widen[i/64].Keep, widen[i/64].Dest, widened[i/32].Keep = streams.Full, 1, streams.Full
				le.PutUint16(widened[i/32].Data[i%32*2:], uint16(ieee.Convert(f, ieee.Float16, uint64(i))))
			}
			out, err := through(conversions, r, append(narrow, widen...))
			if err == nil {
				err = same(out, append(narrowed, widened...), true)
			}
			assert.Check(t, err)
		})
	}
}
