package vitis

import (
	"io/fs"
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
