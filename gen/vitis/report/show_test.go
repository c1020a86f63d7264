package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func later(t *testing.T) (now, before *Report) {
	before, now = collect(t, sample(t, "met", same)), collect(t, sample(t, "met", same))
	now.Time = now.Time.Add(24 * time.Hour)
	a := now.Usage.Kernels[0].Use[LUT]
	a.Used += 1500
	now.Usage.Kernels[0].Use[LUT] = a
	now.Timing.Clocks[2].Setup.Worst = 0.002
	now.Power.Total += 1.25
	now.Steps[1].Took += 10 * time.Minute
	return now, before
}

func TestText(t *testing.T) {
	now, before := later(t)
	var b bytes.Buffer
	assert.NilError(t, Text(&b, now, before))
	text := regexp.MustCompile(` +`).ReplaceAllString(b.String(), " ")
	for _, want := range []string{
		"Timing: met",
		" clk_kernel_00_unbuffered_net 4 250 0.002 -0.010 0.009 1.458 0 met\n",
		" ccl_offload_0 42 700 (3.5 %) +1 500 3 100 (0.5 %)",
		" SLR1 111 880 (25.9 %)",
		" card 320 880 (24.6 %) 32 434 (5.4 %) 488 714 (18.7 %) 516.5 (25.6 %) 12 (1.2 %) 84 (0.9 %)\n",
		"Power, estimated: 39.52 W (+1.25 W): dynamic 27.68 W",
		"UUID 0c2f1d88-6a9a-4a61-b5c3-8f6d9d7a2f10",
		" ulp_ucs_aclk_kernel_00 250 250 as wanted\n",
		" ccl_offload_0 ccl_offload SLR0 0x0 HBM[0]\n",
		" reduce_ops 2.92 4 12 to 13 1 14 500 19 000 1.5 32\n",
		" compile reduce_ops 3 min 3 s was there\n",
		" link u55c_tcp 2 h 55 min +10 min\n",
	} {
		assert.Check(t, strings.Contains(text, want), "no %q in\n%s", want, b.String())
	}
	b.Reset()
	assert.NilError(t, Text(&b, collect(t, sample(t, "missed", same)), now))
	for _, want := range []string{"NOT MET", "MISSED", "SLOWER", "Missed between clocks", "Not known:"} {
		assert.Check(t, is.Contains(b.String(), want))
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		assert.Check(t, is.Equal(strings.TrimRight(line, " "), line), "blanks at the end")
	}
}

func TestTextAlone(t *testing.T) {
	now, _ := later(t)
	var b bytes.Buffer
	err := Text(&b, now, nil)
	assert.Check(t, err == nil && !strings.Contains(b.String(), "change"), "%v\n%s", err, b.String())
}

// TestHTML checks that the page is well-formed, has what it should, and needs no
// other file.
func TestHTML(t *testing.T) {
	now, before := later(t)
	missed := collect(t, sample(t, "missed", same))
	now.Title = `<script>alert("x")</script> & 'more'`
	now.Usage.Kernels[0].Name = `<b>"k"`
	now.Missing = []string{"<b>"}
	missed.Timing.Clocks[0].Name = "<i>"
	var b bytes.Buffer
	assert.NilError(t, HTML(&b, []*Report{now, before, missed}))
	page := b.String()
	var other bytes.Buffer
	assert.NilError(t, HTML(&other, []*Report{missed}))
	for _, tag := range []string{"<script", `<b>"k`, "<li><b>", "<i>"} {
		assert.Check(t, !strings.Contains(page+other.String(), tag), "%s is not escaped", tag)
	}
	if m := regexp.MustCompile(`(?i)(?:src|href|url|@import)\s*[=(]\s*["']?[a-z]`).FindString(strings.ReplaceAll(page,
		"http://www.w3.org/2000/svg", "")); m != "" {
		t.Errorf("the page refers to another file: %s", m)
	}
	for _, want := range []string{"Utilisation of the card", "Utilisation of the kernels", "Power, estimated",
		"How long each step took", "Earlier builds", "prefers-color-scheme:dark", "SLR0", "42.8 %", "not met", "0c2f1d88"} {
		assert.Check(t, is.Contains(page, want))
	}
	if oldest, newest := strings.Index(page, "2026-09-20 12:00:00 +00:00: -0.337 ns"), strings.Index(page,
		"2026-09-21 12:00:00 +00:00: 0.002 ns"); oldest < 0 || newest < oldest {
		t.Errorf("the history is not drawn from the oldest: %d %d", oldest, newest)
	}
	assert.Check(t, is.Contains(page, "worst slack (-0.010)"), "no change of the slack")
	pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
	assert.Check(t, len(pictures) >= 10, "%d pictures", len(pictures))
	for _, p := range pictures {
		d := xml.NewDecoder(strings.NewReader(p))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%v in %.200s", err, p)
			}
			if e, ok := token.(xml.StartElement); ok {
				for _, a := range e.Attr {
					if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") ||
						(a.Name.Local == "width" || a.Name.Local == "height") && strings.HasPrefix(a.Value, "-") {
						t.Fatalf("%s=%q in %.300s", a.Name.Local, a.Value, p)
					}
				}
			}
		}
	}
	body := regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(page, "")
	d := xml.NewDecoder(strings.NewReader(strings.NewReplacer("<!DOCTYPE html>", "", "<br>", "<br/>", "&nbsp;",
		" ").Replace(regexp.MustCompile(`<meta[^>]*>`).ReplaceAllString(body, ""))))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCharts checks what pictures leave out: parts beyond the colours, bars beyond
