//go:build !unix

package run

import (
	"os"
	"os/exec"
	"time"
)

func group(*exec.Cmd) {}

func end(p *os.Process, _ time.Duration) { p.Kill() }
