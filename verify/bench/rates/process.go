package rates

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/server/host"
)

// server is the command that serves ranks.
const server = "github.com/cclforge/cclforge/verify/cmd/cclforge"

// process measures what a process takes that serves one rank, before it is
// called.
func (r *Compared) process(ctx context.Context, d *design.Design) error {
	dir, err := os.MkdirTemp("", "cclforge-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "cclforge")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, server).CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", server, err, out)
	}
	base, err := host.FreePorts(host.PortsPerRank)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary, "emulate", d.Platform.Name, "-n=1", "--json", fmt.Sprintf("--port=%d", base))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	cmd.Stderr = os.Stderr
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	resident, err := readyAndResident(bufio.NewReader(lines), cmd.Process.Pid)
	err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
	if err != nil {
		return fmt.Errorf("serve a rank: %w", err)
	}
	r.figure("resident memory of a process that serves one rank", float64(resident)/(1<<20), "MiB", 0, false)
	return nil
}

// readyAndResident waits until a process says that it is ready, and returns the
// bytes of memory that it takes then.
func readyAndResident(lines *bufio.Reader, pid int) (int, error) {
	line, err := lines.ReadString('\n')
	if err != nil || !strings.Contains(line, `"ready"`) {
		return 0, fmt.Errorf("the server says %q: %w", line, errors.Join(errNotReady, err))
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%d/statm is %q", pid, text)
	}
	pages, err := strconv.Atoi(fields[1])
	return pages * os.Getpagesize(), err
}

var errNotReady = errors.New("it is not ready")
