//go:build unix && !linux

package run

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

func group(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func end(p *os.Process, grace time.Duration) {
	syscall.Kill(-p.Pid, syscall.SIGTERM)
	time.Sleep(grace)
	syscall.Kill(-p.Pid, syscall.SIGKILL)
}
