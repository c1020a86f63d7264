package design_test

import (
	"testing"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

var noEnvironment = func(string) (string, bool) { return "", false }

func TestShippedPlatforms(t *testing.T) {
	parser := lang.NewParser()
	lib, diags := platform.NewLibrary(parser, platforms.FS)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	names := lib.PlatformNames()
	if want := 5*3 + 3; len(names) != want {
		t.Errorf("%d platforms, want %d", len(names), want)
	}
	for _, name := range names {
		if _, diags := design.Load(lib, name, lang.Inputs{LookupEnv: noEnvironment}); len(diags) > 0 {
			t.Errorf("%s: %s", name, diags)
		}
	}
}
