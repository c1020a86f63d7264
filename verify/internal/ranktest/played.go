package ranktest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// play is set where a test binary is to be the command.
const play = "CCLFORGE_TEST_PLAYS"

// Main is TestMain of tests that start the command under test: it runs the tests or, in a
// process with Environment, the command.
func Main(m interface{ Run() int }, command func()) {
	if os.Getenv(play) == "" {
		os.Exit(m.Run())
	}
	command()
}

// Environment returns what makes a process of the test binary run the command, with a
// secret for ranks that meet.
func Environment() []string { return []string{play + "=1", "CCLFORGE_SECRET=0123456789abcdef"} }

// Command returns the command line and the environment that run the test binary as the
// command, after the words of a launcher.
func Command(launcher []string, args ...string) (argv, env []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat(launcher, []string{self}, args), Environment(), nil
}

// Mpirun returns a command line of OpenMPI, to which -np and a program are to be appended.
// Without OpenMPI it skips the test.
func Mpirun(t testing.TB) []string {
	t.Helper()
	path, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("mpirun is missing: apt-get install openmpi-bin")
	}
	command := []string{path, "--oversubscribe", "--bind-to", "none"}
	if os.Geteuid() == 0 {
		command = append(command, "--allow-run-as-root")
	}
	return command
}

// limit is more than any command takes, also beside others; what takes longer hangs.
const limit = 20 * time.Minute

// Run runs a command line in which the test binary is the command. It returns the output
// and the exit code. One that hangs ends the test, which then says where its processes
// are.
func Run(t testing.TB, command ...string) (stdout, stderr string, code int) {
	t.Helper()
	stdout, stderr, code, err := runFor(t.Context(), limit, command...)
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", command, err, stdout, stderr)
	}
	return stdout, stderr, code
}

func runFor(ctx context.Context, limit time.Duration, command ...string) (stdout, stderr string, code int, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	run := fmt.Sprintf("CCLFORGE_TEST_RUN=%d-%d", os.Getpid(), runs.Add(1))
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = slices.Concat(os.Environ(), Environment(), []string{run})
	var where string
	cmd.Cancel = func() error {
		where = kill(run)
		return nil
	}
	cmd.WaitDelay = 10 * time.Second
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if ctx.Err() != nil {
		return out.String(), errs.String(), -1, fmt.Errorf("it hung for %v: %w\n%s", limit, context.Cause(ctx), where)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode(), err
}

// runs numbers the commands of this process, in the environment of all that they start.
var runs atomic.Int64

// kill ends the processes of a run, of whatever session, and returns where their threads
// were. A process of Go writes its own stacks.
func kill(run string) string {
	var where strings.Builder
	all, _ := filepath.Glob("/proc/[0-9]*")
	all = slices.DeleteFunc(all, func(process string) bool {
		environment, _ := os.ReadFile(process + "/environ")
		return !slices.Contains(strings.Split(string(environment), "\x00"), run)
	})
	for _, process := range all {
		threads, _ := filepath.Glob(process + "/task/*")
		for _, thread := range threads {
			fmt.Fprint(&where, thread)
			for _, file := range []string{"cmdline", "wchan", "syscall", "stat"} {
				text, _ := os.ReadFile(filepath.Join(thread, file))
				fmt.Fprintf(&where, " %q", text)
			}
			fmt.Fprintln(&where)
		}
	}
	for _, end := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
		for _, process := range all {
			pid, _ := strconv.Atoi(filepath.Base(process))
			syscall.Kill(pid, end)
		}
		time.Sleep(time.Second)
	}
	return where.String()
}
