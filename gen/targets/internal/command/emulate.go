package command

import (
	"context"
	"fmt"
	"time"

	"github.com/magefile/mage/mg"
)

const (
	// server is what serves emulated ranks. It is built and run, not linked: the
	// emulator would be in every other target.
	server       = "github.com/cclforge/cclforge/verify/cmd/cclworld"
	emulateRanks = 4
)

// Flag is an option of a command, or nothing if it was not given.
func Flag[T any](name string, value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprintf("-%s=%v", name, *value)
}

// Emulate builds the server of emulated ranks and runs it until it is
// interrupted.
func Emulate(ctx context.Context, platform string, ranks *int, flags ...string) error {
	if ranks == nil {
		ranks = new(int)
		*ranks = emulateRanks
	}
	if *ranks < 1 {
		return mg.Fatalf(2, "a world has at least 1 rank, not %d", *ranks)
	}
	return serve(ctx, "the emulator of "+platform, append([]string{platform, Flag("n", ranks)}, flags...)...)
}

// cards is what plays cards that are not there.
var cards = program{
	path:  "github.com/cclforge/cclforge/verify/cmd/cclcards",
	takes: "the first run compiles the emulator",
	delay: 3 * time.Second,
}

// Cards builds the server of cards that are not there and runs it until it is
// interrupted.
func Cards(ctx context.Context, platform string, flags ...string) error {
	return start(ctx, cards, "the cards of "+platform, append(flags, platform)...)
}

// Replay builds the server of ranks, which replays a recording.
func Replay(ctx context.Context, recording string, flags ...string) error {
	return serve(ctx, "the replay of "+recording, append([]string{Flag("replay", &recording)}, flags...)...)
}

// serve builds the server and runs it until it ends or is interrupted.
func serve(ctx context.Context, what string, args ...string) error {
	return start(ctx, program{path: server, takes: "the first run compiles the emulator", delay: 3 * time.Second}, what, args...)
}
