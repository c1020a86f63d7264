//go:build unix

package slurm

import "syscall"

// attributes let a Ctrl-C pass by Slurm's commands: sbatch ends in order, and its
// job is cancelled, instead of being left where nobody knows of it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
