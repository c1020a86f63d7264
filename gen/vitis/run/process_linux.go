package run

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// hidden is the first argument of a supervisor.
const hidden = "supervise-a-job-of-cclforge"

// startScript starts the script of a work directory under a supervisor.
func startScript(dir string, env []string, grace time.Duration) (*process, error) {
	script, log := filepath.Join(dir, step.ScriptFile), filepath.Join(dir, step.LogFile)
	env = append(env[:len(env):len(env)], Marker+"="+dir)
	if !supervised.Load() {
		return direct(dir, script, log, env, grace)
	}
	killed := oomKills()
	cmd := exec.Command("/proc/self/exe", hidden, dir, script, log, grace.String())
	cmd.Args[0] = "cclforge-supervisor"
	cmd.Dir, cmd.Env, cmd.Stderr = "/", env, os.Stderr
	// Away from the terminal: an interrupt goes to this process, which ends its jobs.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	line, err := cmd.StdinPipe() // ends when this process does
	if err != nil {
		return nil, err
	}
	said, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{ended: make(chan struct{}), stop: sync.OnceFunc(func() { line.Close() })}
	go func() {
		defer close(p.ended)
		defer line.Close()
		text, _ := bufio.NewReader(said).ReadString('\n')
		io.Copy(io.Discard, said)
		err := cmd.Wait()
		p.err = verdict(strings.TrimSuffix(text, "\n"), err, oomKills() > killed)
		if !strings.HasSuffix(text, "\n") { // somebody has killed the supervisor
			killMarked(dir, 10*time.Second)
		}
	}()
	return p, nil
}

// verdict reads what a supervisor has said: "exit 1", "signal 9", "error …".
func verdict(text string, err error, memory bool) error {
	kind, rest, _ := strings.Cut(text, " ")
	switch kind {
	case "exit":
		switch code, err := strconv.Atoi(rest); {
		case err != nil:
			return fmt.Errorf("the supervisor of the step said %q", text)
		case code == 0:
			return nil
		case code == 128+int(syscall.SIGKILL) && memory:
			return fmt.Errorf("%w: %w: the system has killed a process of it", step.ErrFailed, step.ErrMemory)
		case code > 128 && code < 128+65:
			return fmt.Errorf("%w: exit status %d (%s)", step.ErrFailed, code, syscall.Signal(code-128))
		default:
			return fmt.Errorf("%w: exit status %d", step.ErrFailed, code)
		}
	case "signal":
		number, _ := strconv.Atoi(rest)
		if number == int(syscall.SIGKILL) && memory {
			return fmt.Errorf("%w: %w: the system has killed it", step.ErrFailed, step.ErrMemory)
		}
		return fmt.Errorf("%w: %s", step.ErrFailed, syscall.Signal(number))
	case "error":
		return fmt.Errorf("the script cannot run: %s", rest)
	}
	if err != nil {
		return fmt.Errorf("%w: its supervisor has ended: %w", step.ErrFailed, err)
	}
	return fmt.Errorf("%w: its supervisor has ended and said %q", step.ErrFailed, text)
}

// oomKills is how many processes this system has killed for want of memory.
func oomKills() int {
	text, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(text), "\noom_kill ")
	if !ok {
		return 0
	}
	count, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(count)
	return n
}

// hostMemory is the memory of this host in MiB, less a tenth for the rest of it.
func hostMemory() int {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 1 << 30
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
			if kib, err := strconv.Atoi(fields[1]); err == nil {
				return kib / 1024 * 9 / 10
			}
		}
	}
	return 1 << 30
}
