package proofs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

// Options say how proofs are run.
type Options struct {
	Out   string        // where counterexamples go; empty: nowhere
	Keep  string        // where the files of yosys stay; empty: nowhere
	Limit time.Duration // of one question to the solver
	Plain bool          // without the planted defects
}

// script is what yosys does; %s are the options of reading, and files. Wires of
// the block that the properties name must be there.
const script = `read_verilog -formal -sv %s %s
hierarchy -check -top proof
proc
memory -nordff
flatten
select -assert-none a:hierconn
setundef -undriven -anyseq
opt -nosdff -nodffe
async2sync
dffunmap
opt_clean
check -assert
write_smt2 -wires proof.smt2
`

// Run does a proof and looks for its planted defects. The error says what could
// not be done; what was done and failed is in the result.
func (p Proof) Run(ctx context.Context, s Sources, o Options) (Result, error) {
	r := Result{Name: p.Name, Shows: p.Shows, Covers: extent(p), Sizes: p.Sizes, Why: p.Why, Depth: p.Depth, K: p.K}
	if err := Available(); err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp(o.Keep, "proof-"+p.Name+"-")
	if err != nil {
		return r, err
	}
	if o.Keep == "" {
		defer os.RemoveAll(dir)
	}
	began := time.Now()
	err = p.prove(ctx, s, o, dir, &r)
	r.Seconds = time.Since(began).Seconds()
	if failure(err) {
		r.Failure = err.Error()
	} else if err != nil {
		return r, fmt.Errorf("%s: %w", p.Name, err)
	}
	r.Proved = err == nil
	if o.Plain {
		return r, nil
	}
	for _, d := range p.Broken {
		began := time.Now()
		found, err := p.find(ctx, s, o, dir, d)
		found.Seconds = time.Since(began).Seconds()
		if failure(err) {
			found.Failure = err.Error()
		} else if err != nil {
			return r, fmt.Errorf("%s: %s: %w", p.Name, d.Name, err)
		}
		r.Broken = append(r.Broken, found)
	}
	return r, nil
}

// failure tells whether a question was answered, in the wrong way.
func failure(err error) bool {
	for _, e := range []error{ErrFails, ErrInduction, ErrNeverSeen, ErrSurvives} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// prove answers the questions of a proof.
func (p Proof) prove(ctx context.Context, s Sources, o Options, dir string, r *Result) error {
	text, err := p.translate(ctx, s, o, dir, nil)
	if err != nil {
		return err
	}
	r.Assertions = strings.Count(text, "\n; yosys-smt2-assert ")
	r.Situations = strings.Count(text, coverMark)
	if r.Assertions == 0 || r.Situations == 0 {
		return fmt.Errorf("%w: there are %d assertions and %d covers", ErrNeverSeen, r.Assertions, r.Situations)
	}
	if err := os.WriteFile(filepath.Join(dir, "proof.smt2"), []byte(withConditions(text)), 0o644); err != nil {
		return err
	}
	trace := filepath.Join(dir, "trace.vcd")
	said, err := p.ask(ctx, o, dir, "--dump-vcd", trace, "-t", strconv.Itoa(p.BaseCase()))
	if err != nil {
		if v := verdict(said); v.assertion != "" {
			err = fmt.Errorf("%w: %s in cycle %d", ErrFails, v.assertion, v.cycle)
			return errors.Join(err, o.keep(trace, p.Name, r))
		}
		return err
	}
	if said, err := p.ask(ctx, o, dir, "-c", "-t", strconv.Itoa(p.Depth)); err != nil {
		if never := unreached.FindStringSubmatch(said); never != nil {
			return fmt.Errorf("%w: %s", ErrNeverSeen, never[1])
		}
		return err
	}
	if p.Bounded() {
		return nil
	}
	said, err = p.ask(ctx, o, dir, "-i", "--dump-vcd", trace, "-t", strconv.Itoa(p.K))
	if err != nil {
		if v := verdict(said); v.assertion != "" {
			err = fmt.Errorf("%w: %s", ErrInduction, v.assertion)
			return errors.Join(err, o.keep(trace, p.Name, r))
		}
		return err
	}
	return nil
}

// find looks for a planted defect, from a reset on and without invariants.
func (p Proof) find(ctx context.Context, s Sources, o Options, dir string, d Defect) (Found, error) {
	found := Found{Defect: d.Name}
	if _, err := p.translate(ctx, s, o, dir, &d); err != nil {
		return found, err
	}
	depth := d.Depth
	if depth == 0 {
		depth = p.Depth
	}
	var said string
	var err error
	if p.AtOnce {
		said, err = p.askAtOnce(ctx, o, dir, depth)
	} else {
		said, err = p.ask(ctx, o, dir, "-t", strconv.Itoa(depth))
	}
	if err == nil {
		return found, fmt.Errorf("%w in %d cycles", ErrSurvives, depth)
	}
	v := verdict(said)
	if v.assertion == "" {
		return found, err
	}
	if found.Found, found.By = true, v.assertion; !p.AtOnce {
		found.Cycle = v.cycle
	}
	return found, nil
}

// translate makes proof.smt2 in a directory, and returns it.
func (p Proof) translate(ctx context.Context, s Sources, o Options, dir string, d *Defect) (string, error) {
	names, texts, err := p.files(s, d)
	if err != nil {
		return "", err
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	define := "-DINVARIANTS"
	if d != nil {
		define = ""
	}
	text := fmt.Sprintf(script, define, strings.Join(names, " "))
	if err := os.WriteFile(filepath.Join(dir, "proof.ys"), []byte(text), 0o644); err != nil {
		return "", err
	}
	if _, err := o.run(ctx, dir, "yosys", "-q", "-T", "proof.ys"); err != nil {
		return "", err
	}
	smt2, err := os.ReadFile(filepath.Join(dir, "proof.smt2"))
	return string(smt2), err
}

// ask puts a question about proof.smt2. An error goes with what was said. Z3 is
// much quicker with the functions of proof.smt2 unrolled, and where it takes long
// from the beginning each time: then it looks at bits only.
func (p Proof) ask(ctx context.Context, o Options, dir string, args ...string) (string, error) {
	all := []string{"--noprogress", "--unroll", "-s", "z3"}
	if !p.Quick {
		all = append(all, "--noincr")
	}
	return o.run(ctx, dir, "yosys-smtbmc", slices.Concat(all, args, []string{"proof.smt2"})...)
}

// plainly stands before z3 where all is asked with one question. Z3 reads a term
// that has a name anew at each place where it is named, which takes longer than
// the answer; of a constant that equals the term it does not. What is asked about
// an answer stays as it is. %s is z3.
const plainly = `#!/bin/sh
exec sed -u -E '/^\(check-sat/{
:a
n
ba
}
s/^\(define-fun (\|[^|]*\|) \(\) (Bool|\(_ BitVec [0-9]+\)) (.*)\)$/(declare-fun \1 () \2)(assert (= \1 \3))/' | '%s' "$@"
`

// askAtOnce puts a question about all of some cycles.
func (p Proof) askAtOnce(ctx context.Context, o Options, dir string, cycles int) (string, error) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTools, err)
	}
	bin, err := filepath.Abs(filepath.Join(dir, "bin"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(bin, "z3"), fmt.Appendf(nil, plainly, z3), 0o755); err != nil {
		return "", err
	}
	t := fmt.Sprintf("0:%d:%d", cycles, cycles)
	return o.run(ctx, dir, "env", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"yosys-smtbmc", "--noprogress", "--unroll", "-s", "z3", "--noincr", "-t", t, "proof.smt2")
}

func (o Options) run(ctx context.Context, dir, tool string, args ...string) (string, error) {
	path, err := exec.LookPath(tool)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTools, err)
	}
	if o.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Limit)
		defer cancel()
	}
	said, err := tools.Tool{Path: path}.Run(ctx, dir, args...)
	if err != nil {
		return string(said), fmt.Errorf("%s %s: %w\n%s", tool, strings.Join(args, " "), err, said)
	}
	return string(said), nil
}

// keep puts a counterexample where it can be looked at.
func (o Options) keep(trace, name string, r *Result) error {
	if o.Out == "" {
		return nil
	}
	text, err := os.ReadFile(trace)
	if err == nil {
		err = os.MkdirAll(o.Out, 0o755)
	}
	to := filepath.Join(o.Out, name+".vcd")
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("keep the counterexample: %w", err)
	}
	r.Trace = to
	return nil
}

// coverMark begins a line about a cover in what yosys writes.
const coverMark = "; yosys-smt2-cover "

var (
	failed    = regexp.MustCompile(`Assert failed in proof: (.*)`)
	checking  = regexp.MustCompile(`Checking assertions in step (\d+)`)
	unreached = regexp.MustCompile(`Unreached cover statement at (.*)`)
	labelled  = regexp.MustCompile(`\(([\w ]+)\)\s*$`)
)

type outcome struct {
	assertion string
	cycle     int
}

// verdict reads which assertion failed, and when.
func verdict(said string) outcome {
	var v outcome
	match := failed.FindStringSubmatch(said)
	if match == nil {
		return v
	}
	v.assertion = strings.TrimSpace(match[1])
	if label := labelled.FindStringSubmatch(v.assertion); label != nil {
		v.assertion = label[1]
	}
	if steps := checking.FindAllStringSubmatch(said, -1); len(steps) > 0 {
		v.cycle, _ = strconv.Atoi(steps[len(steps)-1][1]) // digits
	}
	return v
}
