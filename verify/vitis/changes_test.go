package vitis

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/run"
	"github.com/cclforge/cclforge/gen/vitis/store"
	"github.com/cclforge/cclforge/gen/vitis/tools"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// change is something that is different from what is shipped.
type change struct {
	firmware func([]byte) []byte
	file     string // rendered
	text     func([]byte) []byte
}

// builds is build, in this process: with files and firmware as a change says.
func (b *bench) builds(name string, c change) {
	b.Helper()
	for v, value := range b.Variables() {
		b.Setenv(v, value)
	}
	space := workspace.New(b.dir, b.Logf, platforms.FS)
	rendered, err := space.Render(b.Context(), workspace.Selection{Only: name})
	assert.Assert(b.T, err == nil && len(rendered) == 1, "%d platforms %s: %v", len(rendered), name, err)
	library, err := space.Library()
	assert.NilError(b.T, err)
	r := rendered[0]
	found := false
	for i, f := range r.Files {
		if f.Path == c.file {
			r.Files[i].Content, found = c.text(bytes.Clone(f.Content)), true
		}
	}
	if c.file != "" && !found {
		b.Fatalf("there is no file %s", c.file)
	}
	image, err := emit.FirmwareImage(r.Design)
	assert.NilError(b.T, err)
	if c.firmware != nil {
		image = c.firmware(bytes.Clone(image))
	}
	set, err := tools.Find(b.Context(), library.Toolchain, tools.Env{}, plan.Needs(r.Design)...)
	assert.NilError(b.T, err)
	p, err := plan.Plan(r.Design, r.Files, set, plan.Options{Descriptions: b.dir, Firmware: image})
	assert.NilError(b.T, err)
	st, err := store.Open(b.cache)
	assert.NilError(b.T, err)
	if _, err := run.Run(b.Context(), p, st, run.NewLocal(run.LocalOptions{}), run.Options{}); err != nil {
		b.Fatal(err)
	}
	if _, err := run.Deliver(p, st, name, filepath.Join(b.dir, "out", "build", name)); err != nil {
		b.Fatal(err)
	}
}

// comment adds a comment at the end of a file of hardware.
func comment(text []byte) []byte { return append(text, "\n// another line\n"...) }

// TestChanges builds, changes one thing, and sees that what depends on it, and only
// that, is done again.
func TestChanges(t *testing.T) {
	const name = "u55c_tcp"
	b := newBench(t, standin.Options{})
	d := designOf(t, name)
	b.builds(name, change{})
	assert.Check(t, is.Equal(difference(b.done(), wanted(d)), ""))
	first, shippedFirmware := b.content(name), b.linked(name)
	again := func(what string, c change, want ...string) *standin.Linked {
		t.Helper()
		b.builds(name, c)
		assert.Check(t, is.Equal(difference(b.done(), want), ""), "after %s", what)
		return b.linked(name)
	}
	again("nothing", change{})

	loop := func(image []byte) []byte { return append(image, "0000006F\n"...) }
	other := again("another firmware", change{firmware: loop}, "image", "patch")
	assert.Check(t, is.Equal(other.Design, shippedFirmware.Design), "another firmware has made another design")
	assert.Check(t, other.Memories["ccl_offload_0"] != shippedFirmware.Memories["ccl_offload_0"],
		"the firmware in the result is the one before")
	again("the firmware of before", change{})
	own := change{file: "rtl/ccl_offload/cpu/rv32_alu.sv", text: comment, firmware: loop}
	engine := again("another line in the engine, with another firmware", own, "image", "link", "package ccl_offload")
	assert.Check(t, is.Equal(engine.Memories["ccl_offload_0"], other.Memories["ccl_offload_0"]),
		"an engine that was packaged with another firmware has not the one that was put in later")
	own.firmware = nil
	if l := again("the same line, with the firmware of before", own, "image",
		"patch"); l.Memories["ccl_offload_0"] != shippedFirmware.Memories["ccl_offload_0"] {
		t.Error("the firmware that the engine was packaged with is in the result, not the one that was wanted")
	}
	rtl := again("another line in hostctrl", change{file: "rtl/hostctrl/hostctrl_core.sv", text: comment}, "image",
		"link", "package hostctrl")
	assert.Check(t, rtl.Design != shippedFirmware.Design, "the result is the design before")
	again("another line in the connectivity", change{file: "vitis/link.cfg",
		text: func(text []byte) []byte { return append(text, "# a line\n"...) }}, "image", "link")
	b.builds(name, change{})
	assert.Check(t, is.Equal(difference(b.done(), nil), ""), "back again")
	assert.Check(t, is.Equal(b.content(name), first), "back again, and the result is not the first")
}

// own puts a platform into the workspace: a shipped one with words replaced.
func (b *bench) own(from, name string, replacements ...string) {
	b.Helper()
	text, err := platforms.FS.ReadFile(from + ".hcl")
	assert.NilError(b.T, err)
	replaced := strings.NewReplacer(append([]string{`platform "` + from + `"`, `platform "` + name + `"`},
		replacements...)...).Replace(string(text))
	if replaced == string(text) && from != name {
		b.Fatalf("%s is no change of %s", name, from)
	}
	path := filepath.Join(b.dir, "platforms", name+".hcl")
	assert.NilError(b.T, os.MkdirAll(filepath.Dir(path), 0o777))
	assert.NilError(b.T, os.WriteFile(path, []byte(replaced), 0o666))
}
