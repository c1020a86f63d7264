package report

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func build() Build {
	return Build{
		Platform: "u55c_tcp", Board: "u55c", Target: "hw", Wanted: 250, SLRs: 3,
		Time: time.Date(2026, 9, 20, 12, 0, 0, 0, time.UTC),
		Kernels: []Instance{{"ccl_offload_0", "ccl_offload", 0}, {"reduce_ops_0", "reduce_ops", 0},
			{"reduce_ops_1", "reduce_ops", 1}, {"network_krnl_0", "network_krnl", 1}},
		Tools: []Tool{{"v++", "2023.2"}},
		Steps: []StepTime{{"u55c_tcp/hls/reduce_ops", "compile reduce_ops", "hls", 183 * time.Second, true},
			{"u55c_tcp/link/u55c_tcp", "link u55c_tcp", "link", 9928 * time.Second, false}},
	}
}

func collect(t *testing.T, fsys fs.FS) *Report {
	t.Helper()
	r, err := Collect(t.Context(), map[string]fs.FS{"": fsys}, build())
	assert.NilError(t, err)
	return r
}

// sample copies a directory of testdata to memory, with each file passed through
// change.
func sample(t *testing.T, dir string, change func(name string, data []byte) []byte) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	root := os.DirFS(path.Join("testdata", dir))
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, p)
		out[p] = &fstest.MapFile{Data: change(p, data)}
		return err
	})
	assert.NilError(t, err)
	return out
}

func same(_ string, data []byte) []byte { return data }

