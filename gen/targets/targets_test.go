package targets_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"gotest.tools/v3/assert"

	// What the scripts run is compiled elsewhere; this makes their results
	// depend on it.
	"github.com/cclforge/cclforge/gen/nightly"
	_ "github.com/cclforge/cclforge/gen/targets"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/server/host"
)

// TestScripts runs the targets as a user does: from the magefile of a module
// of their own, in testdata/module, which imports them.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a magefile")
	}
	module := userModule(t)
	goEnv := goEnvironment(t)
	compile := exec.Command("go", "tool", "mage", "-compile", filepath.Join(module, "bin", "forge"))
	compile.Dir = module
	compile.Env = append(os.Environ(), goEnv...)
	compile.Env = append(compile.Env, "MAGEFILE_CACHE="+t.TempDir())
	out, err := compile.CombinedOutput()
	assert.Assert(t, err == nil, "compile the user's magefile: %v\n%s", err, out)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, goEnv...)
			env.Setenv("PATH", filepath.Join(module, "bin")+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("USER_MODULE", module)
			env.Setenv("MAGEFILE_CACHE", filepath.Join(env.WorkDir, ".mage"))
			port, err := host.FreePorts(20)
			env.Setenv("PORT", strconv.Itoa(port))
			return err
		},
		Condition: func(string) (bool, error) { return nightly.Enabled(), nil },
		Cmds:      map[string]func(ts *testscript.TestScript, neg bool, args []string){"served": served, "shape": shape},
	})
}

// served waits until somebody listens at a port, the sum of its arguments; or,
// if negated, until nobody does.
func served(ts *testscript.TestScript, neg bool, args []string) {
	port := 0
	for _, a := range args {
		n, err := strconv.Atoi(a)
		ts.Check(err)
		port += n
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			ts.Check(c.Close())
		}
		switch {
		case (err != nil) == neg:
			time.Sleep(200 * time.Millisecond) // to be sure that this is said, too
			return
		case time.Now().After(end):
			ts.Fatalf("port %d: %v", port, err)
		}
	}
}

// shape holds the keys and types of a file in JSON against a file that lists them, one on
// a line, sorted: scripts of users depend on them.
func shape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: shape file.json list.txt")
	}
	var v any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(d.Decode(&v))
	if d.More() {
		ts.Fatalf("%s has more than an object", args[0])
	}
	found := map[string]bool{}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				walk(strings.TrimPrefix(at+"."+key, "."), value)
			}
		case []any:
			for _, value := range v {
				walk(at+"[]", value)
			}
			if len(v) == 0 {
				found[at+"[]"] = true
			}
		default:
			found[fmt.Sprintf("%s %T", at, v)] = true
		}
	}
	walk("", v)
	got := strings.Join(slices.Sorted(maps.Keys(found)), "\n") + "\n"
	if want := ts.ReadFile(args[1]); got != want {
		ts.Fatalf("%s has the keys\n%snot\n%s", args[0], got, want)
	}
}

// userModule copies testdata/module and completes its go.mod: it replaces
// cclforge by this checkout and needs what that needs.
func userModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	assert.NilError(t, err)
	dir := t.TempDir()
	assert.NilError(t, os.CopyFS(dir, os.DirFS("testdata/module")))
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	assert.NilError(t, err)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	assert.NilError(t, err)
	requires := regexp.MustCompile(`(?ms)^require \(.*?^\)`).FindAllString(string(ours), -1)
	mod := fmt.Sprintf(`module example.com/user

go 1.26.0

tool (
	github.com/cclforge/cclforge/verify/cmd/cclforge
	github.com/magefile/mage
)

require github.com/cclforge/cclforge v0.0.0

replace github.com/cclforge/cclforge => %q

%s
`, filepath.ToSlash(root), strings.Join(requires, "\n\n"))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644))
	return dir
}

// goEnvironment is what the go command needs from us: testscript gives scripts
// an environment of their own.
func goEnvironment(t *testing.T) []string {
	t.Helper()
	var env []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN", "GOROOT"} {
		out, err := exec.Command("go", "env", name).Output()
		assert.NilError(t, err)
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return append(env, "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
}

// TestExamplesOfVariables tries what help and manuals give as an example on every
// shipped platform.
func TestExamplesOfVariables(t *testing.T) {
	example := regexp.MustCompile("(?:`?object`?: |-vars=)'({[^']*})'")
	for _, file := range []string{
		"targets.go", "vitis.go", "groups/build.go", "../command/verbs.go",
		"../../verify/cmd/cclforge/internal/verbs/buildverbs.go", "../../platforms/README.md",
	} {
		text, err := os.ReadFile(filepath.FromSlash(file))
		assert.NilError(t, err)
		tried := map[string]bool{}
		for _, found := range example.FindAllStringSubmatch(string(text), -1) {
			if vars := found[1]; !tried[vars] {
				tried[vars] = true
				w := workspace.New("", t.Logf, platforms.FS)
				_, err := w.Validate(t.Context(), workspace.Selection{Vars: vars})
				assert.Check(t, err, "%s: %s", file, vars)
			}
		}
		assert.Check(t, len(tried) != 0, "%s has no example", file)
	}
}

// TestOwnMagefile compiles the repository's magefile, which has more targets.
func TestOwnMagefile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a magefile")
	}
	list := exec.Command("go", "tool", "mage", "-l")
	list.Dir = "../.."
	list.Env = append(os.Environ(), "MAGEFILE_CACHE="+t.TempDir())
	out, err := list.CombinedOutput()
	assert.Assert(t, err == nil, "%v\n%s", err, out)
	for _, target := range []string{"bench", "clean", "demo", "diff", "docs", "doctor", "emulate", "figures", "fmt",
		"generate", "new", "platforms", "test", "validate"} {
		assert.Check(t, regexp.MustCompile(`(?m)^  `+target+` +[a-z].*\.$`).Match(out),
			"no target %s with a description in:\n%s", target, out)
	}
}
