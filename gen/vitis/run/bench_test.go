//go:build linux

package run

import (
	"fmt"
	"os"
	"testing"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// BenchmarkNothingToDo is a build all of whose results are there: of one platform
// with 20 kernels, and of 64.
func BenchmarkNothingToDo(b *testing.B) {
	for _, platforms := range []int{1, 64} {
		b.Run(fmt.Sprint(platforms), func(b *testing.B) {
			st, err := store.Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			plan := &step.Plan{}
			for p := range platforms {
				var link *step.Step
				name := fmt.Sprintf("p%d", p)
				link = shell(name+"/link/"+name, step.Link, "/dev/null", "echo x >o", "o")
				for k := range 20 {
					s := with(shell(fmt.Sprintf("%s/package/k%d", name, k), step.Package, "/dev/null", "echo x >o", "o"),
						"in", fmt.Sprint(p, k))
					for f := range 50 {
						with(s, fmt.Sprintf("rtl/%d.sv", f), string(make([]byte, 5000)))
					}
					need(link, s.ID, "o", fmt.Sprint("in/", k))
					plan.Steps = append(plan.Steps, s)
				}
				plan.Steps = append(plan.Steps, link)
				plan.Results = append(plan.Results, step.Result{Platform: name, Step: link.ID, Output: "o", Path: "o"})
			}
			keys, err := plan.Keys(st.Hash)
			if err != nil {
				b.Fatal(err)
			}
			for _, s := range plan.Steps {
				dir, err := st.NewWork(keys[s.ID].Hash)
				if err != nil {
					b.Fatal(err)
				}
				writeFile(b, dir+"/o")
				if _, err := st.Publish(keys[s.ID].Hash, dir,
					store.Making{Step: s, Ingredients: keys[s.ID].Ingredients}); err != nil {
					b.Fatal(err)
				}
				if err := st.Discard(dir); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				out, err := Run(b.Context(), plan, st, here(), Options{})
				if err != nil || len(out.Ran) > 0 {
					b.Fatal(out, err)
				}
			}
		})
	}
}

func writeFile(b *testing.B, name string) {
	b.Helper()
	if err := os.WriteFile(name, []byte("x\n"), 0o666); err != nil {
		b.Fatal(err)
	}
}
