package vitis

import (
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// TestShell builds the RDMA platform inside its shell, and again with nothing to do.
func TestShell(t *testing.T) {
	t.Parallel()
	const name = "u55c_rdma"
	b := newBench(t, standin.Options{Version: "2023.2"})
	o := b.run("build", name)
	assert.Assert(t, o.code == 0, "%v", o)
	var did []string
	for _, c := range b.worked() {
		assert.Check(t, is.Equal(c.Exit, 0), "%s %q: exit status", c.Tool, c.Args)
		if c.Tool == "cmake" || c.Tool == "updatemem" || c.Tool == "vivado" {
			did = append(did, c.Tool+" "+c.Args[len(c.Args)-1])
		}
	}
	if len(did) != 4 ||
		!slices.Equal(did[1:], []string{"cmake project", "cmake bitgen", "vivado coyote/firmware_mmi.tcl"}) {
		t.Errorf("it ran %q", did)
	}
	l, err := standin.InspectBit(filepath.Join(b.dir, "out", "build", name, name+".bit"))
	assert.NilError(t, err)
	assert.Check(t, len(l.Memories) == 1 && l.Memories["ccl_offload_0"] != "", "firmware is in %v", l.Memories)
	b.build(name)
	if calls := b.worked(); len(calls) > 0 {
		t.Errorf("the second build runs %s %q", calls[0].Tool, calls[0].Args)
	}
}
