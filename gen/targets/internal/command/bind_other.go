//go:build !linux

package command

import "os/exec"

// bind does nothing where processes cannot be bound to others.
func bind(*exec.Cmd) {}
