package plan_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// run runs the script of a step in a directory, as a build does and as people do.
func run(t *testing.T, dir string, s *step.Step, env ...string) (string, error) {
	t.Helper()
	script := filepath.Join(dir, "step.sh")
	assert.NilError(t, os.WriteFile(script, s.Script(), 0o777))
	cmd := exec.CommandContext(t.Context(), "bash", script)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git",
		append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"},
			args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	assert.Assert(t, err == nil, "git %v: %v\n%s", args, err, out)
	return strings.TrimSpace(string(out))
}

// A kernel is built from the very revision that its description names, with that of
// its submodule, whatever came later.
func TestSourcesAreBuiltFromTheirRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing: install the package git")
	}
	top := t.TempDir()
	part, repository := filepath.Join(top, "part"), filepath.Join(top, "kernels")
	for _, dir := range []string{part, repository} {
		put(t, filepath.Join(dir, "version"), "first\n")
		git(t, dir, "init", "--quiet")
		git(t, dir, "add", ".")
		git(t, dir, "commit", "--quiet", "-m", "first")
	}
	git(t, repository, "submodule", "--quiet", "add", "file://"+part, "part")
	put(t, filepath.Join(repository, "src/build.sh"),
		"cat ../version ../part/version >../mine.xo\necho \"$1 $2 $3\" >>../mine.xo\n")
	git(t, repository, "add", ".")
	git(t, repository, "commit", "--quiet", "-m", "kernel")
	git(t, repository, "config", "uploadpack.allowFilter", "true")
	git(t, repository, "config", "uploadpack.allowAnySHA1InWant", "true")
	revision := git(t, repository, "rev-parse", "HEAD")
	full, short := revision, revision[:7]
	for _, dir := range []string{part, repository} {
		put(t, filepath.Join(dir, "version"), "second\n")
		git(t, dir, "commit", "--quiet", "-am", "second")
	}
	const platform = "platform \"p\" {\n  board = \"u55c\"\n\n  cclo { kernel_stream = \"mine\" }\n\n  poe \"axis\" " +
		"{}\n}\n"
	planFor := func(revision, command string) *step.Step {
		lib := library(t, layer{"p.hcl": platform, "kernels/mine.hcl": `kernel "mine" {
  like    = "user_kernel"
  source  = "xo"
  control = "ap_ctrl_none"
  calls   = false

  xo {
    git        = "file://` + repository + `"
    revision   = "` + revision + `"
    submodules = true
    directory  = "src"
    command    = "` + command + `"
    produces   = "mine.xo"
  }
}
`}.write(t))
		return planned(t, lib, "p", "2023.2", nil).Step("p/source/mine")
	}
	allow := []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always"}

	for name, revision := range map[string]string{"full": revision, "abbreviated": short} {
		dir := filepath.Join(t.TempDir(), "a directory, "+name)
		put(t, filepath.Join(dir, "keep"), "")
		s := planFor(revision, "bash build.sh ${board.name} ${board.part} ${platform.clock}")
		for range 2 { // by hand it is repeated in the same directory
			out, err := run(t, dir, s, allow...)
			assert.Assert(t, err == nil, "%s: %v\n%s", name, err, out)
			var got []string
			for _, path := range s.Outputs {
				text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
				assert.NilError(t, err)
				got = append(got, path+": "+string(text))
			}
			slices.Sort(got)
			want := []string{"source/mine.xo: first\nfirst\nu55c xcu55c-fsvh2892-2L-e 250\n"}
			if revision == short {
				want = slices.Insert(want, 0, "source.revision: "+full+"\n")
			}
			assert.DeepEqual(t, got, want)
		}
	}
	later := git(t, repository, "rev-parse", "HEAD")
	git(t, repository, "tag", later[:7], revision)
	for name, c := range map[string]struct {
		s    *step.Step
		says string
	}{
		"a revision that is not there":     {planFor(strings.Repeat("0123456789", 4), "true"), "0123456789"},
		"an abbreviation of nothing":       {planFor("0123456", "true"), "Needed a single revision"},
		"a tag that looks like a revision": {planFor(later[:7], "true"), "has checked out " + full + ", not " + later[:7]},
		"a command that fails":             {planFor(revision, "false\\ntrue"), ""},
	} {
		out, err := run(t, t.TempDir(), c.s, allow...)
		assert.Check(t, err != nil && strings.Contains(out, c.says), "%s is no failure:\n%s", name, out)
	}
}

// The link's configuration gets the absolute paths that Vivado needs, in whatever
// directory, and the threads of this run.
func TestConfigurationOfTheLink(t *testing.T) {
	lib := library(t, t.TempDir())
	link, _, _ := linked(t, planned(t, lib, "u55c_axis3x", "2023.2", nil))
	only := *link
	only.Commands = link.Commands[:1]
	for _, name := range []string{"plain", `a b & c\1 $d 'e' "f" é *`} {
		dir := filepath.Join(t.TempDir(), name)
		for _, f := range only.Files {
			put(t, filepath.Join(dir, filepath.FromSlash(f.Path)), string(f.Content))
		}
		out, err := run(t, dir, &only)
		assert.Assert(t, err == nil, "%v\n%s", err, out)
		text, err := os.ReadFile(filepath.Join(dir, "build.cfg"))
		assert.NilError(t, err)
		lines := strings.Split(string(text), "\n")
		if lines[0] != "jobs=8" || strings.Contains(string(text), "@WORK@") &&
			strings.Contains(strings.ReplaceAll(string(text), "# ", ""), "=@WORK@") {
			t.Errorf("the configuration is\n%s", text)
		}
		found := false
		for _, line := range lines {
			if _, value, ok := strings.Cut(line, "userPostSysLinkOverlayTcl="); ok && !strings.HasPrefix(line, "#") {
				found = true
				assert.Check(t, is.Equal(value, filepath.Join(dir, "vitis/post_link.tcl")), "the post-link script")
			}
		}
		assert.Check(t, found, "no post-link script in\n%s", text)
	}
}
