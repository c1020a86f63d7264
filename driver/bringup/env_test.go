package bringup

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

func lookup(text string) Lookup {
	vars := map[string]string{}
	for _, pair := range strings.Fields(text) {
		name, value, _ := strings.Cut(pair, "=")
		vars[name] = value
	}
	return func(name string) (string, bool) { v, there := vars[name]; return v, there }
}

const (
	withSecret = " CCLFORGE_SECRET=0123456789abcdef "
	mpi4       = " OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 " +
		"OMPI_COMM_WORLD_LOCAL_SIZE=4 PMIX_NAMESPACE=971833345 "
	slurm = " SLURM_PROCID=2 SLURM_LOCALID=0 SLURM_STEP_ID=5 SLURM_JOB_ID=41 SLURM_STEP_NUM_TASKS=3 "
)

func hostsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hosts")
	assert.NilError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestFromEnv(t *testing.T) {
	hosts := hostsFile(t, "a slots=2\nb\n")
	secretFile := hostsFile(t, "\nfedcba9876543210 \n")
	for _, test := range []struct {
		name, env string
		want      Options
	}{
		{"nothing", "", Options{Size: 1}},
		{"mpirun on one host", withSecret + mpi4, Options{Rank: 3, Size: 4, Meet: "127.0.0.1:5480", Job: "mpirun 971833345"}},
		{"mpirun, told where", withSecret + mpi4 + "CCLFORGE_MEET=n1:77 CCLFORGE_SIZE=4 CCLFORGE_RANK=3",
			Options{Rank: 3, Size: 4, Meet: "n1:77", Job: "mpirun 971833345"}},
		{"srun on one node", withSecret + slurm + "SLURM_STEP_NODELIST=n1", Options{Rank: 2, Size: 3, Meet: "127.0.0.1:5480",
			Job: "slurm 41.5"}},
		{"srun on nodes", withSecret + slurm + "SLURM_STEP_NODELIST=fpga[03-05,9],x",
			Options{Rank: 2, Size: 3, Meet: "fpga03:5480", Job: "slurm 41.5"}},
		{"PMI", withSecret + "PMI_RANK=1 PMI_SIZE=2 PMI_JOBID=9 CCLFORGE_MEET=10.0.0.1",
			Options{Rank: 1, Size: 2, Meet: "10.0.0.1:5480", Job: "pmi 9"}},
		{"hosts", withSecret + "CCLFORGE_RANK=2 CCLFORGE_HOSTS=" + hosts, Options{Rank: 2, Size: 3, Meet: "a:5480"}},
		{"hosts, and fewer ranks", withSecret + "CCLFORGE_RANK=1 CCLFORGE_SIZE=2 CCLFORGE_HOSTS=" + hosts,
			Options{Rank: 1, Size: 2, Meet: "a:5480"}},
		{"hosts in a list", withSecret + "CCLFORGE_RANK=4 CCLFORGE_HOSTS=n[3-4]:2,b",
			Options{Rank: 4, Size: 5, Meet: "n3:5480"}},
		{"srun on nodes of two dimensions", withSecret + slurm + "SLURM_STEP_NODELIST=n[1-2]x[3-4]",
			Options{Rank: 2, Size: 3, Meet: "n1x3:5480", Job: "slurm 41.5"}},
		{"an old srun", withSecret + slurm + "SLURM_NODELIST=n[07-08]",
			Options{Rank: 2, Size: 3, Meet: "n07:5480", Job: "slurm 41.5"}},
		{"an old mpirun", withSecret + strings.Replace(mpi4, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", 1),
			Options{Rank: 3, Size: 4, Meet: "127.0.0.1:5480", Job: "mpirun 971833345"}},
		{"secret in a file", "CCLFORGE_RANK=1 CCLFORGE_SIZE=2 CCLFORGE_MEET=[::1]:9 CCLFORGE_SECRET_FILE=" + secretFile,
			Options{Rank: 1, Size: 2, Meet: "[::1]:9", Secret: []byte("fedcba9876543210")}},
		{"IPv6", withSecret + "CCLFORGE_RANK=1 CCLFORGE_SIZE=2 CCLFORGE_MEET=::1",
			Options{Rank: 1, Size: 2, Meet: "[::1]:5480"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := FromEnv(lookup(test.env))
			assert.NilError(t, err)
			if want := test.want; want.Size > 1 && want.Secret == nil {
				test.want.Secret = []byte("0123456789abcdef")
			}
			if o.Rank != test.want.Rank || o.Size != test.want.Size || o.Meet != test.want.Meet || o.Job != test.want.Job ||
				!bytes.Equal(o.Secret, test.want.Secret) {
				t.Errorf("%+v; expected is %+v", o, test.want)
			}
			_, err = o.complete()
			assert.Check(t, err)
		})
	}
}

func TestFromEnvOfNonsense(t *testing.T) {
	hosts := hostsFile(t, "a\n")
	short := hostsFile(t, "short\n")
	two := withSecret + "CCLFORGE_SIZE=2 CCLFORGE_MEET=a "
	for _, test := range []struct {
		env, text string
		kind      error
	}{
		{"PMI_RANK=4 PMI_SIZE=4", "PMI_SIZE", accl.ErrRank},
		{two, "nothing says which one this is: set CCLFORGE_RANK or -rank", ErrOption},
		{two + "CCLFORGE_RANK=x", `CCLFORGE_RANK is "x"`, ErrOption},
		{two + "CCLFORGE_RANK=2", "rank 2 of 2", ErrOption},
		{"CCLFORGE_SIZE=99999", `CCLFORGE_SIZE is "99999"`, ErrOption},
		{withSecret + mpi4 + "CCLFORGE_RANK=2", "CCLFORGE_RANK is 2, but OpenMPI says 3", ErrOption},
		{mpi4, "there is no secret: set CCLFORGE_SECRET", ErrOption},
		{mpi4 + "CCLFORGE_SECRET=short", "the secret in CCLFORGE_SECRET is 5 bytes long; must be 16 to 4096", ErrOption},
		{mpi4 + "CCLFORGE_SECRET_FILE=" + short, "is 5 bytes long", ErrOption},
		{mpi4 + "CCLFORGE_SECRET_FILE=/nowhere/at/all", "no such file", ErrOption},
		{mpi4 + withSecret + "CCLFORGE_SECRET_FILE=" + short, "both", ErrOption},
		{mpi4 + withSecret + "CCLFORGE_MEET=a:b", `"a:b"; must be host:port`, ErrOption},
		{mpi4 + withSecret + "CCLFORGE_MEET=a:0", `"a:0"`, ErrOption},
		{mpi4 + withSecret + "CCLFORGE_HOSTS=" + hosts, "room for 1 of 4 ranks", ErrOption},
		{mpi4 + withSecret + "CCLFORGE_HOSTS=/nowhere/at/all", "no such file", ErrOption},
		{withSecret + "PMI_RANK=1 PMI_SIZE=2", "nothing says where rank 0 is", ErrOption},
		{withSecret + slurm, "nothing says where rank 0 is", ErrOption},
		{withSecret + slurm + "SLURM_STEP_NODELIST=n[1-", `SLURM_STEP_NODELIST is "n[1-": `, ErrOption},
		{withSecret + slurm + "SLURM_STEP_NODELIST=n[1-5000]", "more names than there can be ranks", ErrOption},
		{mpi4 + withSecret + "CCLFORGE_HOSTS=a:4,b:x", `the hosts "a:4,b:x": "x" is not a number from 1`, ErrOption},
		{mpi4 + withSecret + "CCLFORGE_HOSTS=a:2,b", "room for 3 of 4 ranks", ErrOption},
		{mpi4 + withSecret + "CCLFORGE_HOSTS=hosts.txt", "no such file", ErrOption},
	} {
		if _, err := FromEnv(lookup(test.env)); !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v; expected is %q", test.env, err, test.text)
		}
	}
}

func TestFlagsComeFirst(t *testing.T) {
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	env := Flags(set, lookup(withSecret+"CCLFORGE_RANK=1 CCLFORGE_SIZE=9 CCLFORGE_MEET=b"))
	assert.NilError(t, set.Parse([]string{"-rank=2", "-hosts=" + hostsFile(t, "a slots=9"), "-meet=c:1"}))
	o, err := FromEnv(env)
	assert.Check(t, o.Rank == 2 && o.Size == 9 && o.Meet == "c:1" && err == nil, "%+v, %v", o, err)
}

func TestHosts(t *testing.T) {
	text := "# racks\n\n n1 slots=2 # two cards\n10.0.0.2\t\nn3 slots=1"
	got, err := Hosts(strings.NewReader(text), "x")
	assert.Check(t, err == nil && slices.Equal(got, []string{"n1", "n1", "10.0.0.2", "n3"}), "%v, %v", got, err)
	text = "b:2\nn[1-2] slots=2\na slots = 1 max_slots=4\r\n"
	got, err = Hosts(strings.NewReader(text), "x")
	assert.Check(t, err == nil && slices.Equal(got, []string{"b", "b", "n1", "n1", "n2", "n2", "a"}),
		"%v, %v", got, err)
	// Other mistakes: package launch.
	for _, test := range []struct{ text, want string }{
		{"", "no host in x"},
		{"n[1-4096]:2", "line 1 of x: these are more than 4096 ranks"},
		{"a slots=4096\nb", "line 2 of x: these are more than 4096 ranks"},
	} {
		got, err := Hosts(strings.NewReader(test.text), "x")
		assert.Check(t, errors.Is(err, ErrOption) && strings.Contains(err.Error(), test.want),
			"%.40q: %v, %v; expected is %q", test.text, got, err, test.want)
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for name, edit := range map[string]func(o *Options){
		"4096 ranks":          func(o *Options) { o.Size = MaxSize + 1 },
		"none of 2":           func(o *Options) { o.Rank = 2 },
		"is negative":         func(o *Options) { o.Timeout = -1 },
		"a silence of 1ns":    func(o *Options) { o.Silence = 1 },
		"at least 16":         func(o *Options) { o.Secret = nil },
		"host:port":           func(o *Options) { o.Meet = "5480" },
		"only rank 0 listens": func(o *Options) { o.Rank = 1 },
		"1 sessions for 2":    func(o *Options) { o.Self.Sessions = []uint32{1} },
		"no plain text":       func(o *Options) { o.Self.Stack = "a\nb" },
		"longer than 256":     func(o *Options) { o.Self.Stack = strings.Repeat("x", 300) },
		"more than 64512":     func(o *Options) { o.Self.Data = make([]byte, 60000) },
	} {
		o := options(t, 2)[0]
		if name == "host:port" {
			o.Listener = nil
		}
		edit(&o)
		_, err := Join(t.Context(), o)
		assert.Check(t, errors.Is(err, ErrOption) && strings.Contains(err.Error(), name), "%s: %v", name, err)
	}
}

func TestDescribe(t *testing.T) {
	p := &accl.Platform{Name: "x", Generation: "accl-2024", Stack: "udp", HardwareID: accl.HardwareIDWord{Value: 5,
		Mask: 7}, Features: accl.Features{Rendezvous: true, Tuning: true}}
	a := Describe(p, accl.Rank{Port: 1})
	p.MaxPutTag++
	b := Describe(p, accl.Rank{Port: 1})
	assert.Check(t, a.Hash != b.Hash && len(a.Hash) == 64, "%s and %s", a.Hash, b.Hash)
	if a.Platform != "x" || a.Generation != "accl-2024" || a.Stack != "udp" || a.HardwareID != 5 || a.HardwareMask != 7 ||
		a.Engine.Port != 1 {
		t.Errorf("%+v", a)
	}
	assert.NilError(t, a.check(1))
}

func TestWhereRank0Listens(t *testing.T) {
	for meet, want := range map[string]string{"10.1.2.3:4": "10.1.2.3:4", "[::1]:4": "[::1]:4",
		"localhost:4": "localhost:4", "node7:4": ":4"} {
		assert.Check(t, is.Equal(listenAddress(meet), want), "%s", meet)
	}
	all := options(t, 2)
	all[0].Meet, all[0].Listener = all[0].Listener.Addr().String(), nil // which is still open
	_, err := Join(t.Context(), all[0])
	alike(t, []error{err}, ErrListen, StepMeet, 0, all[0].Meet, "in use", "another rank 0")
}
