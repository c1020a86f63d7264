package design_test

import (
	"testing"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

func BenchmarkLibrary(b *testing.B) {
	for b.Loop() {
		platform.NewLibrary(lang.NewParser(), platforms.FS)
	}
}

func BenchmarkLoad(b *testing.B) {
	lib, _ := platform.NewLibrary(lang.NewParser(), platforms.FS)
	for b.Loop() {
		if _, diags := design.Load(lib, "u55c_axis3x", lang.Inputs{LookupEnv: noEnvironment}); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}
