package vitis

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// faulty is the platform that everything goes wrong with: it has kernels
// of its own and of others.
const faulty = "u280_udp"

// forgetSteps removes what the cache has of steps, as if nobody had built them: "link",
// "image", "package/loopback".
func (b *bench) forgetSteps(steps ...string) {
	b.Helper()
	records, err := filepath.Glob(filepath.Join(b.cache, "steps", "*", "step.json"))
	assert.NilError(b.T, err)
	removed := 0
	for _, file := range records {
		var r struct{ Result struct{ ID string } }
		text, err := os.ReadFile(file)
		assert.NilError(b.T, err)
		if err := json.Unmarshal(text, &r); err != nil {
			continue // it is damaged, and no result any more
		}
		_, id, _ := strings.Cut(r.Result.ID, "/")
		if !slices.ContainsFunc(steps, func(s string) bool { return strings.HasPrefix(id, s) }) {
			continue
		}
		dir := filepath.Dir(file)
		err = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.IsDir() {
				err = os.Chmod(path, 0o755)
			}
			return err
		})
		if err == nil {
			err = os.RemoveAll(dir)
		}
		assert.NilError(b.T, err)
		removed++
	}
	if removed == 0 && len(records) > 0 && steps[0] != "image" {
		b.Fatalf("the cache has none of %q", steps)
	}
}

// wrong is what goes wrong at a step, and what people are told.
type wrong struct {
	step string // of the platform
	standin.Fault
	says []string // all of them
}

var faults = []wrong{
	{"link", standin.Fault{Tool: "v++", Kind: standin.BoardFile}, []string{"[Board 49-71]", "board"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.Licence}, []string{"[Common 17-345]", "XILINXD_LICENSE_FILE"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.Timing}, []string{"[VPL 101-2]", "timing"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.Overflow}, []string{"Place Check", "SLR"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.Unconnected}, []string{"[CFGEN 83-2284]", "poe_0.m_axis_udp_rx"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.WrongPort}, []string{"[CFGEN 83-2292]", "m_axi_gmem0"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.DiskFull}, []string{"No space left on device"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.Segmentation}, []string{"139"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.OutOfMemory}, []string{"137"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.HalfExit0}, []string{faulty + ".xclbin"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.HalfKilled}, []string{"137"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.Nothing}, []string{faulty + ".xclbin"}},
	{"link", standin.Fault{Tool: "v++", Kind: standin.Empty}, []string{faulty + ".xclbin"}},
	{"package/loopback", standin.Fault{Tool: "vivado", Contains: "loopback", Kind: standin.HalfExit0},
		[]string{"loopback.xo"}},
	{"package/loopback", standin.Fault{Tool: "vivado", Contains: "loopback", Kind: standin.Nothing},
		[]string{"loopback.xo"}},
	{"package/loopback", standin.Fault{Tool: "vivado", Contains: "loopback", Kind: standin.Licence},
		[]string{"[Common 17-345]"}},
	{"source", standin.Fault{Tool: "make", Contains: "NetLayers", Kind: standin.Nothing}, []string{"networklayer.xo"}},
	{"source", standin.Fault{Tool: "git", Contains: "fetch", Kind: standin.Segmentation}, []string{"139"}},
	{"image", standin.Fault{Tool: "xclbinutil", Contains: "USER_METADATA", Kind: standin.DiskFull},
		[]string{"No space left on device"}},
	{"image", standin.Fault{Tool: "xclbinutil", Contains: "USER_METADATA", Kind: standin.HalfExit0},
		[]string{faulty + ".xclbin"}},
}

// patches are faults where the firmware in a linked design is replaced.
var patches = []wrong{
	{"image", standin.Fault{Tool: "updatemem", Kind: standin.DiskFull}, []string{"No space left on device"}},
	{"image", standin.Fault{Tool: "updatemem", Kind: standin.HalfExit0}, []string{"firmware.bit"}},
	{"image", standin.Fault{Tool: "xclbinutil", Contains: "--replace-section", Kind: standin.HalfExit0},
		[]string{"patched.xclbin"}},
}

// TestFaults has everything go wrong. The command says which step has failed, the first
// error, and how to repeat it; it leaves no result behind, and the next build ends in the
// same one as if nothing had happened. The engine was packaged with another firmware, so
// that there is something to patch.
func TestFaults(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.builds(faulty, change{firmware: func(image []byte) []byte { return append(image, "0000006F\n"...) }})
	b.build(faulty)
	b.fails(faults)
	b.fails(patches)
	b.damaged()
	b.missed()
}

