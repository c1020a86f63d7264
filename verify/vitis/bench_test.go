package vitis

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/vitis/run"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

var (
	// cclforge is the plain command, compiled once.
	cclforge string
	// fixtures are the repositories of all shipped designs, made once: builds only fetch from them.
	fixtures func() (map[string]standin.Repository, error)
)

func TestMain(m *testing.M) {
	run.Supervise()
	dir, err := os.MkdirTemp("", "cclforge-vitis-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cclforge = filepath.Join(dir, "cclforge")
	if out, err := exec.Command("go", "build", "-o", cclforge,
		"github.com/cclforge/cclforge/verify/cmd/cclforge").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "compile cclforge: %v\n%s", err, out)
		os.RemoveAll(dir)
		os.Exit(1)
	}
	fixtures = sync.OnceValues(func() (map[string]standin.Repository, error) {
		all, err := shipped()
		if err != nil {
			return nil, err
		}
		return repositories(filepath.Join(dir, "repositories"), all)
	})
	code := standin.Main(m)
	os.RemoveAll(dir)
	os.Exit(code)
}

// bench is a user with tools, a workspace, a cache and results.
type bench struct {
	*testing.T
	*standin.Installation
	dir, cache string
	env        []string
}

// newBench makes one. Each has a home of its own.
func newBench(t *testing.T, o standin.Options) *bench {
	t.Helper()
	for _, tool := range []string{"tclsh", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing; install the package %s", tool, strings.TrimSuffix(tool, "sh"))
		}
	}
	// A look at a new file keeps go from taking an earlier run of the test for this one.
	_, err := os.Stat(cclforge)
	assert.NilError(t, err)
	o.Repositories, err = fixtures()
	assert.NilError(t, err)
	top := t.TempDir()
	b := &bench{T: t, dir: filepath.Join(top, "workspace"), cache: filepath.Join(top, "cache")}
	b.Installation = standin.Install(t, filepath.Join(top, "tools"), o)
	all, err := shipped()
	assert.NilError(t, err)
	assert.NilError(t, emulation(b.Installation, all))
	assert.NilError(t, os.MkdirAll(b.dir, 0o777))
	home := filepath.Join(top, "home")
	for _, v := range b.Env() {
		if name, _, _ := strings.Cut(v, "="); name != "HOME" && name != "XDG_CACHE_HOME" && name != "CCLFORGE_CACHE" {
			b.env = append(b.env, v)
		}
	}
	b.env = append(b.env, "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"))
	return b
}

type outcome struct {
	code     int // -1: killed
	out, err string
}

func (o outcome) String() string {
	return fmt.Sprintf("exit status %d\n--- stdout\n%s\n--- stderr\n%s", o.code, o.out, o.err)
}

func (b *bench) command(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	cmd := exec.CommandContext(ctx, cclforge, append(args, "--cache="+b.cache)...)
	cmd.Dir, cmd.Env = b.dir, b.env
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	cmd.WaitDelay = time.Minute
	return cmd, &out, &err
}

// patience is how long a test waits for what should come at once.
const patience = 2 * time.Minute

func (b *bench) run(args ...string) outcome {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	cmd, out, errs := b.command(ctx, args...)
	err := cmd.Run()
	var e *exec.ExitError
	if err != nil && !errors.As(err, &e) {
		b.Fatalf("cclforge %s: %v", strings.Join(args, " "), err)
	}
	if ctx.Err() != nil {
		b.Fatalf("cclforge %s has not ended in %v:\n%s\n%s", strings.Join(args, " "), patience, out, errs)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func (b *bench) build(args ...string) outcome {
	b.Helper()
	o := b.run(append([]string{"build"}, args...)...)
	if o.code != 0 {
		b.Fatalf("build %s: %v", strings.Join(args, " "), o)
	}
	return o
}

// worked are the calls of tools since the last time, which are forgotten then.
func (b *bench) worked() []standin.Call {
	b.Helper()
	calls, err := b.Calls()
	assert.NilError(b.T, err)
	assert.NilError(b.T, b.Forget())
	return calls
}
