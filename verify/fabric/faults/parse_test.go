package faults_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
)

// same compares plans by what they say.
func same(a, b *faults.Plan) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(faults.Plan{}, faults.Link{}, faults.Partition{}, faults.Kill{}),
		cmpopts.EquateEmpty())
}

func parse(t *testing.T, text string) *faults.Plan {
	t.Helper()
	p, err := faults.Parse(text)
	assert.NilError(t, err, "%s", text)
	return p
}

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bad.hcl")
	assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

const s = time.Second

var everything = faults.Plan{
	Seed: 7,
	Faults: fabric.Faults{Latency: 2 * time.Millisecond, Jitter: 200 * time.Microsecond, BytesPerSecond: 1e9, Loss: 0.01,
		Duplicate: 0.02, Reorder: 0.03, Corrupt: 0.04},
	Links: []faults.Link{
		{Ranks: [2]int{0, 2}, Changes: faults.Loss | faults.Cut, Condition: fabric.Condition{Faults: fabric.Faults{Loss: 0.2},
			Cut: true}, Span: faults.Span{From: 5 * s, To: 8 * s}},
		{Ranks: [2]int{faults.Any, 3}, OneWay: true, Changes: faults.Bandwidth,
			Condition: fabric.Condition{Faults: fabric.Faults{BytesPerSecond: 1.25e9}}},
		{Ranks: [2]int{1, faults.Any}, Changes: faults.Latency, Span: faults.Span{From: 1 * s}},
	},
	Partitions: []faults.Partition{{Groups: [][]int{{0, 1}, {2, 3}}, Span: faults.Span{From: 10 * s, To: 12 * s}}},
	Kills:      []faults.Kill{{Rank: 3, At: 20 * s}},
}

func TestParse(t *testing.T) {
	for name, text := range map[string]string{
		"lists": `{
			seed = 7, latency = "2ms", jitter = "200us", bandwidth = "1GB/s", loss = 0.01, duplicate = 0.02, reorder = 0.03, corrupt = 0.04
			links = [
				{ranks = "0-2", loss = 0.2, cut = true, from = "5s", to = "8s"},
				{ranks = "*>3", bandwidth = "10Gbit/s"},
				{ranks = 1, latency = 0, from = "1000ms"},
			]
			partitions = [{groups = [[0, 1], [2, 3]], from = "10s", to = "12s"}]
			kills = [{rank = 3, at = "20s"}]
		}`,
		"objects": `{seed = 7, latency = "2ms", jitter = "0.2ms", bandwidth = "1000 MB/s", loss = 1/100, duplicate = 0.02, reorder = 0.03, corrupt = 0.04,
			links = {"0-2" = {loss = 0.2, cut = true, from = "5s", to = "8s"}, "*>3" = {bandwidth = "1.25e3MB/s"}, "1-*" = {latency = "0s", from = "1s"}},
			partitions = [for p in [[0, 2]] : {groups = [for r in p : [r, r + 1]], from = "10s", to = "12s"}], kills = {"3" = {at = "20s"}}}`,
		"blocks": file(t, `
seed      = 7
latency   = "2ms"
jitter    = "200us"
bandwidth = "8Gbit/s"
loss      = 0.01
duplicate = 2 * local.loss
reorder   = 3 * local.loss
corrupt   = 4 * local.loss

locals {
  loss = 0.01
}

link "0-2" {
  loss = 0.2
  cut  = true
  from = "5s"
  to   = "8s"
}
links = [{ ranks = "*>3", bandwidth = "10Gbit/s" }]
link "1" {
  latency = "0"
  jitter  = null
  from    = "1s"
}
partition {
  groups = [[0, 1], [2, 3]]
  from   = "10s"
  to     = "12s"
}
kill "3" { at = "20s" }
`),
		"itself": everything.String(),
	} {
		assert.Check(t, is.Equal(same(parse(t, text), &everything), ""), "%s", name)
	}
}

