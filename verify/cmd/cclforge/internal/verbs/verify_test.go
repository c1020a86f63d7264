package verbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestTestsThatAreNamedAreThere(t *testing.T) {
	for _, n := range []named{lintOfPlatforms, waysOfTheirOwn, programs} {
		files, err := filepath.Glob(filepath.Join("../../../../..", n.dir, "*_test.go"))
		assert.Assert(t, err == nil && len(files) != 0, "%s: no tests, %v", n.dir, err)
		var all strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			must(t, err)
			all.Write(text)
		}
		for _, name := range n.tests {
			assert.Check(t, is.Contains(all.String(), "\nfunc "+name+"(t *testing.T)"), "%s has no %s", n.dir, name)
		}
	}
}
