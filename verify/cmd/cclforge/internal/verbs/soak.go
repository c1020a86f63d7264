package verbs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/conformance/selftest"
)

// soaked holds worlds against the reference model, with random cases.
const soaked = "./verify/conformance"

func soakVerb() *cobra.Command {
	o := selftest.Soak{Seed: uint64(time.Now().UnixNano()) % 1e9}
	sockets := false
	c := &cobra.Command{
		Use: "soak", GroupID: command.Develop,
		Short: "run random operations against plain arithmetic for a time",
		Long: "Soak runs random operations against plain arithmetic: half of the time on worlds that stay, through\n" +
			"real sockets with faults, whose memory and goroutines must be flat at the end; then in random worlds\n" +
			"with another seed each time. It ends when something is wrong.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			end := time.Now().Add(o.Duration)
			if !sockets {
				o.Duration /= 2
			}
			if err := soakSockets(cmd.Context(), o); err != nil || sockets {
				return err
			}
			return soakRounds(cmd.Context(), end)
		},
	}
	f := c.Flags()
	f.DurationVar(&o.Duration, "duration", 10*time.Minute, "how `long`: 10m, 2h")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "of operations and faults of the worlds that stay (another one each time)")
	f.IntVar(&o.Ranks, "ranks", 8, "of each of them")
	f.BoolVar(&sockets, "sockets", false, "those worlds alone, for all of the time")
	f.Lookup("seed").DefValue = "0"
	return c
}

// soakSockets runs operations on worlds that stay.
func soakSockets(ctx context.Context, o selftest.Soak) error {
	fmt.Printf("%v with --seed=%d, %d ranks on each of %v\n", o.Duration, o.Seed, o.Ranks, selftest.SoakPlatforms)
	var worlds []selftest.Soaked
	for _, platform := range selftest.SoakPlatforms {
		w, err := o.Sockets(ctx, platform)
		if err != nil {
			for _, started := range worlds {
				_ = started.Close() // why it did not start is what matters
			}
			return fmt.Errorf("start %d ranks of %s: %w", o.Ranks, platform, err)
		}
		worlds = append(worlds, w)
	}
	return o.Run(ctx, worlds, os.Stdout)
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
	if err := running("go", "test", "-c", "-o", binary, soaked)(ctx); err != nil {
		return fmt.Errorf("build %s: %w", soaked, err)
	}
	seed := uint32(time.Now().UnixNano())
	for rounds := 1; ; rounds++ {
		start := time.Now()
		out, err := exec.CommandContext(ctx, binary, "-test.timeout=20m", "-conform.scale=1",
			fmt.Sprintf("-conform.seed=%d", seed)).CombinedOutput()
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
