package platforms_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/platforms"
)

// TestShippedPlatformsAreEmbedded compares with what the repository tracks: what
// users put beside the shipped platforms is none of them.
func TestShippedPlatformsAreEmbedded(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z", "*.hcl").Output()
	if err != nil || len(out) == 0 {
		t.Skip("this is no git checkout: ", err)
	}
	var embedded []string
	err = fs.WalkDir(platforms.FS, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".hcl") {
			embedded = append(embedded, name)
		}
		return err
	})
	assert.NilError(t, err)
	for tracked := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		assert.Check(t, slices.Contains(embedded, tracked), "embed.go does not name %s", tracked)
	}
}

// TestNothingBesideThemKeepsThemFromBeingBuilt puts into the directory what the
// go command refuses to embed.
func TestNothingBesideThemKeepsThemFromBeingBuilt(t *testing.T) {
	dir := t.TempDir()
	assert.NilError(t, os.CopyFS(dir, os.DirFS(".")))
	for name, text := range map[string]string{"go.mod": "module example.com/m\n", "own.hcl": "platform \"own\" {}\n"} {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, sub := range []string{"", "boards", "kernels", "abi", "tools"} {
		links := map[string]string{"link.hcl": filepath.Join(dir, "own.hcl"), "u55c_dangling.hcl": "nowhere"}
		for name, target := range links {
			if err := os.Symlink(target, filepath.Join(dir, sub, name)); err != nil {
				t.Skip(err)
			}
		}
		assert.NilError(t, os.Mkdir(filepath.Join(dir, sub, "directory.hcl"), 0o755))
		if out, err := exec.Command("mkfifo", filepath.Join(dir, sub, "fifo.hcl")).CombinedOutput(); err != nil {
			t.Logf("no FIFO: %v %s", err, out)
		}
	}
	list := exec.Command("go", "list", "-f", "{{.EmbedFiles}}", ".")
	list.Dir = dir
	list.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := list.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "u55c_tcp.hcl") || strings.Contains(string(out), "own.hcl") {
		t.Errorf("%v\n%s", err, out)
	}
}
