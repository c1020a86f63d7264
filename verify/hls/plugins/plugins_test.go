// Package plugins_test compares the reference plugins in C++ with the emulator's
// arithmetic, and with their RTL on the same beats.
package plugins_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

var le = binary.LittleEndian

// platform has the reference plugins in a form: "hls" or "rtl".
const platform = `
platform "own" {
  board  = "u55c"
  source = { reduce_ops = %[1]q, hp_compression = %[1]q, vadd_put = %[1]q, loopback = %[1]q }
  cclo { kernel_stream = "vadd_put" }
  poe "tcp" {}
  arithmetic "reduce_ops" { functions = ["*"] }
  compression "hp_compression" { lanes = 3 }
}
`

func load(t *testing.T, source string) *design.Design {
	t.Helper()
	lib := designtest.Library(t).With("own", fmt.Appendf(nil, platform, source))
	d, diags := design.Load(lib, "own", lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	return d
}

// library compiles a reference plugin.
func library(t *testing.T, kernel string) string {
	t.Helper()
	return compiled(t, load(t, "hls"), kernel)
}

func compiled(t *testing.T, d *design.Design, kernel string) string {
	t.Helper()
	if err := hls.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	path, err := hls.Library(t.Context(), d, kernel)
	assert.NilError(t, err)
	return path
}

func open(t *testing.T, path string, depth int) *hls.Component {
	t.Helper()
	c, err := hls.Open(path, depth)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, c.Close())
	})
	return c
}

// verilated is the RTL of a plugin.
func verilated(t *testing.T, m streams.Model) *streams.Kernel {
	t.Helper()
	m.Design = load(t, "rtl")
	k, err := streams.New(t.Context(), m, 0)
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(k.Close)
	return k
}

// patience is how often a kernel is run in vain before that is a failure.
const patience = 10_000

// through gives a plugin streams at random paces, and returns what comes out when
// it has nothing more to do. The output is its last port.
func through(c *hls.Component, r *rand.Rand, in ...[]hls.Beat) ([]hls.Beat, error) {
	var out []hls.Beat
	result := len(c.Ports()) - 1
	if len(in) != result {
		return nil, fmt.Errorf("%d inputs for a kernel that has %d", len(in), result)
	}
	room := make([]hls.Beat, 1+r.IntN(100))
	for idle := 0; ; idle++ {
		left := 0
		for i := range in {
			given := in[i][:r.IntN(min(len(in[i]), 100)+1)]
			taken := c.Put(i, given)
			in[i] = in[i][taken:]
			left += len(in[i])
			if taken > 0 {
				idle = 0
			}
		}
		state := c.Run()
		if state.Doing == hls.Failed {
			return out, errors.New(c.Kernel() + " " + state.String())
		}
		got := c.Get(result, room[:1+r.IntN(len(room))])
		out = append(out, room[:got]...)
		switch {
		case got > 0:
			idle = 0
		case idle == patience:
			return out, fmt.Errorf("the kernel %s: %s", state, c.Progress())
		}
		if left == 0 && got == 0 && state.Doing == hls.Reads {
			return out, nil
		}
	}
}

// wires are beats as the bench of the RTL has them.
func wires(in []hls.Beat) []streams.Beat {
	out := make([]streams.Beat, len(in))
	for i, b := range in {
		out[i] = streams.Beat{Data: b.Data, Keep: b.Keep, Last: uint8(b.Last), TDEST: uint8(b.Dest)}
	}
	return out
}

// same compares beats of the C++ with those of a reference: in bytes that are
// kept, or in all.
func same(got, want []hls.Beat, all bool) error {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.Keep != w.Keep || g.Last != w.Last {
			return fmt.Errorf("beat %d: TKEEP %x and TLAST %d, not %x and %d", i, g.Keep, g.Last, w.Keep, w.Last)
		}
		for at := range g.Data {
			if (all || w.Keep>>at&1 == 1) && g.Data[at] != w.Data[at] {
				return fmt.Errorf("beat %d, byte %d: %x, not %x", i, at, g.Data, w.Data)
			}
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d beats came out, not %d", len(got), len(want))
	}
	return nil
}

// beats are those of the bench of the RTL.
func beats(in []streams.Beat) []hls.Beat {
	out := make([]hls.Beat, len(in))
	for i, b := range in {
		out[i] = hls.Beat{Data: b.Data, Keep: b.Keep, Last: uint32(b.Last), Dest: uint32(b.TDEST)}
	}
	return out
}
