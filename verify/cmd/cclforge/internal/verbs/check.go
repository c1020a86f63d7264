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

// raceSample are packages with concurrency of their own; under the race
// detector everything would take too long.
var raceSample = []string{
	"./gen/output", "./gen/vitis/store", "./driver/sim/zmq", "./driver/sim", "./verify/fabric", "./verify/fabric/socket",
	"./verify/server/host",
}

// raceTests are tests of larger packages in which several goroutines are at work.
var raceTests = []named{
	{"gen/vitis/run", []string{"TestEachResultIsMadeOnce", "TestTwoBuildersAtOnce",
		"TestCancelledBuildsLeaveNothingRunning", "TestStages",
		"TestWhatAScriptLeavesRunningEndsWithIt", "TestTheEndOfTheContextEndsAll", "TestToolsMayEndInGoodOrder",
		"TestTimeLimit", "TestTheEndOfTheBuilderEndsAll", "TestTheEndOfTheSupervisorEndsAll",
		"TestTheNextBuildEndsWhatIsLeft", "TestAScriptEndsWithItsSupervisor", "TestScripts",
		"TestJobsWaitForThoseBefore", "TestNoMoreAtATimeThanThereIsRoomFor", "TestWhoGivesUpWaitingIsForgotten",
		"TestLogsAreFollowed", "TestWithoutASupervisor",
	}},
	{"verify/emu", []string{
		"TestArbiter", "TestMemoryGrowsConcurrently", "TestResetRequested", "TestResetWhileReading", "TestExchangeRegisters",
		"TestCloseAnswers", "TestPeersFindOutWhatTheyAre", "TestManyKernelsSideBySide", "TestCloseEndsKernels",
		"TestAnswersComeInTheOrderOfTheCalls",
	}},
	{"verify/server", []string{
		"TestCompletionsGoToOneOfSeveralClients", "TestEachClientReadsItsReturnCode", "TestKernelStreams",
		"TestCloseEndsEverything",
		"TestClientIsKilledAndComesAgain", "TestBlockingCallsOfOneConnection",
	}},
	{"verify/conformance", []string{
		"TestAtOnce", "TestMistakes", "TestCommunicatorsAtOnce", "TestReceivesBeforeSends",
		"TestResetInTheMiddle", "TestDeath",
	}},
}

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
	if err := collectLess(); err != nil {
		return err
	}
	slowest := new(packages)
	err := runAll(ctx, os.Stdout, slices.Concat(
		static(),
		[]check{{"go test", slowest.watch(tests("30m"))}},
		[]check{{"soak", func(ctx context.Context) error {
			return soakSockets(ctx, selftest.Soak{Duration: 6 * time.Second, Seed: 1, Ranks: 4})
		}}},
		race("10m", raceSample, raceTests),
	))
	slowest.print(os.Stdout)
	return err
}

// collectLess has the programs in Go that are started collect their garbage less often, unless the environment says how
// often: those that read much HCL take a third less time, in twice the memory.
func collectLess() error {
	if os.Getenv("GOGC") != "" {
		return nil
	}
	return errors.Join(os.Setenv("GOGC", "400"), os.Setenv("GOMEMLIMIT", "2GiB"))
}

func static() []check {
	return []check{
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

// race are runs of the go command under the race detector: of packages, and of some tests of others, whose names are
// no other tests' in these.
func race(limit string, all []string, some []named) []check {
	if _, err := exec.LookPath("gcc"); err != nil {
		fmt.Println("SKIPPED: go test -race needs gcc")
		return nil
	}
	args := []string{"test", "-race", "-short", "-vet=off", "-timeout=" + limit}
	steps := []check{{"go test -race", running("go", slices.Concat(args, all)...)}}
	if len(some) > 0 {
		var together named
		for _, n := range some {
			together.tests = append(together.tests, n.tests...)
			args = append(args, "./"+n.dir)
		}
		args = append(args, "-run="+together.only())
		steps = append(steps, check{"go test -race, parts of packages", running("go", args...)})
	}
	return steps
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
