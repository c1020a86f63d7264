package emit

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
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

// renderAll renders the witnesses with one file of the library replaced.
func renderAll(t *testing.T, file string, text []byte) (rendering, hcl.Diagnostics) {
	t.Helper()
	layers := []fs.FS{platforms.FS}
	if file != "" {
		layers = []fs.FS{fstest.MapFS{file: {Data: text}}, platforms.FS}
	}
	lib, diags := platform.NewLibrary(lang.NewParser(), layers...)
	out := rendering{files: map[string]string{}, generations: map[string]*abi.Generation{}}
	if diags.HasErrors() {
		return out, diags
	}
	keep := func(folder string, files []File, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			out.files[folder+"/"+f.Path] = string(f.Content)
		}
	}
	for _, name := range witnesses {
		d, diags := design.Load(lib, name, lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
		if diags.HasErrors() {
			return out, diags
		}
		files, err := Platform(d)
		keep(name, files, err)
		g := d.ABI()
		out.generations[name] = g
		files, err = Generation(g)
		keep(name+"/abi", files, err)
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
			case name == "at":
				var candidates []string
				for n := range 32 {
					candidates = append(candidates, fmt.Sprint(n))
				}
				for at := 0x4C; at < 0x10000; at = at*2 - 8 {
					candidates = append(candidates, fmt.Sprintf("hex(\"%X\")", at))
				}
				for at := 0x1F00; at < 0x2000; at += 4 {
					candidates = append(candidates, fmt.Sprintf("hex(\"%X\")", at))
				}
				for at := 0xF80; at < 0x1000; at += 4 {
					candidates = append(candidates, fmt.Sprintf("hex(\"%X\")", at))
				}
				propose(rng, path, candidates...)
			case name == "bits":
				high, low, two := strings.Cut(strings.Trim(old, `"`), ":")
				var h, l int
				fmt.Sscan(high, &h)
				fmt.Sscan(low, &l)
				if two {
					propose(rng, path, fmt.Sprintf(`"%d:%d"`, h, l+1), fmt.Sprintf(`"%d:%d"`, h-1, l))
				} else {
					var candidates []string
					for n := range 128 {
						candidates = append(candidates, fmt.Sprintf(`"%d"`, n))
					}
					propose(rng, path, candidates...)
				}
			case name == "tdest":
				if object, ok := attr.Expr.(*hclsyntax.ObjectConsExpr); ok {
					for _, item := range object.Items {
						key := hcl.ExprAsKeyword(item.KeyExpr)
						propose(item.ValueExpr.Range(), append(slices.Clone(path), key), "11")
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
	count := map[string]int{}
	for line := range strings.Lines(a) {
		count[line]++
	}
	for line := range strings.Lines(b) {
		count[line]--
	}
	var out []string
	for line, n := range count {
		if n != 0 {
			out = append(out, strings.TrimSpace(line))
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

// languages are the renderings that must all show a change of the interface:
// a part of the path, for each.
var languages = []string{"/abi/cclo_abi.h", "/rtl/cclo_pkg.sv", "/hls/cclo_platform.h", "/driver/", "/docs/manual.md", "/docs/index.html"}

// TestOneLineChangesEverything changes every offset, code, bit, field and TDEST
// of the interface generations and plugins in turn. Each change shows in the
// renderings of all languages, and neither in generations that do not have the
// value nor in lines that speak of something else.
func TestOneLineChangesEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("renders three platforms once for every number of the interface")
	}
	base, diags := renderAll(t, "", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var files []string
	for _, pattern := range []string{"abi/*.hcl", "kernels/reduce_ops.hcl", "kernels/hp_compression.hcl", "u280_manual.hcl"} {
		found, err := fs.Glob(platforms.FS, pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	total, unchangeable := 0, 0
	for _, file := range files {
		text, err := fs.ReadFile(platforms.FS, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, candidates := range numbers(t, file, text) {
			total++
			if !tryMutations(t, base, text, candidates) {
				unchangeable++
				t.Logf("%s: %s takes no other value", file, candidates[0].path)
			}
		}
	}
	t.Logf("%d values, %d of which are held in place by others", total, unchangeable)
	if total < 300 || unchangeable > total/5 {
		t.Errorf("%d values, of which %d could not be changed", total, unchangeable)
	}
}

// tryMutations applies the first valid mutation and checks what it does.
func tryMutations(t *testing.T, base rendering, text []byte, candidates []mutation) bool {
	for _, m := range candidates {
		mutated := m.apply(text)
		if bytes.Equal(mutated, text) || !validGenerations(m.file, mutated) {
			continue
		}
		got, diags := renderAll(t, m.file, mutated)
		if diags.HasErrors() {
			continue
		}
		if maps.Equal(got.files, base.files) {
			continue // the same value, written differently
		}
		checkMutation(t, base, got, m)
		return true
	}
	return false
}

// validGenerations refuses most invalid candidates at a tenth of the price.
func validGenerations(file string, text []byte) bool {
	if !strings.HasPrefix(file, "abi/") {
		return true
	}
	parser := lang.NewParser()
	names, err := fs.Glob(platforms.FS, "abi/*.hcl")
	if err != nil {
		return false
	}
	var files []*lang.File
	for _, name := range names {
		content, err := fs.ReadFile(platforms.FS, name)
		if err != nil {
			return false
		}
		if name == file {
			content = text
		}
		parsed, diags := parser.Parse(name, content)
		if diags.HasErrors() {
			return false
		}
		files = append(files, parsed)
	}
	_, diags := abi.Load(files, parser)
	return !diags.HasErrors()
}

func checkMutation(t *testing.T, base, got rendering, m mutation) {
	t.Helper()
	tdest := !strings.HasPrefix(m.file, "abi/")
	for _, witness := range witnesses {
		same := sameGeneration(base.generations[witness], got.generations[witness])
		var seen []string
		for path, before := range base.files {
			if !strings.HasPrefix(path, witness+"/") {
				continue
			}
			lines := changed(before, got.files[path])
			if len(lines) == 0 {
				continue
			}
			seen = append(seen, strings.TrimPrefix(path, witness))
			if strings.HasSuffix(path, "link.cfg") {
				t.Errorf("%s %s: %s changed", m.file, m.path, path)
			}
			if !mentions(lines, m.names) {
				t.Errorf("%s %s: no changed line of %s speaks of it:\n%s", m.file, m.path, path, strings.Join(lines, "\n"))
			}
		}
		if tdest {
			continue
		}
		if same && len(seen) > 0 {
			t.Errorf("%s %s: %s does not have it, but changed: %v", m.file, m.path, witness, seen)
		}
		if same {
			continue
		}
		for _, language := range languages {
			if !slices.ContainsFunc(seen, func(path string) bool { return strings.Contains(path, language) }) {
				t.Errorf("%s %s -> %s: %s%s does not show it", m.file, m.path, m.text, witness, language)
			}
		}
	}
	if tdest {
		for _, language := range []string{"/firmware/cclo_platform.h", "/rtl/cclo_pkg.sv", "/hls/cclo_platform.h", "/driver/", "/docs/manual.md", "/docs/index.html", "/design.json"} {
			shown := false
			for path, before := range base.files {
				shown = shown || strings.Contains(path, language) && before != got.files[path]
			}
			if !shown {
				t.Errorf("%s %s -> %s: nothing in %s shows it", m.file, m.path, m.text, language)
			}
		}
	}
}

func mentions(lines []string, names []string) bool {
	for _, line := range lines {
		p := plain(line)
		if strings.Contains(p, plain(names[len(names)-1])) || len(names) > 1 && strings.Contains(p, plain(names[len(names)-2])) {
			return true
		}
	}
	return false
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
