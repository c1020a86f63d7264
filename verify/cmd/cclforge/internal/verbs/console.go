package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/lang"
)

// asked makes an error one of usage if it says that what was asked for makes no sense. What
// the user has read already is silent.
func asked(err error) error {
	var told errTold
	if errors.As(err, &told) {
		err = command.Silent{Err: err}
	}
	return command.AskedWrongly(err, lang.ErrInvalid)
}

// hangups is a context that ends also with the terminal. Tools are stopped and jobs cancelled
// then; another signal changes nothing about that.
func hangups(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// errTold is an error that the user has read already.
type errTold struct{ error }

func (e errTold) Unwrap() error { return e.error }

// console is where results and remarks go.
type console struct{ out, err io.Writer }

// remark tells people something that is no result.
func (c *console) remark(format string, args ...any) { fmt.Fprintf(c.err, format+"\n", args...) }
