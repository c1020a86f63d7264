package command

import (
	"context"
	"time"
)

// selftest is what checks worlds.
var selftest = program{
	path:  "github.com/cclforge/cclforge/verify/cmd/cclselftest",
	takes: "the first run compiles the emulator",
	delay: 15 * time.Second,
}

// Selftest builds the self-test and runs it.
func Selftest(ctx context.Context, flags ...string) error {
	return start(ctx, selftest, "the self-test", flags...)
}

// meter is what measures worlds.
var meter = program{
	path:  "github.com/cclforge/cclforge/verify/cmd/cclbench",
	takes: "the first run compiles the emulator",
	delay: 15 * time.Second,
}

// Bench builds the benchmark of worlds and runs it.
func Bench(ctx context.Context, flags ...string) error {
	return start(ctx, meter, "the benchmark", flags...)
}
