//go:build unix

package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Tests start this program again to be another process.
const roleVariable = "CCLFORGE_STORE_TEST"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func play(role string, args []string) int {
	s, err := Open(args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	switch role {
	case "lock": // until its input ends
		_, err := s.TryLock(args[1])
		fmt.Println("locked", err)
		bufio.NewReader(os.Stdin).ReadString('\n')
	case "use":
		_, err := s.Use(context.Background(), args[1:])
		fmt.Println("using", err)
		bufio.NewReader(os.Stdin).ReadString('\n')
	case "publish":
		_, err := s.Publish(args[1], args[2], Making{Step: testStep()})
		fmt.Println(err)
	}
	return 0
}

// other starts another process and returns its first line.
func other(t *testing.T, change func(*exec.Cmd), role string, args ...string) (line string, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	in, err := cmd.StdinPipe()
	assert.NilError(t, err)
	out, err := cmd.StdoutPipe()
	assert.NilError(t, err)
	if change != nil {
		change(cmd)
	}
	assert.NilError(t, cmd.Start())
	line, err = bufio.NewReader(out).ReadString('\n')
	assert.NilError(t, err)
	return strings.TrimSpace(line), func() {
		in.Close()
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	}
}

func key(c string) string { return strings.Repeat(c, 64/len(c)) }

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.TempDir())
	assert.NilError(t, err)
	return s
}

func testStep() *step.Step {
	return &step.Step{ID: "p/package/a", Kind: step.Package, Title: "package a", Outputs: []string{"a.xo", "tree"},
		Reports: []string{"**/*.rpt"},
		Tools:   []step.Tool{{Name: "vivado", Version: "2023.2", Path: "/x/vivado"}}, Commands: []step.Command{
			{Tool: "vivado", Args: []string{"-mode", "batch"}}}}
}

// files writes a tree: "name/" is a directory, "name -> target" a symbolic link.
func files(t *testing.T, dir string, content map[string]string) string {
	t.Helper()
	for name, text := range content {
		to := filepath.Join(dir, name)
		var err error
		link, target, isLink := strings.Cut(name, " -> ")
		if isLink {
			to = filepath.Join(dir, link)
		}
		assert.NilError(t, os.MkdirAll(filepath.Dir(to), 0o777))
		switch {
		case isLink:
			err = os.Symlink(target, to)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(to, 0o777)
		default:
			err = os.WriteFile(to, []byte(text), 0o666)
		}
		assert.NilError(t, err)
	}
	return dir
}

func plain() map[string]string {
	return map[string]string{"a.xo": "the kernel", "tree/x/y.txt": "deep", "tree/empty": "", "log/a.rpt": "report",
		"other.txt": "not kept",
		"step.log":  "hello\n", "step.sh": "", "step.exit": "0\n"}
}

func published(t *testing.T, s *Store, k string) *Result {
	t.Helper()
	r, err := s.Publish(k, files(t, t.TempDir(), plain()), Making{Step: testStep()})
	assert.NilError(t, err)
	return r
}

func fifo(t *testing.T, name string) {
	t.Helper()
	assert.NilError(t, syscall.Mkfifo(name, 0o666))
}
