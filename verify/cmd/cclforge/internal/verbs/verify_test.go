package verbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTestsThatAreNamedAreThere(t *testing.T) {
	for _, n := range append([]named{lintOfPlatforms, waysOfTheirOwn, programs}, raceTests...) {
		files, err := filepath.Glob(filepath.Join("../../../../..", n.dir, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no tests, %v", n.dir, err)
		}
		var all strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			must(t, err)
			all.Write(text)
		}
		for _, name := range n.tests {
			if !strings.Contains(all.String(), "\nfunc "+name+"(t *testing.T)") {
				t.Errorf("%s has no %s", n.dir, name)
			}
		}
	}
}
