package report

import (
	"bytes"
	"os"
	"testing"
	"time"
)

func TestRender(t *testing.T) {
	dir := os.Getenv("RENDER")
	if dir == "" {
		t.Skip()
	}
	var list []*Report
	for i := range 8 {
		b := Build{Platform: "u55c_tcp", Title: "TCP on the U55C", Board: "u55c", Part: "xcu55c-fsvh2892-2L-e", Target: "hw", Wanted: 250, SLRs: 3,
			Time: time.Date(2026, 9, 20-i, 12, 0, 0, 0, time.UTC), Tools: []Tool{{"v++", "2023.2"}, {"vivado", "2023.2"}}}
		b.Kernels = []Instance{{"ccl_offload_0", "ccl_offload", 0}, {"reduce_ops_0", "reduce_ops", 0}, {"reduce_ops_1", "reduce_ops", 1}, {"network_krnl_0", "network_krnl", 1}}
		b.Steps = []StepTime{{"u/package/ccl_offload", "package ccl_offload", "package", 41 * time.Second, i%3 == 0}, {"u/hls/reduce_ops", "compile reduce_ops", "hls", 183 * time.Second, i%2 == 0},
			{"u/source/network_krnl", "build network_krnl", "source", 1400 * time.Second, true},
			{"u/link/u", "link u55c_tcp", "link", time.Duration(9928-300*i) * time.Second, false}, {"u/image/u", "firmware into u55c_tcp", "image", 75 * time.Second, false}}
		src := "testdata/met"
		r, err := Collect(t.Context(), os.DirFS(src), b)
		if err != nil {
			t.Fatal(err)
		}
		if i == 3 {
			m, err := Collect(t.Context(), os.DirFS("testdata/missed"), b)
			if err != nil {
				t.Fatal(err)
			}
			r.Timing, r.Scaled, r.Link = m.Timing, m.Scaled, m.Link
		}
		if i > 0 {
			a := r.Usage.Card.Use[LUT]
			a.Percent += float64(i%4) - 1.5
			a.Used += float64(i) * 1234
			r.Usage.Card.Use[LUT] = a
			k := r.Usage.Kernels[0].Use[LUT]
			k.Used, k.Percent = k.Used+3000, k.Percent+0.26
			r.Usage.Kernels[0].Use[LUT] = k
			r.Power.Total -= float64(i)
			if i != 3 {
				r.Timing.Clocks[2].Setup.Worst += 0.01 * float64(i)
			}
		}
		list = append(list, r)
	}
	var b bytes.Buffer
	if err := HTML(&b, list); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(dir+"/met.html", b.Bytes(), 0o644)
	b.Reset()
	HTML(&b, list[3:])
	os.WriteFile(dir+"/missed.html", b.Bytes(), 0o644)
	b.Reset()
	Text(&b, list[0], list[1])
	Text(&b, list[3], list[2])
	os.WriteFile(dir+"/text.txt", b.Bytes(), 0o644)
}
