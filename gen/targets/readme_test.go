package targets_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestTheModuleOfTheREADMEWorks does what README.md and gen/README.md say of a module of one's
// own: it writes its files, runs its commands and compares what they print. The module of cclforge
// is replaced by this checkout; other modules come from the module cache.
func TestTheModuleOfTheREADMEWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a magefile")
	}
	root, err := filepath.Abs("../..")
	assert.NilError(t, err)
	checkout := os.DirFS(root)
	text := section(read(t, checkout, "README.md"), "A program") + section(read(t, checkout, "gen/README.md"),
		"In your own module")
	blocks := regexp.MustCompile("(?ms)^```(sh|go|text)\n(.*?)^```$").FindAllStringSubmatch(text, -1)
	u := &user{t: t, dir: t.TempDir(), root: root}
	files, commands := 0, 0
	for _, b := range blocks {
		switch kind, text := b[1], b[2]; kind {
		case "go":
			files++
			name, _, _ := strings.Cut(strings.TrimPrefix(text, "// "), "\n")
			assert.NilError(t, os.WriteFile(filepath.Join(u.dir, name), []byte(text), 0o644))
			lines := strings.Count(text, "\n")
			assert.Check(t, lines <= 42, "%s has %d lines", name, lines)
		case "sh":
			for line := range strings.Lines(text) {
				commands++
				u.run(strings.TrimSpace(line))
			}
		case "text":
			assert.Check(t, u.printed == text, "%q is printed, not %q", u.printed, text)
		}
	}
	assert.Check(t, files == 2 && commands == 9, "the documents have %d files and %d commands", files, commands)
}

// section is what stands below a heading.
func section(text, heading string) string {
	_, text, _ = strings.Cut(text, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text + "\n"
}

// Open MPI has fewer slots than ranks on most hosts.
func TestLaunchersOfTheDocumentsHaveSlots(t *testing.T) {
	root := os.DirFS("../..")
	found := 0
	for _, name := range documents(t, root) {
		for _, line := range regexp.MustCompile(`(?m)^mpirun .*`).FindAllString(read(t, root, name), -1) {
			found++
			assert.Check(t, regexp.MustCompile(` (--oversubscribe|--hostfile|-H) `).MatchString(line),
				"%s: no --oversubscribe: %s", name, line)
		}
	}
	assert.Check(t, found != 0, "no document starts ranks by mpirun")
}

// user is somebody who types in a shell.
type user struct {
	t         *testing.T
	dir, root string
	env       []string
	printed   string // by the last command
}

// run runs a line, and keeps directory and environment for the next one.
func (u *user) run(line string) {
	u.t.Helper()
	if strings.HasPrefix(line, "mpirun ") {
		if _, err := exec.LookPath("mpirun"); err != nil {
			u.t.Log(err)
			return
		}
	}
	left := filepath.Join(u.t.TempDir(), "left")
	cmd := exec.CommandContext(u.t.Context(), "sh", "-ec", line+"\npwd >"+left+"; export -p >>"+left)
	cmd.Dir, cmd.Env = u.dir, u.env
	if u.env == nil {
		cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
		if err != nil {
			u.t.Fatal(err)
		}
		proxy := "GOPROXY=file://" + filepath.ToSlash(strings.TrimSpace(string(cache))) + "/cache/download"
		cmd.Env = append(os.Environ(), proxy, "GOSUMDB=off", "MAGEFILE_CACHE="+u.t.TempDir(),
			"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("%s: %v\n%s%s", line, err, out, stderr.String())
	}
	u.printed = string(out)
	state, err := os.ReadFile(left)
	if err != nil {
		u.t.Fatal(err)
	}
	dir, exports, _ := strings.Cut(string(state), "\n")
	u.dir, u.env = dir, cmd.Env
	exported := regexp.MustCompile(`(?m)^export CCLFORGE_SECRET='?([0-9a-f]+)'?$`)
	if secret := exported.FindStringSubmatch(exports); secret != nil {
		u.env = append(u.env, "CCLFORGE_SECRET="+secret[1])
	}
	if strings.HasPrefix(line, "go mod init ") {
		u.run("go mod edit -replace github.com/cclforge/cclforge=" + u.root)
	}
}
