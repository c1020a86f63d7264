package ranks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/server/host"
)

// written is what has been written so far.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func nothing(string) (string, bool) { return "", false }

func environment(text string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for pair := range strings.FieldsSeq(text) {
			if n, value, _ := strings.Cut(pair, "="); n == name {
				return value, true
			}
		}
		return "", false
	}
}

// call runs a command line, and returns its exit code.
func call(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int {
	root := command.New(verbs(env)...)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return command.End(command.Execute(ctx, root, args...), false, stderr)
}

// run runs the command until it says that it is ready, and ends it.
func run(t *testing.T, env, line string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out, err written
	ended := make(chan int)
	go func() { ended <- call(ctx, strings.Fields(line), environment(env), &out, &err) }()
	for {
		select {
		case code := <-ended:
			return code, out.String(), err.String()
		case <-time.After(5 * time.Millisecond):
			if strings.Contains(out.String(), "ready") {
				cancel()
			}
		}
	}
}

func TestWrongCommandLines(t *testing.T) {
	t.Chdir(t.TempDir())
	assert.NilError(t, os.WriteFile("hosts", []byte("127.0.0.1 slots=2\n127.0.0.2 slot=2\n"), 0o644))
	for _, c := range []struct{ env, line, text string }{
		{"", "emulate", "emulate needs <platform>; for example: cclforge emulate u55c_tcp"},
		{"", "emulate u55c_tcp u55c_udp", `emulate takes only <platform>, not "u55c_udp" as well`},
		{"", "emulate u55c_tpc", `no platform is called "u55c_tpc"; did you mean "u55c_tcp"?`},
		{"", "emulate u55c_tcp --vars={x=1}", `has a variable "x"`},
		{"", "emulate u55c_tcp --port", "--port needs a value: --port=<port>, first port"},
		{"", "emulate u55c_tcp -n=x", "--n=x: "},
		{"", "emulate u55c_tcp -n=0", "-n: a world has at least 1 rank"},
		{"", "emulate u55c_tcp -n=20000", "20000 ranks take 5 each from 5500 on, and the last one is 65535"},
		{"", "emulate u55c_tcp --port=0", "--port=0: ports are 1 to 65535"},
		{"", "emulate u55c_tcp --port=65535", "4 ranks take 5 each from 65535 on"},
		{"", "emulate u55c_tcp --network=tcp", "--network=tcp: it is one of auto, local, sockets, memory, mixed, packets"},
		{"", "emulate u55c_tcp --kernel=mine", "--kernel=mine: it is one of platform, loopback, client"},
		{"", "emulate u55c_tcp --listen=localhost", "--listen=localhost: an address of IPv4, like 127.0.0.1 or 0.0.0.0"},
		{"", "emulate u55c_tcp --connections=0", "--connections=0: at least 1"},
		{"", "emulate u55c_tcp --memory=0", "expected is a number of bytes, like 512MiB"},
		{"", "emulate u55c_tcp --message=1.5MiB", "expected is a number of bytes"},
		{"", "emulate u55c_tcp --timeout=5", "--timeout=5: "},
		{"", "emulate u55c_tcp --timeout=1us", "--timeout=1µs: at least 1ms"},
		{"", "simulate u55c_tcp --window=5", "--window=5: two numbers of cycles"},
		{"", "emulate u55c_tcp --record=card%d.rec", `emulate has no option "record"`},
		{"", "replay", "replay needs <recording>; for example: cclforge replay rank0.rec"},
		{"", "replay card.rec --window=5", "--window=5: two numbers of cycles"},
		{"", "emulate u55c_tcp --patience=-1s", "--patience=-1s"},
		{"", "emulate u55c_tcp --health=-1s", "--health=-1s"},
		{"", "emulate u55c_tcp --faults={losss=1}", `There is no attribute "losss" here. Did you mean "loss"?`},
		{"", "emulate u55c_tcp -n=2 --faults={kills=[{rank=2,at=\"1s\"}]}", "There is no rank 2 in a world of 2"},
		{"", "emulate u55c_tcp --ranks=0", "-n says how many there are"},
		{"", "emulate u55c_tcp -n=2 --ranks=2", "--ranks has rank 2, and the 2 ranks are 0 to 1"},
		{"", "emulate u55c_tcp -n=2 --ranks=0 --network=local",
			"the network local is for all ranks in one process, and this one has 1 of 2"},
		{"", "emulate u55c_tcp -n=2 --foreign=1 --network=sockets", "emulators of others are reached on the packet sockets"},
		{"", "emulate u55c_rdma -n=2 --foreign=1", "packet sockets are for UDP and TCP"},
		{"", "emulate u55c_tcp -n=4 --ranks=0 --hosts=hosts", `line 2 of hosts: "slot=2" is not understood`},
		{"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_SIZE=1", "emulate u55c_tcp",
			"give it the host file that mpirun was given"},
		{"PMI_RANK=0 PMI_SIZE=3 MPI_LOCALNRANKS=3", "emulate u55c_tcp -n=2", "3 processes serve 2 ranks"},
	} {
		t.Run(c.line, func(t *testing.T) {
			code, out, stderr := run(t, c.env, c.line)
			if code != 2 || out != "" || !strings.HasPrefix(stderr, "Error: ") || !strings.Contains(stderr, c.text) {
				t.Errorf("%d\n%s%s\nshould have %q", code, out, stderr, c.text)
			}
		})
	}
}

func TestFailuresThatAreNotOfTheCommandLine(t *testing.T) {
	for _, c := range []struct{ env, line, text string }{
		{"PMI_RANK=x PMI_SIZE=2", "emulate u55c_tcp", `PMI_RANK is "x", not a rank`},
		{"", "emulate u55c_tcp --hosts=no-such-host.invalid", "no address of no-such-host.invalid"},
		{"", "emulate u55c_udp -n=2 --ranks=0 --hosts=192.0.2.1,192.0.2.2", "this host does not have that address"},
		{"", "emulate u55c_tcp --faults=none.hcl", "none.hcl"},
		{"", "replay command_test.go", "command_test.go: not a whole recording of a card"},
	} {
		if code, out, stderr := run(t, c.env, c.line); code != 1 || out != "" || !strings.Contains(stderr, c.text) {
			t.Errorf("%s: %d\n%s%s", c.line, code, out, stderr)
		}
	}
}

func TestVersionIsPrinted(t *testing.T) {
	code, out, stderr := run(t, "", "--version")
	want := "cclforge " + command.Version() + "\n"
	assert.Check(t, code == 0 && stderr == "" && out == want && strings.Contains(out, "go1."),
		"%d\n%s%s; wanted is %s", code, out, stderr, want)
}

func ports(t *testing.T, ranks int) int {
	t.Helper()
	base, err := host.FreePorts(host.PortsPerRank * ranks)
	assert.NilError(t, err)
	return base
}

func TestWhatPeopleRead(t *testing.T) {
	base := ports(t, 4)
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", base+i) }
	for _, c := range []struct {
		env, line string
		want      []string
	}{
		{"", "emulate u55c_tcp -n=2 --ranks=0-1", []string{
			"u55c_tcp (u55c, tcp, accl-2024): 2 ranks, network local",
			"for clients of accl-2024: The interface of the C++ and XRT driver and the HLS bindings: host buffers, eager and " +
				"rendezvous messages.",
			"rank 0: commands tcp://" + at(0) + ", packets tcp://" + at(2) + ", kernel tcp://" + at(4),
			"rank 1: commands tcp://" + at(1) + ", packets tcp://" + at(3) + ", kernel tcp://" + at(5),
			"ready", "stopped"}},
		{"", "emulate u280_2022 -n=4 --ranks=0,2-3 --faults={seed=7,latency=\"1ms\"}", []string{
			"u280_2022 (u280, tcp, accl-2022): 4 ranks, ranks 0,2-3 here, network mixed",
			"for clients of accl-2022: The interface of the Python driver and its notebooks.",
			"rank 0: commands tcp://" + at(0) + ", packets tcp://" + at(4) + ", kernel tcp://" + at(8) + ", POE " + at(16),
			"rank 2: commands tcp://" + at(2) + ", packets tcp://" + at(6) + ", kernel tcp://" + at(10) + ", POE " + at(18),
			"rank 3: commands tcp://" + at(3) + ", packets tcp://" + at(7) + ", kernel tcp://" + at(11) + ", POE " + at(19),
			`faults: --faults='{seed = 7, latency = "1ms"}'`,
			"ready", "stopped"}},
		{"", "emulate u55c_udp -n=2 --foreign=0 --kernel=client", []string{
			"u55c_udp (u55c, udp, accl-2024): 2 ranks, rank 1 here, network packets",
			"for clients of accl-2024: The interface of the C++ and XRT driver and the HLS bindings: host buffers, eager and " +
				"rendezvous messages.",
			"rank 1: commands tcp://" + at(1) + ", packets tcp://" + at(3) + ", kernel tcp://" + at(5) + ", from tcp://" + at(7),
			"ready", "stopped"}},
		{"PMI_RANK=0 PMI_SIZE=2 MPI_LOCALNRANKS=2", "emulate u55c_tcp", []string{
			"u55c_tcp (u55c, tcp, accl-2024): 2 ranks in 2 processes (PMI), network mixed",
			"for clients of accl-2024: The interface of the C++ and XRT driver and the HLS bindings: host buffers, eager and " +
				"rendezvous messages.",
			"rank 0: commands tcp://" + at(0) + ", packets tcp://" + at(2) + ", kernel tcp://" + at(4) + ", POE " + at(8),
			"rank 0: ready", "rank 0: stopped"}},
		{"PMI_RANK=1 PMI_SIZE=2 MPI_LOCALNRANKS=2", "emulate u55c_tcp", []string{
			"rank 1: commands tcp://" + at(1) + ", packets tcp://" + at(3) + ", kernel tcp://" + at(5) + ", POE " + at(9),
			"rank 1: ready", "rank 1: stopped"}},
		{"", "emulate u55c_tcp -n=1 --listen=0.0.0.0", []string{
			"u55c_tcp (u55c, tcp, accl-2024): 1 rank, network local",
			"for clients of accl-2024: The interface of the C++ and XRT driver and the HLS bindings: host buffers, eager and " +
				"rendezvous messages.",
			"rank 0: commands tcp://" + at(0) + ", packets tcp://" + at(1) + ", kernel tcp://" + at(2),
			"warning: ranks listen at 0.0.0.0: anybody who reaches their ports can use them, and read and write their memory",
			"ready", "stopped"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			code, out, stderr := run(t, c.env, fmt.Sprintf("%s --port=%d", c.line, base))
			want := strings.Join(c.want, "\n") + "\n"
			assert.Check(t, code == 0 && out == want && stderr == "", "%d\n%s%s\nshould be\n%s", code, out, stderr, want)
		})
	}
}

func parse(t *testing.T, line string) *options {
	t.Helper()
	o := newOptions()
	f := pflag.NewFlagSet("emulate", pflag.ContinueOnError)
	o.define(f)
	assert.NilError(t, f.Parse(strings.Fields(line)))
	return o
}

// Options go wherever they like beside the platform.
func TestArgumentsInAnyOrder(t *testing.T) {
	for _, line := range []string{"emulate u55c_udp -n=3 --port=7000", "-n=3 u55c_udp --port=7000",
		"-n 3 --port 7000 u55c_udp", "--n=3 --port=7000"} {
		o := parse(t, line)
		assert.Check(t, o.n == 3 && o.port == 7000, "%s: %+v", line, o)
	}
}

// Host memory is there unless the command line says otherwise.
func TestHostMemoryIsThere(t *testing.T) {
	for line, want := range map[string]bool{"": true, "--hostmemory": true, "--hostmemory=false": false} {
		got := parse(t, line).host(launch.World{}, nil, newReport(false, io.Discard, io.Discard)).HostMemory
		assert.Check(t, got == want, "%s: %t", line, got)
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]bytesOf{
		"1": {1, "1"}, "4096B": {4096, "4KiB"}, "4GiB": {4 << 30, "4GiB"}, "64 MiB": {64 << 20, "64MiB"},
		"3MB": {3e6, "3000000"}, "2TiB": {2 << 40, "2TiB"}, "5kB": {5000, "5000"},
	} {
		var b Size
		if err := b.Set(text); err != nil || uint64(b) != want.n || b.String() != want.text {
			t.Errorf("%s is %d, %s; %v", text, uint64(b), b.String(), err)
		}
	}
	for _, text := range []string{"0", "-1", "GiB", "1e3", "9999999999TiB"} {
		var b Size
		assert.Check(t, b.Set(text) != nil && b == 0, "%s is %d", text, uint64(b))
	}
}

type bytesOf struct {
	n    uint64
	text string
}

func TestRanksText(t *testing.T) {
	for want, ranks := range map[string][]int{"rank 3": {3}, "ranks 0-3": {0, 1, 2, 3}, "ranks 0,2-3,7": {0, 2, 3, 7},
		"ranks 1,3": {1, 3}} {
		assert.Check(t, is.Equal(ranksText(ranks), want), "%v", ranks)
	}
}

// An engine whose firmware dies ends the command, which says so.
func TestFirmwareThatDies(t *testing.T) {
	image, err := firmware.Prebuilt("accl-2024")
	assert.NilError(t, err)
	symbols, err := rv32.ParseSymbols(image.Symbols)
	assert.NilError(t, err)
	config, ok := symbols.Addr("config")
	assert.Assert(t, ok, "the firmware has no function config")
	code := append([]byte(nil), image.Code...)
	clear(code[config : config+4]) // no instruction
	w, err := launch.Resolve(t.Context(), nothing, launch.Options{Size: 2})
	assert.NilError(t, err)
	h, err := host.Start(t.Context(), designtest.Load(t, "u55c_tcp", nil),
		host.Options{World: w, Engine: emu.Options{Image: code}})
	assert.NilError(t, err)
	_, err = h.World().Device(1).Start(t.Context(), 0, accl.Call{FunctionCode: 1})
	assert.NilError(t, err)
	var out, stderr written
	err = attend(t.Context(), h, 0, newReport(true, &out, &stderr), nil)
	assert.Check(t, err != nil && strings.HasPrefix(err.Error(), "the engine of rank 1 has failed: "), "%v", err)
	lines := strings.Split(out.String(), "\n")
	var event struct {
		Event, Error string
		Rank         int
	}
	if err := json.Unmarshal([]byte(lines[0]), &event); err != nil || event.Event != "failed" || event.Rank != 1 ||
		!strings.Contains(event.Error, "firmware has failed") {
		t.Errorf("%s: %v", lines[0], err)
	}
	assert.Check(t, is.Equal(lines[1], `{"event":"stopped"}`))
}

// What stands in a file of faults and of hosts is found.
func TestFilesOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	faults, hosts := filepath.Join(dir, "bad.hcl"), filepath.Join(dir, "hosts")
	for name, text := range map[string]string{faults: "seed = 3\nloss = 0.5\n", hosts: "127.0.0.1:2\n"} {
		assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	code, out, stderr := run(t, "", fmt.Sprintf("emulate u55c_udp -n=2 --json --faults=%s --hosts=%s --port=%d",
		faults, hosts, ports(t, 2)))
	assert.Check(t, code == 0 && stderr == "" && strings.Contains(out, `"faults":"{seed = 3, loss = 0.5}"`),
		"%d\n%s%s", code, out, stderr)
}

// Processes of a job agree on the seed of their faults.
func TestSeedOfAJob(t *testing.T) {
	for _, c := range []struct {
		job, text string
		same      bool
	}{{"7.0", "{loss = 0.1}", true}, {"7.0", "{loss = 0.1, seed = 3}", true}, {"", "{loss = 0.1, seed = 3}", true}, {"",
		"{loss = 0.1}", false}} {
		a, err := faultsOf(c.text, launch.World{Job: c.job})
		assert.NilError(t, err)
		b, err := faultsOf(c.text, launch.World{Job: c.job})
		assert.NilError(t, err)
		assert.Check(t, (a.Seed == b.Seed) == c.same && (!strings.Contains(c.text, "seed") || a.Seed == 3),
			"%+v: seeds %d and %d", c, a.Seed, b.Seed)
	}
	a, _ := faultsOf("{}", launch.World{Job: "7.0"})
	b, _ := faultsOf("{}", launch.World{Job: "7.1"})
	assert.Check(t, a.Seed != b.Seed, "jobs have the same seed")
	if plan, err := faultsOf("", launch.World{}); plan != nil || err != nil {
		t.Error(plan, err)
	}
}

func TestHealthForPeople(t *testing.T) {
	base := ports(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var out, stderr written
	ended := make(chan int)
	go func() {
		ended <- call(ctx, []string{"emulate", "u55c_tcp", "-n=1", "--health=20ms", fmt.Sprintf("--port=%d", base)},
			nothing, &out, &stderr)
	}()
	for !strings.Contains(out.String(), "ready") {
		time.Sleep(5 * time.Millisecond)
	}
	c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", base)) // counts when it has shaken hands
	assert.NilError(t, err)
	defer c.Close()
	want := "rank 0: 0 clients, 0 calls (0 open), 0 requests (0 refused), memory written 0 B, read 0 B, holds 0 MiB; " +
		"network out 0 packets 0 B, in 0 packets 0 B, dropped 0; rx buffers 0 of 0 in use\n"
	for !strings.Contains(out.String(), want) {
		select {
		case <-ctx.Done():
			t.Fatalf("there is no line like\n%sin\n%s", want, out.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	code := <-ended
	assert.Check(t, code == 0 && stderr.String() == "", "%d: %s", code, stderr.String())
}
