package hls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/cclforge/cclforge/gen/design"
)

const benchName = "bench"

// ErrBench says that the test bench of a kernel has found a mistake.
var ErrBench = errors.New("the test bench has failed")

// Bench compiles the test bench of a kernel of a design and runs it. What it says
// goes to out. Errors are those of Library, and match ErrBench if it has failed.
func Bench(ctx context.Context, d *design.Design, kernel string, out io.Writer) error {
	s, err := Of(d, kernel)
	if err != nil {
		return err
	}
	path, err := s.make(ctx, "the test bench of the kernel ", benchName, nil, ".cpp", "_tb.cpp")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("%w: %w", ErrBench, err)
	}
	if err != nil {
		return fmt.Errorf("run the test bench of %s: %w", kernel, err)
	}
	return nil
}
