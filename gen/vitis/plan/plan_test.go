package plan_test

import (
	"os"
	"testing"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
	"github.com/cclforge/cclforge/platforms"
)

func TestScratch(t *testing.T) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	set := tools.Assume(lib.Toolchain, "")
	for _, name := range lib.PlatformNames() {
		d, diags := design.Load(lib, name, lang.Inputs{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		files, err := emit.Platform(d)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Plan(d, files, set, plan.Options{Descriptions: "/x", Firmware: []byte("@0\n")})
		if err != nil {
			t.Log(name, err)
			continue
		}
		keys, err := p.Keys(step.Sum)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, s := range p.Steps {
			t.Log(s.ID, keys[s.ID].Hash[:8])
			if name == "u55c_tcp" || name == "u280_udp" {
				os.Stdout.Write(s.Script())
			}
		}
	}
}
