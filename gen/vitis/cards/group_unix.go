//go:build unix

package cards

import (
	"os/exec"
	"syscall"
)

// group makes a command and all that it starts end together: XRT's tools are
// scripts that start the program itself.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
