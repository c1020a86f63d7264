package standin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var built struct {
	sync.Mutex
	dir, path string
	main      bool
}

// Main runs the tests of a package that installs stand-ins: it is for TestMain. The
// program is compiled once, when the first test wants it, and removed at the end.
func Main(m *testing.M) int {
	built.main = true
	defer func() {
		if built.dir != "" {
			os.RemoveAll(built.dir)
		}
	}()
	return m.Run()
}

// Binary is the program standin.
func Binary(t testing.TB) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	if !built.main {
		t.Fatal("the package's TestMain does not call standin.Main")
	}
	if built.path == "" {
		dir, err := os.MkdirTemp("", "cclforge-standin-")
		if err != nil {
			t.Fatal(err)
		}
		built.dir = dir
		path := filepath.Join(dir, "standin")
		if err := Compile(path); err != nil {
			t.Fatal(err)
		}
		built.path = path
	}
	// A look at a new file keeps go from taking an earlier run of the test for this one.
	if _, err := os.Stat(built.path); err != nil {
		t.Fatal(err)
	}
	return built.path
}

// Compile makes the program.
func Compile(path string) error {
	out, err := exec.Command("go", "build", "-o", path,
		"github.com/cclforge/cclforge/verify/vitis/standin/cmd/standin").CombinedOutput()
	if err != nil {
		return fmt.Errorf("compile the stand-ins: %w\n%s", err, out)
	}
	return nil
}
