package command

import (
	"context"
	"errors"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/build"
	"github.com/cclforge/cclforge/gen/workspace"
)

// prepare plans what the command line says. Without tools it is an error, unless a
// guess will do.
func prepare(ctx context.Context, o *options, c *console, guess bool) (*build.Build, error) {
	if len(o.names) == 0 {
		return nil, usagef("which platform? For example: cclbuild %s u55c_tcp", o.verb.name)
	}
	b, err := build.Prepare(ctx, build.Request{
		Dir: ".", Selection: workspace.Selection{Only: joined(o.names), Vars: o.vars},
		Cache: o.cache, Guess: guess, Version: o.version, Log: c.remark,
	})
	if errors.Is(err, build.ErrVersion) {
		return nil, usagef("-version: %v", err)
	}
	return b, err
}

// joined is a selection of platforms, as a workspace reads it.
func joined(names []string) string { return strings.Join(names, ",") }
