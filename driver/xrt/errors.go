package xrt

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/cclforge/cclforge/driver/internal/engine"
)

// Errors of cards and their engines, for errors.Is.
var (
	ErrLibrary  = errors.New("XRT is not there")                 // its library cannot be loaded
	ErrNoCard   = errors.New("no such card")                     // among those that XRT lists
	ErrFile     = errors.New("the .xclbin cannot be used")       //
	ErrDesign   = errors.New("the .xclbin is of another design") // a *DesignError
	ErrLoaded   = errors.New("the card holds something else")    // and Options.Keep is set
	ErrRefused  = errors.New("XRT refuses")                      // a *CallError
	ErrBusy     = errors.New("another process uses it")          //
	ErrInstance = engine.ErrInstance                             //
	ErrRegister = engine.ErrRegister                             //
	ErrMemory   = errors.New("there is no such memory")          // host memory, or memory at a given address
	ErrClient   = engine.ErrClient                               //
	ErrTicket   = engine.ErrTicket                               //
	ErrClosed   = engine.ErrClosed                               //
	ErrOpen     = engine.ErrOpen                                 //
	ErrFreed    = engine.ErrFreed                                //
	ErrSilent   = engine.ErrSilent                               //
)

// CallError is the error of a function of XRT. It matches ErrRefused, and the
// syscall.Errno if XRT returns one.
type CallError struct {
	Function string
	Code     int // that XRT returns: an errno, its negative, or -1
}

func (e *CallError) Error() string {
	switch errno := e.errno(); {
	case errno > 1:
		return fmt.Sprintf("%s: %s", e.Function, errno.Error())
	case e.Code != 0:
		return fmt.Sprintf("%s: %d; its message is on standard error", e.Function, e.Code)
	}
	return e.Function + " fails; its message is on standard error"
}

func (e *CallError) errno() syscall.Errno { return syscall.Errno(max(e.Code, -e.Code)) }

// Unwrap implements errors.Is.
func (e *CallError) Unwrap() []error {
	out := []error{ErrRefused}
	if e.errno() > 1 {
		out = append(out, e.errno())
	}
	return out
}

// DesignError lists the differences between an .xclbin and the design. It matches
// ErrDesign.
type DesignError struct {
	File, Platform string
	Differences    []string
}

func (e *DesignError) Error() string {
	return fmt.Sprintf("%s is not %s: %s", e.File, e.Platform, strings.Join(e.Differences, "; "))
}

// Unwrap implements errors.Is.
func (e *DesignError) Unwrap() error { return ErrDesign }
