//go:build !linux

package run

import (
	"context"
	"path/filepath"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Supervise must be the first call of a program that runs jobs with this package.
// On this system it does nothing.
func Supervise() { supervised.Store(true) }

// startScript starts the script of a work directory. On this system the end of a build
// ends the script and its process group, and what has left that goes on.
func startScript(dir string, env []string, grace time.Duration) (*process, error) {
	env = append(env[:len(env):len(env)], Marker+"="+dir)
	script, log := filepath.Join(dir, step.ScriptFile), filepath.Join(dir, step.LogFile)
	return direct(dir, script, log, env, grace)
}

// hostMemory is not known here: memory is no limit.
func hostMemory() int { return 1 << 30 }

// Alive reports whether a job of an earlier process can be followed: none can.
func (e *Local) Alive(context.Context, string) (bool, error) { return false, nil }

// Cancel does nothing: processes of an earlier build cannot be found on this system.
func (e *Local) Cancel(context.Context, string) error { return nil }
