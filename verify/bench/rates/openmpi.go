package rates

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed testdata/mpi.c
var mpiSource []byte

// openMPI is a program that runs the collectives of OpenMPI, compiled into a
// directory of its own.
type openMPI struct {
	version string
	program string
}

// findOpenMPI compiles the program below a directory. The error says what is
// missing.
func findOpenMPI(ctx context.Context, dir string) (*openMPI, error) {
	for _, tool := range []string{"mpicc", "mpirun"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%s is not installed", tool)
		}
	}
	text, err := exec.CommandContext(ctx, "mpirun", "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("ask mpirun for its version: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	_, version, is := strings.Cut(first, "Open MPI) ")
	if !is {
		return nil, errors.New("mpirun is not OpenMPI's")
	}
	source := filepath.Join(dir, "mpi.c")
	m := &openMPI{version: version, program: filepath.Join(dir, "mpi")}
	if err := os.WriteFile(source, mpiSource, 0o644); err != nil {
		return nil, err
	}
	if text, err := exec.CommandContext(ctx, "mpicc", "-O2", "-o", m.program, source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile for OpenMPI: %w\n%s", err, text)
	}
	return m, nil
}

// mpiRanks are ranks of OpenMPI that wait for something to do. They take no
// processor time meanwhile.
type mpiRanks struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts ranks with buffers of so many bytes, and more in their environment.
func (m *openMPI) start(ctx context.Context, ranks, bytes int, env ...string) (*mpiRanks, error) {
	args := []string{"--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", strconv.Itoa(ranks)}
	if ranks >= runtime.NumCPU() {
		// OpenMPI does so by itself if it has more ranks than cores. With as many,
		// anything else that runs would take a core from a rank that others wait for
		// without yielding theirs, for milliseconds at a time.
		args = append(args, "--mca", "mpi_yield_when_idle", "1")
	}
	cmd := exec.CommandContext(ctx, "mpirun", append(args, m.program, strconv.Itoa(bytes))...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), env...)
	// mpirun ends its ranks when it is terminated, not when it is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %d ranks of OpenMPI: %w", ranks, err)
	}
	return &mpiRanks{cmd, in, bufio.NewReader(out)}, nil
}

// mpiLimit bounds the wait for an answer.
const mpiLimit = time.Minute

// run runs an operation on blocks of n elements, and returns how long each run
// took.
func (m *mpiRanks) run(operation string, n, runs int) ([]time.Duration, error) {
	late := time.AfterFunc(mpiLimit, func() { _ = m.cmd.Cancel() })
	defer late.Stop()
	if _, err := fmt.Fprintln(m.in, operation, n, runs); err != nil {
		return nil, fmt.Errorf("OpenMPI: %s: %w", operation, err)
	}
	line, err := m.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("OpenMPI: %s: %w", operation, err)
	}
	return parseTimes(line, runs)
}

// A program that sleeps begins slowly: its ranks may share a core at first.
const mpiWarmUp = 10 * time.Millisecond

// measure runs an operation for some time, after it has warmed up.
func (m *mpiRanks) measure(operation string, n int, enough time.Duration) ([]time.Duration, error) {
	fastest := time.Duration(math.MaxInt64)
	for start := time.Now(); time.Since(start) < mpiWarmUp; {
		times, err := m.run(operation, n, fewestRuns)
		if err != nil {
			return nil, err
		}
		fastest = min(fastest, slices.Min(times))
	}
	return m.run(operation, n, enoughRuns(enough, fastest))
}

func parseTimes(line string, runs int) ([]time.Duration, error) {
	fields := strings.Fields(line)
	if len(fields) != runs {
		return nil, fmt.Errorf("OpenMPI: %d times for %d runs", len(fields), runs)
	}
	times := make([]time.Duration, runs)
	for i, f := range fields {
		ns, err := strconv.ParseInt(f, 10, 64)
		if err != nil || ns < 0 {
			return nil, fmt.Errorf("OpenMPI: %q is no time", f)
		}
		times[i] = time.Duration(ns)
	}
	return times, nil
}

func (m *mpiRanks) close() error {
	late := time.AfterFunc(mpiLimit, func() { _ = m.cmd.Cancel() })
	defer late.Stop()
	err := m.in.Close()
	if err := m.cmd.Wait(); err != nil {
		return fmt.Errorf("end the ranks of OpenMPI: %w", err)
	}
	return err
}
