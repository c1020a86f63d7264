package targets_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// widest is how long a line may be, in columns, with a tab as one.
const widest = 120

// most is what the tree may grow to: what makes it larger lowers something else first.
var most = []struct {
	what  string
	limit int
	count func(c *census) int
}{
	{"Go packages", 118, func(c *census) int { return len(c.packages) }},
	{"lines of Go without tests", 132_842, func(c *census) int { return c.lines }},
	{"lines of tests", 101_415, func(c *census) int { return c.tests }},
	{"lines of Go wider than 120 columns, without tests (long literals)", 46, func(c *census) int { return c.wide }},
	{"lines of SystemVerilog that are too wide", 0, func(c *census) int { return c.wideHardware }},
	{"folders of verify", 18, func(c *census) int { return len(c.folders["verify"]) }},
	{"folders of gen/vitis", 7, func(c *census) int { return len(c.folders["gen/vitis"]) }},
}

// census counts what the repository is made of.
type census struct {
	packages           map[string]bool
	folders            map[string]map[string]bool // of these, by parent
	lines, tests, wide int
	wideHardware       int // lines of SystemVerilog
}

func (c *census) add(name string, text []byte) {
	dir := path.Dir(name)
	c.packages[dir] = true
	for d := dir; d != "."; d = path.Dir(d) {
		if of := c.folders[path.Dir(d)]; of != nil {
			of[d] = true
		}
	}
	n := bytes.Count(text, []byte("\n"))
	if strings.HasSuffix(name, "_test.go") {
		c.tests += n
		return
	}
	c.lines += n
	c.wide += tooWide(text)
}

func (c *census) addHardware(_ string, text []byte) { c.wideHardware += tooWide(text) }

// tooWide counts the lines of a text that are longer than the widest allowed.
func tooWide(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if len(bytes.TrimRight(line, "\n")) > widest {
			n++
		}
	}
	return n
}

// TestCensus holds the size of the tree.
func TestCensus(t *testing.T) {
	c := census{packages: map[string]bool{}, folders: map[string]map[string]bool{"verify": {}, "gen/vitis": {}}}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case e.IsDir() && name != "." && (name == "out" || strings.HasPrefix(base, ".")):
			return fs.SkipDir
		}
		var add func(string, []byte)
		switch path.Ext(strings.TrimSuffix(name, ".tmpl")) {
		case ".sv", ".svh":
			add = c.addHardware
		case ".go":
			if !strings.Contains(name, "testdata/") && path.Ext(name) == ".go" {
				add = c.add
			}
		}
		if add == nil {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err == nil {
			add(name, text)
		}
		return err
	})
	assert.NilError(t, err)
	assert.Assert(t, len(c.packages) >= 60 && c.tests >= c.lines/2,
		"%d packages, %d lines, %d of tests: not all is counted", len(c.packages), c.lines, c.tests)
	for _, m := range most {
		n := m.count(&c)
		t.Logf("%-66s %7d of %7d", m.what, n, m.limit)
		assert.Check(t, n <= m.limit, "%s: %d, at most %d", m.what, n, m.limit)
	}
}
