package library

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// mpis are the MPIs that programs are compiled with, and how these are started.
var mpis = []struct {
	name, compiler string
	mpirun         []string
}{
	// Ranks that poll would keep the processors from those that they wait for.
	{"Open MPI", "mpicc.openmpi", []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
		"--mca", "mpi_yield_when_idle", "1"}},
	{"MPICH", "mpicc.mpich", []string{"mpirun.mpich"}},
}

// mpiRun is a program of MPI.
type mpiRun struct {
	*testing.T
	compiler string
	mpirun   []string
	out      string
}

// program compiles one.
func (m *mpiRun) program(name string) string {
	m.Helper()
	program := filepath.Join(m.TempDir(), name)
	said, err := exec.CommandContext(m.Context(), m.compiler, "-std=gnu17", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
		"-o", program, filepath.Join("testdata", "mpi", name+".c")).CombinedOutput()
	assert.NilError(m, err, "%s", said)
	return program
}

// run runs one on a world, with what the verb says to set.
func (m *mpiRun) run(world string, ranks int, program ...string) (stdout, stderr string, code int) {
	m.Helper()
	sets, errs, code := ranktest.Run(m.T, os.Args[0], "mpi", "--out="+m.out, "--mpicc="+m.compiler, world)
	assert.Assert(m, code == 0, "%s", errs)
	return ranktest.Run(m.T, append([]string{"sh", "-c", sets + `export CCLFORGE_STATS=1; exec "$@"`, "sh"},
		slices.Concat(m.mpirun, []string{"-np", fmt.Sprint(ranks)}, program)...)...)
}

// fallbacks are the reasons in the statistics for which MPI did collectives, and engines the names of those that
// engines did.
func fallbacks(stats string) (engines, reasons []string) {
	_, done, _ := strings.Cut(stats, "by engines")
	done, passed, _ := strings.Cut(done, "by MPI")
	for line := range strings.Lines(done) {
		if name, _, _ := strings.Cut(line, " "); name != "" && !slices.Contains(engines, name) {
			engines = append(engines, name)
		}
	}
	for line := range strings.Lines(passed) {
		_, why, _ := strings.Cut(line, "   ")
		why = strings.TrimSpace(strings.TrimLeft(why, " 0123456789"))
		if why != "" && why != "calls" && !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	slices.Sort(reasons)
	return engines, reasons
}

// matrix is a run of the program of that name.
type matrix struct {
	world     string
	ranks     int
	arguments []string
	allowed   []string // reasons to fall back
}

func matrices() []matrix {
	lacks := "not a reduction of the platform"
	all := []matrix{
		{"u55c_tcp", 2, nil, []string{lacks}},
		{"u55c_tcp", 3, []string{"threads"}, []string{lacks, "threads, and a communicator of the same ranks"}},
		{"u50_udp", 2, []string{"long"}, nil},
	}
	if nightly.Enabled() {
		for ranks := 2; ranks < 10; ranks++ {
			all = append(all, matrix{"u55c_tcp", ranks, []string{"long"}, []string{lacks}},
				matrix{"u50_udp", ranks, nil, nil})
		}
		all = append(all, matrix{"verilated:u55c_tcp", 2, nil, []string{lacks}})
	}
	return all
}

// TestMPI: every blocking collective is done by engines, and right.
func TestMPI(t *testing.T) {
	l := newCLib(t)
	collectives := []string{"barrier", "bcast", "gather", "scatter", "allgather", "alltoall", "gatherv", "scatterv",
		"allgatherv", "alltoallv", "alltoallw", "reduce", "allreduce", "scan", "exscan", "reduce_scatter_block",
		"reduce_scatter"}
	for _, of := range mpis {
		t.Run(of.name, func(t *testing.T) {
			if _, err := exec.LookPath(of.compiler); err != nil {
				t.Skipf("%s is missing", of.compiler)
			}
			m := &mpiRun{t, of.compiler, of.mpirun, filepath.Dir(l.dir)}
			program := m.program("matrix")
			for _, test := range matrices() {
				if of.name == "MPICH" {
					// It polls: this takes minutes where anything else runs. Its own reduce in place, of products, fails.
					if !nightly.Enabled() || test.world != "u50_udp" || test.ranks > 2 {
						continue
					}
					test.arguments = nil
				}
				out, errs, code := m.run(test.world, test.ranks, append([]string{program}, test.arguments...)...)
				assert.Check(t, code == 0 && strings.Contains(out, "cases, 0 wrong\n"), "%d ranks of %s: %d\n%s%s",
					test.ranks, test.world, code, out, errs)
				engines, reasons := fallbacks(errs)
				reasons = slices.DeleteFunc(reasons, func(why string) bool {
					return why == "not blocking" || why == "one rank"
				})
				assert.Check(t, slices.Equal(reasons, test.allowed), "%d ranks of %s fall back: %q", test.ranks,
					test.world, reasons)
				for _, c := range collectives {
					assert.Check(t, slices.Contains(engines, c), "%d ranks of %s: %s is not done by engines", test.ranks,
						test.world, c)
				}
			}

			out, errs, code := m.run("u55c_tcp", 2, m.program("mismatch"))
			for rank := range 2 {
				assert.Check(t, strings.Contains(out, fmt.Sprintf("rank %d: cclforge: ", rank)), "%d: %s%s", code, out,
					errs)
			}
			assert.Check(t, strings.Contains(out, "COLLECTIVE_MISMATCH"), "%s", out)

			_, errs, code = m.run("sim:127.0.0.1:1", 2, program)
			assert.Check(t, code != 0 && strings.Contains(errs, "127.0.0.1:1"), "%d: %s", code, errs)
		})
	}
}

func TestMPIOfNoWorld(t *testing.T) {
	_, errs, code := ranktest.Run(t, os.Args[0], "mpi", "--out="+t.TempDir(), "u55c_tc")
	assert.Check(t, code != 0 && strings.Contains(errs, `mpi u55c_tc: load the platform u55c_tc`), "%d: %s", code, errs)
}

func TestWithoutMPI(t *testing.T) {
	l := newCLib(t)
	_, errs, code := ranktest.Run(t, os.Args[0], "mpi", "--out="+filepath.Dir(l.dir), "--mpicc=no-mpi",
		"u55c_tcp")
	assert.Check(t, code != 0 && strings.Contains(errs, "no MPI to compile with: no-mpi"), "%d: %s", code, errs)
}
