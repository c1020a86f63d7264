package coyote

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/cclforge/cclforge/driver/internal/engine"
)

// Errors of cards and their engines, for errors.Is.
var (
	ErrNoCard   = errors.New("no such card")                                // with a loaded driver
	ErrDesign   = errors.New("the card holds another design")               // or the design is for no shell
	ErrRefused  = errors.New("the shell's driver refuses")                  // a *CallError
	ErrStuck    = errors.New("the shell's driver does not come back")       // the card must be loaded again
	ErrBusy     = errors.New("another process uses it")                     //
	ErrInstance = engine.ErrInstance                                        //
	ErrRegister = engine.ErrRegister                                        //
	ErrMemory   = errors.New("there is no such memory")                     // host memory, or memory at a given address
	ErrPages    = errors.New("there are too few huge pages")                // see vm.nr_hugepages
	ErrThreads  = errors.New("the region has not so many threads to spare") // a queue pair takes one
	ErrAddress  = errors.New("the shell has no such address")               // of a network
	ErrClient   = engine.ErrClient                                          //
	ErrTicket   = engine.ErrTicket                                          //
	ErrClosed   = engine.ErrClosed                                          //
	ErrOpen     = engine.ErrOpen                                            //
	ErrFreed    = engine.ErrFreed                                           //
	ErrSilent   = engine.ErrSilent                                          //
)

// CallError is the error of a call of the shell's driver. It matches ErrRefused, and the
// syscall.Errno if there is one.
type CallError struct {
	Call   string // name in the design, such as "map_memory"
	Answer int    // result of the call, not 0, if there is no errno
	Errno  syscall.Errno
}

func (e *CallError) Error() string {
	if e.Errno != 0 {
		return fmt.Sprintf("%s: %s", e.Call, e.Errno.Error())
	}
	return fmt.Sprintf("%s: the driver answers %d; dmesg may say why", e.Call, e.Answer)
}

// Unwrap implements errors.Is.
func (e *CallError) Unwrap() []error {
	if e.Errno != 0 {
		return []error{ErrRefused, e.Errno}
	}
	return []error{ErrRefused}
}

// DesignError lists the differences between a shell and the design. It matches ErrDesign.
type DesignError struct {
	Card, Platform string
	Differences    []string
}

func (e *DesignError) Error() string {
	return fmt.Sprintf("%s does not hold %s: %s", e.Card, e.Platform, strings.Join(e.Differences, "; "))
}

// Unwrap implements errors.Is.
func (e *DesignError) Unwrap() error { return ErrDesign }
