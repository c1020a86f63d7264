package rates

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// sample is a report with a point with OpenMPI, one without, and one without
// operands.
func sample() *Compared {
	return &Compared{
		Machine:  Machine{System: "linux/amd64", CPU: "a <fast> & \"good\" one", Cores: 2, Go: "go1.26"},
		Platform: "some<thing>", OpenMPI: "4.1",
		Points: []Point{
			{Operation: "nop", Ranks: 2, Times: Times{Runs: 3, Median: 8, P99: 9}},
			{Operation: "allreduce", Ranks: 2, Size: 1024, Bytes: 1024,
				Times:   Times{Runs: 3, Median: 100, P99: 200, Rate: 0.01024},
				OpenMPI: &Times{Runs: 3, Median: 10, P99: 11, Rate: 0.1024}, Ratio: 10},
			{Operation: "allreduce", Ranks: 2, Size: 16 << 20, Bytes: 16 << 20,
				Times:   Times{Runs: 3, Median: 8000, P99: 9000, Rate: 2.097},
				OpenMPI: &Times{Runs: 3, Median: 16000, P99: 17000, Rate: 1.049}, Ratio: 0.5,
				OnEngines: &Times{Runs: 3, Median: 12000, P99: 17000}, OnEnginesRatio: 0.75},
			{Operation: "allgather", Ranks: 2, Size: 4, Bytes: 8, Times: Times{Runs: 3, Median: 90, P99: 95}},
		},
		Ways: []WayPoint{{Way: "by hand", Ranks: 2, Calls: 1234, Small: Times{3, 50, 60, 0.02},
			Bulk: Times{3, 1000, 2000, 1.05}}},
		Figures: []Figure{
			{"small", 5, "µs", 10, false}, {"large", 12, "µs", 10, false}, {"quick", 400, "MHz", 300, true},
			{"slow", 20, "MHz", 300, true}, {"any", 7, "", 0, false},
		},
	}
}

func TestJSON(t *testing.T) {
	text, err := json.Marshal(sample())
	assert.NilError(t, err)
	var got struct {
		Machine map[string]any
		OpenMPI string
		Points  []map[string]any
		Figures []map[string]any
	}
	assert.NilError(t, json.Unmarshal(text, &got))
	for _, key := range []string{"cpu", "cores", "go", "system"} {
		assert.Check(t, got.Machine[key] != nil, "the machine lacks %s", key)
	}
	p := got.Points[1]
	for key, want := range map[string]any{
		"operation": "allreduce", "ranks": 2.0, "size": 1024.0, "bytes": 1024.0, "runs": 3.0,
		"median_us": 100.0, "p99_us": 200.0, "gb_per_s": 0.01024, "ratio": 10.0,
	} {
		assert.Check(t, p[key] == want, "%s is %v, want %v", key, p[key], want)
	}
	if m, ok := p["openmpi"].(map[string]any); !ok || m["median_us"] != 10.0 {
		t.Errorf("openmpi is %v", p["openmpi"])
	}
	for _, key := range []string{"openmpi", "ratio"} {
		v, is := got.Points[0][key]
		assert.Check(t, !is, "a point without comparison has %s: %v", key, v)
	}
	f := got.Figures[2]
	assert.Check(t, f["aim"] == 300.0 && f["aim_is_least"] == true && f["unit"] == "MHz", "figure %v", f)
}

func TestPrint(t *testing.T) {
	r := sample()
	var out strings.Builder
	assert.NilError(t, r.Print(&out))
	lines := map[string][]string{
		"ranks": {"ranks", "4", "B", "1", "KiB", "16", "MiB", "p99", "GB/s", "×MPI", "4", "B", "×MPI", "1", "KiB",
			"×MPI", "16", "MiB", "in", "MPI", "4", "B", "in", "MPI", "1", "KiB", "in", "MPI", "16", "MiB", "operation"},
		"nop":        {"2", "8.00", "9.00", "-", "-", "-", "-", "-", "-", "-", "nop"},
		"allreduce":  {"2", "100", "8000", "9000", "2.10", "-", "10.0", "0.50", "-", "-", "0.75", "allreduce"},
		"small, µs":  {"5.00", "≤", "10.0", "ok", "small,", "µs"},
		"large, µs":  {"12.0", "≤", "10.0", "missed", "large,", "µs"},
		"quick, MHz": {"400", "≥", "300", "ok", "quick,", "MHz"},
		"slow, MHz":  {"20.0", "≥", "300", "missed", "slow,", "MHz"},
		"any":        {"7.00", "any"},
		"a way":      {"2", "1234", "50.0", "60.0", "1000", "2000", "1.05", "by", "hand"},
	}
	found := map[string]string{}
	for line := range strings.Lines(out.String()) {
		for name, want := range lines {
			if strings.Join(strings.Fields(line), " ") == strings.Join(want, " ") {
				found[name] = line
			}
		}
	}
	for name, want := range lines {
		assert.Check(t, found[name] != "", "no line %q in\n%s", strings.Join(want, " "), out.String())
	}
	assert.Check(t, !strings.Contains(out.String(), "no comparison"), "there was a comparison")
}

