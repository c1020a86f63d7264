package command

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// bind lets a process end with the thread that starts it, and keeps signals of
// the terminal from it. Mage does not hand on what ends it: we end with it.
func bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	parent, err := os.ReadFile("/proc/" + strconv.Itoa(os.Getppid()) + "/comm")
	if err == nil && strings.TrimSpace(string(parent)) == "mage" {
		_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGTERM), 0)
	}
}
