//go:build !linux

package slurmtest

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }
