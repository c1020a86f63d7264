//go:build !unix

package slurm

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }
