package tools

import (
	"os/exec"
	"syscall"
)

// group puts a command and what it starts into a process group that ends as a
// whole.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
