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
	survive        []string // options of mpirun with which it lets the others go on when a rank is killed
	hide           []string // command that keeps from mpirun that one was
	ranks          []int    // of programs that are not matrices: MPICH's poll for minutes where they outnumber processors
}{
	// Ranks that poll would keep the processors from those that they wait for.
	{"Open MPI", "mpicc.openmpi", []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
		"--mca", "mpi_yield_when_idle", "1"}, []string{"--mca", "orte_enable_recovery", "1"}, nil,
		nightly.Of([]int{3}, []int{2, 3})},
	{"MPICH", "mpicc.mpich", []string{"mpirun.mpich"}, []string{"-disable-auto-cleanup"},
		[]string{"sh", "-c", `"$@"; true`, "sh"}, nightly.Of([]int{2}, []int{2, 3})},
}

// mpiRun is a program of MPI.
type mpiRun struct {
	*testing.T
	compiler string
	mpirun   []string
	out      string
	sets     map[string]string // for a world
}

// program compiles one.
func (m *mpiRun) program(name string) string {
	m.Helper()
	program := filepath.Join(m.TempDir(), name)
	said, err := exec.CommandContext(m.Context(), m.compiler, "-std=gnu17", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
		"-pthread", "-rdynamic", "-o", program, filepath.Join("testdata", "mpi", name+".c")).CombinedOutput()
	assert.NilError(m, err, "%s", said)
	return program
}

// run runs one on a world, with what the verb says to set.
func (m *mpiRun) run(world string, ranks int, program ...string) (stdout, stderr string, code int) {
	m.Helper()
	sets := m.sets[world]
	if sets == "" {
		sets, stderr, code = ranktest.Run(m.T, os.Args[0], "mpi", "--out="+m.out, "--mpicc="+m.compiler, world)
		assert.Assert(m, code == 0, "%s", stderr)
		m.sets[world] = sets
	}
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

const lacks = "not a reduction of the platform"

func matrices() []matrix {
	all := []matrix{
		{"u55c_tcp", 2, []string{"waiting", "persistent"}, []string{lacks}},
		{"u55c_tcp", 3, []string{"threads"}, []string{lacks}},
		{"u50_udp", 2, []string{"long", "waiting", "persistent"}, nil},
	}
	if nightly.Enabled() {
		for ranks := 2; ranks < 10; ranks++ {
			all = append(all, matrix{"u55c_tcp", ranks, []string{"long", "persistent", "waiting"}, []string{lacks}},
				matrix{"u50_udp", ranks, []string{"waiting", "threads"}, nil})
		}
		all = append(all, matrix{"verilated:u55c_tcp", 2, nil, []string{lacks}})
	}
	return all
}

// TestMPI: every collective is done by engines, and right.
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
			m := &mpiRun{t, of.compiler, of.mpirun, filepath.Dir(l.dir), map[string]string{}}
			program := m.program("matrix")
			for _, test := range matrices() {
				if of.name == "MPICH" && len(test.allowed) != 0 {
					continue // its own reduce in place, of products, fails
				}
				out, errs, code := m.run(test.world, test.ranks, append([]string{program}, test.arguments...)...)
				assert.Check(t, code == 0 && strings.Contains(out, "cases, 0 wrong\n"), "%d ranks of %s: %d\n%s%s",
					test.ranks, test.world, code, out, errs)
				engines, reasons := fallbacks(errs)
				reasons = slices.DeleteFunc(reasons, func(why string) bool { return why == "one rank" })
				assert.Check(t, slices.Equal(reasons, test.allowed), "%d ranks of %s fall back: %q", test.ranks,
					test.world, reasons)
				for _, c := range collectives {
					for way, name := range map[string]string{"": c, "waiting": "i" + c, "persistent": c + "_init"} {
						assert.Check(t, way != "" && !slices.Contains(test.arguments, way) || slices.Contains(engines, name),
							"%d ranks of %s: %s is not done by engines", test.ranks, test.world, name)
					}
				}
			}
			for _, ranks := range of.ranks {
				m.meeting(ranks)
				m.requests(ranks, of.name == "MPICH")
			}
			m.failing(of.survive, of.hide)
			m.differing(program)
			_, errs, code := m.run("u50_udp", 2, "env", "CCLFORGE_WORLD=nowhere", program)
			assert.Check(t, code != 0 && strings.Contains(errs, "load the platform nowhere"), "%d: %s", code, errs)
			if of.name == "MPICH" {
				m.later()
			}
		})
	}
}

