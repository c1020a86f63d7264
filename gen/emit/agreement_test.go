package emit

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
)

// said is what the code of a language says: numbers and lists by name.
type said struct {
	numbers map[string]uint64
	lists   map[string][]uint64
}

func newSaid() said { return said{map[string]uint64{}, map[string][]uint64{}} }

func (s said) check(t *testing.T, numbers map[string]uint64, lists map[string][]uint64) {
	t.Helper()
	same(t, numbers, s.numbers)
	same(t, lists, s.lists)
}

func parseNumber(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 0, 64)
	assert.NilError(t, err, "not a number: %q", text)
	return n
}

func macroName(f fact) string { return "CCLO_" + parameterName(f) }

func parameterName(f fact) string { return strings.ToUpper(strings.ReplaceAll(f.path, " ", "_")) }

func goName(f fact) string { return camel(strings.Fields(strings.TrimPrefix(f.path, "platform "))...) }

// scopedName is the name in C++: a path of a namespace or enum and the rest.
func scopedName(f fact) string {
	scope, rest, nested := strings.Cut(f.path, " ")
	if !nested {
		return camel(f.path)
	}
	if f.code {
		scope = camel(scope)
	}
	return scope + "::" + camel(strings.Fields(rest)...)
}

var macro = regexp.MustCompile(`^#define (CCLO_\w+) +(?:(0x[0-9A-F]+|[0-9]+)u?|\{ (.*) \})(?: +/\*.*\*/)?$`)

func readMacros(t *testing.T, text []byte) said {
	t.Helper()
	out := newSaid()
	for line := range strings.Lines(string(text)) {
		m := macro.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		switch {
		case m == nil:
		case m[3] != "":
			for _, item := range strings.Split(m[3], ", ") {
				out.lists[m[1]] = append(out.lists[m[1]], parseNumber(t, strings.TrimSuffix(item, "u")))
			}
		default:
			out.numbers[m[1]] = parseNumber(t, m[2])
		}
	}
	return out
}

func TestHeadersAgree(t *testing.T) {
	for _, d := range append(codeDesigns(t), moved(t)) {
		t.Run(d.Platform.Name, func(t *testing.T) {
			files := codeFiles(t, d)
			g := readMacros(t, files["cclo_abi.h"])
			identifier := "CCLO_GENERATION_" + strings.ToUpper(strings.ReplaceAll(d.ABI().Name, "-", "_"))
			assert.Check(t, is.Equal(g.numbers[identifier], uint64(1)), "%s is not 1", identifier)
			delete(g.numbers, identifier)
			for _, s := range cShapes { // of TestFirmwareKnowsOperations
				delete(g.numbers, s.Name)
			}
			g.check(t, named(generationFacts(d.ABI()), macroName, nil), map[string][]uint64{})

			facts := append(platformNumbers(d), selectionFacts(d)...)
			lists := joinedMaps(listFacts(d), configFacts(d))
			readMacros(t, files["firmware/cclo_platform.h"]).check(t, named(facts, macroName, nil), namedLists(lists, macroName))
		})
	}
}

var (
	svParameter = regexp.MustCompile(`^ +localparam (bit|int unsigned|logic \[(\d+):0\]) +(\w+) += (.*);(?: +//.*)?$`)
	svEnum      = regexp.MustCompile(`^ +typedef enum logic \[(\d+):0\] \{$`)
	svValue     = regexp.MustCompile(`^ +(\w+) += (\d+)'d(\d+),?(?: +//.*)?$`)
	svMember    = regexp.MustCompile(`^ +logic(?: \[(\d+):0\])? +(\w+);(?: +//.*)?$`)
	svTypeName  = regexp.MustCompile(`^ +\} (\w+)_t;$`)
	svLiteral   = regexp.MustCompile(`^(\d+)'([bdh])([0-9A-F]+)$`)
)

// readLiteral reads a sized number of SystemVerilog.
func readLiteral(t *testing.T, text string) (bits int, value uint64) {
	t.Helper()
	m := svLiteral.FindStringSubmatch(text)
	assert.Assert(t, m != nil, "not a sized number: %q", text)
	bits, _ = strconv.Atoi(m[1])
	value, err := strconv.ParseUint(m[3], map[string]int{"b": 2, "d": 10, "h": 16}[m[2]], bits)
	assert.NilError(t, err)
	return bits, value
}

// svStruct is a packed struct as it was read, its first member first.
type svStruct []svRead

type svRead struct {
	name string
	bits int
}

