package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// soaked holds worlds against the reference model, with random cases; sockets
// does so for a time, with a bad network.
const (
	soaked  = "./verify/conform"
	sockets = "./verify/cmd/soak"
)

// Soak runs random operations for a time: half of it on worlds that stay, whose
// packets travel through sockets, and the rest on new worlds of all kinds, with
// another seed each round. It ends when something is wrong.
func Soak(ctx context.Context, duration time.Duration) error {
	end := time.Now().Add(duration)
	if err := soakSockets(ctx, duration/2, time.Now().UnixNano()&math.MaxUint32); err != nil {
		return err
	}
	return soakRounds(ctx, end)
}

func soakSockets(ctx context.Context, duration time.Duration, seed int64) error {
	return command("go", "run", sockets, "-duration="+duration.String(), fmt.Sprintf("-seed=%d", seed))(ctx)
}

// soakRounds runs the conformance tests until the time is over, and at least
// once.
func soakRounds(ctx context.Context, end time.Time) error {
	dir, err := os.MkdirTemp("", "cclforge-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "conform.test")
	if err := command("go", "test", "-c", "-o", binary, soaked)(ctx); err != nil {
		return fmt.Errorf("build %s: %w", soaked, err)
	}
	seed := uint32(time.Now().UnixNano())
	for rounds := 1; ; rounds++ {
		start := time.Now()
		out, err := exec.CommandContext(ctx, binary, "-test.timeout=20m", "-conform.scale=1", fmt.Sprintf("-conform.seed=%d", seed)).CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			_, writeErr := os.Stdout.Write(out)
			return errors.Join(fmt.Errorf("seed %d failed after %d rounds: %w", seed, rounds-1, err), writeErr)
		}
		fmt.Printf("seed %d: ok (%v)\n", seed, time.Since(start).Round(100*time.Millisecond))
		if time.Now().After(end) {
			fmt.Printf("%d rounds passed\n", rounds)
			return nil
		}
		seed += 0x9E3779B9 // far from the last
	}
}
