package command

import "context"

// builder is what takes platforms to cards.
var builder = program{
	path:  "github.com/cclforge/cclforge/gen/cmd/cclbuild",
	takes: "the first run compiles cclbuild",
}

// Builder runs one of cclbuild's verbs.
func Builder(ctx context.Context, verb string, args ...string) error {
	return start(ctx, builder, verb, append([]string{verb}, args...)...)
}
