package verbs

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/conformance/selftest"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/vitis/slurmtest"
)

func TestMain(m *testing.M) { ranktest.Main(m, Main) }

func TestSelftest(t *testing.T) {
	self := os.Args[0]
	for _, test := range []struct {
		args []string
		code int
		out  string // it has
		errs string
	}{
		{[]string{"--only=copy,nop", "-n=2"}, 0, "cases are right", ""},
		{[]string{"u55c_udp", `--case={"Op":"bcast","Op0":"float32","Res":"float32","Count":5,"Root":1,"Seed":1}`, "-n=3"}, 0,
			"all 1 cases are right", ""},
		{[]string{"--only=nix"}, 2, "", `no operation "nix"`},
		{[]string{"--case={"}, 2, "", "no such case"},
		{[]string{`--case={"Op":"bcast","Op0":"float32","Res":"float32","Root":9,"Seed":1}`}, 2, "", "ranks 9 and 0 of 4"},
		{[]string{"nix"}, 2, "", `no platform is called "nix"`},
		{[]string{"nix:1"}, 2, "", "no such world"},
		{[]string{"--onyl=copy"}, 2, "", "did you mean --only?"},
		{[]string{"u55c_tcp", "nix"}, 2, "", `selftest takes only [world], not "nix" as well`},
	} {
		out, errs, code := ranktest.Run(t, append([]string{self, "selftest"}, test.args...)...)
		assert.Check(t, code == test.code && strings.Contains(out, test.out) && strings.Contains(errs, test.errs),
			"%v: exit code %d\n%s%s", test.args, code, out, errs)
	}
}

func TestSelftestPrintsJSON(t *testing.T) {
	out, errs, code := ranktest.Run(t, os.Args[0], "selftest", "--json", "--only=allreduce", "-n=2")
	var r selftest.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Platform != "u55c_tcp" || r.Ranks != 2 ||
		r.Cases == 0 || len(r.Rows) == 0 || r.Rows[0].Operation != "allreduce" {
		t.Errorf("%v, exit code %d\n%s%s", err, code, out, errs)
	}
}

// Slurm says itself which ranks there are, of which job.
func TestSelftestUnderSrun(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	cluster, err := slurmtest.Start(t.Context(), slurmtest.Options{})
	if errors.Is(err, slurmtest.ErrMissing) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { cluster.Stop() })
	cmd := cluster.Command(t.Context(), "srun", "--nodes=2", "--ntasks=3", os.Args[0], "selftest", "u55c_udp",
		"--only=copy,bcast,allreduce", "--meet="+ranktest.Free(t).String())
	cmd.Env = append(cmd.Environ(), ranktest.Environment()...)
	cmd.Dir = cluster.Dir
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || strings.Count(out.String(), "cases are right") != 1 ||
		!strings.Contains(out.String(), "3 ranks, emulated, in memory") {
		t.Errorf("%v\n%s%s\n%s", err, &out, &errs, cluster.Logs())
	}
}

// must ends the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	assert.NilError(t, err)
}
