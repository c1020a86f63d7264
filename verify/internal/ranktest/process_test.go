package ranktest

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func sh(t *testing.T, script string) *Process {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("the test needs sh")
	}
	p, err := Start(t.TempDir(), []string{"MARK=here"}, path, "-c", script)
	assert.NilError(t, err)
	t.Cleanup(p.Kill)
	return p
}

func TestProcessesAreReadyAndEnd(t *testing.T) {
	p := sh(t,
		`trap 'echo bye $MARK; exit 0' TERM; echo other; echo '{"event":"ready","pid":7,"network":"sockets","ranks":[{"rank":2,"commands":"a:1","poe":"b:2"}]}'; while :; do sleep 0.01; done`)
	ready, err := p.Ready(t.Context(), 1)
	assert.NilError(t, err)
	if r := ready[0]; r.PID != 7 || r.Network != "sockets" || len(r.Ranks) != 1 || r.Ranks[0] != (Rank{2, "a:1", "b:2"}) {
		t.Errorf("%+v", r)
	}
	assert.Check(t, p.Stop(10*time.Second))
	assert.Check(t, is.Equal(p.Said(), "other\nbye here\n"))
}

func TestWhatGoesWrongWithProcessesIsSaid(t *testing.T) {
	p := sh(t, "echo port 5 is in use >&2; exit 3")
	_, err := p.Ready(t.Context(), 1)
	assert.Check(t, errors.As(err, new(*exec.ExitError)) && strings.Contains(err.Error(), "port 5 is in use"),
		"%v", err)
	err = p.Stop(time.Second)
	assert.Check(t, errors.As(err, new(*exec.ExitError)), "%v", err)

	p = sh(t, "trap '' TERM; echo deaf; while :; do sleep 0.01; done")
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = p.Ready(short, 1)
	assert.Check(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), "deaf"), "%v", err)
	assert.Check(t, is.ErrorIs(p.Stop(50*time.Millisecond), ErrSlow))
	_, err = Start(t.TempDir(), nil, "/no/such/program")
	assert.Check(t, err != nil, "a program that is not there")
}
