package ranktest

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
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

// Run runs a command line in which the test binary is the command. It returns the output
// and the exit code.
func Run(t testing.TB, command ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), Environment()...)
	cmd.WaitDelay = 10 * time.Second
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