func TestPrintWithoutOpenMPI(t *testing.T) {
	r := sample()
	r.OpenMPI, r.Without = "", "mpirun is not installed"
	for i := range r.Points {
		r.Points[i].OpenMPI, r.Points[i].Ratio, r.Points[i].OnEngines = nil, 0, nil
	}
	var out strings.Builder
	assert.NilError(t, r.Print(&out))
	if !strings.Contains(out.String(), "no comparison with OpenMPI: mpirun is not installed\n") ||
		strings.Contains(out.String(), "×MPI") || strings.Contains(out.String(), "in MPI") {
		t.Errorf("printed\n%s", out.String())
	}
}

func TestPlot(t *testing.T) {
	all := sample()
	without := sample()
	without.OpenMPI = ""
	for i := range without.Points {
		without.Points[i].OpenMPI = nil
	}
	one := func(p ...Point) *Compared { return &Compared{Platform: "x", Points: p} }
	single := Point{Operation: "copy", Ranks: 1, Size: 4, Bytes: 4, Times: Times{Median: 10}}
	zero := Point{Operation: "copy", Ranks: 1, Size: 4, Bytes: 4, OpenMPI: &Times{}}
	many := one()
	for n := range 20 {
		many.Points = append(many.Points, Point{Operation: "bcast", Ranks: n + 1, Size: 8, Bytes: 8,
			Times: Times{Median: 1e-3}})
	}
	for _, c := range []struct {
		name           string
		r              *Compared
		panels, lines  int
		dashed, absent bool
	}{
		{"all", all, 3, 3, true, false},
		{"without OpenMPI", without, 3, 2, false, true},
		{"nothing", one(), 0, 0, false, true},
		{"one size", one(single), 1, 1, false, true},
		{"no time", one(zero), 1, 0, false, true},
		{"only a barrier", one(Point{Operation: "barrier", Ranks: 4, Times: Times{Median: 1e7}}), 1, 0, false, true},
		{"more ranks than colours", many, 1, 20, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			svg := c.r.Plot()
			wellFormed(t, svg)
			for _, bad := range []string{"NaN", "Inf", "%!"} {
				assert.Check(t, !strings.Contains(svg, bad), "the picture has %s", bad)
			}
			n := strings.Count(svg, "<g ")
			assert.Check(t, n == c.panels, "%d panels, want %d", n, c.panels)
			n = strings.Count(svg, "<polyline")
			assert.Check(t, n == c.lines, "%d lines, want %d", n, c.lines)
			if strings.Contains(svg, "stroke-dasharray") != c.dashed || strings.Contains(svg, "OpenMPI") == c.absent {
				t.Error("OpenMPI is there where it was not measured, or the other way round")
			}
		})
	}
}

func TestColumns(t *testing.T) {
	sizes := func(n ...int) *Compared {
		r := &Compared{}
		for _, size := range n {
			r.Points = append(r.Points, Point{Operation: "copy", Ranks: 2, Size: size}, Point{Operation: "nop", Ranks: 2})
		}
		return r
	}
	for _, c := range []struct {
		r    *Compared
		want []int
	}{
		{sizes(), []int{0}},
		{sizes(8, 4), []int{4, 8}},
		{sizes(4, 5, 16, 64), []int{4, 64}},
		{sizes(1, 2, 3, 5), []int{2, 3, 5}},
	} {
		got := c.r.columns([]int{4, 64}, 3)
		assert.Check(t, slices.Equal(got, c.want), "columns %v, want %v", got, c.want)
	}
}

// The picture says what is on it.
func TestPlotHasLabels(t *testing.T) {
	words := wellFormed(t, sample().Plot())
	for _, want := range []string{"allreduce", "allgather", "nop", "2 ranks", "OpenMPI 4.1", "largest buffer of a rank",
		"time", "10 µs", "some<thing>", `"good"`} {
		assert.Check(t, strings.Contains(words, want), "no %q in %q", want, words)
	}
}

func TestNames(t *testing.T) {
	for bytes, want := range map[int]string{4: "4 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1536 B", 16 << 20: "16 MiB"} {
		got := sizeName(bytes)
		assert.Check(t, got == want, "%d is %q, want %q", bytes, got, want)
	}
	for e, want := range map[float64]string{-2: "10 ns", 0: "1 µs", 2: "100 µs", 3: "1 ms", 6: "1 s", 7: "10 s"} {
		got := timeName(e)
		assert.Check(t, got == want, "10^%v µs is %q, want %q", e, got, want)
	}
	got := cpuModel("processor\t: 0\nmodel name\t: Some CPU @ 2: 3\nflags: x\n")
	assert.Check(t, got == "Some CPU @ 2: 3", "the CPU is %q", got)
}

// wellFormed parses a picture and returns its text.
func wellFormed(t *testing.T, svg string) string {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	var words strings.Builder
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		assert.NilError(t, err, "the picture is not well-formed")
		switch x := token.(type) {
		case xml.StartElement:
			if depth == 0 && (x.Name.Local != "svg" || x.Name.Space != "http://www.w3.org/2000/svg") {
				t.Errorf("the picture begins with %v", x.Name)
			}
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			words.Write(x)
		}
	}
	return words.String()
}
