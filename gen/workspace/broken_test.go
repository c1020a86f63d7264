package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/platforms"
)

// shippedText is a shipped file, changed.
func shippedText(t *testing.T, name, old, text string) string {
	t.Helper()
	shipped, err := fs.ReadFile(platforms.FS, name)
	assert.Assert(t, err == nil && strings.Contains(string(shipped), old), "%s has no %q: %v", name, old, err)
	return strings.Replace(string(shipped), old, text, 1)
}

const noBrace = "kernel \"filter\" {\n  like = \"user_kernel\"\n\n  port \"data_from_cclo\" {\n    axis = \"in\"\n}\n"

// TestFilesWithErrors breaks one file. Platforms that use it are in error, with
// its errors and no others; for all others there is one warning that names it.
func TestFilesWithErrors(t *testing.T) {
	for _, c := range []struct {
		name, file, old, text string // without old the text is the whole file
		used, unused          string // platforms, or ""
		said                  string
	}{
		{"board", "boards/u50.hcl", "slrs", "slrss", "u50_tcp", "u55c_tcp",
			`The argument "slrs" is required`},
		{"board, brace", "boards/u50.hcl", "  }\n\n  memory", "\n  memory", "u50_tcp", "u55c_tcp",
			"Unclosed configuration block"},
		{"board, binary", "boards/u50.hcl", "", "\x7fELF\x00", "u50_tcp", "u55c_tcp", "Not a text"},
		{"board of one's own", "boards/x.hcl", "", "board \"x\" {}\n", "", "u55c_tcp", "part"},
		{"board that is there twice", "boards/u60.hcl", "",
			"board \"u50\" {\n  part = \"p\"\n  platform = \"p\"\n  slrs = 1\n  ports = 1\n}\n", "u50_tcp", "u55c_tcp",
			"already described"},
		{"kernel that is named", "kernels/vadd_put.hcl", "hls {", "hsl {", "", "u55c_tcp", "hsl"},
		{"kernel of which nobody knows what it is for", "kernels/vadd_put.hcl", "like", "liike", "u55c_tcp", "",
			"liike"},
		{"plugin", "kernels/reduce_ops.hcl", "", "%%%", "u55c_tcp", "", "kernels/reduce_ops.hcl:1"},
		{"kernel that a condition chooses", "kernels/rdma_stack.hcl", "role", "rolle", "u55c_rdma", "u55c_tcp",
			"rolle"},
		{"the same, binary", "kernels/rdma_stack.hcl", "", "\x00", "u55c_rdma", "u55c_tcp", "Not a text"},
		{"kernel of one's own", "kernels/filter.hcl", "", noBrace, "", "u55c_tcp",
			"still open is port \"data_from_cclo\", on line 4."},
		{"kernel that closes streams", "kernels/loopback.hcl", "", "kernel \"loopback\" {", "u55c_tcp", "",
			"kernels/loopback.hcl"},
		{"network engine of one's own", "kernels/mine.hcl", "",
			"kernel \"mine\" {\n  role = \"poe\"\n  each = \"poe\"\n  when = poe.kind == \"tcp\"\n", "u55c_tcp",
			"u55c_udp", "kernels/mine.hcl"},
		{"kernel that is not HCL", "kernels/mine.hcl", "", "What is this?\n", "", "u55c_tcp", "kernels/mine.hcl"},
		{"generation", "abi/own.hcl", "", "abi \"own\" {", "", "u55c_tcp", "abi/own.hcl"},
		{"generation that is used", "abi/accl-2024.hcl", "", "abi \"accl-2024\" {", "u55c_tcp", "",
			"abi/accl-2024.hcl"},
		{"platform", "x.hcl", "", "platform \"x\" {", "x", "u55c_tcp", "platforms/x.hcl"},
		{"binary platform", "x.hcl", "", strings.Repeat("\x00\x1b[31m\xff\n", 1000), "x", "u55c_tcp", "Not a text"},
		{"tools", "tools/vitis.hcl", "", "toolchain {", "u55c_tcp", "", "tools/vitis.hcl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.text
			if c.old != "" {
				text = shippedText(t, c.file, c.old, c.text)
			}
			own := fstest.MapFS{c.file: {Data: []byte(text)}}
			if c.used != "" {
				_, err := open("", own, platforms.FS).Validate(t.Context(), Selection{Only: c.used})
				var p *Problems
				assert.Assert(t, errors.As(err, &p), "%s: %v", c.used, err)
				for _, d := range p.Diags {
					assert.Check(t, is.Equal(d.Subject.Filename, "platforms/"+c.file), "%s: another file is blamed: %v", c.used, d)
				}
				assert.Check(t, strings.Contains(err.Error(), c.said), "%s: no %q in:\n%v", c.used, c.said, err)
			}
			if c.unused != "" {
				w := open(t.TempDir(), own, platforms.FS)
				_, err := w.Validate(t.Context(), Selection{Only: c.unused})
				assert.Check(t, err, "%s", c.unused)
				validated := w.log.String()
				w.log.Reset()
				_, err = w.Generate(t.Context(), Options{Selection: Selection{Only: c.unused}})
				assert.Check(t, err, "%s", c.unused)
				for _, log := range []string{validated, w.log.String()} {
					about := strings.Contains(log, "platforms/"+c.file+" has ") && strings.Contains(log, c.said)
					assert.Check(t, strings.Count(log, "Warning: ") == 1 && about,
						"%s, want one warning with %q:\n%s", c.unused, c.said, log)
				}
			}
		})
	}
}

