package kernels

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

func TestEveryBeatReturnsAsItWasSent(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	d := designtest.Load(t, "u55c_tcp", nil)
	sources, err := verilate.SourcesOf(t.Context(), d, "loopback")
	assert.NilError(t, err)
	shell, err := filepath.Abs("shell/loopback.cpp")
	assert.NilError(t, err)
	for _, width := range loopsOf(t, d) {
		var through func(seed, count uint64, idle, stall uint32) int64
		err := verilate.Build{
			Top: "loopback", Sources: sources, Shell: []string{shell}, Params: map[string]string{"WIDTH": fmt.Sprint(width)},
			Defines: []string{fmt.Sprintf("BYTES=%d", width/8)}, Careful: true,
		}.Bind(t.Context(), "", map[string]any{"through": &through})
		if errors.Is(err, verilate.ErrTools) {
			t.Skip(err)
		}
		assert.NilError(t, err)
		const count = 1000
		for _, pace := range [][2]uint32{{0, 0}, {0, 500}, {500, 0}, {700, 700}} {
			for seed := range uint64(3) {
				cycles := through(seed, count, pace[0], pace[1])
				if cycles < count {
					t.Errorf("%d bits, idle %d, stall %d, seed %d: a beat was lost or changed", width, pace[0], pace[1], seed)
				}
				if pace == [2]uint32{} && cycles > count+2 {
					t.Errorf("%d bits: %d cycles for %d beats", width, cycles, count)
				}
			}
		}
	}
}

// closed are the widths of the streams that a platform closes.
func loopsOf(t *testing.T, d *design.Design) []int {
	t.Helper()
	widths := map[int]bool{}
	var all []int
	for _, s := range d.Streams {
		if s.To.Instance.Role == "closer" && !widths[s.From.Width] {
			widths[s.From.Width] = true
			all = append(all, s.From.Width)
		}
	}
	assert.Assert(t, len(all) >= 2, "the platform closes streams of %v bits only", all)
	return all
}
