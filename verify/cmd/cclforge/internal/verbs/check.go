package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/verify/conformance/selftest"
)

type check struct {
	name string
	run  func(ctx context.Context) error
}

// raceSample are packages with concurrency of their own that need few others: compiling takes longer than the tests.
// Nightly has more.
var raceSample = []string{"./driver/sim/zmq", "./verify/fabric"}

func testVerb() *cobra.Command {
	return &cobra.Command{
		Use: "test", GroupID: command.Develop,
		Short: "check the whole repository: format, vet, staticcheck and all tests",
		RunE:  func(cmd *cobra.Command, _ []string) error { return test(cmd.Context()) },
	}
}

// test runs all checks in the current directory, also after one has failed. It
// installs missing tools where it may; tests of tools that stay missing are
// skipped and say so.
func test(ctx context.Context) error {
	provide(ctx, wanted)
	if err := buildLess(); err != nil {
		return err
	}
	slowest := new(packages)
	err := runAll(ctx, os.Stdout, slices.Concat(
		static(),
		[]check{{"go test", slowest.watch(tests("30m"))}},
		[]check{{"soak", func(ctx context.Context) error {
			return soakSockets(ctx, selftest.Soak{Duration: 6 * time.Second, Seed: 1, Ranks: 4})
		}}},
		race("10m", raceSample),
	))
	slowest.print(os.Stdout)
	return err
}

// buildLess sets what saves time of programs in Go, unless the environment has it. Those that read much HCL take a
// third less time, in twice the memory.
func buildLess() error {
	err := os.Setenv("GOFLAGS", command.GoFlags())
	if os.Getenv("GOGC") != "" {
		return err
	}
	return errors.Join(err, os.Setenv("GOGC", "400"), os.Setenv("GOMEMLIMIT", "2GiB"))
}

func static() []check {
	return []check{
		// Tests with modules of users need what no build here does, and read it from the cache of modules.
		{"modules", commandLine{name: "go", args: []string{"mod", "graph"}, out: io.Discard}.run},
		{"gofmt", func(context.Context) error { return formatted(".") }},
		{"go vet", running("go", "vet", "-tags", "mage", "./...")}, // no file is left out with the tag
		{"staticcheck", running("go", "tool", "staticcheck", "-tags", "mage", "./...")},
	}
}

// tests runs the tests of all packages, which were vetted before: one more at a time than there are processors, as
// some wait for others' builds, for time limits or for networks.
func tests(limit string) commandLine {
	return commandLine{name: "go", args: []string{"test", "-vet=off", fmt.Sprint("-p=", runtime.NumCPU()+1),
		"-timeout=" + limit, "./..."}}
}

// race runs tests of packages under the race detector, which has a way of compiling of its own.
func race(limit string, packages []string) []check {
	if _, err := exec.LookPath("gcc"); err != nil {
		fmt.Println("SKIPPED: go test -race needs gcc")
		return nil
	}
	args := []string{"test", "-race", "-buildmode=default", "-short", "-vet=off", "-timeout=" + limit}
	return []check{{"go test -race", running("go", slices.Concat(args, packages)...)}}
}

// runAll runs all steps and says at the end which have failed.
func runAll(ctx context.Context, w io.Writer, steps []check) error {
	var failed []string
	for _, s := range steps {
		fmt.Fprintf(w, "== %s\n", s.name)
		start := time.Now()
		err := s.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		verdict := "ok"
		if err != nil {
			verdict = "FAILED: " + err.Error()
			failed = append(failed, s.name)
		}
		fmt.Fprintf(w, "== %s: %s (%v)\n", s.name, verdict, time.Since(start).Round(100*time.Millisecond))
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d checks failed: %s", len(failed), len(steps), strings.Join(failed, ", "))
	}
	fmt.Fprintf(w, "all %d checks passed\n", len(steps))
	return nil
}

// commandLine is a program with arguments that runs with its output going to ours. It is
// interrupted when the context is done, and killed if that does not help.
type commandLine struct {
	name string
	args []string
	env  []string  // beside ours
	out  io.Writer // nil for the standard output
}

// running runs a program.
func running(name string, args ...string) func(ctx context.Context) error {
	return commandLine{name: name, args: args}.run
}

func (p commandLine) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.name, p.args...)
	cmd.Stdout, cmd.Stderr = io.Writer(os.Stdout), os.Stderr
	if p.out != nil {
		cmd.Stdout = p.out
	}
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 3 * time.Second
	return cmd.Run()
}

// formatted lists the Go files below a directory that gofmt would change.
func formatted(root string) error {
	var errs []error
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && name != root && (e.Name() == "out" || e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".")) {
			return filepath.SkipDir
		}
		if e.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		want, err := format.Source(text)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		case !bytes.Equal(text, want):
			errs = append(errs, fmt.Errorf("%s is not formatted", name))
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}
