package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// tool finds a program, or skips the test and says what is not tested.
func tool(t *testing.T, name, untested string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("NOT TESTED: %s, because %s is not installed", untested, name)
	}
	return path
}

// run runs a program that is expected to succeed without a word.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// onDisk writes rendered files into a new directory.
func onDisk(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		put(t, dir, path, string(text))
	}
	return dir
}

func put(t *testing.T, dir, path, text string) {
	t.Helper()
	path = filepath.Join(dir, path)
	assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
}

// filesOf are the files that a renderer makes of a design, by their paths.
func filesOf(t testing.TB, render func(*design.Design) ([]File, error), d *design.Design) map[string]string {
	t.Helper()
	files, err := render(d)
	assert.NilError(t, err)
	out := map[string]string{}
	for _, f := range files {
		_, twice := out[f.Path]
		assert.Check(t, !twice, "%s is there twice", f.Path)
		out[f.Path] = string(f.Content)
	}
	return out
}

func driverPackage(t *testing.T, dir, folder string, d *design.Design) {
	t.Helper()
	for path, text := range filesOf(t, godriver, d) {
		put(t, dir, filepath.Join(folder, filepath.Base(path)), text)
	}
}

// driverRun runs a program that imports the driver package of a design, as generated/NAME.
func driverRun(t *testing.T, d *design.Design, source string) string {
	t.Helper()
	program := tool(t, "go", "what driver packages do when they run")
	dir, name := t.TempDir(), d.Platform.Name
	put(t, dir, "main.go", strings.ReplaceAll(source, "NAME", name))
	driverPackage(t, dir, name, d)
	userModule(t, dir)
	return run(t, dir, program, "run", ".")
}

// hostileTexts end comments and strings, or tell tools what to do.
var hostileTexts = []string{
	"*/ /* */* \" ` ' $(rm) \\u0041 %d {{.}} Ünïcödé \u202e\ufeff\x01\n`endif\r\n// verilator lint_off\t*/ } ?" + "?/",
	`ends in \`, "verilator lint_off WIDTH", "synopsys translate_off", "+build ignore", "go:build ignore", "/", "*",
	"?" + "?/ in the middle", "",
}

// reworded is a shipped design with every doc replaced by one of the texts, in
// turn.
func reworded(t *testing.T, texts ...string) *design.Design {
	d := *codeDesign(t, "u55c_tcp")
	p, g := *d.Platform, *d.Platform.ABI
	d.Platform, p.ABI = &p, &g
	p.Doc = texts[0]
	n := 0
	reword(reflect.ValueOf(&g).Elem(), func() string { n++; return texts[n%len(texts)] })
	return &d
}

// reword sets every Doc below a value, in copies of the slices on the way.
func reword(v reflect.Value, text func() string) {
	switch v.Kind() {
	case reflect.Slice:
		fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(fresh, v)
		v.Set(fresh)
		for i := range v.Len() {
			reword(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Doc" {
				v.Field(i).SetString(text())
			} else {
				reword(v.Field(i), text)
			}
		}
	}
}

// everyDesign calls test for all designs whose code must compile.
func everyDesign(t *testing.T, test func(t *testing.T, d *design.Design)) {
	for _, d := range codeDesigns(t) {
		t.Run(d.Platform.Name, func(t *testing.T) { test(t, d) })
	}
	t.Run("hostile docs", func(t *testing.T) { test(t, reworded(t, hostileTexts...)) })
	t.Run("no docs", func(t *testing.T) { test(t, reworded(t, "")) })
}

var strict = []string{"-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"}

func TestHeadersCompile(t *testing.T) {
	const source = "#include \"cclo_abi.h\"\n#include \"firmware/cclo_platform.h\"\n" +
		"extern const uint32_t words[];\nconst uint32_t words[] = CCLO_PLATFORM_COMMUNICATOR_OFFSETS;\n"
	for _, compiler := range []struct {
		name, program, file string
		flags               []string
	}{
		{"C", "gcc", "user.c", []string{"-std=c11", "-ffreestanding", "-nostdinc", "-isystem", "include"}},
		{"C++", "g++", "user.cc", []string{"-std=c++17", "-ffreestanding"}},
		{"RISC-V", "riscv64-unknown-elf-gcc", "user.c", []string{"-std=c11", "-ffreestanding", "-march=rv32im",
			"-misa-spec=2.2", "-mabi=ilp32"}},
	} {
		t.Run(compiler.name, func(t *testing.T) {
			program := tool(t, compiler.program, "headers in "+compiler.name)
			everyDesign(t, func(t *testing.T, d *design.Design) {
				dir := onDisk(t, codeFiles(t, d))
				put(t, dir, compiler.file, source)
				// The only header that may be asked for.
				put(t, dir, "include/stdint.h", "typedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\n"+
					"typedef unsigned int uint32_t;\ntypedef unsigned long uint64_t;\n")
				run(t, dir, program, append(append([]string{"-I."}, compiler.flags...), append(strict, compiler.file)...)...)
			})
		})
	}
}

func TestHLSHeaderCompiles(t *testing.T) {
	program := tool(t, "g++", "the header for kernels in C++")
	everyDesign(t, func(t *testing.T, d *design.Design) {
		dir := onDisk(t, codeFiles(t, d))
		put(t, dir, "kernel.cc", "#include \"hls/cclo_platform.h\"\n#include \"hls/cclo_platform.h\"\n"+
			"static_assert(cclo::platform::ClockMHz > 0, \"\");\nstatic_assert(cclo::Operation::Config != "+
			"cclo::Operation::Nop, \"\");\n")
		run(t, dir, program, append([]string{"-I.", "-std=c++14"}, append(strict, "kernel.cc")...)...)
	})
}

// TestHeadersTogether includes both headers of a platform in one file of C++,
// and finds out that a platform of another generation is refused.
func TestHeadersTogether(t *testing.T) {
	program := tool(t, "g++", "headers of a platform side by side")
	dir := onDisk(t, codeFiles(t, codeDesign(t, "u55c_tcp")))
	put(t, dir, "all.cc",
		"#include \"cclo_abi.h\"\n#include \"firmware/cclo_platform.h\"\n#include \"hls/cclo_platform.h\"\n")
	run(t, dir, program, append([]string{"-I.", "-std=c++17"}, append(strict, "all.cc")...)...)

	put(t, dir, "firmware/cclo_platform.h", string(codeFiles(t, codeDesign(t, "u280_2022"))["firmware/cclo_platform.h"]))
	cmd := exec.Command(program, "-I.", "-std=c++17", "-fsyntax-only", "all.cc")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	want := "platform u280_2022 is of interface generation accl-2022"
	assert.Check(t, err != nil && bytes.Contains(out, []byte(want)),
		"a platform of another generation compiles: %v\n%s", err, out)
}

// TestStructsInMemory compares the structs with the model as the compiler lays
// them out: a program prints every size and offset.
func TestStructsInMemory(t *testing.T) {
	program := tool(t, "gcc", "sizes and offsets of C structs")
	for _, name := range []string{"u55c_tcp", "u280_2022", "u280_manual"} {
		t.Run(name, func(t *testing.T) {
			d := codeDesign(t, name)
			dir := onDisk(t, codeFiles(t, d))
			var source, want strings.Builder
			source.WriteString("#include <stdio.h>\n#include <stddef.h>\n#include \"cclo_abi.h\"\nint main(void) {\n")
			size := func(name string, bytes int) {
				fmt.Fprintf(&source, "printf(\"%s %%d\\n\", (int)sizeof(struct cclo_%s));\n", name, name)
				fmt.Fprintf(&want, "%s %d\n", name, bytes)
			}
			offset := func(name, member string, bytes int) {
				fmt.Fprintf(&source, "printf(\"%s.%s %%d\\n\", (int)offsetof(struct cclo_%s, %s));\n", name, member, name, member)
				fmt.Fprintf(&want, "%s.%s %d\n", name, member, bytes)
			}
			words := func(name string, words []abi.RecordWord) {
				if len(words) == 0 {
					return
				}
				size(name, 4*len(words))
				for i, w := range words {
					offset(name, w.Name, 4*i)
				}
			}
			g := d.ABI()
			for _, r := range g.Records {
				words(r.Name, r.Words)
			}
			for _, m := range g.Memories {
				for _, table := range m.Tables {
					words(table.Name+"_header", table.Header)
					words(table.Name+"_record", table.Record)
				}
			}
			// Layouts of integers, as the contract has them.
			for _, name := range []string{"message_header", "tcp_read_request", "tcp_tx_meta", "tcp_open_connection",
				"tcp_open_status"} {
				layout := g.Layout(name)
				size(name, layout.Width/8)
				for _, f := range layout.Fields {
					offset(name, f.Name, f.Low/8)
				}
			}
			source.WriteString("return 0;\n}\n")
			put(t, dir, "print.c", source.String())
			run(t, dir, program, "-std=c11", "-I.", "-o", "print", "print.c")
			got := run(t, dir, filepath.Join(dir, "print"))
			same(t, want.String(), got)
		})
	}
}

// userModule makes a directory the module of a user, who has this one beside it.
func userModule(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	assert.NilError(t, err)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	assert.NilError(t, err)
	put(t, dir, "go.sum", string(sums))
	put(t, dir, "go.mod", fmt.Sprintf("module generated\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n",
		module, root))
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod")
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOWORK", "off")
}

const module = "github.com/cclforge/cclforge"

func TestDriverCompiles(t *testing.T) {
	program := tool(t, "go", "driver packages")
	dir := t.TempDir()
	everyDesign(t, func(t *testing.T, d *design.Design) {
		folder := strings.ReplaceAll(strings.ToLower(filepath.Base(t.Name())), " ", "_")
		for path, text := range codeFiles(t, d) {
			if !strings.HasPrefix(path, "driver/") {
				continue
			}
			canonical, err := format.Source(text)
			assert.Check(t, err == nil && bytes.Equal(canonical, text), "%s is not formatted as gofmt does: %v", path, err)
			put(t, dir, filepath.Join(folder, filepath.Base(path)), string(text))
		}
	})
	userModule(t, dir)
	run(t, dir, program, "vet", "-tags", "mage", "./...") // as the modules of cclforge were vetted
}

// TestDriverIsLean: a driver package brings nothing along but the driver.
func TestDriverIsLean(t *testing.T) {
	program := tool(t, "go", "what driver packages import")
	dir := t.TempDir()
	driverPackage(t, dir, "driver", codeDesign(t, "u55c_tcp"))
	userModule(t, dir)
	var others []string
	for line := range strings.Lines(run(t, dir, program, "list", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}{{end}}", "./driver")) {
		others = append(others, strings.TrimSpace(line))
	}
	same(t, []string{module + "/driver/accl", module + "/driver/layout", "generated/driver"}, others)
}

func same(t testing.TB, want, got any) {
	t.Helper()
	assert.Check(t, is.DeepEqual(want, got), "-want +")
}