// TestMet compares what is read with the numbers as they stand in the files.
func TestMet(t *testing.T) {
	r := collect(t, sample(t, "met", same))
	if !r.Met() || len(r.Missing) != 0 {
		t.Errorf("misses %q, missing %q", r.Misses(), r.Missing)
	}
	wantTiming := &Timing{
		File:  "_x/reports/link/imp/impl_1_hw_bb_locked_timing_summary_routed.rpt",
		Setup: &Slack{0.012, 0, 0, 912345}, Hold: &Slack{0.009, 0, 0, 911200}, Pulse: &Slack{0, 0, 0, 351877},
		Verdict: "met",
		Clocks: []ClockSlack{
			{"blp_s_aclk_ctrl_00", 20, 50, &Slack{14.331, 0, 0, 40682}, &Slack{0.014, 0, 0, 40682}, &Slack{9.4, 0, 0, 16001}},
			{"ulp_ref_clk", 10, 100, nil, nil, &Slack{2, 0, 0, 1}},
			{"clk_kernel_00_unbuffered_net", 4, 250, &Slack{0.012, 0, 0, 701160}, &Slack{0.009, 0, 0, 701160},
				&Slack{1.458, 0, 0, 262145}},
			{"hbm_aclk", 2.222, 450.045, &Slack{0.065, 0, 0, 120503}, &Slack{0.010, 0, 0, 120503}, &Slack{0, 0, 0, 48730}},
			{"txoutclk_out[0]", 3.103, 322.269, &Slack{0.204, 0, 0, 50000}, &Slack{0.011, 0, 0, 48855},
				&Slack{0.412, 0, 0, 25000}},
		},
		Paths: []PathSlack{
			{"", "blp_s_aclk_ctrl_00", "hbm_aclk", &Slack{9, 0, 0, 120}, &Slack{0.1, 0, 0, 120}},
			{"", "txoutclk_out[0]", "clk_kernel_00_unbuffered_net", &Slack{2.101, 0, 0, 44}, nil},
			{"**async_default**", "hbm_aclk", "hbm_aclk", &Slack{0.5, 0, 0, 96}, &Slack{0.181, 0, 0, 96}},
		},
	}
	assert.Check(t, is.DeepEqual(wantTiming, r.Timing), "timing (-want +got)")
	u := r.Usage
	assert.Check(t, u.Stage == "routed" && len(u.SLRs) == 3 && len(u.Kernels) == 4,
		"usage: stage %q, %d SLRs, %d kernels", u.Stage, len(u.SLRs), len(u.Kernels))
	for _, c := range []struct {
		name     string
		area     *Area
		resource string
		want     Amount
	}{
		{"card", u.Card, LUT, Amount{320880, 1303680, 24.61}},
		{"card", u.Card, LUTRAM, Amount{32434, 600960, 5.40}},
		{"card", u.Card, FF, Amount{488714, 2607360, 18.74}},
		{"card", u.Card, BRAM, Amount{516.5, 2016, 25.62}},
		{"card", u.Card, URAM, Amount{12, 960, 1.25}},
		{"card", u.Card, DSP, Amount{84, 9024, 0.93}},
		{"shell", u.Platform, LUT, Amount{142680, 0, 10.94}},
		{"budget", u.Budget, FF, Amount{2380646, 0, 100}},
		{"used", u.Used, BRAM, Amount{312.5, 0, 17.25}},
		{"SLR0", &u.SLRs[0], LUT, Amount{188000, 0, 42.76}},
		{"SLR1", &u.SLRs[1], BRAM, Amount{200.5, 0, 29.84}},
		{"SLR2", &u.SLRs[2], FF, Amount{40000, 0, 4.63}},
		{"ccl_offload_0", &u.Kernels[0], LUT, Amount{41200, 0, 3.55}},
		{"reduce_ops_1", &u.Kernels[2], DSP, Amount{32, 0, 0.35}},
		{"network_krnl_0", &u.Kernels[3], URAM, Amount{12, 0, 1.25}},
	} {
		got := c.area.Use[c.resource]
		assert.Check(t, got == c.want, "%s %s: %v, want %v", c.name, c.resource, got, c.want)
	}
	if k := u.Kernels[2]; k.Name != "reduce_ops_1" || k.Kernel != "reduce_ops" {
		t.Errorf("third instance is %s of %s", k.Name, k.Kernel)
	}
	wantPower := &Power{
		File: "power_routed.rpt", Total: 38.265, Dynamic: 27.677, Static: 10.588, HBM: 8.775, Junction: 58.2,
		Confidence: "Low",
		Parts: []Watts{{"Clocks", 4.1}, {"CLB Logic", 3.002}, {"Signals", 3.9}, {"Block RAM", 1.2}, {"HBM", 8.775},
			{"GTY", 6.7}, {"Static Power", 10.588}},
		Kernels: []Watts{{"ccl_offload_0", 0.905}, {"network_krnl_0", 4.31}},
	}
	assert.Check(t, is.DeepEqual(wantPower, r.Power), "power (-want +got)")
	wantHLS := []Synthesis{{
		File: "hls/krnl/syn/report/reduce_ops_csynth.rpt", Kernel: "reduce_ops", Target: 4, Estimated: 2.92,
		Latency: [2]string{"12", "13"}, Interval: [2]string{"1", "1"}, Pipeline: "yes",
		Use: map[string]Amount{LUT: {14500, 1303680, 100 * 14500. / 1303680}, FF: {19000, 2607360, 100 * 19000. / 2607360},
			BRAM: {1.5, 2016, 100 * 1.5 / 2016}, URAM: {0, 960, 0}, DSP: {32, 9024, 100 * 32. / 9024}},
	}}
	assert.Check(t, is.DeepEqual(wantHLS, r.HLS), "hls (-want +got)")
	wantLink := &Link{
		File: "u55c_tcp.xclbin.info", UUID: "0c2f1d88-6a9a-4a61-b5c3-8f6d9d7a2f10",
		Platform: "xilinx_u55c_gen3x16_xdma_3_202210_1", Generated: "v++ (2023.2) on 2023-10-11-13:59:14",
		Clocks: []ClockMHz{{"_ulp_aclk_freerun_ref_00", "FIXED", 100, 0, 0}, {"hbm_aclk", "SCALABLE", 450, 450, 450},
			{"ulp_ucs_aclk_kernel_00", "SCALABLE", 300, 250, 250}},
		Kernels: []LinkedKernel{{"ccl_offload", "ccl_offload_0", "0x0", []string{"HBM[0]"}},
			{"reduce_ops", "reduce_ops_0", "not_used", nil}},
		Banks: []Bank{{"HBM[0]", "MEM_HBM", true}, {"HBM[1]", "MEM_HBM", false}},
	}
	assert.Check(t, is.DeepEqual(wantLink, r.Link), "link (-want +got)")
	if want := (LogTotals{"logs/step.log", 0, 1, 1}); len(r.Logs) != 1 || r.Logs[0] != want {
		t.Errorf("logs %v, want %v", r.Logs, want)
	}
}