func TestPlanPrintsWhatItDoes(t *testing.T) {
	want := `{seed = 7, latency = "2ms", jitter = "200us", bandwidth = "1GB/s", loss = 0.01, duplicate = 0.02, reorder = 0.03, corrupt = 0.04, ` +
		`links = [{ranks = "0-2", loss = 0.2, cut = true, from = "5s", to = "8s"}, {ranks = "*>3", bandwidth = "1.25GB/s"}, {ranks = "1-*", latency = "0s", from = "1s"}], ` +
		`partitions = [{groups = [[0, 1], [2, 3]], from = "10s", to = "12s"}], kills = [{rank = 3, at = "20s"}]}`
	assert.Check(t, is.Equal(everything.String(), want))
	assert.Check(t, is.Equal((*faults.Plan)(nil).String(), "{}"), "no plan prints")
}

// Values print so that they read as the same ones.
func TestUnits(t *testing.T) {
	plan := func(text string) *faults.Plan {
		p := parse(t, text)
		assert.Check(t, is.Equal(same(parse(t, p.String()), p), ""), "%s prints %s", text, p)
		return p
	}
	for text, want := range map[string]float64{
		"1B/s": 1, "1kB/s": 1e3, "1MB/s": 1e6, "1GB/s": 1e9, "1TB/s": 1e12, "2 KiB/s": 2048, "1MiB/s": 1 << 20,
		"1GiB/s": 1 << 30, "1TiB/s": 1 << 40, "8bit/s": 1, "1kbit/s": 125, "100Mbit/s": 12.5e6, "10Gbit/s": 1.25e9,
		"1Tbit/s": 125e9, "1e-3B/s": 0.001, "0GB/s": 0, "1e290TB/s": 1e302, "1.1e-307B/s": 1.1e-307,
	} {
		got := plan(`{bandwidth = "` + text + `"}`).BytesPerSecond
		assert.Check(t, got == want, "%s is %v bytes a second, not %v", text, got, want)
	}
	for text, want := range map[string]time.Duration{`"1m"`: time.Minute, `"1h30m"`: 90 * time.Minute,
		`"1.5ms"`: 1500 * time.Microsecond, `"20µs"`: 20 * time.Microsecond, "0": 0, `"1h0m0.000000001s"`: time.Hour + 1} {
		assert.Check(t, is.Equal(plan(`{latency = `+text+`}`).Latency, want), "%s", text)
	}
}

// A seed is chosen if none is given, another one each time, and printed.
func TestSeedIsChosen(t *testing.T) {
	seeds := map[int64]bool{}
	for range 20 {
		p := parse(t, `{loss = 0.5}`)
		seeds[p.Seed] = true
		if again := parse(t, p.String()); again.Seed != p.Seed || again.SeedChosen() || !p.SeedChosen() {
			t.Errorf("%s reads as seed %d, chosen %v", p, again.Seed, again.SeedChosen())
		}
	}
	assert.Check(t, len(seeds) >= 15, "%d seeds of 20", len(seeds))
	p := parse(t, "{seed = -9223372036854775808}")
	assert.Check(t, p.Seed == math.MinInt64, "seed %d", p.Seed)
	p = parse(t, "")
	assert.Check(t, p.None(), "nothing reads as %s", p)
}

// FuzzParse: whatever a text is, reading it ends, and what can be read is what
// is printed.
func FuzzParse(f *testing.F) {
	f.Add(everything.String())
	f.Add(`{links = {"0-1" = {loss = 1}, for = {}}, kills = [for r in range(3) : {rank = r, at = "1s"}]}`)
	f.Add(`{links = "x", partitions = [[1]], kills = {a = 1}, seed = 1e300}`)
	f.Add(`loss = 1`)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasSuffix(strings.TrimSpace(text), ".hcl") {
			return // no files
		}
		p, err := faults.Parse(text)
		if err != nil {
			assert.Check(t, err.Error() != "", "an error without text")
			return
		}
		again, err := faults.Parse(p.String())
		assert.NilError(t, err, "%s", p)
		assert.Check(t, is.Equal(same(again, p), ""), "%s", p)
		_ = p.Check(4)
	})
}
