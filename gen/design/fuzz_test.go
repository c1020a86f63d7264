package design_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// shippedTexts are the files of a folder of the shipped library.
func shippedTexts(f *testing.F, pattern string) [][]byte {
	files, err := fs.Glob(platforms.FS, pattern)
	assert.Assert(f, err == nil && len(files) != 0, "%s: %v", pattern, err)
	var texts [][]byte
	for _, file := range files {
		text, err := fs.ReadFile(platforms.FS, file)
		assert.NilError(f, err)
		texts = append(texts, text)
	}
	return texts
}

// FuzzPlatform loads and elaborates any text as a platform file. It must end,
// without a panic, and either with a design or with an error.
func FuzzPlatform(f *testing.F) {
	for _, text := range shippedTexts(f, "*.hcl") {
		f.Add(text)
	}
	lib := designtest.Library(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		name := "p"
		if _, rest, ok := strings.Cut(string(text), `platform "`); ok {
			name, _, _ = strings.Cut(rest, `"`)
		}
		if name == "" || path.Base(name) != name {
			name = "p"
		}
		d, diags := design.Load(lib.With(name, text), name, lang.Inputs{LookupEnv: noEnvironment})
		assert.Check(t, (d == nil) == diags.HasErrors(), "design %v with diagnostics %v", d != nil, diags)
	})
}

// FuzzKernel reads any text as a kernel or board file that a small platform
// uses.
func FuzzKernel(f *testing.F) {
	for _, text := range append(shippedTexts(f, "kernels/*.hcl"), shippedTexts(f, "boards/*.hcl")...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		layer := fstest.MapFS{
			"p.hcl": {Data: []byte("platform \"p\" {\n  board = \"u55c\"\n  poe \"tcp\" {}\n  arithmetic \"reduce_ops\" {}\n}")}}
		// In place of the shipped file of that name, so that it takes part.
		for _, kind := range []string{"kernel", "board"} {
			name := "other"
			if _, rest, ok := strings.Cut(string(text), kind+` "`); ok {
				name, _, _ = strings.Cut(rest, `"`)
			}
			file := kind + "s/" + name + ".hcl"
			if !fs.ValidPath(file) || path.Base(file) != name+".hcl" {
				file = kind + "s/other.hcl"
			}
			layer[file] = &fstest.MapFile{Data: text}
		}
		lib, _ := platform.NewLibrary(lang.NewParser(), layer, platforms.FS)
		d, diags := design.Load(lib, "p", lang.Inputs{LookupEnv: noEnvironment})
		assert.Check(t, (d == nil) == diags.HasErrors(), "design %v with diagnostics %v", d != nil, diags)
	})
}
