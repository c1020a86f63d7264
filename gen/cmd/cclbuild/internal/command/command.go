// Package command is cclbuild: it reads a command line, does what it says and
// tells people the result.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/cclforge/cclforge/gen/heap"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/vitis/run/local"
	"github.com/cclforge/cclforge/gen/workspace"
)

// Exit codes.
const (
	good        = 0
	failed      = 1
	wrong       = 2 // the command line, or a description
	interrupted = 130
)

// Main is cclbuild as a process. SIGINT, SIGTERM or SIGHUP end a build in good
// order: tools are stopped and jobs cancelled. Another one changes nothing about that.
func Main() {
	local.Supervise()
	heap.Spare()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errUsage says that the command line is wrong.
type errUsage struct{ text string }

func (e errUsage) Error() string { return e.text }

func usagef(format string, args ...any) error { return errUsage{fmt.Sprintf(format, args...)} }

// errTold is an error that the user has read already.
type errTold struct{ error }

func (e errTold) Unwrap() error { return e.error }

// Run does what the arguments say, and returns the exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return good
	}
	if err == nil {
		err = o.verb.run(ctx, o, &console{stdout, stderr})
	}
	var usage errUsage
	var told errTold
	switch {
	case err == nil:
		return good
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "interrupted; the same command goes on from here")
		return interrupted
	case errors.As(err, &told):
	default:
		say(stderr, err)
	}
	if errors.As(err, &usage) {
		fmt.Fprintln(stderr, "cclbuild -h says what there is")
	}
	if errors.As(err, &usage) || errors.Is(err, lang.ErrInvalid) {
		return wrong
	}
	return failed
}

// say writes an error; mistakes in descriptions with their source.
func say(w io.Writer, err error) {
	var problems *workspace.Problems
	if !errors.As(err, &problems) {
		fmt.Fprintf(w, "cclbuild: %v\n", err)
		return
	}
	fmt.Fprintf(w, "cclbuild: %s\n", problems.Count())
	if failed := problems.Show(w, false); failed != nil {
		fmt.Fprintln(w, err)
	}
}

// console is where results and remarks go.
type console struct{ out, err io.Writer }

// remark tells people something that is no result.
func (c *console) remark(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }
