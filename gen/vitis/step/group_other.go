//go:build !unix

package step

import (
	"os"
	"os/exec"
	"time"
)

// Group does nothing: this system has no process groups.
func Group(*exec.Cmd) {}

// EndGroup kills a process, but not what it has started.
func EndGroup(leader *os.Process, _ time.Duration) { leader.Kill() }
