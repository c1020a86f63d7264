package output

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

var errStopped = errors.New("stopped")

// stopAfter lets n changes of the file system happen and none after them, as if
// the process had been killed there.
func stopAfter(n int) func(op, name string) error {
	return func(op, name string) error {
		if n--; n < 0 {
			return errStopped
		}
		return nil
	}
}

var (
	setA = contents{"link.cfg": "A link", "docs/manual.md": "A manual", "same": "both", "was_dir/x": "A x",
		"was_file": "A f"}
	setB = contents{"link.cfg": "B link", "rtl/pkg.sv": "B package", "same": "both", "was_dir": "B d",
		"was_file/y/z": "B z"}
	mine = contents{"notes.txt": "mine", "docs/own.md": "mine", "rtl/own.sv": "mine"}
)

// checkWhole fails if a file has a content that nobody meant it to have.
func checkWhole(t *testing.T, dir string, sets ...contents) {
	t.Helper()
	for name, text := range snapshot(t, dir) {
		base := filepath.Base(name)
		if strings.HasSuffix(name, "/") || name == ManifestName || strings.HasSuffix(base, temporarySuffix) {
			continue
		}
		whole := false
		for _, s := range sets {
			meant, ok := s[name]
			whole = whole || ok && meant == text
		}
		assert.Check(t, whole, "%s holds %q", name, text)
	}
}

// TestInterruptionAtEveryStep stops a run before each change it makes, and
// checks that no file is half, and that the next run ends where an undisturbed
// one would.
func TestInterruptionAtEveryStep(t *testing.T) {
	for _, test := range []struct {
		name               string
		before, then, last contents // nil: nothing is there, or everything is removed
	}{
		{"first run", nil, setA, setA},
		{"first run, then another set", nil, setA, setB},
		{"first run, then removal", nil, setA, nil},
		{"change", setA, setB, setB},
		{"change taken back", setA, setB, setA},
		{"change, then removal", setA, setB, nil},
		{"change, then all else", setA, setB, contents{"only": "this"}},
		{"removal", setA, nil, nil},
		{"removal, then again", setA, nil, setA},
	} {
		t.Run(test.name, func(t *testing.T) {
			for n := 0; ; n++ {
				if n > 1000 {
					t.Fatal("a run does not end")
				}
				base := t.TempDir()
				for name, text := range mine {
					put(t, base, "p/"+name, text)
				}
				if test.before != nil {
					mustApply(t, testDir(base), test.before)
				}
				err := run(t, testDir(base), test.then, stopAfter(n))
				checkWhole(t, filepath.Join(base, "p"), test.before, test.then, mine)
				assert.NilError(t, run(t, testDir(base), test.last, nil), "step %d", n)
				got := snapshot(t, filepath.Join(base, "p"))
				assert.Assert(t, is.DeepEqual(want(test.last, mine, got[ManifestName]), got), "step %d (-want +got)", n)
				if err == nil {
					t.Logf("%d steps", n)
					return
				}
				assert.ErrorIs(t, err, errStopped, "step %d", n)
			}
		})
	}
}

func run(t *testing.T, d Dir, set contents, step func(op, name string) error) error {
	t.Helper()
	d.step = step
	var p *Plan
	var err error
	if set == nil {
		p, err = d.PlanRemoval()
	} else {
		p, err = d.Plan(testManifest(), set.files())
	}
	assert.NilError(t, err)
	return p.Apply(t.Context())
}
