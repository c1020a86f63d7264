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

	"github.com/cclforge/cclforge/platforms"
)

// shippedText is a shipped file, changed.
func shippedText(t *testing.T, name, old, text string) string {
	t.Helper()
	shipped, err := fs.ReadFile(platforms.FS, name)
	if err != nil || !strings.Contains(string(shipped), old) {
		t.Fatalf("%s has no %q: %v", name, old, err)
	}
	return strings.Replace(string(shipped), old, text, 1)
}

const (
	noBrace = "kernel \"filter\" {\n  like = \"user_kernel\"\n\n  port \"data_from_cclo\" {\n    axis = \"in\"\n}\n"
	good    = "kernel \"filter\" {\n  like = \"user_kernel\"\n}\n"
	filter  = "platform \"mine\" {\n  board = \"u55c\"\n  cclo {\n    kernel_stream = \"filter\"\n  }\n  poe \"tcp\" " +
		"{}\n}\n"
)

// TestFilesWithErrors breaks one file. Platforms that use it are in error, with
// its errors and no others; for all others there is one warning that names it.
func TestFilesWithErrors(t *testing.T) {
	for _, c := range []struct {
		name, file, old, text string // without old the text is the whole file
		used, unused          string // platforms, or ""
		said                  string
	}{
		{name: "board", file: "boards/u50.hcl",
			old: "slrs", text: "slrss",
			used: "u50_tcp", unused: "u55c_tcp", said: `The argument "slrs" is required`},
		{name: "board, brace", file: "boards/u50.hcl",
			old: "  }\n\n  memory", text: "\n  memory",
			used: "u50_tcp", unused: "u55c_tcp", said: "Unclosed configuration block"},
		{name: "board, binary", file: "boards/u50.hcl",
			text: "\x7fELF\x00",
			used: "u50_tcp", unused: "u55c_tcp", said: "Not a text"},
		{name: "board of one's own", file: "boards/x.hcl",
			text: "board \"x\" {}\n",
			used: "", unused: "u55c_tcp", said: "part"},
		{name: "board that is there twice", file: "boards/u60.hcl",
			text: "board \"u50\" {\n  part = \"p\"\n  platform = \"p\"\n  slrs = 1\n  ports = 1\n}\n",
			used: "u50_tcp", unused: "u55c_tcp", said: "already described"},
		{name: "kernel that is named", file: "kernels/vadd_put.hcl",
			old: "hls {", text: "hsl {",
			used: "", unused: "u55c_tcp", said: "hsl"},
		{name: "kernel of which nobody knows what it is for", file: "kernels/vadd_put.hcl",
			old: "like", text: "liike",
			used: "u55c_tcp", unused: "", said: "liike"},
		{name: "plugin", file: "kernels/reduce_ops.hcl",
			text: "%%%",
			used: "u55c_tcp", unused: "", said: "kernels/reduce_ops.hcl:1"},
		{name: "kernel that a condition chooses", file: "kernels/rdma_stack.hcl",
			old: "role", text: "rolle",
			used: "u55c_rdma", unused: "u55c_tcp", said: "rolle"},
		{name: "the same, binary", file: "kernels/rdma_stack.hcl",
			text: "\x00",
			used: "u55c_rdma", unused: "u55c_tcp", said: "Not a text"},
		{name: "kernel of one's own", file: "kernels/filter.hcl",
			text: noBrace,
			used: "", unused: "u55c_tcp", said: "still open is port \"data_from_cclo\", on line 4."},
		{name: "kernel that closes streams", file: "kernels/loopback.hcl",
			text: "kernel \"loopback\" {",
			used: "u55c_tcp", unused: "", said: "kernels/loopback.hcl"},
		{name: "network engine of one's own", file: "kernels/mine.hcl",
			text: "kernel \"mine\" {\n  role = \"poe\"\n  each = \"poe\"\n  when = poe.kind == \"tcp\"\n",
			used: "u55c_tcp", unused: "u55c_udp", said: "kernels/mine.hcl"},
		{name: "kernel that is not HCL", file: "kernels/mine.hcl",
			text: "What is this?\n",
			used: "", unused: "u55c_tcp", said: "kernels/mine.hcl"},
		{name: "generation", file: "abi/own.hcl",
			text: "abi \"own\" {",
			used: "", unused: "u55c_tcp", said: "abi/own.hcl"},
		{name: "generation that is used", file: "abi/accl-2024.hcl",
			text: "abi \"accl-2024\" {",
			used: "u55c_tcp", unused: "", said: "abi/accl-2024.hcl"},
		{name: "platform", file: "x.hcl",
			text: "platform \"x\" {",
			used: "x", unused: "u55c_tcp", said: "platforms/x.hcl"},
		{name: "binary platform", file: "x.hcl",
			text: strings.Repeat("\x00\x1b[31m\xff\n", 1000),
			used: "x", unused: "u55c_tcp", said: "Not a text"},
		{name: "tools", file: "tools/vitis.hcl",
			text: "toolchain {",
			used: "u55c_tcp", unused: "", said: "tools/vitis.hcl"},
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
				if !errors.As(err, &p) {
					t.Fatalf("%s: %v", c.used, err)
				}
				for _, d := range p.Diags {
					if d.Subject.Filename != "platforms/"+c.file {
						t.Errorf("%s: another file is blamed: %v", c.used, d)
					}
				}
				if !strings.Contains(err.Error(), c.said) {
					t.Errorf("%s: no %q in:\n%v", c.used, c.said, err)
				}
			}
			if c.unused != "" {
				w := open(t.TempDir(), own, platforms.FS)
				if _, err := w.Validate(t.Context(), Selection{Only: c.unused}); err != nil {
					t.Errorf("%s: %v", c.unused, err)
				}
				validated := w.log.String()
				w.log.Reset()
				if _, err := w.Generate(t.Context(), Options{Selection: Selection{Only: c.unused}}); err != nil {
					t.Errorf("%s: %v", c.unused, err)
				}
				for _, log := range []string{validated, w.log.String()} {
					about := strings.Contains(log, "platforms/"+c.file+" has ") && strings.Contains(log, c.said)
					if strings.Count(log, "Warning: ") != 1 || !about {
						t.Errorf("%s, want one warning with %q:\n%s", c.unused, c.said, log)
					}
				}
			}
		})
	}
}

