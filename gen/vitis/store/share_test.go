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
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestLocksExcludeAndEndWithTheirProcess(t *testing.T) {
	s := open(t)
	said, end := other(t, nil, "lock", s.Dir(), key("a"))
	defer end()
	if said != "locked <nil>" {
		t.Fatal(said)
	}
	if unlock, err := s.TryLock(key("a")); err != nil || unlock != nil {
		t.Fatalf("two have it: %v", err)
	}
	if unlock, err := s.TryLock(key("b")); err != nil || unlock == nil {
		t.Fatalf("another key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var holder Holder
	if _, err := s.Lock(ctx, key("a"), func(h Holder) { holder = h; cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting ended with %v", err)
	}
	if holder.PID == 0 || holder.PID == os.Getpid() || holder.Host == "" || !strings.Contains(holder.String(), holder.Host) {
		t.Errorf("it was waited for %+v", holder)
	}
	unlock, err := s.Lock(t.Context(), key("a"), func(Holder) { end() }) // killed
	if err != nil || unlock == nil {
		t.Fatal(err)
	}
	unlock()
	// What it says about its holder may be anything: it was left by a crash.
	name := s.path("locks", key("a"))
	if err := os.WriteFile(name, []byte(`{"host": 3`), 0o666); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(100 * time.Hour)
	os.Chtimes(name, old, old)
	if unlock, err = s.TryLock(key("a")); err != nil || unlock == nil {
		t.Fatalf("a stale lock: %v", err)
	}
	unlock()
}

func TestALockThatWasRemovedIsNoLock(t *testing.T) {
	s := open(t)
	name := s.path("locks", key("a"))
	unlock, err := s.TryLock(key("a"))
	if err != nil {
		t.Fatal(err)
	}
	// Somebody opens the file; whoever has the lock removes it; a third one makes it anew.
	f, err := s.openLock(name)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(name)
	unlock()
	for _, there := range []bool{false, true} {
		if there {
			if unlock, err = s.TryLock(key("a")); err != nil || unlock == nil {
				t.Fatal(err)
			}
			if f, err = os.OpenFile(name, os.O_RDWR, 0); err != nil {
				t.Fatal(err)
			}
			other := name + "x" // as if f had been opened before
			if err := os.WriteFile(other, nil, 0o666); err != nil {
				t.Fatal(err)
			}
			f.Close()
			if f, err = os.OpenFile(other, os.O_RDWR, 0); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := claim(f, name); got != nil || err != nil {
			t.Errorf("a file without the name is a lock: %v", err)
		}
	}
	var held, most int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				free, err := s.Lock(t.Context(), key("a"), nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				held++
				most = max(most, held)
				mu.Unlock()
				if rand.Intn(3) == 0 {
					os.Remove(s.path("locks", key("a"))) // as prune does, which has it
				}
				mu.Lock()
				held--
				mu.Unlock()
				free()
			}
		})
	}
	unlock()
	all.Wait()
	if most != 1 {
		t.Errorf("%d had it at once", most)
	}
}

func TestManyPublishTheSame(t *testing.T) {
	s := open(t)
	var all sync.WaitGroup
	for range 6 {
		work := files(t, t.TempDir(), plain())
		all.Go(func() {
			for range 5 {
				if _, err := s.Publish(key("a"), work, Making{Step: testStep()}); err != nil {
					t.Error(err)
				}
				if _, err := s.Get(key("a")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if problems, err := s.Verify(t.Context(), nil); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestAnOutputThatIsStillBeingWritten(t *testing.T) {
	s := open(t)
	content := plain()
	content["a.xo"] = strings.Repeat("x", 1<<20)
	work := files(t, t.TempDir(), content)
	f, err := os.OpenFile(filepath.Join(work, "a.xo"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
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
		if seen = err != nil; seen && (!errors.Is(err, ErrOutput) || !strings.Contains(err.Error(), "a.xo is still being written")) {
			t.Error(err)
		}
	}
	stop()
	all.Wait()
	if !seen {
		t.Error("nobody has noticed")
	}
	if problems, err := s.Verify(t.Context(), nil); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
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
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	begin := time.Now()
	if err := publish(key("f")).Wait(); err != nil {
		t.Fatal(err)
	}
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
	if problems, err := s.Verify(t.Context(), nil); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	// What they left on the way is removed when it is a day old.
	names, _ := filepath.Glob(s.path("new", "*"))
	old := time.Now().Add(-48 * time.Hour)
	for _, name := range names {
		os.Chtimes(name, old, old)
	}
	if _, err := s.Prune(t.Context(), PruneOptions{OlderThan: time.Hour}); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	small := published(t, s, key("a"))
	content := plain()
	content["tree/large"] = strings.Repeat("x", 2<<20)
	if _, err := s.Publish(key("b"), files(t, t.TempDir(), content), Making{Step: testStep()}); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "tree/large") {
		t.Errorf("got %v", err)
	}
	if names, _ := filepath.Glob(s.path("new", "*")); len(names) > 0 {
		t.Errorf("left %q", names)
	}
	if _, err := s.Get(key("b")); !errors.Is(err, ErrMissing) || errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if last := s.Last(small.ID); last == nil || last.Key != key("a") {
		t.Errorf("last: %+v", last)
	}
	if _, err := s.Get(key("a")); err != nil {
		t.Error(err)
	}
	// Not a byte is free: whatever can be done is done, the rest says why.
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := make([]byte, 4096); err == nil; {
		_, err = f.Write(chunk)
	}
	if _, err := s.Publish(key("c"), files(t, t.TempDir(), plain()), Making{Step: testStep()}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Get(key("a")); err != nil {
		t.Error(err)
	}
	if p, err := s.Prune(t.Context(), PruneOptions{MaxSize: 1}); err != nil || len(p.Removed) != 1 {
		t.Errorf("prune: %+v, %v", p, err)
	}
}

// A store that cannot be written: another user's, without the rights.
func TestReadOnly(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to be somebody else")
	}
	dir, err := os.MkdirTemp("", "readonly")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755)
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	published(t, s, key("a"))
	exe, err := os.ReadFile(os.Args[0]) // where everybody can run it
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "test.exe")
	if err := os.WriteFile(copied, exe, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, dir, key("a"), key("b"))
	cmd.Dir = dir
	cmd.Env = []string{roleVariable + "=get", "HOME=" + dir, "TMPDIR=/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) < 3 || lines[0] != "<nil>" || !strings.Contains(lines[1], "permission denied") || lines[2] != "<nil>" {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestPruneLeavesWhatBuildsUse(t *testing.T) {
	s := open(t)
	for i, k := range []string{"a", "b", "c", "d", "e"} {
		published(t, s, key(k))
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		os.Chtimes(s.usedFile(key(k)), at, at)
	}
	said, end := other(t, nil, "use", s.Dir(), key("a"), key("c"))
	defer end()
	if said != "using <nil>" {
		t.Fatal(said)
	}
	unlock, err := s.TryLock(key("b")) // somebody makes it at this moment
	if err != nil {
		t.Fatal(err)
	}
	there := func(want string) {
		t.Helper()
		list, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range list {
			got = append(got, e.Key[:1])
		}
		slices.Sort(got)
		if strings.Join(got, "") != want {
			t.Errorf("there are %q, want %s", got, want)
		}
	}
	dry, err := s.Prune(t.Context(), PruneOptions{OlderThan: 7*time.Hour - time.Minute, DryRun: true})
	if err != nil || len(dry.Removed) != 1 || dry.Removed[0].Key != key("d") || dry.InUse != 3 {
		t.Errorf("%+v, %v", dry, err)
	}
	there("abcde")
	p, err := s.Prune(t.Context(), PruneOptions{OlderThan: 7*time.Hour - time.Minute})
	if err != nil || len(p.Removed) != 1 || p.Removed[0].Key != key("d") || p.InUse != 3 || p.Freed != p.Removed[0].Bytes || p.Freed == 0 {
		t.Errorf("%+v, %v", p, err)
	}
	there("abce")
	unlock()
	end() // killed: its lease is over
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, e := range list {
		total += e.Bytes
	}
	if p, err = s.Prune(t.Context(), PruneOptions{MaxSize: total - 1}); err != nil || len(p.Removed) != 1 || p.Removed[0].Key != key("a") {
		t.Errorf("the one used longest ago: %+v, %v", p, err)
	}
	there("bce")
	os.Truncate(filepath.Join(s.ResultDir(key("b")), recordFile), 5)
	if p, err = s.Prune(t.Context(), PruneOptions{OlderThan: 1000 * time.Hour}); err != nil || len(p.Removed) != 1 || p.Removed[0].Key != key("b") {
		t.Errorf("the damaged one: %+v, %v", p, err)
	}
	if p, err = s.Prune(t.Context(), PruneOptions{MaxSize: 1}); err != nil || len(p.Removed) != 2 {
		t.Errorf("all: %+v, %v", p, err)
	}
	there("")
	if left, _ := filepath.Glob(s.path("trash", "*")); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

func TestPruneWorkDirectories(t *testing.T) {
	s := open(t)
	old := time.Now().Add(-30 * 24 * time.Hour)
	var dirs []string
	for _, k := range []string{"a", "b", "c", "d"} {
		dir, err := s.NewWork(key(k))
		if err != nil {
			t.Fatal(err)
		}
		files(t, dir, map[string]string{"step.log": "x", "ro/f": "y"})
		os.Chmod(filepath.Join(dir, "ro"), 0o555)
		for _, name := range []string{"step.log", "ro", "."} {
			os.Chtimes(filepath.Join(dir, name), old, old)
		}
		dirs = append(dirs, dir)
	}
	os.Chtimes(filepath.Join(dirs[1], "step.log"), time.Now(), time.Now()) // something works there
	done, err := s.Use(t.Context(), []string{key("c")})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	unlock, err := s.TryLock(key("d"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	p, err := s.Prune(t.Context(), PruneOptions{MaxSize: 1 << 40})
	if err != nil || !slices.Equal(p.Works, dirs[:1]) {
		t.Errorf("%+v, %v", p, err)
	}
	for i, want := range []bool{false, true, true, true} {
		if _, err := os.Stat(dirs[i]); (err == nil) != want {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestHashesAreRemembered(t *testing.T) {
	s := open(t)
	dir := files(t, t.TempDir(), map[string]string{"f": "one"})
	name := filepath.Join(dir, "f")
	long := time.Now().Add(-time.Hour)
	hash := func(s *Store) string {
		t.Helper()
		sum, err := s.Hash(name)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	one := hash(s)
	// A file that has just changed may change again within the same tick of its clock.
	if names, _ := filepath.Glob(s.path("hashes", "*", "*")); len(names) > 0 {
		t.Errorf("remembered at once: %q", names)
	}
	// With the times back it is remembered; a change of the content alone, at the
	// same size and time, is seen by the time of the last change of the inode.
	os.Chtimes(name, long, long)
	fake := about(name, mustStat(t, name))
	fake.SHA256 = key("f")
	s.remember(fake)
	if hash(s) != key("f") {
		t.Error("what is remembered is not used")
	}
	time.Sleep(20 * time.Millisecond) // the kernel's clock ticks every 4 ms or so
	if err := os.WriteFile(name, []byte("two"), 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chtimes(name, long, long)
	if sum := hash(s); sum == key("f") || sum == one {
		t.Errorf("a change was not seen: %s", sum)
	}
	// Another process reads what one has written.
	m := about(name, mustStat(t, name))
	m.SHA256 = key("e")
	text := fmt.Sprintf(`{"path":%q,"size":%d,"mtime":%d,"ctime":%d,"inode":%d,"sha256":%q}`, m.Path, m.Size, m.MTime, m.CTime, m.Inode, m.SHA256)
	if err := s.write(s.memoFile(name), []byte(text)); err != nil {
		t.Fatal(err)
	}
	fresh, _ := Open(s.Dir())
	if hash(fresh) != key("e") {
		t.Error("what is written is not read")
	}
	for _, garbage := range []string{"", "{", strings.Replace(text, key("e"), "../x", 1), strings.Replace(text, `"size":3`, `"size":4`, 1)} {
		s.write(s.memoFile(name), []byte(garbage))
		fresh, _ := Open(s.Dir())
		if sum := hash(fresh); sum == key("e") || len(sum) != 64 {
			t.Errorf("%q gives %s", garbage, sum)
		}
	}
	for _, bad := range []string{dir, dir + "/none"} {
		if _, err := s.Hash(bad); err == nil {
			t.Errorf("%s has a hash", bad)
		}
	}
}

func mustStat(t *testing.T, name string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestWorkDirectoriesAreEachNew(t *testing.T) {
	s := open(t)
	var mu sync.Mutex
	seen := map[string]bool{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				dir, err := s.NewWork(key("a"))
				mu.Lock()
				if err != nil || seen[dir] {
					t.Errorf("%s: %v", dir, err)
				}
				seen[dir] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	works := s.Works(key("a"))
	if len(works) != 40 || !slices.IsSortedFunc(works, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%q", works)
	}
	for _, dir := range works {
		if err := s.Discard(dir); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(s.path("work")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	for range 20 { // a name is not used again
		dir, err := s.NewWork(key("a"))
		if err != nil || seen[dir] {
			t.Errorf("%s: %v", dir, err)
		}
		seen[dir] = true
		if err := s.Discard(dir); err != nil {
			t.Error(err)
		}
	}
}
