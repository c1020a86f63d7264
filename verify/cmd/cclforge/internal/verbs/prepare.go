package verbs

import (
	"context"
	"errors"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/vitis/run"
	"github.com/cclforge/cclforge/gen/workspace"
)

// prepare plans what the command line says. Without tools it is an error, unless a
// guess will do.
func prepare(ctx context.Context, o *options, c *console, guess bool) (*run.Build, error) {
	b, err := run.Prepare(ctx, run.Request{
		Dir: ".", Selection: workspace.Selection{Only: command.Names(o.names), Vars: o.vars},
		Cache: o.cache, Guess: guess, Version: o.version, Log: c.remark,
	})
	if errors.Is(err, run.ErrVersion) {
		return nil, command.Misuse("--version: %v", err)
	}
	return b, err
}
