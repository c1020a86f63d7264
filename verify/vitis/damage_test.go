package vitis

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// files are those of the results in the cache.
func (b *bench) files() []string {
	b.Helper()
	var list []string
	err := filepath.WalkDir(filepath.Join(b.cache, "steps"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// damages are what happens to files of a cache.
var damages = map[string]func(path string) error{
	"gone":  os.Remove,
	"empty": func(path string) error { return os.Truncate(path, 0) },
	"cut": func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	},
	"one bit": func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			return err
		}
		text[len(text)/2] ^= 4
		return os.WriteFile(path, text, 0o666)
	},
}

// TestDamage damages files of the cache and takes the result of users away. The next
// build notices, or does not need the file, and ends in the same result.
func TestDamage(t *testing.T) {
	t.Parallel()
	b := newBench(t, standin.Options{})
	b.build(faulty)
	whole := b.content(faulty)
	random := rand.New(rand.NewPCG(*seed, 0))
	for name, damage := range damages {
		list := b.files()
		var hurt []string
		for range 4 {
			path := list[random.IntN(len(list))]
			for p := path; p != b.cache; p = filepath.Dir(p) { // results are read-only
				if err := os.Chmod(p, 0o755); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			if err := damage(path); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			hurt = append(hurt, path)
		}
		// The image is wanted again, so that what it is made of is looked at.
		b.forgetSteps("image")
		if err := os.RemoveAll(filepath.Join(b.dir, "out")); err != nil {
			t.Fatal(err)
		}
		if o := b.run("build", faulty); o.code != 0 {
			t.Errorf("%s, %q: %v", name, hurt, o)
		} else if b.content(faulty) != whole {
			t.Errorf("%s, %q: another result", name, hurt)
		}
		b.worked()
		b.build(faulty)
		if calls := b.worked(); len(calls) > 0 {
			t.Errorf("%s, %q: the build after that runs %s %q", name, hurt, calls[0].Tool, calls[0].Args)
		}
	}
}

// TestDamagedLink damages what the linked design left in the cache: it is linked again.
// A change that keeps the size and the time of a file is seen by cache verify.
func TestDamagedLink(t *testing.T) {
	t.Parallel()
	b := newBench(t, standin.Options{})
	b.build(faulty)
	whole := b.content(faulty)
	b.worked()
	for _, hidden := range []bool{false, true} {
		hurt := 0
		for _, path := range b.files() {
			if filepath.Base(path) == "firmware.mmi" {
				hurt++
				b.flip(path, hidden)
			}
		}
		if hurt != 1 {
			t.Fatalf("%d memory maps are in the cache", hurt)
		}
		if hidden {
			if o := b.run("cache", "verify"); o.code == 0 || !strings.Contains(o.out+o.err, "firmware.mmi") {
				t.Errorf("cache verify does not see it: %v", o)
			}
			return
		}
		b.forgetSteps("image")
		b.build(faulty)
		if diff := difference(b.done(), []string{"image", "link"}); diff != "" {
			t.Error(diff)
		}
		if b.content(faulty) != whole {
			t.Error("another result")
		}
	}
}

// flip changes one bit of a file. If it is to be hidden, its time stays.
func (b *bench) flip(path string, hidden bool) {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	text[len(text)-20] ^= 4
	if err := os.WriteFile(path, text, 0o666); err != nil {
		b.Fatal(err)
	}
	if hidden {
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			b.Fatal(err)
		}
	}
}