func TestMissed(t *testing.T) {
	r := collect(t, sample(t, "missed", same))
	want := []string{
		"clock clk_kernel_00_unbuffered_net misses setup by 0.337 ns (9870 of 701160 endpoints)",
		"clock txoutclk_out[0] misses hold by 0.002 ns (1 of 48855 endpoints)",
		"from clock txoutclk_out[0] to clock clk_kernel_00_unbuffered_net misses setup by 0.100 ns (1 of 44 endpoints)",
		"clock ulp_ucs_aclk_kernel_00 runs at 221.5 MHz instead of 250 MHz: the linker made it slower because timing was " +
			"missed",
	}
	d := cmp.Diff(want, r.Misses())
	assert.Check(t, d == "" && !r.Met(), "misses (-want +got):\n%s", d)
	assert.Check(t, is.Equal(r.Timing.Verdict, "missed"))
	if v, of, ok := r.Timing.Clocks[1].Worst(); v != -0.002 || of != "hold" || !ok {
		t.Errorf("worst of %s: %v %s %v", r.Timing.Clocks[1].Name, v, of, ok)
	}
	if r.Link == nil || r.Link.UUID != "9e107d9d-372b-b682-6bd8-1d3542a419d6" ||
		r.Link.Generated != "v++ (2022.1) on Mon Apr 18 2022" {
		t.Errorf("link %+v", r.Link)
	}
	for _, wanted := range []string{"kernels: no readable", "card: no readable", "SLRs: no readable",
		"power: no readable"} {
		assert.Check(t, is.Contains(strings.Join(r.Missing, "\n"), wanted), "%q does not tell", r.Missing)
	}
}

func TestVerdicts(t *testing.T) {
	numbers := func(worst float64, failing int) *Timing {
		return &Timing{Clocks: []ClockSlack{{Name: "c", Period: 4, Setup: &Slack{worst, 0, failing, 9}}}}
	}
	for _, c := range []struct {
		name   string
		target string
		timing *Timing
		scaled []Scaling
		met    bool
	}{
		{"met", "hw", numbers(0, 0), nil, true},
		{"missed by a picosecond", "hw", numbers(-0.001, 1), nil, false},
		{"failing endpoints, rounded", "hw", numbers(0, 1), nil, false},
		{"slower clock", "hw", numbers(0.1, 0), []Scaling{{"k", 250, 221}}, false},
		{"no report", "hw", nil, nil, false},
		{"only the sentence, missed", "hw", &Timing{Verdict: "missed"}, nil, false},
		{"numbers and sentence differ", "hw",
			&Timing{Verdict: "missed", Clocks: []ClockSlack{{Name: "c", Setup: &Slack{0.1, 0, 0, 9}}}}, nil, false},
		{"only the sentence, met", "hw", &Timing{Verdict: "met"}, nil, true},
		{"empty report", "hw", &Timing{}, nil, false},
		{"only the sums", "hw", &Timing{Setup: &Slack{-0.1, -0.1, 1, 5}}, nil, false},
		{"between clocks", "hw", &Timing{Setup: &Slack{0.1, 0, 0, 5},
			Paths: []PathSlack{{From: "a", To: "b", Hold: &Slack{-0.1, -0.1, 1, 1}}}}, nil, false},
		{"emulation", "hw_emu", nil, nil, true},
	} {
		r := &Report{Build: Build{Target: c.target}, Timing: c.timing, Scaled: c.scaled}
		assert.Check(t, r.Met() == c.met && (len(r.Misses()) == 0) == c.met,
			"%s: met %v, misses %q", c.name, r.Met(), r.Misses())
	}
}

// TestScaledInLog finds the slower clock also where only a log tells of it.
func TestScaledInLog(t *testing.T) {
	files := sample(t, "met", same)
	files["_x/vivado.log"] = &fstest.MapFile{
		Data: []byte(
			"WARNING: One or more timing paths failed timing targeting 300 MHz for kernel clock 'clkwiz_kernel_clk_out1'. " +
				"The frequency is being automatically changed to 272.4 MHz to enable proper functionality\n")}
	r := collect(t, files)
	d := cmp.Diff([]Scaling{{"clkwiz_kernel_clk_out1", 300, 272.4}}, r.Scaled)
	assert.Check(t, d == "" && !r.Met(), "scaled (-want +got):\n%s", d)
}