// TestIrregularFiles has in the platforms folder what is no file. What cannot be
// read is an error of its own; nothing waits for somebody to write to a FIFO.
func TestIrregularFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "elsewhere.hcl"), small("link", "u50"))
	put(t, filepath.Join(dir, "platforms/good.hcl"), small("good", "u50"))
	at := func(name string) string { return filepath.Join(dir, "platforms", name) }
	links := map[string]string{"link.hcl": "../elsewhere.hcl", "dangling.hcl": "nowhere", "circle.hcl": "circle.hcl"}
	for name, target := range links {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Skip(err)
		}
	}
	for _, name := range []string{"boards", "kernels", "directory.hcl", "boards/directory.hcl"} {
		assert.NilError(t, os.Mkdir(at(name), 0o755))
	}
	for _, name := range []string{"fifo.hcl", "boards/fifo.hcl", "kernels/fifo.hpp"} {
		if out, err := exec.Command("mkfifo", at(name)).CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, out)
		}
	}
	with := func() *testWorkspace {
		w := &testWorkspace{}
		var err error
		w.Workspace, err = Open(dir, func(format string, args ...any) { fmt.Fprintf(&w.log, format+"\n", args...) })
		assert.NilError(t, err)
		return w
	}
	w := with()
	_, err := w.Generate(t.Context(), Options{Selection: Selection{Only: "good,link,u50_tcp"}})
	assert.NilError(t, err)
	for _, name := range []string{
		"circle.hcl", "dangling.hcl", "directory.hcl", "fifo.hcl",
		"boards/directory.hcl", "boards/fifo.hcl", "kernels/fifo.hpp",
	} {
		if n := strings.Count(w.log.String(), "platforms/"+name+" has 1 error"); n != 1 {
			t.Errorf("%d warnings of %s:\n%s", n, name, w.log.String())
		}
	}
	if n := strings.Count(w.log.String(), "Warning: "); n != 7 {
		t.Errorf("%d warnings:\n%s", n, w.log.String())
	}
	for name, said := range map[string]string{
		"fifo":      "platforms/fifo.hcl cannot be read: it is not a regular file.",
		"directory": "platforms/directory.hcl cannot be read: it is a directory.",
		"dangling":  "platforms/dangling.hcl cannot be read: ",
		"circle":    "platforms/circle.hcl cannot be read: ",
	} {
		_, err := with().Validate(t.Context(), Selection{Only: name})
		assert.Check(t, is.ErrorContains(err, said), "%s", name)
	}
	var table strings.Builder
	assert.NilError(t, with().Table(t.Context(), &table))
	for _, row := range []string{"fifo ", "directory ", "good ", "link ", "u55c_tcp "} {
		if !strings.Contains(table.String(), "\n"+row) {
			t.Errorf("no row %q in:\n%s", row, &table)
		}
	}
	_, err = Format(dir, true)
	assert.Check(t, err)
}