// readPackage reads parameters, values of enums and structs of a package.
func readPackage(t *testing.T, text []byte) (said, map[string]svStruct) {
	t.Helper()
	out, structs := newSaid(), map[string]svStruct{}
	var members svStruct
	enumBits := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if m := svParameter.FindStringSubmatch(line); m != nil {
			if list, ok := strings.CutPrefix(m[4], "{"); ok {
				for _, item := range strings.Split(strings.TrimSuffix(list, "}"), ", ") {
					_, value := readLiteral(t, item)
					out.lists[m[3]] = append(out.lists[m[3]], value)
				}
				slices.Reverse(out.lists[m[3]])
				if want := fmt.Sprint(32*len(out.lists[m[3]]) - 1); m[2] != want {
					t.Errorf("%s: highest bit %s, want %s", m[3], m[2], want)
				}
				continue
			}
			bits, value := readLiteral(t, m[4])
			if m[2] != "" && m[2] != fmt.Sprint(bits-1) || m[1] == "bit" && bits != 1 || m[1] == "int unsigned" && bits != 32 {
				t.Errorf("%s is declared as %s, but its value has %d bits", m[3], m[1], bits)
			}
			out.numbers[m[3]] = value
		} else if m := svEnum.FindStringSubmatch(line); m != nil {
			enumBits, _ = strconv.Atoi(m[1])
			enumBits++
		} else if m := svValue.FindStringSubmatch(line); m != nil && enumBits > 0 {
			if m[2] != fmt.Sprint(enumBits) {
				t.Errorf("%s has %s bits, its enum %d", m[1], m[2], enumBits)
			}
			out.numbers[m[1]] = parseNumber(t, m[3])
		} else if m := svMember.FindStringSubmatch(line); m != nil {
			high, _ := strconv.Atoi(m[1])
			members = append(members, svRead{m[2], high + 1})
		} else if m := svTypeName.FindStringSubmatch(line); m != nil {
			if enumBits == 0 {
				structs[m[1]] = members
			}
			members, enumBits = nil, 0
		}
	}
	return out, structs
}

func TestPackagesAgree(t *testing.T) {
	for _, d := range append(codeDesigns(t), moved(t)) {
		t.Run(d.Platform.Name, func(t *testing.T) {
			got, structs := readPackage(t, codeFiles(t, d)["rtl/cclo_pkg.sv"])
			facts := slices.Concat(generationFacts(d.ABI()), platformNumbers(d), selectionFacts(d), portFacts(d))
			numbers := named(facts, parameterName, func(f fact) bool { return f.word })
			got.check(t, numbers, namedLists(joinedMaps(listFacts(d), configFacts(d)), parameterName))
			checkStructs(t, d.ABI(), structs)
		})
	}
}

// checkStructs compares the packed structs with the layouts, bit by bit.
func checkStructs(t *testing.T, g *abi.Generation, structs map[string]svStruct) {
	t.Helper()
	assert.Check(t, len(structs) == len(g.Layouts), "%d structs for %d layouts", len(structs), len(g.Layouts))
	for _, layout := range g.Layouts {
		places := map[string][2]int{}
		at := 0
		for _, m := range slices.Backward(structs[layout.Name]) {
			places[strings.TrimSuffix(m.name, "_")] = [2]int{at, at + m.bits - 1}
			at += m.bits
		}
		assert.Check(t, at == layout.Width, "%s_t has %d bits, want %d", layout.Name, at, layout.Width)
		for _, f := range layout.Fields {
			if got := places[f.Name]; got != [2]int{f.Low, f.High} {
				t.Errorf("%s_t.%s is at bits %d:%d, want %d:%d", layout.Name, f.Name, got[1], got[0], f.High, f.Low)
			}
			delete(places, f.Name)
		}
		for name := range places {
			assert.Check(t, strings.HasPrefix(name, "_reserved_"), "%s_t.%s is no field of the layout", layout.Name, name)
		}
	}
}

var (
	cppConstant  = regexp.MustCompile(`^constexpr (?:bool|uint32_t|uint64_t) +(\w+)(\[\])? += (.*);(?: +//.*)?$`)
	cppValue     = regexp.MustCompile(`^    (\w+) += (\d+),(?: +//.*)?$`)
	cppEnum      = regexp.MustCompile(`^enum class (\w+) : uint32_t \{$`)
	cppNamespace = regexp.MustCompile(`^namespace (\w+) \{$`)
)