func TestMerge(t *testing.T) {
	list := merge([]Scaling{{"pin", 250, 221}}, []Scaling{{"pin", 250, 222}, {"net", 250, 221}, {"other", 300, 221}})
	assert.Check(t, is.DeepEqual([]Scaling{{"pin", 250, 221}, {"other", 300, 221}}, list), "(-want +got)")
}

// TestScaledInInfo finds it in what xclbinutil says, for new shells and for old.
func TestScaledInInfo(t *testing.T) {
	for _, c := range []struct {
		name  string
		clock ClockMHz
		want  []Scaling
	}{
		{"as requested", ClockMHz{"k", "SCALABLE", 300, 250, 250}, nil},
		{"rounded", ClockMHz{"k", "SCALABLE", 300, 250, 249.95}, nil},
		{"slower", ClockMHz{"k", "SCALABLE", 300, 250, 249.8}, []Scaling{{"k", 250, 249.8}}},
		{"faster than requested", ClockMHz{"k", "SCALABLE", 300, 250, 300}, nil},
		{"slower than its default", ClockMHz{"k", "SCALABLE", 500, 0, 450}, []Scaling{{"k", 500, 450}}},
		{"fixed", ClockMHz{"k", "FIXED", 100, 0, 0}, nil},
		{"old shell", ClockMHz{"DATA_CLK", "DATA", 0, 0, 250}, nil},
		{"old shell, rounded", ClockMHz{"DATA_CLK", "DATA", 0, 0, 249}, nil},
		{"old shell, slower", ClockMHz{"DATA_CLK", "DATA", 0, 0, 221}, []Scaling{{"DATA_CLK", 250, 221}}},
		{"old shell, another clock", ClockMHz{"hbm_aclk", "SYSTEM", 0, 0, 200}, nil},
	} {
		assert.Check(t, is.DeepEqual(c.want, (&Link{Clocks: []ClockMHz{c.clock}}).scalings(250)),
			"%s (-want +got)", c.name)
	}
}

