package ranks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/ranks"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

func TestMain(m *testing.M) { ranktest.Main(m, ranks.Main) }

func port(t *testing.T, ranks int) (base int, flag string) {
	t.Helper()
	base, err := host.FreePorts(host.PortsPerRank * ranks)
	assert.NilError(t, err)
	return base, "--port=" + strconv.Itoa(base)
}

// What scripts read is spelt out here, apart from the code that writes it.
func TestEventsForScripts(t *testing.T) {
	base, flag := port(t, 4)
	p := start(t, "emulate", "u280_udp", "-n=4", "--ranks=1,3", flag, "--faults={seed = 5, loss = 0.5}",
		"--kernel=client", "--health=50ms")
	for strings.Count(p.Output(), "\n") < 4 {
		time.Sleep(10 * time.Millisecond)
	}
	lines := strings.Split(p.Output(), "\n")
	at := func(i int) string { return fmt.Sprintf("127.0.0.1:%d", base+i) }
	want := fmt.Sprintf(
		`{"event":"ready","pid":%d,"platform":"u280_udp","board":"u280","generation":"accl-2024","stack":"udp","network":"mixed",`+
			`"host":"127.0.0.1","port":%d,"size":4,"process":0,"processes":1,"faults":"{seed = 5, loss = 0.5}","ranks":[`+
			`{"rank":1,"commands":%q,"packets":%q,"kernel_out":%q,"kernel_in":%q,"poe":%q},{"rank":3,"commands":%q,"packets":%q,"kernel_out":%q,"kernel_in":%q,"poe":%q}]}`,
		p.PID(), base, at(1), at(5), at(9), at(13), at(17), at(3), at(7), at(11), at(15), at(19))
	assert.Check(t, lines[0] == want, "got  %s\nwant %s", lines[0], want)
	var health map[string]any
	if err := json.Unmarshal([]byte(lines[1]), &health); err != nil || health["event"] != "health" ||
		health["rank"] != 1.0 || health["calls"] != 0.0 || health["rx_used"] != 0.0 {
		t.Errorf("%s: %v", lines[1], err)
	}
}

// engines opens the ranks of a world through the protocol.
func engines(t *testing.T, platform string, e sim.Endpoints, ranks []accl.Rank) []*accl.Engine {
	t.Helper()
	p, err := world.Platform(platform, "")
	assert.NilError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	devices, err := sim.OpenWorld(ctx, p, e)
	assert.NilError(t, err)
	out := make([]*accl.Engine, len(devices))
	ranktest.All(t, len(out), func(i int) (err error) {
		t.Cleanup(func() { devices[i].Close() })
		out[i], err = accl.Open(ctx, devices[i], p, ranks, i)
		return err
	})
	return out
}

// sum adds up vectors of all ranks, and checks the result.
func sum(t *testing.T, engines []*accl.Engine) {
	t.Helper()
	const n = 3000
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	ranktest.All(t, len(engines), func(i int) error { return ranktest.Sum[int32](ctx, engines[i], n, 1) })
}

// called is what programs call n ranks: where simulators serve them.
func called(base, n int) []accl.Rank {
	ranks := accl.LocalRanks(n)
	for i := range ranks {
		ranks[i].Port = uint16(base + i)
	}
	return ranks
}

func TestProcessesOnSockets(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp", "u280_2022"} {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			base, flag := port(t, 3)
			first := start(t, "emulate", platform, "-n=3", "--ranks=0,2", flag)
			start(t, "emulate", platform, "-n=3", "--ranks=1", flag)
			assert.Check(t, first.Ready[0].Network == "mixed", "%v", first.Ready[0].Network)
			sum(t, engines(t, platform, first.Endpoints(), called(base, 3)))
		})
	}
}

