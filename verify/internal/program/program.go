// Package program is how the commands of verify begin and end.
package program

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes of a program that has not done what it was asked for.
const (
	failed      = 1
	interrupted = 130 // as shells have it
)

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
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(failed)
	}
}
