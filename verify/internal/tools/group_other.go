//go:build !linux

package tools

import "os/exec"

// group leaves a command as it is.
func group(*exec.Cmd) {}
