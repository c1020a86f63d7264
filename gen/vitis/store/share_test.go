//go:build linux

package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestManyPublishTheSame(t *testing.T) {
	s := open(t)
	var all sync.WaitGroup
	for range 6 {
		work := files(t, t.TempDir(), plain())
		all.Go(func() {
			for range 5 {
				_, err := s.Publish(key("a"), work, Making{Step: testStep()})
				assert.Check(t, err)
				_, err = s.Get(key("a"))
				assert.Check(t, err)
			}
		})
	}
	all.Wait()
	problems, err := s.Verify(t.Context(), nil)
	assert.Check(t, err == nil && len(problems) == 0, "%v, %v", problems, err)
}

func TestAnOutputThatIsStillBeingWritten(t *testing.T) {
	s := open(t)
	content := plain()
	content["a.xo"] = strings.Repeat("x", 1<<20)
	work := files(t, t.TempDir(), content)
	f, err := os.OpenFile(filepath.Join(work, "a.xo"), os.O_RDWR, 0)
	assert.NilError(t, err)
	defer f.Close()
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		for i := int64(0); ctx.Err() == nil; i++ {
			f.WriteAt([]byte("y"), i%(1<<20))
			time.Sleep(100 * time.Microsecond)
		}
	})
	seen := false
	for i := 0; i < 200 && !seen; i++ {
		_, err := s.Publish(fmt.Sprintf("%064x", i), work, Making{Step: testStep()})
		if seen = err != nil; seen &&
			(!errors.Is(err, ErrOutput) || !strings.Contains(err.Error(), "a.xo is still being written")) {
			t.Error(err)
		}
	}
	stop()
	all.Wait()
	assert.Check(t, seen, "nobody has noticed")
	problems, err := s.Verify(t.Context(), nil)
	assert.Check(t, err == nil && len(problems) == 0, "%v, %v", problems, err)
}

// Whatever the moment, a process that is killed leaves a result that is whole, or none.
func TestKilledWhilePublishing(t *testing.T) {
	s := open(t)
	content := plain()
	for i := range 200 {
		content[fmt.Sprintf("tree/file%d", i)] = strings.Repeat(fmt.Sprint(i), 2000)
	}
	work := files(t, t.TempDir(), content)
	var whole, none int
	seeded := rand.New(rand.NewSource(7))
	publish := func(k string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], s.Dir(), k, work)
		cmd.Env = append(os.Environ(), roleVariable+"=publish", "GORACE=atexit_sleep_ms=0")
		assert.NilError(t, cmd.Start())
		return cmd
	}
	begin := time.Now()
	assert.NilError(t, publish(key("f")).Wait())
	took := time.Since(begin)
	for i := range 25 {
		k := fmt.Sprintf("%064x", i)
		cmd := publish(k)
		time.Sleep(time.Duration(seeded.Int63n(int64(took * 3 / 2))))
		cmd.Process.Kill()
		cmd.Wait()
		switch _, err := s.Get(k); {
		case err == nil:
			whole++
		case errors.Is(err, ErrDamaged):
			t.Fatal(err)
		default:
			none++
		}
	}
	t.Logf("%d whole, %d none", whole, none)
	problems, err := s.Verify(t.Context(), nil)
	assert.Check(t, err == nil && len(problems) == 0, "%v, %v", problems, err)
	// What they left on the way is removed when it is a day old.
	names, _ := filepath.Glob(s.path("new", "*"))
	old := time.Now().Add(-48 * time.Hour)
	for _, name := range names {
		os.Chtimes(name, old, old)
	}
	_, err = s.Prune(t.Context(), PruneOptions{OlderThan: time.Hour})
	assert.NilError(t, err)
	if names, _ := filepath.Glob(s.path("new", "*")); len(names) > 0 {
		t.Errorf("%d of %d are left", len(names), none)
	}
}

func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() == 0 && syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m") == nil {
		defer syscall.Unmount(dir, syscall.MNT_DETACH)
	} else {
		t.Skip("SKIPPED: a small file system needs root and mount")
	}
	s, err := Open(dir)
	assert.NilError(t, err)
	small := published(t, s, key("a"))
	content := plain()
	content["tree/large"] = strings.Repeat("x", 2<<20)
	if _, err := s.Publish(key("b"), files(t, t.TempDir(), content), Making{Step: testStep()}); !errors.Is(err,
		syscall.ENOSPC) || !strings.Contains(err.Error(), "tree/large") {
		t.Errorf("got %v", err)
	}
	names, _ := filepath.Glob(s.path("new", "*"))
	assert.Check(t, len(names) == 0, "left %q", names)
	_, err = s.Get(key("b"))
	assert.Check(t, errors.Is(err, ErrMissing) && !errors.Is(err, ErrDamaged), "%v", err)
	last := s.Last(small.ID)
	assert.Check(t, last != nil && last.Key == key("a"), "last: %+v", last)
	_, err = s.Get(key("a"))
	assert.Check(t, err)
	// Not a byte is free: whatever can be done is done, the rest says why.
	f, err := os.Create(filepath.Join(dir, "filler"))
	assert.NilError(t, err)
	defer f.Close()
	for chunk := make([]byte, 4096); err == nil; {
		_, err = f.Write(chunk)
	}
	_, err = s.Publish(key("c"), files(t, t.TempDir(), plain()), Making{Step: testStep()})
	assert.Check(t, is.ErrorIs(err, syscall.ENOSPC))
	_, err = s.Get(key("a"))
	assert.Check(t, err)
	p, err := s.Prune(t.Context(), PruneOptions{MaxSize: 1})
	assert.Check(t, err == nil && len(p.Removed) == 1, "prune: %+v, %v", p, err)
}
