//go:build !linux

package program

import "syscall"

func dies() *syscall.SysProcAttr { return nil }
