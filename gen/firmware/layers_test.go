package firmware

import (
	"context"
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

var sourceName = regexp.MustCompile("`(\\w+\\.[cS])`")

// layerOrder is the order of the source files that the README of the firmware gives in its table, lowest first.
func layerOrder(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../firmware/README.md")
	assert.NilError(t, err)
	var order []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.Contains(cells[1], "---") {
			continue
		}
		for _, m := range sourceName.FindAllStringSubmatch(cells[2], -1) {
			order = append(order, m[1])
		}
	}
	return order
}

// entries are what the start-up code enters: all else that it needs is its own.
var entries = []string{"cclo_main", "scheduler"}

// TestNoFileCallsUpwards holds the symbols of the object files against the layers of the README: a file needs
// symbols of files before it only.
func TestNoFileCallsUpwards(t *testing.T) {
	compiler := compilerOf(t)
	order := layerOrder(t)
	for name, generation := range designtest.Library(t).ABIs {
		in, err := InputsOf(generation)
		assert.NilError(t, err)
		objects := compileObjects(t.Context(), t, in, compiler)
		definedIn := map[string]string{}
		for file, symbols := range objects {
			assert.Check(t, slices.Contains(order, file), "the README of the firmware has no layer for %s", file)
			for _, s := range symbols {
				if s.Section != elf.SHN_UNDEF {
					definedIn[s.Name] = file
				}
			}
		}
		edges := 0
		for file, symbols := range objects {
			for _, s := range symbols {
				of := definedIn[s.Name]
				if s.Section != elf.SHN_UNDEF || of == "" || file == "start.S" && slices.Contains(entries, s.Name) {
					continue
				}
				edges++
				assert.Check(t, slices.Index(order, of) <= slices.Index(order, file),
					"%s: %s uses %s of %s, which is above it", name, file, s.Name, of)
			}
		}
		assert.Check(t, edges >= 100, "%s: only %d uses of other files were found", name, edges)
	}
}

// compileObjects gives the global symbols of each source file's object.
func compileObjects(ctx context.Context, t *testing.T, in *Inputs, c *Compiler) map[string][]elf.Symbol {
	t.Helper()
	dir := t.TempDir()
	args := []string{"-c", "-I."}
	for _, flag := range in.flags {
		if !strings.HasPrefix(flag, "-Wl,") {
			args = append(args, flag)
		}
	}
	objects := map[string][]elf.Symbol{}
	for _, name := range in.names() {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name), in.files[name], 0o644))
		if ext := filepath.Ext(name); ext == ".c" || ext == ".S" {
			args = append(args, name)
			objects[name] = nil
		}
	}
	assert.NilError(t, c.run(ctx, dir, args))
	for name := range objects {
		f, err := elf.Open(filepath.Join(dir, strings.TrimSuffix(name, filepath.Ext(name))+".o"))
		assert.NilError(t, err)
		symbols, err := f.Symbols()
		f.Close()
		assert.NilError(t, err)
		objects[name] = slices.DeleteFunc(symbols, func(s elf.Symbol) bool { return elf.ST_BIND(s.Info) != elf.STB_GLOBAL })
	}
	return objects
}
