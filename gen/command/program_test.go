package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

const play = "PROGRAM_TEST_PLAYS"

func TestMain(m *testing.M) {
	switch os.Getenv(play) {
	case "":
		os.Exit(m.Run())
	case "good":
		Main(func(context.Context) error { return nil })
	case "bad":
		Main(func(context.Context) error { return errors.New("something is wrong") })
	case "misused":
		Main(func(context.Context) error { return fmt.Errorf("told: %w", Usage{errors.New("no such thing")}) })
	case "silent":
		Main(func(context.Context) error { return fmt.Errorf("said: %w", Silent{errors.New("something")}) })
	case "waits":
		Main(func(ctx context.Context) error {
			fmt.Fprintln(os.Stderr, "waiting")
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(time.Minute):
				return nil
			}
		})
	}
}

func TestProgramsEndAsTheirRunDoes(t *testing.T) {
	for _, test := range []struct {
		plays  string
		signal os.Signal
		code   int
		says   string
	}{
		{"good", nil, 0, ""},
		{"bad", nil, 1, "Error: something is wrong\n"},
		{"misused", nil, 2, "Error: told: no such thing\n"},
		{"silent", nil, 1, ""},
		{"waits", os.Interrupt, 130, "interrupted\n"},
		{"waits", syscall.SIGTERM, 130, "interrupted\n"},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), play+"="+test.plays)
		pipe, err := cmd.StderrPipe()
		assert.NilError(t, err)
		assert.NilError(t, cmd.Start())
		lines := bufio.NewReader(pipe)
		if test.signal != nil {
			line, err := lines.ReadString('\n')
			assert.Assert(t, line == "waiting\n", "%s says %q, %v", test.plays, line, err)
			assert.NilError(t, cmd.Process.Signal(test.signal))
		}
		said, err := io.ReadAll(lines)
		assert.NilError(t, err)
		err = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != test.code || string(said) != test.says {
			t.Errorf("%s, %v: exit code %d, %q, %v", test.plays, test.signal, code, said, err)
		}
	}
}
