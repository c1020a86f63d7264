package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// soaked holds worlds against the reference model, with random cases.
const soaked = "./verify/conform"

// Soak runs random worlds against the reference model, with another seed each
// time, until the duration is over or one fails.
func Soak(ctx context.Context, duration time.Duration) error {
	dir, err := os.MkdirTemp("", "cclforge-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "conform.test")
	if err := command("go", "test", "-c", "-o", binary, soaked)(ctx); err != nil {
		return fmt.Errorf("build %s: %w", soaked, err)
	}
	end := time.Now().Add(duration)
	seed := uint32(time.Now().UnixNano())
	for rounds := 1; ; rounds++ {
		start := time.Now()
		out, err := exec.CommandContext(ctx, binary, "-test.timeout=20m", fmt.Sprintf("-conform.seed=%d", seed)).CombinedOutput()
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
