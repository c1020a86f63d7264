package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

type process struct {
	ended chan struct{}
	err   error  // when ended is closed
	stop  func() // asks for its end; may be called more than once
}

// Marker is the environment variable that holds, in all processes of a job, its work
// directory.
const Marker = "CCLFORGE_WORK"

// supervised is set when main has called Supervise: only then does this program,
// started again, become a supervisor.
var supervised atomic.Bool

func openLog(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
}

// direct runs a script without a supervisor: what it leaves running stays.
func direct(dir, script, log string, env []string, grace time.Duration) (*process, error) {
	out, err := openLog(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.CommandContext(context.Background(), "bash", script)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, out, out
	step.Group(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{ended: make(chan struct{})}
	p.stop = sync.OnceFunc(func() { go step.EndGroup(cmd.Process, grace) })
	go func() {
		defer close(p.ended)
		err := cmd.Wait()
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			p.err = fmt.Errorf("%w: %s", step.ErrFailed, exit)
		case err != nil:
			p.err = err
		}
	}()
	return p, nil
}