// meeting has ranks meet in memory.
func (m *mpiRun) meeting(ranks int) {
	out, errs, code := m.run("u55c_tcp", ranks, m.program("meeting"))
	assert.Check(m, strings.Count(out, ": 0 wrong\n") == ranks, "%d\n%s%s", code, out, errs)
}

// differing has a rank with another environment, as mpirun starts it on another host.
func (m *mpiRun) differing(program string) {
	for change, want := range map[string]string{
		"unset CCLFORGE_WORLD":                              "CCLFORGE_WORLD is set on rank 0 and not on rank 1",
		"export CCLFORGE_WORLD=nowhere":                     "load the platform nowhere",
		"unset OMPI_MCA_mca_base_component_path LD_PRELOAD": "rank 1 has not loaded this library",
	} {
		if strings.HasSuffix(change, "LD_PRELOAD") && !nightly.Enabled() { // it takes 30 s
			continue
		}
		script := `if [ "$OMPI_COMM_WORLD_RANK$PMI_RANK" = 1 ]; then ` + change + `; fi; exec "$0"`
		_, errs, code := m.run("u55c_tcp", 2, "sh", "-c", script, program)
		assert.Check(m, code != 0 && strings.Contains(errs, want), "%d: %s", code, errs)
	}
}

// requests has many collectives in flight at the same time.
func (m *mpiRun) requests(ranks int, hasLarge bool) {
	requests := m.program("requests")
	commands := [][]string{{requests, "leave", "persistent"}, {requests, "threads", "persistent"}}
	if hasLarge { // Open MPI 4.1 has no large counts
		large := []string{m.program("large")}
		if nightly.Enabled() {
			large = append(large, "huge")
		}
		commands = append(commands, large)
	}
	for _, command := range commands {
		out, errs, code := m.run("u55c_tcp", ranks, command...)
		assert.Check(m, strings.Count(out, ": 0 wrong\n") == ranks, "%q, %d ranks: %d\n%s%s", command, ranks, code, out,
			errs)
		_, reasons := fallbacks(errs)
		reasons = slices.DeleteFunc(reasons, func(why string) bool { return !hasLarge && why == lacks }) // its own
		assert.Check(m, len(reasons) == 0, "%q: %s", command, errs)
	}
}

// later has functions of MPI 4.1, which a header adds to an older MPICH: the library is another one then.
func (m *mpiRun) later() {
	header, err := filepath.Abs(filepath.Join("testdata", "mpi", "later.h"))
	assert.NilError(m, err)
	m.Setenv("MPICH_CC", "gcc -include "+header)
	clear(m.sets)
	out, errs, code := m.run("u55c_tcp", 2, m.program("requests"), "persistent")
	assert.Check(m, strings.Count(out, ": 0 wrong\n") == 2, "%d\n%s%s", code, out, errs)
}

// failing has collectives of ranks that make different calls, and of one that is killed.
func (m *mpiRun) failing(survive, hide []string) {
	program, mpirun := m.program("failing"), m.mpirun
	defer func() { m.mpirun = mpirun }()
	for _, test := range []struct {
		way, want string
		ranks     int // that say it
	}{{"mismatch", "COLLECTIVE_MISMATCH", 2}, {"dead", "rank 1 at 127.0.0.1:", 1}} {
		command := []string{program, test.way}
		if test.way == "dead" {
			if hide != nil && !nightly.Enabled() { // MPICH's mpirun is not made for it: once it hung
				continue
			}
			m.mpirun, command = slices.Concat(mpirun, survive), slices.Concat(hide, command)
		}
		for _, waiting := range [][]string{nil, {"waiting"}} {
			out, errs, code := m.run("u55c_tcp", 2, slices.Concat(command, waiting)...)
			for rank := range test.ranks {
				_, said, isSaid := strings.Cut("\n"+out, fmt.Sprintf("\nrank %d: cclforge: ", rank))
				said, _, _ = strings.Cut(said, "\n")
				assert.Check(m, isSaid && strings.Contains(said, test.want), "%s %q: %d: %s%s", test.way, waiting, code, out,
					errs)
			}
		}
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
