//go:build linux

package store

import (
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPruneLeavesWhatBuildsUse(t *testing.T) {
	s := open(t)
	for i, k := range []string{"a", "b", "c", "d", "e"} {
		published(t, s, key(k))
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		os.Chtimes(s.usedFile(key(k)), at, at)
	}
	said, end := other(t, nil, "use", s.Dir(), key("a"), key("c"))
	defer end()
	assert.Equal(t, said, "using <nil>")
	unlock, err := s.TryLock(key("b")) // somebody makes it at this moment
	assert.NilError(t, err)
	there := func(want string) {
		t.Helper()
		list, err := s.List()
		assert.NilError(t, err)
		var got []string
		for _, e := range list {
			got = append(got, e.Key[:1])
		}
		slices.Sort(got)
		assert.Check(t, is.Equal(strings.Join(got, ""), want), "there are %q", got)
	}
	p, err := s.Prune(t.Context(), PruneOptions{OlderThan: 7*time.Hour - time.Minute})
	if err != nil || len(p.Removed) != 1 || p.Removed[0].Key != key("d") || p.InUse != 3 ||
		p.Freed != p.Removed[0].Bytes || p.Freed == 0 {
		t.Errorf("%+v, %v", p, err)
	}
	there("abce")
	unlock()
	end() // killed: its lease is over
	list, err := s.List()
	assert.NilError(t, err)
	var total int64
	for _, e := range list {
		total += e.Bytes
	}
	if p, err = s.Prune(t.Context(), PruneOptions{MaxSize: total - 1}); err != nil || len(p.Removed) != 1 ||
		p.Removed[0].Key != key("a") {
		t.Errorf("the one used longest ago: %+v, %v", p, err)
	}
	there("bce")
	os.Truncate(filepath.Join(s.ResultDir(key("b")), recordFile), 5)
	if p, err = s.Prune(t.Context(), PruneOptions{OlderThan: 1000 * time.Hour}); err != nil || len(p.Removed) != 1 ||
		p.Removed[0].Key != key("b") {
		t.Errorf("the damaged one: %+v, %v", p, err)
	}
	if p, err = s.Prune(t.Context(), PruneOptions{MaxSize: 1}); err != nil || len(p.Removed) != 2 {
		t.Errorf("all: %+v, %v", p, err)
	}
	there("")
	left, _ := filepath.Glob(s.path("trash", "*"))
	assert.Check(t, len(left) == 0, "left %q", left)
}

func TestPruneWorkDirectories(t *testing.T) {
	s := open(t)
	old := time.Now().Add(-30 * 24 * time.Hour)
	var dirs []string
	for _, k := range []string{"a", "b", "c", "d"} {
		dir, err := s.NewWork(key(k))
		assert.NilError(t, err)
		files(t, dir, map[string]string{"step.log": "x", "ro/f": "y"})
		os.Chmod(filepath.Join(dir, "ro"), 0o555)
		for _, name := range []string{"step.log", "ro", "."} {
			os.Chtimes(filepath.Join(dir, name), old, old)
		}
		dirs = append(dirs, dir)
	}
	os.Chtimes(filepath.Join(dirs[1], "step.log"), time.Now(), time.Now()) // something works there
	done, err := s.Use(t.Context(), []string{key("c")})
	assert.NilError(t, err)
	defer done()
	unlock, err := s.TryLock(key("d"))
	assert.NilError(t, err)
	defer unlock()
	p, err := s.Prune(t.Context(), PruneOptions{MaxSize: 1 << 40})
	assert.Check(t, err == nil && slices.Equal(p.Works, dirs[:1]), "%+v, %v", p, err)
	for i, want := range []bool{false, true, true, true} {
		_, err := os.Stat(dirs[i])
		assert.Check(t, (err == nil) == want, "%d: %v", i, err)
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
		assert.NilError(t, err)
		return sum
	}
	one := hash(s)
	// A file that has just changed may change again within the same tick of its clock.
	names, _ := filepath.Glob(s.path("hashes", "*", "*"))
	assert.Check(t, len(names) == 0, "remembered at once: %q", names)
	// With the times back it is remembered; a change of the content alone, at the
	// same size and time, is seen by the time of the last change of the inode.
	os.Chtimes(name, long, long)
	fake := about(name, mustStat(t, name))
	fake.SHA256 = key("f")
	s.remember(fake)
	assert.Check(t, is.Equal(hash(s), key("f")), "what is remembered is not used")
	time.Sleep(20 * time.Millisecond) // the kernel's clock ticks every 4 ms or so
	assert.NilError(t, os.WriteFile(name, []byte("two"), 0o666))
	os.Chtimes(name, long, long)
	sum := hash(s)
	assert.Check(t, sum != key("f") && sum != one, "a change was not seen: %s", sum)
	// Another process reads what one has written.
	m := about(name, mustStat(t, name))
	m.SHA256 = key("e")
	text := fmt.Sprintf(`{"path":%q,"size":%d,"mtime":%d,"ctime":%d,"inode":%d,"sha256":%q}`, m.Path, m.Size, m.MTime,
		m.CTime, m.Inode, m.SHA256)
	assert.NilError(t, s.write(s.memoFile(name), []byte(text)))
	fresh, _ := Open(s.Dir())
	assert.Check(t, is.Equal(hash(fresh), key("e")), "what is written is not read")
	for _, garbage := range []string{"", "{", strings.Replace(text, key("e"), "../x", 1),
		strings.Replace(text, `"size":3`, `"size":4`, 1)} {
		s.write(s.memoFile(name), []byte(garbage))
		fresh, _ := Open(s.Dir())
		sum := hash(fresh)
		assert.Check(t, sum != key("e") && len(sum) == 64, "%q gives %s", garbage, sum)
	}
	for _, bad := range []string{dir, dir + "/none"} {
		_, err := s.Hash(bad)
		assert.Check(t, err != nil, "%s has a hash", bad)
	}
}

func mustStat(t *testing.T, name string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(name)
	assert.NilError(t, err)
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
				assert.Check(t, err == nil && !seen[dir], "%s: %v", dir, err)
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
		assert.NilError(t, s.Discard(dir))
	}
	left, _ := os.ReadDir(s.path("work"))
	assert.Check(t, len(left) == 0, "left %v", left)
	for range 20 { // a name is not used again
		dir, err := s.NewWork(key("a"))
		assert.Check(t, err == nil && !seen[dir], "%s: %v", dir, err)
		seen[dir] = true
		assert.NilError(t, s.Discard(dir))
	}
}
