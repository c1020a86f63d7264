package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// lookup is a network where a is 10.0.0.1 and so on, h stands in its own hosts
// file with a loopback address, as Debian has it, and six has only IPv6.
func lookup(_ context.Context, name string) ([]netip.Addr, error) {
	table := map[string]string{
		"a": "10.0.0.1", "b": "10.0.0.2", "c": "10.0.0.3", "m3": "10.0.2.3", "h": "127.0.1.1", "h2": "127.0.1.1 10.0.0.9",
		"six": "fd00::1",
	}
	for i := range 12 {
		table[fmt.Sprintf("n%d", i)] = fmt.Sprintf("10.0.1.%d", i)
		table[fmt.Sprintf("n%02d", i)] = fmt.Sprintf("10.0.3.%d", i)
	}
	text, there := table[name]
	if !there {
		return nil, errors.New("no such host")
	}
	var out []netip.Addr
	for a := range strings.FieldsSeq(text) {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

// environment looks variables up in a text of name=value pairs.
func environment(text string) func(string) (string, bool) {
	vars := map[string]string{}
	for pair := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	return func(name string) (string, bool) {
		value, there := vars[name]
		return value, there
	}
}

func openMPI(rank, size, localRank, localSize int) string {
	return fmt.Sprintf(
		"OMPI_COMM_WORLD_RANK=%d OMPI_COMM_WORLD_SIZE=%d OMPI_COMM_WORLD_LOCAL_RANK=%d OMPI_COMM_WORLD_LOCAL_SIZE=%d", rank,
		size, localRank, localSize)
}

func mpich(rank, size, localRank, localSize int) string {
	return fmt.Sprintf("PMI_FD=8 PMI_RANK=%d PMI_SIZE=%d MPI_LOCALRANKID=%d MPI_LOCALNRANKS=%d", rank,
		size, localRank, localSize)
}

// slurm is what srun sets: nodes and tasks of the step and more.
func slurm(rank, size, node int, nodes, tasks, more string) string {
	return fmt.Sprintf(
		"SLURM_PROCID=%d SLURM_NTASKS=99 SLURM_NODEID=%d SLURM_LOCALID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=%d "+
			"SLURM_STEP_NODELIST=%s SLURM_STEP_TASKS_PER_NODE=%s SLURM_JOB_NODELIST=x[1-50] SLURM_TASKS_PER_NODE=9(x50) %s",
		rank, node, size, nodes, tasks, more)
}

// text is a world in one line: process, ranks, hosts.
func text(w World) string {
	var hosts []string
	for _, h := range w.Hosts {
		hosts = append(hosts, strings.TrimPrefix(h.String(), "10.0."))
	}
	by := w.Launcher
	by = cmp.Or(by, "none")
	return fmt.Sprintf("%s %d/%d: %v of %d without %v at %s", by, w.Process, w.Processes, w.Local, w.Size, w.Foreign,
		strings.Join(hosts, " "))
}

const here = "127.0.0.1"

func TestWorlds(t *testing.T) {
	for _, c := range []struct {
		name, env string
		o         Options
		want      string
	}{
		{"nothing", "", Options{}, "none 0/1: [0] of 1 without [] at " + here},
		{"all ranks in one process", "", Options{Size: 3}, "none 0/1: [0 1 2] of 3 without [] at " +
			strings.Repeat(here+" ", 2) + here},
		{"some ranks", "", Options{Size: 4, Ranks: "3, 0-1"}, "none 0/1: [0 1 3] of 4 without [] at " +
			strings.Repeat(here+" ", 3) + here},
		{"some ranks of several hosts", "", Options{Size: 4, Ranks: "2-3", Hosts: "a:2,b:2"},
			"none 0/1: [2 3] of 4 without [] at 0.1 0.1 0.2 0.2"},
		{"all ranks at one address", "", Options{Size: 2, Hosts: "10.0.0.7"}, "none 0/1: [0 1] of 2 without [] at 0.7 0.7"},
		{"a host twice", "", Options{Size: 3, Ranks: "0", Hosts: "a,b,a"}, "none 0/1: [0] of 3 without [] at 0.1 0.2 0.1"},
		{"more room than ranks", "", Options{Size: 3, Ranks: "0", Hosts: "a:2,b:200,c"},
			"none 0/1: [0] of 3 without [] at 0.1 0.1 0.2"},
		{"foreign ranks", "", Options{Size: 4, Foreign: "1,3"}, "none 0/1: [0 2] of 4 without [1 3] at " +
			strings.Repeat(here+" ", 3) + here},
		{"foreign ranks and a part", "", Options{Size: 4, Foreign: "1", Ranks: "0", Hosts: "a,b,c,10.9.9.9"},
			"none 0/1: [0] of 4 without [1] at 0.1 0.2 0.3 10.9.9.9"},
		{"brackets", "", Options{Size: 5, Ranks: "0", Hosts: "n[1-2]:2,m3"},
			"none 0/1: [0] of 5 without [] at 1.1 1.1 1.2 1.2 2.3"},
		{"a name that is local here", "", Options{Size: 1, Hosts: "h"}, "none 0/1: [0] of 1 without [] at 127.0.1.1"},
		{"a name that has an address on the network", "", Options{Size: 2, Ranks: "0", Hosts: "h2,a"},
			"none 0/1: [0] of 2 without [] at 0.9 0.1"},

		{"mpirun", openMPI(1, 4, 1, 4), Options{}, "OpenMPI 1/4: [1] of 4 without [] at " + strings.Repeat(here+" ", 3) +
			here},
		{"mpirun, more ranks than processes", openMPI(0, 2, 0, 2), Options{Size: 5},
			"OpenMPI 0/2: [0 1 2] of 5 without [] at " + strings.Repeat(here+" ", 4) + here},
		{"its second process", openMPI(1, 2, 1, 2), Options{Size: 5}, "OpenMPI 1/2: [3 4] of 5 without [] at " +
			strings.Repeat(here+" ", 4) + here},
		{"mpirun on hosts", openMPI(2, 3, 0, 1), Options{Hosts: "a:2,b:2"},
			"OpenMPI 2/3: [2] of 3 without [] at 0.1 0.1 0.2"},
		{"mpirun on hosts, more ranks", openMPI(1, 2, 0, 1), Options{Size: 5, Hosts: "a,b"},
			"OpenMPI 1/2: [3 4] of 5 without [] at 0.1 0.1 0.1 0.2 0.2"},
		{"mpirun with ranks of each", openMPI(1, 2, 0, 1), Options{Size: 4, Ranks: "3", Hosts: "a:3,b"},
			"OpenMPI 1/2: [3] of 4 without [] at 0.1 0.1 0.1 0.2"},
		{"mpirun with foreign ranks", openMPI(1, 2, 1, 2), Options{Foreign: "0"}, "OpenMPI 1/2: [2] of 3 without [0] at " +
			strings.Repeat(here+" ", 2) + here},
		{"mpirun.mpich", mpich(0, 2, 0, 2), Options{}, "PMI 0/2: [0] of 2 without [] at " + here + " " + here},
		{"mpirun.mpich on hosts", mpich(1, 2, 0, 1), Options{Hosts: "b,c"}, "PMI 1/2: [1] of 2 without [] at 0.2 0.3"},

		{"srun on a node", slurm(1, 3, 0, "n1", "3", ""), Options{}, "Slurm 1/3: [1] of 3 without [] at " +
			strings.Repeat(here+" ", 2) + here},
		{"srun on nodes", slurm(2, 3, 1, "n[1-2]", "2,1", ""), Options{}, "Slurm 2/3: [2] of 3 without [] at 1.1 1.1 1.2"},
		{"srun, one on each", slurm(1, 2, 1, "n[1-2]", "1(x2)", "SLURM_DISTRIBUTION=cyclic"), Options{},
			"Slurm 1/2: [1] of 2 without [] at 1.1 1.2"},
		{"srun, around the nodes", slurm(3, 4, 0, "n[1-2]", "3,1", "SLURM_DISTRIBUTION=cyclic:block"), Options{},
			"Slurm 3/4: [3] of 4 without [] at 1.1 1.2 1.1 1.1"},
		{"srun in blocks", slurm(3, 4, 1, "n[1-2]", "3,1", "SLURM_DISTRIBUTION=block:cyclic,Pack"), Options{},
			"Slurm 3/4: [3] of 4 without [] at 1.1 1.1 1.1 1.2"},
		{"the documentation's node list", slurm(0, 8, 0, "n[1-4,07-09],m3", "1(x8)", ""), Options{},
			"Slurm 0/8: [0] of 8 without [] at 1.1 1.2 1.3 1.4 3.7 3.8 3.9 2.3"},
		{"the documentation's tasks", slurm(6, 7, 3, "n[1-2],m3,n5", "2(x3),1", ""), Options{},
			"Slurm 6/7: [6] of 7 without [] at 1.1 1.1 1.2 1.2 2.3 2.3 1.5"},
		{"srun, more ranks", slurm(1, 2, 1, "n[1-2]", "1(x2)", ""), Options{Size: 4},
			"Slurm 1/2: [2 3] of 4 without [] at 1.1 1.1 1.2 1.2"},
		{"srun with hosts", slurm(1, 2, 1, "n[1-2]", "1(x2)", "SLURM_DISTRIBUTION=plane=2"), Options{Hosts: "a,b"},
			"Slurm 1/2: [1] of 2 without [] at 0.1 0.2"},
		{"an old srun",
			"SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 SLURM_NODELIST=n[1-2] SLURM_TASKS_PER_NODE=1(x2)", Options{},
			"Slurm 0/2: [0] of 2 without [] at 1.1 1.2"},
		{"a batch script of Slurm", "SLURM_PROCID=0 SLURM_NTASKS=3 SLURM_NODEID=0 SLURM_JOB_NODELIST=n[1-2]",
			Options{Size: 2}, "none 0/1: [0 1] of 2 without [] at " + here + " " + here},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Lookup = lookup
			w, err := Resolve(t.Context(), environment(c.env), c.o)
			assert.Check(t, err == nil && text(w) == c.want, "got  %s, %v\nwant %s", text(w), err, c.want)
		})
	}
}

func TestHereServesAllRanksWhateverLaunchedIt(t *testing.T) {
	for pair := range strings.FieldsSeq(openMPI(1, 3, 1, 3)) {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	w, err := Here(t.Context(), 4)
	assert.Check(t, err == nil && slices.Equal(w.Local, []int{0, 1, 2, 3}) && w.Launcher == "", "%+v, %v", w, err)
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name, env string
		o         Options
		is        error
		text      string
	}{
		{"a rank that is none", "PMI_RANK=x", Options{}, accl.ErrRank, `PMI_RANK is "x", not a rank`},
		{"negative size", "", Options{Size: -1}, ErrOption, "1 to 65536 ranks, not -1"},
		{"huge size", "", Options{Size: 1 << 20}, ErrOption, "1 to 65536 ranks, not 1048576"},
		{"ranks without size", "", Options{Ranks: "0,1"}, ErrOption, "-n says how many"},
		{"foreign ranks without size", "", Options{Foreign: "0"}, ErrOption, "-n says how many"},
		{"no list", "", Options{Size: 4, Ranks: "0,,1"}, ErrOption,
			`--ranks is "0,,1", and "" is neither a rank nor a range like 2-3`},
		{"backwards", "", Options{Size: 4, Ranks: "3-1"}, ErrOption, `"3-1" is neither`},
		{"huge range", "", Options{Size: 4, Ranks: "0-999999999"}, ErrOption, `"0-999999999" is neither`},
		{"twice", "", Options{Size: 4, Ranks: "1,0-2"}, ErrOption, "has rank 1 twice"},
		{"outside", "", Options{Size: 4, Ranks: "2-4"}, ErrOption, "--ranks has rank 4, and the 4 ranks are 0 to 3"},
		{"foreign outside", "", Options{Size: 4, Foreign: "7"}, ErrOption, "--foreign has rank 7"},
		{"foreign is ours", "", Options{Size: 4, Foreign: "1", Ranks: "0-1"}, ErrOption,
			"rank 1 is in --ranks and in --foreign"},
		{"all foreign", "", Options{Size: 2, Foreign: "0-1"}, ErrOption, "1 process serve 0 ranks"},
		{"more processes than ranks", openMPI(0, 4, 0, 4), Options{Size: 3}, ErrOption,
			"4 processes serve 3 ranks: start fewer, or more ranks with -n"},
		{"several hosts by hand", "", Options{Size: 2, Hosts: "a,b"}, ErrOption,
			"--ranks says which ranks this process serves"},
		{"too few hosts", "", Options{Size: 3, Ranks: "0", Hosts: "a,b"}, ErrOption,
			`--hosts has room for 2 of 3 ranks: give each host the number that it takes, like "a:2"`},
		{"too few hosts for processes", openMPI(0, 3, 0, 2), Options{Hosts: "a:2,"}, ErrOption, "--hosts: a host is missing"},
		{"unknown host", "", Options{Size: 1, Hosts: "x,a"}, ErrHost, "no address of x: no such host"},
		{"neither file nor host", "", Options{Size: 1, Hosts: "hosts.txt"}, ErrHost,
			"no address of hosts.txt, and no file of that name"},
		{"no file", "", Options{Size: 1, Hosts: "./none/hosts"}, ErrOption, "there is no such file"},
		{"IPv6", "", Options{Size: 1, Hosts: "fd00::1"}, ErrOption, "engines speak IPv4"},
		{"only IPv6", "", Options{Size: 1, Hosts: "six"}, ErrHost, "six: it has none of IPv4"},
		{"no address of a host", "", Options{Size: 1, Hosts: "0.0.0.0"}, ErrHost, "0.0.0.0 is not that of a host"},
		{"no number", "", Options{Size: 1, Hosts: "a:x"}, ErrOption, `--hosts: "x" is not a number from 1`},
		{"zero slots", "", Options{Size: 1, Hosts: "a:0"}, ErrOption, `"0" is not a number from 1`},
		{"no name", "", Options{Size: 1, Hosts: "a/b"}, ErrOption, "no such file"},
		{"bad name", "", Options{Size: 1, Hosts: "a;b"}, ErrOption, `"a;b" is no name of a host`},
		{"brackets", "", Options{Size: 1, Hosts: "n[1-"}, ErrOption, "brackets that do not match"},
		{"a long name", "", Options{Size: 1, Hosts: strings.Repeat("a", 300) + "[1-2]"}, ErrOption, "is no name of a host"},
		{"many names", "", Options{Size: 1, Hosts: "n[1-999][1-999]"}, ErrOption, "more names than there can be ranks"},
		{"a loopback address among others", "", Options{Size: 2, Ranks: "0", Hosts: "h,a"}, ErrHost,
			"h is 127.0.1.1, which a cannot reach"},

		{"OpenMPI over hosts", openMPI(0, 4, 0, 2), Options{}, ErrOption,
			"OpenMPI has not started all 4 processes on this host: --hosts says where they are; give it the host file that " +
				"mpirun was given"},
		{"PMI over hosts", mpich(0, 4, 0, 2), Options{}, ErrOption, "give it the host file"},
		{"PMI that does not say", "PMI_RANK=0 PMI_SIZE=2", Options{}, ErrOption, "give it the host file"},
		{"hosts that mpirun has filled otherwise", openMPI(1, 2, 1, 2), Options{Hosts: "a,b"}, ErrOption,
			`--hosts places 1 process on b, where process 1 is, but OpenMPI says 2: give each host its number in the order in which mpirun fills them, like "b slots=2"`},

		{"plane", slurm(0, 4, 0, "n[1-2]", "2(x2)", "SLURM_DISTRIBUTION=plane=2"), Options{}, ErrOption,
			`SLURM_DISTRIBUTION is "plane=2"`},
		{"another node", slurm(1, 4, 1, "n[1-2]", "2(x2)", ""), Options{}, ErrEnvironment,
			`task 1 should be on node 0, n1, but SLURM_NODEID is "1"; give --hosts`},
		{"no nodes", "SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2", Options{}, ErrEnvironment,
			"SLURM_STEP_NODELIST does not say where ranks are; give --hosts"},
		{"no tasks", "SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_NODELIST=n1", Options{},
			ErrEnvironment, "SLURM_STEP_TASKS_PER_NODE does not say"},
		{"unknown nodes", slurm(0, 2, 0, "x[1-2]", "1(x2)", ""), Options{}, ErrHost,
			"where Slurm has started ranks: no address of x1: no such host; --hosts can give addresses"},
		{"bad nodes", slurm(0, 2, 0, "n[2-1]", "2", ""), Options{}, ErrEnvironment,
			`SLURM_STEP_NODELIST is "n[2-1]": "2-1" is neither a number nor a range like 1-4`},
		{"nested brackets", slurm(0, 2, 0, "n[1[2]]", "2", ""), Options{}, ErrEnvironment, "brackets that do not match"},
		{"a bracket alone", slurm(0, 2, 0, "n]1", "2", ""), Options{}, ErrEnvironment, "brackets that do not match"},
		{"a name is missing", slurm(0, 2, 0, "n1,,n2", "2", ""), Options{}, ErrEnvironment, "a name is missing"},
		{"many nodes", slurm(0, 2, 0, "n[0-4000000]", "2", ""), Options{}, ErrEnvironment,
			"more names than there can be ranks"},
		{"bad tasks", slurm(0, 2, 0, "n1", "2(x", ""), Options{}, ErrEnvironment, `"2(x" is no number of tasks`},
		{"tasks no times", slurm(0, 2, 0, "n1", "2(x0)", ""), Options{}, ErrEnvironment, `"2(x0)" is no number of tasks`},
		{"a million times", slurm(0, 2, 0, "n1", "1(x1000000)", ""), Options{}, ErrEnvironment, "it has more than 2 tasks"},
		{"other numbers", slurm(0, 3, 0, "n[1-2]", "1(x2)", ""), Options{}, ErrEnvironment,
			"SLURM_STEP_TASKS_PER_NODE has 2 tasks on 2 nodes, and there are 3"},
		{"some ranks of nodes", slurm(0, 2, 0, "n[1-2]", "1(x2)", ""), Options{Ranks: "0"}, ErrOption,
			"--hosts has to say where each rank is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Lookup = lookup
			w, err := Resolve(t.Context(), environment(c.env), c.o)
			assert.Check(t, errors.Is(err, c.is) && strings.Contains(fmt.Sprint(err), c.text),
				"%+v: %v\nshould have %q and be %v", w, err, c.text, c.is)
		})
	}
}

