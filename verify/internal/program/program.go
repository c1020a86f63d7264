// Package program is how the commands of verify begin and end.
package program

import (
	"context"
	"errors"
	"fmt"
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

// Usage is an error of who has asked wrongly.
type Usage struct{ Err error }

func (u Usage) Error() string { return u.Err.Error() }

// Unwrap is what is wrong.
func (u Usage) Unwrap() error { return u.Err }

// AskedWrongly makes an error one of usage if it matches one of those that say so.
func AskedWrongly(err error, kinds ...error) error {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return Usage{err}
		}
	}
	return err
}

// Silent is an error that has been said already.
type Silent struct{ Err error }

func (s Silent) Error() string { return s.Err.Error() }

// Unwrap is what has been said.
func (s Silent) Unwrap() error { return s.Err }

// Main runs a program with a context that SIGINT and SIGTERM end. It says what
// went wrong, and ends the process then.
func Main(run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	ended := ctx.Err() != nil
	stop()
	switch {
	case err == nil:
	case ended:
		fmt.Fprintln(os.Stderr, "interrupted")
		os.Exit(interrupted)
	default:
		var silent Silent
		if !errors.As(err, &silent) {
			fmt.Fprintln(os.Stderr, "Error:", err)
		}
		var usage Usage
		if errors.As(err, &usage) {
			os.Exit(wrong)
		}
		os.Exit(failed)
	}
}
