package ranks_test

import (
	"bufio"
	"bytes"
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

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/cmd/cclforge/ranks"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// starting is how long processes may take to be ready, killing to end.
const (
	starting = 60 * time.Second
	killing  = 20 * time.Second
)

// process is a running cclforge, or a launcher of several.
type process struct {
	Ready []ranks.Ready // of each cclforge, by their number

	cmd   *exec.Cmd
	ended chan struct{}
	code  int

	mu     sync.Mutex
	output bytes.Buffer
	lines  chan []byte
}

// start starts one cclforge with --json and waits until it is ready. It is killed
// when the test ends.
func start(t testing.TB, args ...string) *process {
	t.Helper()
	return startUnder(t, nil, 1, args...)
}

// startUnder starts cclforge with --json under a launcher, like
// {"mpirun", "-np", "4"} or {"ip", "netns", "exec", "n1"}, and waits until as many
// processes are ready. All are killed when the test ends.
func startUnder(t testing.TB, launcher []string, processes int, args ...string) *process {
	t.Helper()
	p, err := launch(launcher, args)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, p.Kill(), "end cclforge")
		if t.Failed() {
			t.Logf("cclforge %s:\n%s", strings.Join(args, " "), p.Output())
		}
	})
	late := time.After(starting)
	for len(p.Ready) < processes {
		select {
		case line := <-p.lines:
			var event ranks.Ready
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
	slices.SortFunc(p.Ready, func(a, b ranks.Ready) int { return a.Process - b.Process })
	return p
}

func launch(launcher, args []string) (*process, error) {
	argv, env, err := ranktest.Command(launcher, append(slices.Clone(args), "--json")...)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), ended: make(chan struct{}), lines: make(chan []byte, 1<<10)}
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
func (p *process) read(r *os.File) {
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
func (p *process) Endpoints() sim.Endpoints {
	first := p.Ready[0]
	return sim.Endpoints{Host: first.Host, Port: first.Port, Ranks: first.Size}
}

// Output is what has been written so far.
func (p *process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// PID is the number of the process.
func (p *process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal to the process.
func (p *process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Wait waits until the process has ended and returns its exit code, -1 if it was
// killed by a signal. The error says that it has not ended in time.
func (p *process) Wait(limit time.Duration) (int, error) {
	select {
	case <-p.ended:
		return p.code, nil
	case <-time.After(limit):
		return 0, fmt.Errorf("process %d has not ended after %v", p.PID(), limit)
	}
}

// Kill kills the process, and those that it has started.
func (p *process) Kill() error {
	for _, r := range p.Ready {
		_ = syscall.Kill(r.PID, syscall.SIGKILL) // those of a launcher have groups of their own
	}
	_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
	_, err := p.Wait(killing)
	return err
}