func TestHostFiles(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"OpenMPI", "# our cluster\na slots=2 max_slots=4\n\nb slots = 1 # the small one\nc\n", "0.1 0.1 0.2 0.3"},
		{"MPICH", "a:2\nb:1 ifname=eth0\nc:4\n", "0.1 0.1 0.2 0.3"},
		{"one a line, DOS", "a\r\na\r\nb\r\n10.0.0.3\r\n", "0.1 0.1 0.2 0.3"},
		{"brackets", "n[1-2]:2\n", "1.1 1.1 1.2 1.2"},
		{"a single host", "c\n", "0.3 0.3 0.3 0.3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := Resolve(t.Context(), environment(""), Options{Size: 4, Ranks: "0", Hosts: write(t, c.file),
				Lookup: lookup})
			want := fmt.Sprintf("none 0/1: [0] of 4 without [] at %s", c.want)
			assert.Check(t, err == nil && text(w) == want, "got  %s, %v\nwant %s", text(w), err, want)
		})
	}
	for _, c := range []struct{ name, file, text string }{
		{"typo", "a slots=2\n\nb slot=2\n",
			`line 3 of FILE: "slot=2" is not understood; give a host and at most a number: "b slots=4" or "b:4"`},
		{"no number behind slots", "a slots\n", `line 1 of FILE: "slots" is not understood`},
		{"a number of 0", "a\nb slots=0\n", `line 2 of FILE: "0" is not a number from 1`},
		{"a flag", "-oops\n", `"-oops" is no name of a host`},
		{"two hosts in a line", "a b\n", `line 1 of FILE: "b" is not understood`},
		{"no number", "# x\na slots=many\n", `line 2 of FILE: "many" is not a number from 1`},
		{"two numbers", "a:2 slots=2\n", `"slots=2" is not understood`},
		{"empty", "# nothing\n", "there is no host in FILE"},
		{"too few", "a slots=2\nb\n", "--hosts has room for 3 of 4 ranks"},
		{"many ranks", "a slots=65000\nn[1-2] slots=300\n", "line 2 of FILE: these are more than 65536 ranks"},
		{"a large file", strings.Repeat("#"+strings.Repeat("x", 1023)+"\n", 1024) + "a:4\n",
			"FILE has more than 1048576 bytes"},
		{"long line", "a" + strings.Repeat("b", 1<<17) + "\n", "read the hosts from FILE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, c.file)
			_, err := Resolve(t.Context(), environment(""), Options{Size: 4, Ranks: "0", Hosts: file, Lookup: lookup})
			if !errors.Is(err, ErrOption) || !strings.Contains(fmt.Sprint(err), strings.ReplaceAll(c.text, "FILE", file)) {
				t.Errorf("%v\nshould have %q", err, c.text)
			}
		})
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hosts")
	assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

