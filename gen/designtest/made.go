package designtest

import (
	"testing"
	"testing/fstest"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// Made elaborates a platform of a test's own: files, by their paths below
// platforms/, lie over the shipped ones.
func Made(t testing.TB, name string, files map[string]string) *design.Design {
	t.Helper()
	layer := fstest.MapFS{}
	for path, text := range files {
		layer[path] = &fstest.MapFile{Data: []byte(text)}
	}
	lib, diags := platform.NewLibrary(lang.NewParser(), layer, platforms.FS)
	if diags.HasErrors() {
		t.Fatalf("%s: %s", name, diags)
	}
	d, diags := design.Load(lib, name, lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
	if diags.HasErrors() {
		t.Fatalf("%s: %s", name, diags)
	}
	return d
}
