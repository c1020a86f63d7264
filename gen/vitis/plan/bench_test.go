package plan_test

import (
	"testing"

	"github.com/cclforge/cclforge/gen/vitis/plan"
	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

func BenchmarkPlan(b *testing.B) {
	lib := library(b, b.TempDir())
	set := tools.Assume(lib.Toolchain, "2023.2")
	d, files := loaded(b, lib, "u55c_tcp", nil)
	options := plan.Options{Descriptions: "/absent", Firmware: []byte("@0\n")}
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			if _, err := plan.Plan(d, files, set, options); err != nil {
				b.Fatal(err)
			}
		}
	})
	p, err := plan.Plan(d, files, set, options)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("keys", func(b *testing.B) {
		for b.Loop() {
			if _, err := p.Keys(step.Sum); err != nil {
				b.Fatal(err)
			}
		}
	})
}