// Names are looked up by the system where nobody says otherwise, and that ends
// with the context.
func TestLookupOfTheSystem(t *testing.T) {
	w, err := Resolve(t.Context(), environment(""), Options{Hosts: "localhost"})
	assert.Check(t, err == nil && w.Hosts[0].IsLoopback() && w.Hosts[0].Is4(), "localhost is %v, %v", w.Hosts, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Resolve(ctx, environment(""), Options{Hosts: "no-such-host.invalid"})
	assert.Check(t, errors.Is(err, ErrHost), "%v", err)
}

func TestJobs(t *testing.T) {
	for env, want := range map[string]string{
		"": "",
		openMPI(0, 2, 0, 2) + " PMIX_NAMESPACE=1292959745 SLURM_JOB_ID=5 SLURM_STEP_ID=1": "1292959745",
		mpich(0, 2, 0, 2): "",
		openMPI(0, 2, 0, 2) + " OMPI_MCA_ess_base_jobid=77":       "77",
		"PMI_RANK=0 PMI_SIZE=1 PMI_JOBID=kvs_7 MPI_LOCALNRANKS=1": "kvs_7",
		slurm(0, 1, 0, "n1", "1", "SLURM_JOB_ID=3"):               "3.0",
	} {
		w, err := Resolve(t.Context(), environment(env), Options{})
		assert.Check(t, err == nil && w.Job == want, "%s: %q, %v", env, w.Job, err)
	}
}

// Blocks are all ranks once, in order, and differ by one at most.
func TestBlocks(t *testing.T) {
	for n := range 20 {
		for processes := 1; processes <= max(n, 1); processes++ {
			next, smallest, largest := 0, n, 0
			for p := range processes {
				from, to := block(n, processes, p)
				if from != next {
					t.Errorf("%d on %d: process %d begins at %d, not %d", n, processes, p, from, next)
				}
				next, smallest, largest = to, min(smallest, to-from), max(largest, to-from)
			}
			if next != n || largest-smallest > 1 {
				t.Errorf("%d on %d: ends at %d, from %d to %d", n, processes, next, smallest, largest)
			}
		}
	}
}

func FuzzHosts(f *testing.F) {
	for _, seed := range []string{"a:2,b", "n[1-4,07-09],m3", "n[1-2][3-4]x:2", "]", "[", "a b=c", "n[1-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, hosts string) {
		names, err := expand(hosts, 1000)
		if len(names) > 1000 || err == nil && len(names) == 0 {
			t.Errorf("%d names, %v", len(names), err)
		}
		places, err := List(hosts, maxSize)
		for _, p := range places {
			assert.Check(t, err == nil && hostName.MatchString(p.Host) && p.Slots >= 0, "%+v, %v", p, err)
		}
	})
}
