package firmware

import (
	"cmp"
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/abi"
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
	order := layerOrder(t)
	for name, generation := range designtest.Library(t).ABIs {
		objects := compiled(t, generation).symbols(t)
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

// objects are what the source files of a generation compile to, in a directory with these and the image.
type objects struct {
	in       *Inputs
	compiler *Compiler
	dir      string
	image    *firmware.Image
}

// made are the objects of each generation, which tests share.
var made = map[string]*objects{}

// compiled builds the image of a generation, once, and keeps object files, assembly and call
// graphs. Without a compiler the test is skipped.
func compiled(t *testing.T, g *abi.Generation) *objects {
	t.Helper()
	if o := made[g.Name]; o != nil {
		return o
	}
	in, err := InputsOf(g)
	assert.NilError(t, err)
	o := &objects{in: in, compiler: compilerOf(t), dir: filepath.Join(scratch, g.Name)}
	assert.NilError(t, os.Mkdir(o.dir, 0o777))
	o.image, err = in.build(t.Context(), o.compiler, o.dir, "-save-temps", "-dumpdir", "./", "-fcallgraph-info=su")
	assert.NilError(t, err)
	made[g.Name] = o
	return o
}

// scratch is for what tests share.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "cclforge-firmware-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(scratch)
		return m.Run()
	}())
}

// of are the source files with the ending of what was made of them, or with their own.
func (o *objects) of(ending string) (names []string) {
	for _, name := range o.in.names() {
		if ext := filepath.Ext(name); ext == ".c" || ext == ".S" {
			names = append(names, strings.TrimSuffix(name, ext)+cmp.Or(ending, ext))
		}
	}
	return names
}

// symbols are the global ones of each source file's object.
func (o *objects) symbols(t *testing.T) map[string][]elf.Symbol {
	t.Helper()
	all := map[string][]elf.Symbol{}
	objects := o.of(".o")
	for i, name := range o.of("") {
		f, err := elf.Open(filepath.Join(o.dir, objects[i]))
		assert.NilError(t, err)
		symbols, err := f.Symbols()
		f.Close()
		assert.NilError(t, err)
		all[name] = slices.DeleteFunc(symbols, func(s elf.Symbol) bool { return elf.ST_BIND(s.Info) != elf.STB_GLOBAL })
	}
	return all
}