// TestSharedFilesAndPlatformsAtOnce has an error in a board, in kernels and in a
// platform that uses them.
func TestSharedFilesAndPlatformsAtOnce(t *testing.T) {
	wrong := strings.Replace(filter, "poe \"tcp\"", "clock = 1000\n\n  poe \"tpc\"", 1)
	own := fstest.MapFS{
		"mine.hcl":           {Data: []byte(wrong)},
		"boards/u55c.hcl":    {Data: []byte(shippedText(t, "boards/u55c.hcl", "slrs", "slrss"))},
		"kernels/filter.hcl": {Data: []byte(noBrace)},
	}
	for name, broken := range map[string][]string{
		"board, kernel and platform": {"mine.hcl", "boards/u55c.hcl", "kernels/filter.hcl"},
		"board and platform":         {"mine.hcl", "boards/u55c.hcl"},
		"kernel and platform":        {"mine.hcl", "kernels/filter.hcl"},
	} {
		t.Run(name, func(t *testing.T) {
			layer := fstest.MapFS{"kernels/filter.hcl": {Data: []byte(good)}}
			for _, file := range broken {
				layer[file] = own[file]
			}
			_, err := open("", layer, platforms.FS).Validate(t.Context(), Selection{Only: "mine"})
			if err == nil {
				t.Fatal("no error")
			}
			for _, file := range broken {
				if !strings.Contains(err.Error(), "platforms/"+file+":") {
					t.Errorf("nothing of %s in:\n%v", file, err)
				}
			}
			for _, said := range []string{"clock", "tpc"} {
				if !strings.Contains(err.Error(), said) {
					t.Errorf("no %q in:\n%v", said, err)
				}
			}
			for _, echo := range []string{"Unknown board", "Unknown kernel"} {
				if strings.Contains(err.Error(), echo) {
					t.Errorf("what is missing because of an error is missed:\n%v", err)
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
		if err := os.Mkdir(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := with()
	if _, err := w.Generate(t.Context(), Options{Selection: Selection{Only: "good,link,u50_tcp"}}); err != nil {
		t.Fatal(err)
	}
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
		if err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var table strings.Builder
	if err := with().Table(t.Context(), &table); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"fifo ", "directory ", "good ", "link ", "u55c_tcp "} {
		if !strings.Contains(table.String(), "\n"+row) {
			t.Errorf("no row %q in:\n%s", row, &table)
		}
	}
	if _, err := Format(dir, true); err != nil {
		t.Error(err)
	}
}
