package ranktest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Ready is what a process says when its ranks can be reached.
type Ready struct {
	PID     int    `json:"pid"`
	Network string `json:"network"`
	Ranks   []Rank `json:"ranks"`
}

// Rank is where a rank is, as host:port.
type Rank struct {
	Rank     int    `json:"rank"`
	Commands string `json:"commands"`
	POE      string `json:"poe"`
}

// Process is a command that runs cclforge with --json, once or, under a launcher,
// several times.
type Process struct {
	command *exec.Cmd
	ready   chan Ready
	ended   chan struct{}
	err     error // once it has ended

	mu     sync.Mutex
	said   tail
	killed bool
}

// Start runs a command in a directory, with some variables in its environment. It
// is told to end if this process ends.
func Start(dir string, env []string, command ...string) (*Process, error) {
	p := &Process{command: exec.Command(command[0], command[1:]...), ready: make(chan Ready, 1024),
		ended: make(chan struct{})}
	p.command.Dir, p.command.Env = dir, append(environment(), env...)
	p.command.SysProcAttr = dies()
	p.command.Stderr = p
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started := make(chan error)
	go func() {
		// The system kills a child when the thread that has started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			p.read(out)
			p.err = p.command.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", command[0], err)
	}
	return p, nil
}

// environment leaves out what launchers have said to this process.
func environment() []string {
	var out []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCOVERDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// read takes events from the output.
func (p *Process) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Event string `json:"event"`
			Ready
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil || event.Event != "ready" {
			fmt.Fprintln(p, lines.Text())
			continue
		}
		select {
		case p.ready <- event.Ready:
		default:
			fmt.Fprintln(p, "too many processes are ready")
		}
	}
}

// Write takes what the process says besides.
func (p *Process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said.add(text)
	return len(text), nil
}

// Said is the end of what the process has said, other than that it is ready.
func (p *Process) Said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// Ready waits until n processes are ready.
func (p *Process) Ready(ctx context.Context, n int) ([]Ready, error) {
	var out []Ready
	for len(out) < n {
		select {
		case r := <-p.ready:
			out = append(out, r)
		case <-p.ended:
			return nil, fmt.Errorf("%s has ended: %w\n%s", p.name(), p.err, p.Said())
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d processes of %s are ready: %w\n%s", len(out), n, p.name(),
				context.Cause(ctx), p.Said())
		}
	}
	return out, nil
}

func (p *Process) name() string { return strings.Join(p.command.Args, " ") }

// Kill ends the process without a warning.
func (p *Process) Kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	_ = p.command.Process.Kill() // it has ended, otherwise
	<-p.ended
}

// ErrSlow says that a process did not end in time when it was told to, and was
// killed.
var ErrSlow = errors.New("the process did not end")

// Stop tells the process to end. The error is ErrSlow, or an *exec.ExitError if it
// did not end well other than by Kill.
func (p *Process) Stop(limit time.Duration) error {
	_ = p.command.Process.Signal(syscall.SIGTERM) // it has ended, otherwise
	select {
	case <-p.ended:
	case <-time.After(limit):
		p.Kill()
		return fmt.Errorf("%w in %v: %s\n%s", ErrSlow, limit, p.name(), p.Said())
	}
	p.mu.Lock()
	killed := p.killed
	p.mu.Unlock()
	if p.err == nil || killed {
		return nil
	}
	return fmt.Errorf("%s: %w\n%s", p.name(), p.err, p.Said())
}

// tail is the end of a text.
type tail struct{ text []byte }

const tailBytes = 16 << 10

func (t *tail) add(text []byte) {
	if t.text = append(t.text, text...); len(t.text) > 2*tailBytes {
		t.text = bytes.Clone(t.text[len(t.text)-tailBytes:])
	}
}

func (t *tail) String() string { return string(t.text[max(len(t.text)-tailBytes, 0):]) }
