//go:build unix

package step

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Group makes a command of exec.CommandContext a process group of its own. A Ctrl-C
// passes it by, and the end of its context ends all of it: the vendor's tools are
// scripts that start the program itself.
func Group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// EndGroup asks a group to end, and kills what is left of it after the grace.
func EndGroup(leader *os.Process, grace time.Duration) {
	syscall.Kill(-leader.Pid, syscall.SIGTERM)
	time.Sleep(grace)
	syscall.Kill(-leader.Pid, syscall.SIGKILL)
}