// the limit, marks of builds that are the same.
func TestCharts(t *testing.T) {
	var parts []Watts
	for i := range 9 {
		parts = append(parts, Watts{fmt.Sprint("part", i), 1})
	}
	picture := stack("power", parts)
	if !strings.Contains(picture, "other 4.00 W") || strings.Contains(picture, "part5") ||
		!strings.Contains(picture, "part4") {
		t.Error(picture)
	}
	picture = bars("slack", []row{{label: "a", value: 0.5, was: 0.5}, {label: "b", value: 100, was: 200}}, 1)
	assert.Check(t, !strings.Contains(picture, `class="was"`), "marks where nothing has changed:\n%s", picture)
	widths := regexp.MustCompile(`<rect [^>]*width="([\d.]+)"`).FindAllStringSubmatch(picture, -1)
	assert.Assert(t, len(widths) == 2, "%d bars", len(widths))
	a, _ := number(widths[0][1])
	b, _ := number(widths[1][1])
	if a < b*0.49 || a > b*0.51 {
		t.Errorf("bars of %v and %v for a half and the whole of the limit", a, b)
	}
	picture = bars("time", []row{{label: "a", value: 1, was: 2}}, 0)
	assert.Check(t, is.Equal(strings.Count(picture, `class="was"`), 1), "no mark:\n%s", picture)
	area := Area{Name: "k", Use: map[string]Amount{LUT: {Used: 7, Percent: 7}}}
	assert.Check(t, scale([]Area{area}) == 10 && scale(nil) == 5, "scale")
	if picture := matrix("use", []Area{area}, map[string]Area{"k": area}, 10); strings.Contains(picture, `class="was"`) ||
		!strings.Contains(picture, "7.0 %") {
		t.Error(picture)
	}
	nan := math.NaN()
	if picture := curve("slack", "ns", []point{{value: 1}, {value: nan}, {value: 2}}, 1, true); strings.Count(picture,
		"<circle") != 2 || strings.Count(picture, "M") != 2 {
		t.Error(picture)
	}
	assert.Check(t, is.Equal(curve("slack", "ns", []point{{value: nan}}, 1, true), ""), "a curve of nothing")
}

func TestHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "history")
	h := History{Dir: dir, Keep: 4}
	if list, err := h.List(); err != nil || len(list) != 0 {
		t.Fatalf("%v %v", list, err)
	}
	first := collect(t, sample(t, "met", same))
	for i := range 7 {
		r := *first
		r.Time = first.Time.Add(time.Duration(i) * time.Minute)
		r.Steps = []StepTime{{ID: "a", Took: time.Duration(i+1) * time.Second, Cached: i == 4},
			{ID: "b", Took: time.Second, Cached: true}}
		assert.NilError(t, h.Add(&r))
		if err := h.Add(&r); err != nil { // once more: there once
			t.Fatal(err)
		}
	}
	other := *first
	other.Time, other.Title = first.Time.Add(6*time.Minute), "another at the same instant"
	assert.NilError(t, h.Add(&other))
	list, err := h.List()
	assert.Assert(t, err == nil && len(list) == 4, "%d reports, %v", len(list), err)
	at := slices.IndexFunc(list, func(r *Report) bool { return r.Title == other.Title })
	assert.Assert(t, at >= 0, "one of two reports of an instant is not there")
	assert.Check(t, is.DeepEqual(&other, list[at]), "(-added +read)")
	for i := 1; i < len(list); i++ {
		if list[i].Time.After(list[i-1].Time) {
			t.Errorf("%v stands before %v", list[i-1].Time, list[i].Time)
		}
	}
	names, err := h.names()
	assert.NilError(t, err)
	for i, content := range []string{"{", `{"schema": 99}`} {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, names[i]), []byte(content), 0o644))
	}
	list, err = h.List()
	if len(list) != 2 || err == nil || !strings.Contains(err.Error(), names[0]) ||
		!strings.Contains(err.Error(), names[1]) {
		t.Errorf("%d reports, error %v", len(list), err)
	}
	entries, err := filepath.Glob(filepath.Join(dir, ".*"))
	assert.Check(t, err == nil && len(entries) == 0, "left over: %v %v", entries, err)
}

func FuzzCollect(f *testing.F) {
	for _, name := range []string{"met/_x/reports/link/imp/impl_1_hw_bb_locked_timing_summary_routed.rpt",
		"met/_x/reports/link/imp/impl_1_kernel_util_routed.rpt", "met/_x/reports/link/imp/impl_1_full_util_routed.rpt",
		"met/_x/reports/link/imp/impl_1_slr_util_routed.rpt", "met/power_routed.rpt",
		"met/hls/krnl/syn/report/reduce_ops_csynth.rpt", "met/u55c_tcp.xclbin.info", "missed/vivado.log"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		assert.NilError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files := fstest.MapFS{}
		for _, name := range []string{"timing_summary_routed.rpt", "kernel_util_routed.rpt", "full_util_routed.rpt",
			"slr_util_routed.rpt", "power.rpt", "k_csynth.rpt", "a.xclbin.info", "a.log"} {
			files[name] = &fstest.MapFile{Data: data}
		}
		r := collect(t, files)
		var b bytes.Buffer
		assert.NilError(t, Text(&b, r, r))
		assert.NilError(t, HTML(&b, []*Report{r, r}))
		assert.Check(t, !strings.Contains(b.String(), "NaN") || bytes.Contains(data, []byte("NaN")), "NaN is shown")
	})
}