func readHLS(t *testing.T, text []byte) said {
	t.Helper()
	out := newSaid()
	var scope []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		qualified := func(name string) string { return strings.Join(append(slices.Clone(scope[1:]), name), "::") }
		if m := cppNamespace.FindStringSubmatch(line); m != nil {
			scope = append(scope, m[1])
		} else if m := cppEnum.FindStringSubmatch(line); m != nil {
			scope = append(scope, m[1])
		} else if strings.HasPrefix(line, "}") {
			scope = scope[:len(scope)-1]
		} else if m := cppValue.FindStringSubmatch(line); m != nil {
			out.numbers[qualified(m[1])] = parseNumber(t, m[2])
		} else if m := cppConstant.FindStringSubmatch(line); m != nil {
			switch {
			case m[2] != "":
				for _, item := range strings.Split(strings.Trim(m[3], "{}"), ", ") {
					out.lists[qualified(m[1])] = append(out.lists[qualified(m[1])], parseNumber(t, item))
				}
			case m[3] == "true" || m[3] == "false":
				out.numbers[qualified(m[1])] = map[string]uint64{"true": 1}[m[3]]
			default:
				out.numbers[qualified(m[1])] = parseNumber(t, m[3])
			}
		}
	}
	return out
}

func TestHLSAgrees(t *testing.T) {
	for _, d := range append(codeDesigns(t), moved(t)) {
		t.Run(d.Platform.Name, func(t *testing.T) {
			facts := slices.Concat(generationFacts(d.ABI()), platformNumbers(d), selectionFacts(d), portFacts(d))
			numbers := named(facts, scopedName, func(f fact) bool { return f.word })
			readHLS(t, codeFiles(t, d)["hls/cclo_platform.h"]).check(t, numbers,
				namedLists(joinedMaps(listFacts(d), configFacts(d)), scopedName))
		})
	}
}

// returnCodes imports, of any package, a type of return codes.
type returnCodes struct{}

func (returnCodes) Import(path string) (*gotypes.Package, error) {
	pkg := gotypes.NewPackage(path, filepath.Base(path))
	name := gotypes.NewTypeName(token.NoPos, pkg, "ReturnCode", nil)
	gotypes.NewNamed(name, gotypes.Typ[gotypes.Uint32], nil)
	pkg.Scope().Insert(name)
	pkg.MarkComplete()
	return pkg, nil
}

// readConstants evaluates the numeric constants of a Go package.
func readConstants(t *testing.T, name string, files map[string][]byte) map[string]uint64 {
	t.Helper()
	set := token.NewFileSet()
	var parsed []*ast.File
	for path, text := range files {
		if !strings.HasPrefix(path, "driver/") {
			continue
		}
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		assert.NilError(t, err)
		assert.Check(t, is.Equal(file.Name.Name, name), "%s: package", path)
		parsed = append(parsed, file)
	}
	// Constants need the type of return codes alone; that the package compiles is
	// another test.
	config := gotypes.Config{Error: func(error) {}, Importer: returnCodes{}}
	pkg, _ := config.Check(name, set, parsed, nil)
	out := map[string]uint64{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*gotypes.Const)
		if !ok {
			continue
		}
		switch v := c.Val(); v.Kind() {
		case constant.Bool:
			out[name] = 0
			if constant.BoolVal(v) {
				out[name] = 1
			}
		case constant.Int:
			n, exact := constant.Uint64Val(v)
			assert.Check(t, exact, "%s = %s", name, v)
			out[name] = n
		}
	}
	return out
}

func TestGoConstantsAgree(t *testing.T) {
	for _, d := range append(codeDesigns(t), moved(t)) {
		t.Run(d.Platform.Name, func(t *testing.T) {
			facts := append(generationFacts(d.ABI()), platformNumbers(d)...)
			want := named(facts, goName, func(f fact) bool { return f.bit })
			same(t, want, readConstants(t, d.Platform.Name, codeFiles(t, d)))
		})
	}
}

// TestReservedNames: whatever a driver package exports beside what the
// description names is known to the search for collisions.
func TestReservedNames(t *testing.T) {
	d := codeDesign(t, "u55c_tcp")
	files := codeFiles(t, d)
	names := map[string]bool{}
	for path, text := range files {
		if !strings.HasPrefix(path, "driver/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		assert.NilError(t, err)
		for name := range file.Scope.Objects {
			names[name] = ast.IsExported(name)
		}
	}
	described := named(append(generationFacts(d.ABI()), platformNumbers(d)...), goName, nil)
	for name := range namedLists(listFacts(d), goName) {
		described[name] = 0
	}
	g := d.ABI()
	for _, e := range g.Enums {
		described[camel(e.Name)] = 0
	}
	for _, b := range g.BitSets {
		described[camel(b.Name)] = 0
	}
	for _, r := range g.Records {
		described[camel(r.Name)] = 0
	}
	for _, m := range g.Memories {
		for _, table := range m.Tables {
			described[camel(table.Name, "header")], described[camel(table.Name, "record")] = 0, 0
		}
	}
	var own []string
	for name, exported := range names {
		if _, known := described[name]; exported && !known {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	reserved := slices.Sorted(slices.Values(slices.Concat(goCommonNames, goPlatformNames)))
	same(t, reserved, own)
}
