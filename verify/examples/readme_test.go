package examples_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world"
)

// block is a file in a text: a block of code whose first line names it.
var block = regexp.MustCompile("(?ms)^```(?:hcl|cpp)\n(?:#|//) (platforms/\\S+)\n(.*?)^```$")

// The kernels of the README are compiled as they stand there.
func TestTheKernelsOfTheREADMEWork(t *testing.T) {
	text, err := os.ReadFile("README.md")
	assert.NilError(t, err)
	files := block.FindAllStringSubmatch(string(text), -1)
	assert.Assert(t, len(files) == 4, "README.md has %d files of the example, not 4", len(files))
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f[1]))
		assert.NilError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		assert.NilError(t, os.WriteFile(name, []byte(f[2]), 0o644))
	}
	t.Chdir(dir)
	d, err := world.Design("bf16", "")
	assert.NilError(t, err)
	for _, kernel := range []string{"bf16_ops", "bf16_compression"} {
		if _, err := hls.Library(t.Context(), d, kernel); errors.Is(err, hls.ErrTools) {
			t.Skip(err)
		} else if err != nil {
			t.Error(err)
		}
	}
}
