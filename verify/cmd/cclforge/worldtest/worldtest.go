// Package worldtest runs "cclforge emulate" and "simulate" as processes of their own in tests:
// the test binary itself, so that nothing has to be built, and the race detector watches
// it, too. The tests' TestMain has to call Main.
package worldtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/internal/ranks"
	"github.com/cclforge/cclforge/verify/server/host"
)

// asCclforge is there for a test binary that is to be cclforge.
const asCclforge = "CCLFORGE_TEST_IS_CCLFORGE"

// starting is how long processes may take to be ready, ending to end.
const (
	starting = 60 * time.Second
	ending   = 20 * time.Second
)

// Main runs the tests, those of a *testing.M; or cclforge, if this process was
// started for that.
func Main(m interface{ Run() int }) {
	if _, there := os.LookupEnv(asCclforge); there {
		command.Main(func(ctx context.Context) error {
			return command.Execute(ctx, command.New(ranks.Verbs()...), os.Args[1:]...)
		})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Ready is what a process says when all its sockets are bound.
type Ready = ranks.Ready

// Process is a running cclforge, or a launcher of several.
type Process struct {
	Ready []Ready // of each cclforge, by their number

	cmd   *exec.Cmd
	ended chan struct{}
	code  int

	mu     sync.Mutex
	output bytes.Buffer
	lines  chan []byte
}

// Ports finds free ports for a world of n ranks: the value of --port.
func Ports(t testing.TB, ranks int) int {
	t.Helper()
	base, err := host.FreePorts(host.PortsPerRank * ranks)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// Start starts one cclforge with --json and waits until it is ready. It is killed
// when the test ends.
func Start(t testing.TB, args ...string) *Process {
	t.Helper()
	return StartUnder(t, nil, 1, args...)
}

// StartUnder starts cclforge with --json under a launcher, like
// {"mpirun", "-np", "4"} or {"ip", "netns", "exec", "n1"}, and waits until as many
// processes are ready. All are killed when the test ends.
func StartUnder(t testing.TB, launcher []string, processes int, args ...string) *Process {
	t.Helper()
	p, err := start(launcher, args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Errorf("end cclforge: %v", err)
		}
		if t.Failed() {
			t.Logf("cclforge %s:\n%s", strings.Join(args, " "), p.Output())
		}
	})
	late := time.After(starting)
	for len(p.Ready) < processes {
		select {
		case line := <-p.lines:
			var event Ready
			if json.Unmarshal(line, &event) == nil && event.Event == "ready" {
				p.Ready = append(p.Ready, event)
			}
		case <-p.ended:
			t.Fatalf("cclforge %s has ended with %d:\n%s", strings.Join(args, " "), p.code, p.Output())
		case <-late:
			t.Fatalf("cclforge %s: %d of %d are ready after %v:\n%s", strings.Join(args, " "), len(p.Ready), processes,
				starting, p.Output())
		}
	}
	slices.SortFunc(p.Ready, func(a, b Ready) int { return a.Process - b.Process })
	return p
}

// Command is the command line, and what the environment needs besides, to run
// the test binary as cclforge.
func Command(launcher []string, args ...string) (argv, env []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat(launcher, []string{self}, args), []string{asCclforge + "=1"}, nil
}

func start(launcher, args []string) (*Process, error) {
	argv, env, err := Command(launcher, append(slices.Clone(args), "--json")...)
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{}), lines: make(chan []byte, 1<<10)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	err = p.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	all := make(chan struct{})
	go func() {
		defer close(all)
		p.read(r)
	}()
	go func() {
		defer close(p.ended)
		err := p.cmd.Wait()
		select {
		case <-all:
		case <-time.After(time.Second): // somebody else has the output, too
		}
		var exit *exec.ExitError
		if p.code = p.cmd.ProcessState.ExitCode(); err != nil && !errors.As(err, &exit) {
			p.code = -1
		}
	}()
	return p, nil
}

// read takes the output until everybody who has it is gone.
func (p *Process) read(r *os.File) {
	defer r.Close()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := bytes.Clone(lines.Bytes())
		p.mu.Lock()
		fmt.Fprintf(&p.output, "%s\n", line)
		p.mu.Unlock()
		select {
		case p.lines <- line:
		default: // nobody waits for it
		}
	}
}

// Endpoints is where the ranks of the world are served, if it is on this host.
func (p *Process) Endpoints() sim.Endpoints {
	first := p.Ready[0]
	return sim.Endpoints{Host: first.Host, Port: first.Port, Ranks: first.Size}
}

// Output is what has been written so far.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// PID is the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal to the process.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Wait waits until the process has ended and returns its exit code, -1 if it was
// killed by a signal. The error says that it has not ended in time.
func (p *Process) Wait(limit time.Duration) (int, error) {
	select {
	case <-p.ended:
		return p.code, nil
	case <-time.After(limit):
		return 0, fmt.Errorf("process %d has not ended after %v", p.PID(), limit)
	}
}

// Kill kills the process, and those that it has started.
func (p *Process) Kill() error {
	for _, r := range p.Ready {
		_ = syscall.Kill(r.PID, syscall.SIGKILL) // those of a launcher have groups of their own
	}
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
	_, err := p.Wait(ending)
	return err
}
