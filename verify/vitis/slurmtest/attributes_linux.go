package slurmtest

import "syscall"

// attributes end a daemon with this process (slurmd may not heed SIGTERM when
// slurmctld has gone first), and let a Ctrl-C pass by it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
