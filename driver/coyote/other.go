//go:build !linux || (!amd64 && !arm64)

package coyote

import (
	"errors"
	"fmt"
	"runtime"
)

func own() System { return nowhere{} }

// nowhere is a system that the shell's driver is not for.
type nowhere struct{}

var errNowhere = fmt.Errorf("%w: the shell's driver is for Linux, not for %s on %s", errors.ErrUnsupported,
	runtime.GOOS, runtime.GOARCH)

func (nowhere) Files(string) ([]string, error) { return nil, nil }
func (nowhere) Open(string) (File, error)      { return nil, errNowhere }
func (nowhere) Pages(int, int) ([]byte, error) { return nil, errNowhere }
func (nowhere) Return([]byte) error            { return errNowhere }