func TestUnderLaunchers(t *testing.T) {
	for _, c := range []struct {
		name, option string
		launcher     []string
		is           string // the launcher, if the program says what it is
	}{
		{"OpenMPI", "-n=4", []string{"mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4"}, "Open MPI"},
		{"OpenMPI, more ranks than processes", "-n=5", []string{"mpirun", "--allow-run-as-root", "--oversubscribe",
			"-np", "2"}, "Open MPI"},
		{"PMI", "-n=4", []string{"mpirun.mpich", "-np", "4"}, "HYDRA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if out, err := exec.Command(c.launcher[0], "--version").CombinedOutput(); err != nil ||
				!strings.Contains(string(out), c.is) {
				t.Skipf("needs %s of %s", c.launcher[0], c.is)
			}
			n, _ := strconv.Atoi(strings.TrimPrefix(c.option, "-n="))
			processes, _ := strconv.Atoi(c.launcher[len(c.launcher)-1])
			base, flag := port(t, n)
			p := startUnder(t, c.launcher, processes, "emulate", "u55c_tcp", c.option, flag)
			ranks := 0
			for i, ready := range p.Ready {
				if ready.Process != i || ready.Processes != processes || ready.Network != "mixed" ||
					!strings.HasPrefix(c.name, ready.Launcher) {
					t.Errorf("%+v", ready)
				}
				for _, r := range ready.Ranks {
					assert.Check(t, r.Rank == ranks, "process %d serves %d, not %d", i, r.Rank, ranks)
					ranks++
				}
			}
			assert.Check(t, ranks == n, "%d ranks of %d", ranks, n)
			sum(t, engines(t, "u55c_tcp", p.Endpoints(), called(base, n)))
			// Ctrl-C ends the launcher, and with it all of them.
			assert.NilError(t, p.Signal(os.Interrupt))
			_, err := p.Wait(10 * time.Second)
			assert.Check(t, err)
			for _, ready := range p.Ready {
				for end := time.Now().Add(5 * time.Second); syscall.Kill(ready.PID, 0) == nil; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						t.Errorf("process %d, %d, is still there", ready.Process, ready.PID)
						break
					}
				}
			}
		})
	}
}

// Signals end it while clients are connected and calls wait.
func TestSignalsEndItInTime(t *testing.T) {
	for _, c := range []struct {
		platform string
		signal   syscall.Signal
		more     string
	}{
		{"u55c_tcp", syscall.SIGTERM, "--network=local"},
		{"u55c_tcp", syscall.SIGINT, "--network=sockets"},
		{"u280_2022", syscall.SIGTERM, "--network=sockets"},
		{"u55c_udp", syscall.SIGTERM, "--network=packets"},
	} {
		t.Run(fmt.Sprint(c.platform, " ", c.more), func(t *testing.T) {
			t.Parallel()
			base, flag := port(t, 2)
			p := start(t, "emulate", c.platform, "-n=2", c.more, flag, "--health=100ms")
			e := engines(t, c.platform, p.Endpoints(), called(base, 2))
			sum(t, e)
			buf, err := accl.Alloc[int32](t.Context(), e[0], 10)
			assert.NilError(t, err)
			ended := make(chan error, 1)
			go func() {
				_, err := e[0].Recv(t.Context(), buf, 10, 1)
				ended <- err
			}()
			for !strings.Contains(p.Output(), `"calls_open":1`) {
				time.Sleep(10 * time.Millisecond)
			}
			start := time.Now()
			assert.NilError(t, p.Signal(c.signal))
			code, err := p.Wait(10 * time.Second)
			if took := time.Since(start); code != 0 || err != nil || took > 8*time.Second {
				t.Errorf("%d, %v after %v", code, err, took)
			}
			assert.Check(t, strings.HasSuffix(p.Output(), `{"event":"stopped"}`+"\n"), "it ends with %q", p.Output())
			select {
			case err := <-ended:
				assert.Check(t, err != nil, "received from nobody")
			case <-time.After(20 * time.Second):
				t.Error("the client's call does not end")
			}
		})
	}
}
