//go:build !linux

package ranktest

import "syscall"

func dies() *syscall.SysProcAttr { return nil }
