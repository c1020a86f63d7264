package command

import (
	"os/exec"
	"syscall"
)

// bind lets a process end with the thread that starts it, and keeps signals of
// the terminal from it.
func bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
