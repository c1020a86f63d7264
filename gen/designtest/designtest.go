// Package designtest gives tests the designs of the shipped platforms.
package designtest

import (
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

var library = sync.OnceValues(func() (*platform.Library, error) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return nil, diags
	}
	return lib, nil
})

// Library is the shipped library.
func Library(t testing.TB) *platform.Library {
	t.Helper()
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// Load elaborates a shipped platform with variables that are independent of
// the environment.
func Load(t testing.TB, name string, vars map[string]cty.Value) *design.Design {
	t.Helper()
	return Of(t, Library(t), name, vars)
}

// Of elaborates a platform of a library, like Load.
func Of(t testing.TB, lib *platform.Library, name string, vars map[string]cty.Value) *design.Design {
	t.Helper()
	in := lang.Inputs{Assigned: map[string]lang.Input{}, LookupEnv: func(string) (string, bool) { return "", false }}
	for k, v := range vars {
		in.Assigned[k] = lang.Input{Value: v}
	}
	d, diags := design.Load(lib, name, in)
	if diags.HasErrors() {
		t.Fatalf("%s: %s", name, diags)
	}
	return d
}
