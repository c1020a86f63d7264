package block

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

var (
	plant      = flag.Int("tb.defects", 0, "how many defects are planted in each module of a bench, one at a time")
	plantLines = flag.String("tb.line", "", "text of the lines in which -tb.defects plants; all if empty")
)

// Run is a bench: it returns an error if the module is wrong.
type Run func(b *Bench, r *rand.Rand) error

// Seeds are those with which every bench runs.
func Seeds() []uint64 {
	all := []uint64{0, 1, 2}
	if s := ExtraSeed(); !slices.Contains(all, s) {
		all = append(all, s)
	}
	return all
}

// Check runs a bench with every seed; with -tb.defects, with defects, too.
func (s *Set) Check(t *testing.T, name string, run Run) {
	t.Helper()
	for _, seed := range Seeds() {
		err := s.once(t, name, seed, run)
		if errors.Is(err, verilate.ErrTools) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatalf("%s, seed %d: %v", name, seed, err)
		}
	}
	if *plant > 0 {
		s.plant(t, name, run)
	}
}

func (s *Set) once(t *testing.T, name string, seed uint64, run Run) error {
	b, err := s.New(t.Context(), name, seed)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.try(run, rand.New(rand.NewPCG(seed, 99)))
}

// try runs a bench. A panic counts as an error: the module did something unexpected.
func (b *Bench) try(run Run, r *rand.Rand) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in cycle %d: %v", b.Cycle, p)
		}
	}()
	if err := run(b, r); err != nil {
		return fmt.Errorf("cycle %d: %w", b.Cycle, err)
	}
	return b.Err()
}

// errBuild is a defect that does not even compile.
var errBuild = errors.New("it cannot be built")

// plant plants defects in a module and its parts, and tells which of them a bench does not find.
func (s *Set) plant(t *testing.T, name string, run Run) {
	t.Helper()
	m, err := s.module(name)
	if err != nil {
		t.Fatal(err)
	}
	files, err := m.sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range append([]string{m.Name}, m.Parts...) {
		at := slices.IndexFunc(files, func(f file) bool { return f.name == in })
		if at < 0 {
			t.Fatalf("%s: there is no %s inside it", name, in)
		}
		eachDefect(t, m.called(), in, files[at].text, func(changed string) error {
			alone := m.with(t, in, func(string) string { return changed })
			if _, err := alone.open(t.Context()); err != nil {
				return fmt.Errorf("%w: %w", errBuild, err)
			}
			return alone.find(t, m.called(), run)
		})
	}
}

// Plant plants defects, with -tb.defects, in modules of the engine that have no bench of their own. Tests of the
// package, by a pattern as go test -run has it, are to find them: in a process of their own, which assertions abort.
func Plant(t *testing.T, tests string, modules ...string) {
	t.Helper()
	if *plant == 0 {
		t.Skip("-tb.defects is not given")
	}
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	files, err := everything(t.Context(), "u55c_tcp", "", false, "ccl_offload")
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir() // each build is used once
	for _, in := range modules {
		at := slices.IndexFunc(files, func(f file) bool { return f.name == in })
		if at < 0 {
			t.Fatalf("there is no %s", in)
		}
		eachDefect(t, t.Name(), in, files[at].text, func(changed string) error {
			edited := filepath.Join(cache, in+".sv")
			if err := os.WriteFile(edited, []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			run := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+tests, "-test.failfast")
			run.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, verilate.EditedVariable+"="+edited)
			said, err := run.CombinedOutput()
			if bytes.Contains(said, []byte(verilate.NotBuilt)) {
				return errBuild
			}
			return err
		})
	}
}

// eachDefect plants as many defects as -tb.defects says in the text of a module inside what a bench runs, one at a
// time. Try runs the bench with the changed text: it returns what is found, or errBuild.
func eachDefect(t *testing.T, name, in, text string, try func(changed string) error) {
	t.Helper()
	all := slices.DeleteFunc(defects(text), func(d defect) bool { return !strings.Contains(d.before, *plantLines) })
	r := rand.New(rand.NewPCG(0, 7))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	planted, found, broken := 0, 0, 0
	for _, d := range all {
		if planted == *plant {
			break
		}
		err := try(d.plant(text))
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
		switch {
		case errors.Is(err, errBuild):
			broken++
			continue
		case err != nil:
			found++
		default:
			t.Logf("%s: not found in %s: %s", name, in, d)
		}
		planted++
	}
	t.Logf("%s: %d of %d defects planted in %s are found (%d others do not compile, of %d places)", name, found,
		planted, in, broken, len(all))
	if planted > 1 && found == 0 { // single ones may change nothing that can be seen
		t.Errorf("%s: the bench finds none of %d defects planted in %s", name, planted, in)
	}
}

// with is a set of the module with a change in one of its files; its build is not cached.
func (m Module) with(t *testing.T, in string, change func(text string) string) *Set {
	t.Helper()
	m.dir = t.TempDir()
	m.edit = func(name, text string) string {
		if name == in {
			return change(text)
		}
		return text
	}
	return NewSet(m)
}

// find runs a bench with all seeds and returns the first error.
func (s *Set) find(t *testing.T, name string, run Run) error {
	t.Helper()
	for _, seed := range Seeds() {
		if err := s.once(t, name, seed, run); err != nil {
			return err
		}
	}
	return nil
}

// Finds tells whether a bench finds a certain defect: in a file that the module is
// made of, a text that stands there once becomes another one. As that is one more build, nightly runs do so.
func (s *Set) Finds(t *testing.T, name, in, old, becomes string, run Run) {
	t.Helper()
	if !nightly.Enabled() && *plant == 0 {
		return
	}
	m, err := s.module(name)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	alone := m.with(t, in, func(text string) string {
		found = strings.Count(text, old)
		return strings.Replace(text, old, becomes, 1)
	})
	_, err = alone.open(t.Context())
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if found != 1 {
		t.Fatalf("%s: %q stands %d times in %s", name, old, found, in)
	}
	if err := alone.find(t, name, run); err != nil {
		t.Logf("%s: %q for %q is found: %v", name, becomes, old, err)
	} else {
		t.Errorf("%s: nobody finds %q for %q", name, becomes, old)
	}
}
