package verbs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/nightly"
)

const (
	// recordFile has a line for each nightly run.
	recordFile = "out/nightly/runs.jsonl"
	// parts are in how many nights all operands of the arithmetic are checked.
	parts = 16
	// worldScale is how much of the conformance tests runs on simulated ranks.
	worldScale = 0.1
	// planted are the defects in each module of a bench.
	planted = 3
)

// everything has tests do everything.
var everything = []string{nightly.Variable + "=1"}

// simulated are platforms whose engines differ.
var simulated = []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_2022", "u280_manual", "u280_axis3x"}

// raceNightly are packages that run under the race detector beside those of every run.
var raceNightly = []string{
	"./gen/lang", "./gen/output", "./gen/workspace", "./gen/vitis/store", "./gen/vitis/run", "./gen/vitis/report",
	"./driver/accl", "./driver/sim", "./verify/emu", "./verify/fabric/packets", "./verify/fabric/socket", "./verify/world",
	"./verify/server", "./verify/server/host", "./verify/conformance",
}

// outcome is how a run or a step of it has ended.
type outcome struct {
	Name    string  `json:"name,omitempty"`
	Seconds float64 `json:"seconds"`
	Result  string  `json:"result"` // ok, or the error
}

// record is what stays of a nightly run.
type record struct {
	Date    time.Time `json:"date"`
	Commit  string    `json:"commit"`
	Changed bool      `json:"changed"` // files differ from the commit
	outcome
	Steps []outcome `json:"steps"`
}

func nightlyVerb() *cobra.Command {
	return &cobra.Command{
		Use: "nightly", GroupID: command.Develop,
		Short: "run everything that checks the repository, and keep a record",
		Long: "Nightly runs everything that checks the repository, in some hours, and adds date, commit, duration and\n" +
			"result to out/nightly/runs.jsonl. Random tests have another seed each day.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runNightly(cmd.Context()) },
	}
}

// runNightly runs all checks that there are, and adds a line to a record of all such runs.
func runNightly(ctx context.Context) error {
	provide(ctx, wantedNightly)
	r := record{Date: time.Now().UTC()}
	var err error
	if r.Commit, r.Changed, err = revision(ctx); err != nil {
		return fmt.Errorf("find the commit: %w", err)
	}
	slowest := new(packages)
	err = r.run(ctx, nightlySteps(r.Date, slowest))
	slowest.print(os.Stdout)
	return errors.Join(err, r.add(recordFile))
}

// nightlySteps are all checks, those that take longest last.
func nightlySteps(date time.Time, slowest *packages) []check {
	day := date.Unix() / int64(24*time.Hour/time.Second)
	all := tests("8h")
	all.env = everything
	steps := slices.Concat(static(),
		[]check{{"go test of everything", slowest.watch(all)}, {"soak", verb("soak", "--duration=20m")}},
		race("2h", slices.Concat(raceSample, raceNightly)),
		[]check{{"builds with stand-ins", verb("rehearse")}},
	)
	for _, name := range simulated {
		steps = append(steps, check{"hardware of " + name, verb("verify", name, fmt.Sprintf("--scale=%g", worldScale))})
	}
	return append(steps,
		check{"proofs", verb("proofs")},
		check{"defects that benches find", defects},
		check{"synthesis", verb("synth")},
		check{"coverage", verb("coverage", "--bits=false")},
		check{"arithmetic and control core", verb("exhaustive", fmt.Sprintf("--part=%d/%d", day%parts+1, parts))},
		check{"random worlds", verb("worlds", fmt.Sprintf("--seed=%d", day), "--calls=10000")},
	)
}

// verb runs a command of cclforge in a process of its own.
func verb(args ...string) func(ctx context.Context) error {
	return running("go", append([]string{"run", "./verify/cmd/cclforge"}, args...)...)
}

// defects has benches of modules find defects that are planted in them.
func defects(ctx context.Context) error {
	const block = module + "verify/rtltest/block"
	list := exec.CommandContext(ctx, "go", "list", "-f",
		`{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}`, "./verify/rtltest/...")
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list the benches: %w", err)
	}
	args := []string{"test", "-count=1", "-timeout=8h", fmt.Sprintf("-tb.defects=%d", planted)}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); slices.Contains(fields[1:], block) {
			args = append(args, fields[0])
		}
	}
	return running("go", args...)(ctx)
}

// run runs steps and notes how they end.
func (r *record) run(ctx context.Context, steps []check) error {
	noted := make([]check, len(steps))
	for n, s := range steps {
		noted[n] = check{s.name, func(ctx context.Context) error {
			began := time.Now()
			err := s.run(ctx)
			r.Steps = append(r.Steps, ended(s.name, began, err))
			return err
		}}
	}
	began := time.Now()
	err := runAll(ctx, os.Stdout, noted)
	r.outcome = ended("", began, err)
	return err
}

func ended(name string, began time.Time, err error) outcome {
	o := outcome{name, time.Since(began).Round(time.Second / 10).Seconds(), "ok"}
	if err != nil {
		o.Result = err.Error()
	}
	return o
}

func (r *record) add(file string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record the run: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("record the run: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("record the run: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = cmp.Or(err, f.Close()); err != nil {
		return fmt.Errorf("record the run in %s: %w", file, err)
	}
	return nil
}

// revision is the commit that is checked out, and whether files differ from it.
func revision(ctx context.Context) (commit string, changed bool, err error) {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "", false, fmt.Errorf("git rev-parse HEAD: %w", err)
	}
	status, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output()
	if err != nil {
		return "", false, fmt.Errorf("git status: %w", err)
	}
	return strings.TrimSpace(string(out)), len(status) > 0, nil
}