// TestVariants reads the same numbers from files that other systems have touched.
func TestVariants(t *testing.T) {
	want := collect(t, sample(t, "met", same))
	comma := strings.NewReplacer("0.012 ", "0,012 ", "14.331", "14,331", "24.61", "24,61", "38.265", "38,265", "4.00 ns",
		"4,00 ns", "322.269", "322,269")
	for name, change := range map[string]func(string, []byte) []byte{
		"CRLF":          func(_ string, b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
		"decimal comma": func(_ string, b []byte) []byte { return []byte(comma.Replace(string(b))) },
		"without what stands behind the tables": func(name string, b []byte) []byte {
			if at := bytes.Index(b, []byte("| User Ignored Path Table")); at >= 0 {
				return b[:bytes.LastIndex(b[:at], []byte("---\n"))-97+4]
			}
			return b
		},
		"no last lines": func(_ string, b []byte) []byte { return bytes.TrimRight(b, "\n") },
		"long lines":    func(_ string, b []byte) []byte { return append([]byte(strings.Repeat("x", 300_000)+"\n"), b...) },
		"bytes that are no UTF-8": func(_ string, b []byte) []byte {
			return append([]byte("| Host : \xe9\xff\x80\n"), b...)
		},
	} {
		got := collect(t, sample(t, "met", change))
		assert.Check(t, is.DeepEqual(want, got), "%s (-want +got)", name)
	}
}

// TestPreference takes the last timing summary, and never one of an earlier stage.
func TestPreference(t *testing.T) {
	met, err := os.ReadFile("testdata/met/_x/reports/link/imp/impl_1_hw_bb_locked_timing_summary_routed.rpt")
	assert.NilError(t, err)
	missed, err := os.ReadFile("testdata/missed/hw_bb_locked_timing_summary_postroute_physopted.rpt")
	assert.NilError(t, err)
	for _, c := range []struct {
		names [2]string // of the one that is met, and of the one that is not
		met   bool
	}{
		{[2]string{"a_timing_summary_postroute_physopted.rpt", "a_timing_summary_routed.rpt"}, true},
		{[2]string{"a_timing_summary_routed.rpt", "a_timing_summary_postroute_physopted.rpt"}, false},
		{[2]string{"timing_summary_routed.rpt", "timing_summary_placed.rpt"}, true},
		{[2]string{"timing_summary_synthed.rpt", "timing_summary_routed.rpt"}, false},
		{[2]string{"timing_summary_final.rpt", "impl_1_hw_bb_locked_timing_summary_postroute_physopted.rpt"}, true},
		{[2]string{"shell_timing_summary.rpt", "shell_timing_summary_synthed.rpt"}, true},
		{[2]string{"impl_1_init_report_timing_summary_0.rpt", "impl_1_route_report_timing_summary_0.rpt"}, false},
	} {
		r := collect(t, fstest.MapFS{c.names[0]: {Data: met}, c.names[1]: {Data: missed}})
		assert.Check(t, is.Equal(r.Met(), c.met), "%v: met", c.names)
	}
	r := collect(t, fstest.MapFS{"timing_summary_routed.rpt": {Data: []byte("garbage\n")},
		"x/timing_summary_routed.rpt": {Data: met}})
	assert.Check(t, r.Met() && len(r.Missing) != 0 && strings.HasPrefix(r.Missing[0], "timing_summary_routed.rpt: "),
		"met %v, missing %q", r.Met(), r.Missing)
}

// TestTruncated cuts each file after each line: never a panic, never a met build
// that the rest would have failed, and what is missing is told.
func TestTruncated(t *testing.T) {
	for _, dir := range []string{"met", "missed"} {
		for name, file := range sample(t, dir, same) {
			all := file.Data
			files := fstest.MapFS{name: file}
			whole := collect(t, files)
			for i := 0; i <= len(all); i++ {
				if i > 0 && all[i-1] != '\n' && i%997 != 0 {
					continue
				}
				file.Data = all[:i]
				r := collect(t, files)
				if r.Met() && !whole.Met() {
					t.Fatalf("%s/%s cut at %d counts as met", dir, name, i)
				}
				told := len(r.Missing) > len(whole.Missing) || strings.HasSuffix(name, ".log") || whole.lossless(name) ||
					toldElsewhere(name, r)
				if d := cmp.Diff(whole, r); d != "" && !told {
					t.Errorf("%s/%s cut at %d of %d differs and nothing is told:\n%s", dir, name, i, len(all), d)
					break
				}
			}
		}
	}
}

// lossless says that a file may end anywhere: its end has no mark.
func (r *Report) lossless(name string) bool { return strings.HasSuffix(name, ".info") }

// toldElsewhere says that a cut between two whole tables cannot be seen.
func toldElsewhere(name string, got *Report) bool {
	switch {
	case strings.Contains(name, "full_util"):
		return got.Usage.Card != nil // its later tables are gone
	case strings.Contains(name, "power"):
		return got.Power != nil && got.Power.Total > 0
	default:
		return false
	}
}

func TestKernelTwice(t *testing.T) {
	files := sample(t, "met", same)
	files["other/reduce_ops_csynth.rpt"] = files["hls/krnl/syn/report/reduce_ops_csynth.rpt"]
	r := collect(t, files)
	assert.Check(t, len(r.HLS) == 1, "%d reports", len(r.HLS))
}

func TestNothing(t *testing.T) {
	r := collect(t, fstest.MapFS{})
	assert.Check(t, !r.Met() && len(r.Missing) == 6, "missing %d: %q", len(r.Missing), r.Missing)
	for _, c := range []struct {
		change func(*Build)
		count  int
	}{
		{func(b *Build) { b.Shell = true }, 4}, // no xclbin, no kernels of its own
		{func(b *Build) { b.SLRs = 1 }, 5},
		{func(b *Build) { b.Target = "hw_emu" }, 1},
	} {
		b := build()
		c.change(&b)
		if r, err := Collect(t.Context(), nil, b); err != nil || len(r.Missing) != c.count {
			t.Errorf("%v, missing %q, want %d", err, r.Missing, c.count)
		}
	}
	var b bytes.Buffer
	err := errors.Join(Text(&b, r, nil), HTML(&b, []*Report{r}))
	assert.Check(t, err == nil && strings.Contains(b.String(), "NOT MET"), "%v\n%s", err, b.String())
	assert.Check(t, HTML(&b, nil) != nil, "a page about no build")
	_, err = Collect(t.Context(), map[string]fs.FS{"": os.DirFS("testdata/none")}, build())
	assert.Check(t, errors.Is(err, fs.ErrNotExist), "error %v", err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Collect(ctx, map[string]fs.FS{"": sample(t, "met", same)}, build())
	assert.Check(t, errors.Is(err, context.Canceled), "error %v", err)
}

// TestFolders finds reports in the results of several steps, and names them by their folders.
func TestFolders(t *testing.T) {
	met := os.DirFS("testdata/met")
	link, err := fs.Sub(met, "_x/reports/link")
	assert.NilError(t, err)
	kernel, err := fs.Sub(met, "hls")
	assert.NilError(t, err)
	r, err := Collect(t.Context(), map[string]fs.FS{"link": link, "hls-krnl": kernel, "empty": fstest.MapFS{}}, build())
	assert.NilError(t, err)
	assert.Check(t, r.Timing != nil && r.Timing.File == "link/imp/impl_1_hw_bb_locked_timing_summary_routed.rpt",
		"timing %+v", r.Timing)
	assert.Check(t, len(r.HLS) == 1 && r.HLS[0].File == "hls-krnl/krnl/syn/report/reduce_ops_csynth.rpt", "%+v", r.HLS)
}

func TestNames(t *testing.T) {
	for name, want := range map[string]kind{
		"impl_1_kernel_util_routed.rpt": kernelUse, "kernel_util_synthed.rpt": kernelUse, "slr_util_final.rpt": slrUse,
		"full_util_final.rpt":   cardUse,
		"shell_utilization.rpt": cardUse, "hw_bb_locked_utilization_placed.rpt": cardUse,
		"my_rm_synth_1_ulp_utilization_synth.rpt": none, "hierarchy_final.rpt": none,
		"hw_bb_locked_clock_utilization_routed.rpt": none, "shell_utilization_hierarchical.rpt": none,
		"power_final.rpt": power, "impl_1_hw_bb_locked_power_routed.rpt": power, "a.xclbin.info": info, "k_csynth.rpt": hls,
		"csynth.rpt": none,
		"vivado.log": log, "timing_summary_placed.rpt": none, "dr_timing_summary.rpt": timing, "a.rpt": none,
		"timing_summary_routed.pb": none,
	} {
		assert.Check(t, is.Equal(classify("x/"+name).kind, want), "%s", name)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{decimal(450.045, 1), "450"}, {decimal(-0.0001, 3), "0"}, {decimal(2.5, 3), "2.5"},
		{fixed(-0.0001, 3), "0.000"}, {fixed(-0.337, 3), "-0.337"},
		{grouped(1303680), "1 303 680"}, {grouped(-1234), "-1 234"}, {grouped(512.5), "512.5"}, {grouped(999), "999"},
		{grouped(0), "0"},
		{change(5, 3, grouped), "+2"}, {change(3, 5, grouped), "-2"}, {change(3, 3.00001, grouped), ""},
		{duration(9928 * time.Second), "2 h 45 min"}, {duration(3*time.Hour - time.Second), "3 h"},
		{duration(time.Hour - 300*time.Millisecond), "1 h"}, {duration(time.Hour - 20*time.Second), "59 min 40 s"},
		{duration(59*time.Second + 800*time.Millisecond), "1 min"},
		{duration(3200 * time.Millisecond), "3.2 s"}, {duration(0), "0 s"}, {duration(61 * time.Second), "1 min 1 s"},
		{duration(42 * time.Second), "42 s"},
	} {
		assert.Check(t, is.Equal(c.got, c.want))
	}
	for text, want := range map[string]float64{"1.5": 1.5, "<0.01": 0.01, "0,5": 0.5, " 12 ": 12} {
		v, ok := number(text)
		assert.Check(t, ok && v == want, "number %q: %v %v", text, v, ok)
	}
	for _, text := range []string{"", "NA", "inf", "nan", "1,2,3", "1e999", "-"} {
		v, ok := number(text)
		assert.Check(t, !ok || math.IsInf(v, 0), "number %q: %v", text, v)
	}
}
