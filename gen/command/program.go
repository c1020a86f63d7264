package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes of a program that has not done what it was asked for.
const (
	failed      = 1
	wrong       = 2   // it was asked wrongly
	interrupted = 130 // as shells have it
)

// Usage is an error in a command line or a request.
type Usage struct{ Err error }

func (u Usage) Error() string { return u.Err.Error() }

// Unwrap is what is wrong.
func (u Usage) Unwrap() error { return u.Err }

// ExitStatus is the exit code, also for mage.
func (u Usage) ExitStatus() int { return wrong }

// Usagef is an error of usage.
func Usagef(format string, args ...any) error { return Usage{fmt.Errorf(format, args...)} }

// AskedWrongly makes an error that matches one of the kinds an error of usage.
func AskedWrongly(err error, kinds ...error) error {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return Usage{err}
		}
	}
	return err
}

// Silent is an error that has been reported already.
type Silent struct{ Err error }

func (s Silent) Error() string { return s.Err.Error() }

// Unwrap is the error that has been reported.
func (s Silent) Unwrap() error { return s.Err }

// Main runs a program with a context that SIGINT and SIGTERM end. It says what
// went wrong, and ends the process then.
func Main(run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	ended := ctx.Err() != nil
	stop()
	if code := End(err, ended, os.Stderr); code != 0 {
		os.Exit(code)
	}
}

// End writes what went wrong, and returns the exit code: that of an error with a method
// ExitStatus, like Usage and the errors of mage.
func End(err error, ended bool, w io.Writer) int {
	var silent Silent
	var status interface{ ExitStatus() int }
	switch {
	case err == nil:
		return 0
	case ended:
		fmt.Fprintln(w, "interrupted")
		return interrupted
	case !errors.As(err, &silent):
		fmt.Fprintln(w, "Error:", err)
	}
	if errors.As(err, &status) {
		return status.ExitStatus()
	}
	return failed
}
