//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestDamageIsSeen(t *testing.T) {
	future := time.Now().Add(100 * 365 * 24 * time.Hour)
	for name, c := range map[string]struct {
		damage func(r *Result) error
		want   string
		late   bool // only Verify sees it
	}{
		"record cut": {func(r *Result) error { return os.Truncate(r.Dir+"/step.json", 100) }, "step.json is not whole",
			false},
		"record empty": {func(r *Result) error { return os.Truncate(r.Dir+"/step.json", 0) }, "step.json is not whole",
			false},
		"record gone": {func(r *Result) error { return os.Remove(r.Dir + "/step.json") }, "there is no step.json", false},
		"record changed": {func(r *Result) error { return edit(r.Dir+"/step.json", "package a", "package b") },
			"step.json was changed", false},
		"another result": {func(r *Result) error {
			b := filepath.Join(filepath.Dir(r.Dir), key("b"))
			return errors.Join(os.RemoveAll(r.Dir), os.CopyFS(r.Dir, os.DirFS(b)))
		}, `step.json is that of "` + key("b"), false},
		"record of later": {func(r *Result) error {
			other := r.Record
			other.Schema++
			text, err := other.encode()
			return errors.Join(err, os.Chmod(r.Dir+"/step.json", 0o666), os.WriteFile(r.Dir+"/step.json", text, 0o666))
		}, "has schema 2, and this program knows 1", false},
		"record that leads away": {func(r *Result) error {
			other := r.Record
			other.Files = []File{{Path: "../../../x"}}
			text, err := other.encode()
			return errors.Join(err, os.Chmod(r.Dir+"/step.json", 0o666), os.WriteFile(r.Dir+"/step.json", text, 0o666))
		}, "leads out of the result", false},
		"output gone":    {func(r *Result) error { return os.Remove(r.Path("a.xo")) }, "a.xo is gone", false},
		"deep file gone": {func(r *Result) error { return os.Remove(r.Path("tree/x/y.txt")) }, "tree/x/y.txt is gone", false},
		"output cut": {func(r *Result) error { return os.Truncate(r.Path("a.xo"), 3) }, "a.xo has 3 bytes and had 10",
			false},
		"output changed": {func(r *Result) error { return edit(r.Path("a.xo"), "kernel", "kernal") },
			"content of a.xo has changed", false},
		"output is a directory": {func(r *Result) error {
			return errors.Join(os.Remove(r.Path("a.xo")), os.Mkdir(r.Path("a.xo"), 0o777))
		}, "a.xo is no file", false},
		"output is a link": {func(r *Result) error {
			return errors.Join(os.Rename(r.Path("a.xo"), r.Path("b")), os.Symlink("b", r.Path("a.xo")))
		}, "a.xo is no file", false},
		"times of old": {func(r *Result) error { return os.Chtimes(r.Path("a.xo"), time.Time{}, time.Unix(1, 0)) },
			"", false},
		"times to come": {func(r *Result) error {
			return errors.Join(os.Chtimes(r.Path("a.xo"), future, future), os.Chtimes(r.Dir+"/step.json", future, future))
		}, "", false},
		"changed with the same time": {func(r *Result) error {
			info, err := os.Stat(r.Path("a.xo"))
			return errors.Join(err, edit(r.Path("a.xo"), "kernel", "kernal"),
				os.Chtimes(r.Path("a.xo"), info.ModTime(), info.ModTime()))
		}, "content of a.xo has changed", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			published(t, s, key("b"))
			assert.NilError(t, c.damage(published(t, s, key("a"))))
			_, err := s.Get(key("a"))
			if c.late || c.want == "" {
				assert.NilError(t, err)
			} else if !errors.Is(err, ErrMissing) || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("get: %v", err)
			}
			problems, err := s.Verify(t.Context(), nil)
			assert.NilError(t, err)
			if c.want == "" {
				assert.Check(t, is.Equal(len(problems), 0), "verify: %v", problems)
				return
			}
			if len(problems) != 1 || problems[0].Key != key("a") ||
				(!strings.Contains(problems[0].Err.Error(), c.want) && name != "record gone") {
				t.Errorf("verify: %v", problems)
			}
			if c.late {
				return
			}
			list, err := s.List()
			assert.Check(t, err == nil && len(list) == 2, "list: %v, %v", list, err)
			published(t, s, key("a")) // replaces it
			_, err = s.Get(key("a"))
			assert.Check(t, err, "made anew")
		})
	}
}

func TestEveryDamagedByteOfARecordIsSeen(t *testing.T) {
	s := open(t)
	r := published(t, s, key("a"))
	name := filepath.Join(r.Dir, recordFile)
	text, err := os.ReadFile(name)
	assert.NilError(t, err)
	assert.NilError(t, os.Chmod(name, 0o666))
	harmless := 0
	for i := range text {
		changed := slices.Clone(text)
		changed[i] ^= 1
		if strings.TrimSpace(string(text[i:i+1])) == "" {
			continue // white space means nothing
		}
		assert.NilError(t, os.WriteFile(name, changed, 0o666))
		if got, err := s.Get(key("a")); err == nil && !reflect.DeepEqual(got.Record, r.Record) {
			t.Fatalf("byte %d of %q: it is used as %+v", i, text[i:i+1], got)
		} else if err == nil {
			harmless++
		}
	}
	if harmless > 20 { // capital letters in the names of fields
		t.Errorf("%d changes were not seen", harmless)
	}
}

func edit(name, from, to string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return errors.Join(os.Chmod(name, 0o666), os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)),
		0o666))
}

func TestAWholeResultStays(t *testing.T) {
	s := open(t)
	first := published(t, s, key("a"))
	info, err := os.Stat(first.Path("a.xo"))
	assert.NilError(t, err)
	second := published(t, s, key("a"))
	now, err := os.Stat(second.Path("a.xo"))
	assert.Check(t, err == nil && os.SameFile(info, now) && second.When.Equal(first.When), "it was replaced: %v", err)
}
