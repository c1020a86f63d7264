package emit

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// witnesses are one platform of each generation, and the folder of what the
// generation itself renders.
var witnesses = []string{"u55c_tcp", "u280_2022", "u280_manual"}

// rendering is everything that is rendered of the witnesses: path → text.
type rendering struct {
	files       map[string]string
	generations map[string]*abi.Generation
}

// render renders the witnesses whose generation differs from that of another
// rendering; what is rendered is a function of the model, so the others are as
// they were.
func render(t *testing.T, lib *platform.Library, unless map[string]*abi.Generation) (rendering, hcl.Diagnostics) {
	t.Helper()
	out := rendering{files: map[string]string{}, generations: map[string]*abi.Generation{}}
	for _, name := range witnesses {
		d, diags := design.Load(lib, name, lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
		if diags.HasErrors() {
			return out, diags
		}
		g := d.ABI()
		out.generations[name] = g
		if unless != nil && sameGeneration(unless[name], g) {
			continue
		}
		var made []File
		for _, render := range []func(*design.Design) ([]File, error){vitis, rtl, hls, godriver, docs} {
			files, err := render(d)
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, files...)
		}
		shared, err := Generation(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range made {
			out.files[name+"/"+f.Path] = string(f.Content)
		}
		for _, f := range shared {
			out.files[name+"/abi/"+f.Path] = string(f.Content)
		}
	}
	return out, nil
}

// mutation is another value for one number of a file.
type mutation struct {
	file       string
	start, end int
	text       string
	path       string   // where it stands, for messages
	names      []string // of the thing and what it belongs to, innermost last
}

func (m mutation) apply(text []byte) []byte {
	return slices.Concat(text[:m.start], []byte(m.text), text[m.end:])
}

// numbers finds the values of a file that renderings are made of, and proposes
// others for each, of which the first that is valid is used.
func numbers(t *testing.T, file string, text []byte) [][]mutation {
	t.Helper()
	parsed, diags := hclsyntax.ParseConfig(text, file, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var out [][]mutation
	var visit func(body *hclsyntax.Body, path []string)
	visit = func(body *hclsyntax.Body, path []string) {
		for name, attr := range body.Attributes {
			rng := attr.Expr.Range()
			old := string(text[rng.Start.Byte:rng.End.Byte])
			propose := func(rng hcl.Range, names []string, candidates ...string) {
				names = names[max(0, len(names)-3):]
				var m []mutation
				for _, c := range candidates {
					m = append(m, mutation{file, rng.Start.Byte, rng.End.Byte, c, strings.Join(append(path, name), "."), names})
				}
				out = append(out, m)
			}
			switch {
			case name == "is":
				candidates := []string{old + " + 1"}
				for n := 11; n < 64; n += 4 {
					candidates = append(candidates, fmt.Sprint(n))
				}
				propose(rng, path, append(candidates, "177", "0", "1", "2", "3")...)
			case name == "at" && path[len(path)-2] == "bit":
				var candidates []string
				for n := range 32 {
					candidates = append(candidates, fmt.Sprint(31-n))
				}
				propose(rng, path, candidates...)
			case name == "at":
				var candidates []string
				for at := 0x4C; at < 0x10000; at = at*2 - 8 {
					candidates = append(candidates, fmt.Sprintf("hex(\"%X\")", at))
				}
				for at := 0x1F00; at < 0x2000; at += 4 {
					candidates = append(candidates, fmt.Sprintf("hex(\"%X\")", at))
				}
				for at := 0xF80; at < 0x1000; at += 4 {
					candidates = append(candidates, fmt.Sprintf("hex(\"%X\")", at))
				}
				propose(rng, path, append(candidates, `hex("F8")`)...)
			case name == "bits":
				high, low, two := strings.Cut(strings.Trim(old, `"`), ":")
				var h, l int
				fmt.Sscan(high, &h)
				fmt.Sscan(low, &l)
				if two {
					propose(rng, path, fmt.Sprintf(`"%d:%d"`, h, l+1), fmt.Sprintf(`"%d:%d"`, h-1, l))
				} else {
					var candidates []string
					for n := range 32 {
						candidates = append(candidates, fmt.Sprintf(`"%d"`, 31-n))
					}
					propose(rng, path, append(candidates, `"96"`, `"127"`)...)
				}
			case name == "tdest":
				if object, ok := attr.Expr.(*hclsyntax.ObjectConsExpr); ok {
					for _, item := range object.Items {
						key := hcl.ExprAsKeyword(item.KeyExpr)
						propose(item.ValueExpr.Range(), append(slices.Clone(path), key), "27")
					}
				} else if path[0] == "conversion" || path[len(path)-2] != "port" {
					propose(rng, path, "7")
				}
			}
		}
		for _, b := range body.Blocks {
			if b.Type == "port" {
				continue // widths of ports are no facts of the interface
			}
			visit(b.Body, append(slices.Clone(path), append([]string{b.Type}, b.Labels...)...))
		}
	}
	visit(parsed.Body.(*hclsyntax.Body), nil)
	return out
}

// changed is the lines that stand in only one of two texts.
func changed(a, b string) []string {
	if a == b {
		return nil
	}
	count := map[string]int{}
	for line := range strings.Lines(a) {
		count[strings.Join(strings.Fields(line), " ")]++ // alignment is no change
	}
	for line := range strings.Lines(b) {
		count[strings.Join(strings.Fields(line), " ")]--
	}
	var out []string
	for line, n := range count {
		if n != 0 && plain(line) != "" {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

// plain reduces a name to what all languages keep of it.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// interfaceFiles are the renderings of an interface generation, one for each
// language; a part of the path.
var interfaceFiles = []string{"/abi/cclo_abi.h", "/rtl/cclo_pkg.sv", "/hls/cclo_platform.h", "/driver/abi.go",
	"/docs/manual.md"}

// platformFiles are the renderings that carry a plugin's TDEST.
var platformFiles = []string{"/firmware/cclo_platform.h", "/rtl/cclo_pkg.sv", "/hls/cclo_platform.h",
	"/driver/platform.go", "/docs/manual.md", "/docs/index.html", "/design.json"}

// sampledNumbers is of how many numbers of an interface a sample has one.
const sampledNumbers = 8

// TestOneLineChangesEverything changes every offset, code, bit and field of the
// interface generations in turn. Each change shows in the renderings of all
// languages, in lines that speak of the thing and no others, and not at all in
// generations that do not have it.
func TestOneLineChangesEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("renders a generation once for every number in it")
	}
	base, diags := render(t, designtest.Library(t), nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	texts := generationTexts(t)
	total, tried, held := 0, 0, 0
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		for _, candidates := range numbers(t, file, texts[file]) {
			total++
			if !nightly.Sampled(total, sampledNumbers) {
				continue
			}
			tried++
			if !tryMutations(t, base, texts, candidates) {
				held++
				t.Logf("%s: %s takes no other value", file, candidates[0].path)
			}
		}
	}
	t.Logf("%d values, %d of which were changed, or %d held in place by others", total, tried, held)
	if total < 300 || held > max(tried/10, 8) {
		t.Errorf("%d values, of which %d could not be changed", total, held)
	}
}

func generationTexts(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := fs.Glob(platforms.FS, "abi/*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, name := range names {
		if texts[name], err = fs.ReadFile(platforms.FS, name); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// tryMutations applies the first valid mutation and checks what it does.
func tryMutations(t *testing.T, base rendering, texts map[string][]byte, candidates []mutation) bool {
	for _, m := range candidates {
		generations, ok := mutatedGenerations(texts, m)
		if !ok {
			continue
		}
		lib := *designtest.Library(t)
		lib.ABIs = generations
		got, diags := render(t, &lib, base.generations)
		if diags.HasErrors() || len(got.files) == 0 {
			continue // invalid, or the same value written differently
		}
		checkMutation(t, base, got, m)
		return true
	}
	return false
}

func mutatedGenerations(texts map[string][]byte, m mutation) (map[string]*abi.Generation, bool) {
	parser := lang.NewParser()
	var files []*lang.File
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if name != m.file {
			files = append(files, unchanged(name, texts[name]))
			continue
		}
		parsed, diags := parser.Parse(path.Join(platform.Root, name), m.apply(texts[name]))
		if diags.HasErrors() {
			return nil, false
		}
		files = append(files, parsed)
	}
	generations, diags := abi.Load(files, parser)
	return generations, !diags.HasErrors()
}

var parsedFiles = map[string]*lang.File{}

// unchanged parses a file once.
func unchanged(name string, text []byte) *lang.File {
	if parsedFiles[name] == nil {
		parsedFiles[name], _ = lang.NewParser().Parse(path.Join(platform.Root, name), text)
	}
	return parsedFiles[name]
}

func checkMutation(t *testing.T, base, got rendering, m mutation) {
	t.Helper()
	for file, after := range got.files {
		lines := changed(base.files[file], after)
		if strings.HasSuffix(file, "link.cfg") && len(lines) > 0 {
			t.Errorf("%s %s: %s changed", m.file, m.path, file)
		}
		if !slices.ContainsFunc(interfaceFiles, func(part string) bool { return strings.HasSuffix(file, part) }) {
			continue
		}
		if !slices.ContainsFunc(lines, func(line string) bool { return mentions(line, m.names[len(m.names)-1:]) }) {
			t.Errorf("%s %s -> %s: %s does not show it", m.file, m.path, m.text, file)
		}
		for _, line := range lines {
			if bytewise := strings.Contains(m.path, ".layout.") && strings.HasSuffix(file, ".h"); bytewise {
				break // the layout's C struct exists only while its fields are whole bytes
			}
			if !mentions(line, m.names) && !derived.MatchString(line) {
				t.Errorf("%s %s -> %s: in %s another line changed: %s", m.file, m.path, m.text, file, line)
			}
		}
	}
}

// derived matches lines whose values follow from others: padding, the width of
// a type, what room is left, where the host's tables lie, default time limits.
var derived = regexp.MustCompile(
	`(?i)reserved|typedef enum|limit|max_?ranks|free|communicator|config|hardware_?id|waits inside|address = |^\| .0x0`)

// TestTDESTChangesEverything changes the TDESTs of the plugins, where they
// stand, and looks for them in everything that is rendered of a platform.
func TestTDESTChangesEverything(t *testing.T) {
	for file, witness := range map[string]string{"kernels/reduce_ops.hcl": "u50_udp",
		"kernels/hp_compression.hcl": "u55c_tcp"} {
		text, err := fs.ReadFile(platforms.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		list := numbers(t, file, text)
		if len(list) == 0 {
			t.Errorf("%s has no TDEST", file)
		}
		before := platformTexts(t, designtest.Library(t), witness)
		for _, candidates := range list {
			m := candidates[0]
			lib, diags := platform.NewLibrary(lang.NewParser(), fstest.MapFS{file: {Data: m.apply(text)}}, platforms.FS)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			after := platformTexts(t, lib, witness)
			var seen []string
			for path := range before {
				if before[path] != after[path] {
					seen = append(seen, path)
				}
			}
			for _, want := range platformFiles {
				if !slices.Contains(seen, want[1:]) {
					t.Errorf("%s %s: %s does not show it", file, m.path, want)
				}
			}
			const engine, hashed = "rtl/ccl_offload/engine_pkg.sv", driverCardFile
			for _, want := range []string{engine, hashed} {
				if !slices.Contains(seen, want) {
					t.Errorf("%s %s: %s does not show it", file, m.path, want)
				}
			}
			for _, path := range seen {
				if !slices.Contains(platformFiles, "/"+path) && path != engine && path != hashed &&
					!strings.HasSuffix(path, "_select.sv") {
					t.Errorf("%s %s: %s changed", file, m.path, path)
				}
			}
		}
	}
}

func platformTexts(t *testing.T, lib *platform.Library, name string) map[string]string {
	t.Helper()
	files, err := Platform(designtest.Of(t, lib, name, nil))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range files {
		texts[f.Path] = string(f.Content)
	}
	return texts
}

// mentions reports whether a line speaks of one of the names.
func mentions(line string, names []string) bool {
	p := plain(line)
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(p, plain(name)) })
}

// sameGeneration compares two generations without the places they were read
// from.
func sameGeneration(a, b *abi.Generation) bool {
	return reflect.DeepEqual(withoutRanges(reflect.ValueOf(*a)), withoutRanges(reflect.ValueOf(*b)))
}

func withoutRanges(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[hcl.Range]() {
			return nil
		}
		fields := map[string]any{}
		for i := range v.NumField() {
			fields[v.Type().Field(i).Name] = withoutRanges(v.Field(i))
		}
		return fields
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = withoutRanges(v.Index(i))
		}
		return list
	default:
		return v.Interface()
	}
}