func (b *bench) fails(list []wrong) {
	b.Helper()
	whole := b.content(faulty)
	for n, f := range list {
		if oneIn := nightly.Of(4, 2); !*everything && n%oneIn != 0 && n > nightly.Of(0, 6) {
			continue // a sample
		}
		what := f.step + ": " + string(f.Kind)
		b.worked()
		b.forgetSteps(f.step, "link", "image")
		f.Times = 1
		assert.NilError(b.T, b.Fail(f.Fault))
		assert.NilError(b.T, os.RemoveAll(filepath.Join(b.dir, "out")))
		o := b.run("build", faulty)
		said := o.out + o.err
		assert.Check(b.T, o.code != 0 && o.code != -1, "%s: %v", what, o)
		if !slices.ContainsFunc(b.worked(),
			func(c standin.Call) bool { return slices.Contains(c.Notes, "fault: "+string(f.Kind)) || c.Exit == -1 }) {
			b.Errorf("%s: it has not happened", what)
		}
		for _, want := range append(f.says, faulty+"/"+f.step, "step.sh", "has failed") {
			assert.Check(b.T, strings.Contains(said, want), "%s: %q is not said:\n%s", what, want, said)
		}
		if _, err := os.Stat(b.result(faulty)); err == nil {
			b.Errorf("%s: there is a result", what)
		}
		if o := b.run("build", faulty); o.code != 0 {
			b.Errorf("%s: the build after it: %v", what, o)
		} else if b.content(faulty) != whole {
			b.Errorf("%s: the build after it ends in another result", what)
		}
		assert.NilError(b.T, b.Fail())
	}
}

// missed has the kernels' clock miss its target, with a linker that goes on: a failure,
// unless one is told otherwise.
func (b *bench) missed() {
	b.Helper()
	b.forgetSteps("package/loopback", "link", "image")
	// What other tools say, which is not worth a failure, is passed over.
	assert.NilError(b.T, b.Fail(standin.Fault{Tool: "v++", Contains: "--link", Kind: standin.Missed},
		standin.Fault{Tool: "vivado", Kind: standin.Garbage}))
	o := b.run("build", faulty)
	said := o.out + o.err
	assert.Check(b.T, o.code != 0 && strings.Contains(said, "-0.214"), "timing is missed: %v", o)
	assert.NilError(b.T, b.Forget())
	o = b.run("build", faulty, "--timing=report")
	assert.Check(b.T, o.code == 0 && strings.Contains(o.out, "-0.214"), "timing is only to be reported: %v", o)
	if calls := b.worked(); len(calls) > 0 {
		b.Errorf("it was built again: %s %q", calls[0].Tool, calls[0].Args)
	}
}

// damaged damages what the linked design left in the cache. A change that keeps the size
// and the time of a file is seen by cache verify; after any other it is linked again.
func (b *bench) damaged() {
	b.Helper()
	whole := b.content(faulty)
	b.worked()
	maps, err := filepath.Glob(filepath.Join(b.cache, "steps", "*", "out", "firmware.mmi"))
	assert.Assert(b.T, err == nil && len(maps) == 1, "memory maps in the cache are %q, %v", maps, err)
	info, err := os.Stat(maps[0])
	assert.NilError(b.T, err)
	text, err := os.ReadFile(maps[0])
	assert.NilError(b.T, err)
	text[len(text)-20] ^= 4
	assert.NilError(b.T, os.Chmod(maps[0], 0o644))
	assert.NilError(b.T, os.WriteFile(maps[0], text, 0o666))
	changed, err := os.Stat(maps[0])
	assert.NilError(b.T, err)
	assert.NilError(b.T, os.Chtimes(maps[0], info.ModTime(), info.ModTime()))
	if o := b.run("cache", "verify"); o.code == 0 || !strings.Contains(o.out+o.err, "firmware.mmi") {
		b.Errorf("cache verify does not see it: %v", o)
	}
	assert.NilError(b.T, os.Chtimes(maps[0], changed.ModTime(), changed.ModTime()))
	b.forgetSteps("image")
	b.build(faulty)
	assert.Check(b.T, is.Equal(difference(b.done(), []string{"image", "link", "patch"}), ""))
	assert.Check(b.T, is.Equal(b.content(faulty), whole), "another result")
}

// TestNoBoardPlatform builds where nobody knows the board platform: no tool runs.
func TestNoBoardPlatform(t *testing.T) {
	t.Parallel()
	b := newBench(t, standin.Options{})
	b.env = slices.DeleteFunc(b.env, func(v string) bool { return strings.HasPrefix(v, "PLATFORM_REPO_PATHS=") })
	o := b.run("build", "u50_axis3x")
	for _, want := range []string{"xilinx_u50_gen3x16_xdma_5_202210_1", "PLATFORM_REPO_PATHS"} {
		assert.Check(t, o.code != 0 && strings.Contains(o.err, want), "%q is not said: %v", want, o)
	}
	if calls := b.worked(); len(calls) > 0 {
		t.Errorf("%s ran", calls[0].Tool)
	}
}
