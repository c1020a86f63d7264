package proofs_test

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/proofs"
)

var (
	all = flag.Bool("proofs.all", false, "all proofs, not only those that take a few seconds")
	out = flag.String("proofs.out", "", "`directory` of counterexamples and the report (a temporary one)")
)

// limit is of one question to the solver.
const limit = 10 * time.Minute

func load(t *testing.T) proofs.Sources {
	t.Helper()
	s, err := proofs.Load(t.Context())
	assert.NilError(t, err)
	return s
}

func skipWithoutTools(t *testing.T) {
	t.Helper()
	if err := proofs.Available(); err != nil {
		t.Skip("NOTHING IS PROVED: ", err)
	}
}

func TestBlocksKeepTheirPromises(t *testing.T) {
	skipWithoutTools(t)
	sources := load(t)
	o := proofs.Options{Out: *out, Limit: limit}
	if o.Out == "" {
		o.Out = t.TempDir()
	}
	var results []proofs.Result
	for n, p := range proofs.All() {
		if !*all && (!p.Quick || !nightly.Sampled(n, 2)) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			r, err := p.Run(t.Context(), sources, o)
			assert.NilError(t, err)
			results = append(results, r)
			assert.Check(t, r.Proved, "%s\ncounterexample: %s", r.Failure, r.Trace)
			for _, f := range r.Broken {
				assert.Check(t, f.Found, "planted: %s: %s", f.Defect, f.Failure)
			}
		})
	}
	t.Logf("\n%s", proofs.Table(results))
	assert.Check(t, proofs.WriteReport(o.Out, results))
}

func TestTheTableFitsTheHardware(t *testing.T) {
	sources := load(t)
	seen := map[string]bool{}
	for _, p := range slices.Concat(proofs.All(), proofs.Unfinished()) {
		assert.Check(t, !seen[p.Name], "%s is there twice", p.Name)
		seen[p.Name] = true
		assert.Check(t, p.Check(sources), "%s", p.Name)
		assert.Check(t, len(p.Broken) >= 3 && p.Shows != "" && p.Why != "",
			"%s: %d planted defects, shows %q, because %q", p.Name, len(p.Broken), p.Shows, p.Why)
		if p.BaseCase() <= p.K {
			t.Errorf("%s: a base case of %d cycles is not enough for induction over %d", p.Name, p.BaseCase(), p.K)
		}
		assert.Check(t, !p.Bounded() || p.Base == 0,
			"%s: what is bounded is looked at as far as its situations come about", p.Name)
	}
}

func find(t *testing.T, name string) proofs.Proof {
	t.Helper()
	every := proofs.All()
	i := slices.IndexFunc(every, func(p proofs.Proof) bool { return p.Name == name })
	assert.Assert(t, i >= 0, "there is no proof of %s", name)
	p := every[i]
	p.Broken = nil
	return p
}

func TestADefectFailsTheProofAndLeavesATrace(t *testing.T) {
	skipWithoutTools(t)
	sources := maps.Clone(load(t))
	const file = "common/skid_buffer.sv"
	sources[file] = strings.Replace(sources[file], "if (in_ready) spare", "spare", 1)
	dir := t.TempDir()
	r, err := find(t, "skid_buffer").Run(t.Context(), sources, proofs.Options{Out: dir, Limit: limit})
	assert.NilError(t, err)
	assert.Check(t, !r.Proved && !r.Good() && r.Failure != "", "it was proved: %+v", r)
	if want := filepath.Join(dir, "skid_buffer.vcd"); r.Trace != want {
		t.Errorf("the trace is %q, want %q", r.Trace, want)
	} else if text, err := os.ReadFile(want); err != nil || !strings.Contains(string(text), "$enddefinitions") {
		t.Errorf("no waveform: %v", err)
	}
	if table := proofs.Table([]proofs.Result{r}); !strings.Contains(table, "FAILED") ||
		!strings.Contains(table, "0 of 1 proofs are good") {
		t.Errorf("the table does not say so:\n%s", table)
	}
}

func TestAPropertyWhoseConditionNeverComesAboutIsTold(t *testing.T) {
	skipWithoutTools(t)
	sources := maps.Clone(load(t))
	const file = "common/skid_buffer.sv"
	const property = "always @* if (!rst && spare_full && !out_valid) idle_words: assert (spare_full);\nendmodule"
	sources[file] = strings.Replace(sources[file], "endmodule", property, 1)
	r, err := find(t, "skid_buffer").Run(t.Context(), sources, proofs.Options{Limit: limit})
	assert.NilError(t, err)
	assert.Check(t, !r.Proved && strings.Contains(r.Failure, "condition-of:dut.idle_words"),
		"it counts as proved: %+v", r)
}

func TestAChangeOfTheHardwareThatHidesNothingIsHarmless(t *testing.T) {
	skipWithoutTools(t)
	p := find(t, "skid_buffer")
	p.Broken = []proofs.Defect{{Name: "none", Old: "assign in_ready = !spare_full;",
		New: "assign in_ready = ~spare_full;"}}
	r, err := p.Run(t.Context(), load(t), proofs.Options{Limit: limit})
	assert.NilError(t, err)
	assert.Check(t, r.Proved && !r.Good() && len(r.Broken) == 1 && !r.Broken[0].Found,
		"a defect that is none was found: %+v", r)
}

func TestMistakesOfTheTableAreTold(t *testing.T) {
	sources := load(t)
	for what, change := range map[string]func(*proofs.Proof){
		"no such file":      func(p *proofs.Proof) { p.Design = []string{"common/missing.sv"} },
		"no properties":     func(p *proofs.Proof) { p.Name = "missing" },
		"no such constant":  func(p *proofs.Proof) { p.Sizes = map[string]string{"skid_buffer.MISSING": "1"} },
		"a defect nowhere":  func(p *proofs.Proof) { p.Broken = []proofs.Defect{{Old: "missing"}} },
		"a defect twice":    func(p *proofs.Proof) { p.Broken = []proofs.Defect{{Old: "out_valid"}} },
		"a defect outside":  func(p *proofs.Proof) { p.Broken = []proofs.Defect{{File: "common/fifo.sv", Old: "push"}} },
		"a size of nothing": func(p *proofs.Proof) { p.Sizes = map[string]string{"missing.WIDTH": "1"} },
	} {
		p := find(t, "skid_buffer")
		change(&p)
		assert.Check(t, p.Check(sources) != nil, "%s: no error", what)
	}
}

func TestTimeRunsOut(t *testing.T) {
	skipWithoutTools(t)
	_, err := find(t, "skid_buffer").Run(t.Context(), load(t), proofs.Options{Limit: time.Millisecond})
	assert.Check(t, is.ErrorIs(err, context.DeadlineExceeded))
}
