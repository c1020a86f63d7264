package vitis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// onBoard is a line of each description of u50_axis3x, before which others may stand.
const onBoard = `board       = "u50"`

// TestKernelsInCpp builds kernels in C++ with the tool that each version has for them. The
// firmware is in the engine's kernel, with an ILA: there is no memory to fill afterwards.
func TestKernelsInCpp(t *testing.T) {
	t.Parallel()
	for _, version := range nightly.Of([]string{"2022.2", "2025.1"}, []string{"2022.2", "2023.2", "2025.1"}) {
		b := newBench(t, standin.Options{Version: version})
		b.own("u50_axis3x", "in_cpp", onBoard, "build {\n    firmware = \"kernel\"\n    debug { "+
			"chipscope = [\"hang\"] }\n  }\n  "+
			"source = { reduce_ops = \"hls\", hp_compression = \"hls\", loopback = \"hls\" }\n  "+onBoard)
		b.build("in_cpp")
		tools := map[string]bool{}
		var compiled []string
		firmware, updated := false, false
		for _, c := range b.worked() {
			updated = updated || c.Tool == "updatemem"
			firmware = firmware || c.Inputs["firmware/cclo_firmware.mem"] != ""
			if w := did(c); strings.HasPrefix(w, "compile ") {
				tools[c.Tool] = true
				compiled = append(compiled, w)
			}
			assert.Check(t, is.Equal(c.Exit, 0), "%s: %s %q: exit status", version, c.Tool, c.Args)
		}
		slices.Sort(compiled)
		if diff := difference(compiled, []string{"compile hp_compression", "compile loopback",
			"compile reduce_ops"}); diff != "" {
			t.Errorf("%s: %s", version, diff)
		}
		assert.Check(t, len(tools) == 1 && tools[map[bool]string{true: "v++", false: "vitis_hls"}[version >= "2023.2"]],
			"%s: compiled by %v", version, tools)
		assert.Check(t, !updated && firmware,
			"%s: updatemem ran: %v; the kernel was packaged with firmware: %v", version, updated, firmware)
		l := b.linked("in_cpp")
		assert.Check(t, len(l.Memories) == 3 && l.Memories["ccl_offload_0"] != "",
			"%s: firmware is in %v", version, l.Memories)
	}
}

// TestEmulation builds for hardware emulation: no card, no reports of timing, and the
// firmware in the kernel.
func TestEmulation(t *testing.T) {
	t.Parallel()
	const name = "u55c_tcp"
	b := newBench(t, standin.Options{})
	rendered, err := workspace.New("", t.Logf, platforms.FS).Render(t.Context(),
		workspace.Selection{Only: name, Vars: "{hw_emu = true}"})
	assert.NilError(t, err)
	assert.NilError(t, emulation(b.Installation, []*design.Design{rendered[0].Design}))
	o := b.build(name, "--vars={hw_emu = true}")
	b.done()
	l := b.linked(name)
	assert.Check(t, l.Emulated && len(l.Memories) == 1 && l.Metadata["platform"] == name, "the result is %+v", l)
	_, err = os.Stat(filepath.Join(b.dir, "out", "build", name, "emconfig.json"))
	assert.Check(t, err == nil, "%v: %v", err, o)
}
