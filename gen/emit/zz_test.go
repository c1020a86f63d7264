package emit

import "testing"
import "github.com/cclforge/cclforge/gen/design"

func BenchmarkZZ(b *testing.B) {
	var ds []*design.Design
	for _, n := range library.PlatformNames() {
		ds = append(ds, elaborated(b, n, nil))
	}
	for _, r := range renderers {
		b.Run(r.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, d := range ds {
					if _, err := r.render(d); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(ds)), "µs/platform")
		})
	}
	b.Run("many", func(b *testing.B) {
		d := codeDesign(b, "many")
		for b.Loop() {
			for _, r := range renderers[1:5] {
				r.render(d)
			}
		}
	})
}
