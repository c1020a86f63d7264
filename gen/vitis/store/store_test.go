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

	"github.com/cclforge/cclforge/gen/vitis/step"
)

func TestResultsComeBackAsTheyWere(t *testing.T) {
	s := open(t)
	_, err := s.Get(key("a"))
	assert.Assert(t, errors.Is(err, ErrMissing) && !errors.Is(err, ErrDamaged), "an empty store: %v", err)
	st := testStep()
	making := Making{Step: st, Ingredients: []step.Ingredient{{Name: "vitis/a.tcl", Hash: key("1")}},
		Duration: 90 * time.Minute}
	_, err = s.Publish(key("a"), files(t, t.TempDir(), plain()), making)
	assert.NilError(t, err)
	again, err := Open(s.Dir())
	assert.NilError(t, err)
	r, err := again.Get(key("a"))
	assert.NilError(t, err)
	for name, want := range map[string]string{"a.xo": "the kernel", "tree/x/y.txt": "deep", "tree/empty": "",
		"log/a.rpt": "report"} {
		text, err := os.ReadFile(r.Path(name))
		assert.Check(t, err == nil && string(text) == want, "%s: %q, %v", name, text, err)
	}
	var paths []string
	for _, f := range r.Files {
		paths = append(paths, f.Path)
	}
	want := []string{"a.xo", "log/a.rpt", "tree", "tree/empty", "tree/x", "tree/x/y.txt"}
	assert.Check(t, slices.Equal(paths, want), "files %q, want %q", paths, want)
	// sha256sum of "the kernel", by coreutils.
	if want := "7c2f712a5b31004cd31b6fe611e12219b02a73755049a698be58fdfa32a856cf"; r.Files[0].SHA256 != want ||
		r.Files[0].Size != 10 {
		t.Errorf("%+v", r.Files[0])
	}
	log, err := os.ReadFile(filepath.Join(r.Dir, step.LogFile))
	assert.Check(t, err == nil && string(log) == "hello\n", "log %q, %v", log, err)
	if r.ID != st.ID || r.Title != st.Title || r.Kind != st.Kind || r.Duration() != 90*time.Minute || r.Host == "" ||
		r.When.IsZero() ||
		!slices.Equal(r.Outputs, st.Outputs) || !slices.Equal(r.Tools, []Tool{{"vivado", "2023.2"}}) ||
		!reflect.DeepEqual(r.Ingredients, making.Ingredients) {
		t.Errorf("%+v", r.Record)
	}
	last := again.Last(st.ID)
	assert.Check(t, last != nil && last.Key == key("a"), "last: %+v", last)
	left, _ := filepath.Glob(filepath.Join(s.Dir(), "new", "*"))
	assert.Check(t, len(left) == 0, "left %q", left)
}

func TestOutputsAreChecked(t *testing.T) {
	outside := files(t, t.TempDir(), map[string]string{"secret": "x"})
	for name, c := range map[string]struct {
		change map[string]string // "" removes
		want   string            // in the error; empty if there is none
	}{
		"a missing file":      {map[string]string{"-a.xo": ""}, "a.xo is not there"},
		"an empty file":       {map[string]string{"a.xo": ""}, "a.xo is empty"},
		"a missing directory": {map[string]string{"-tree": ""}, "tree is not there"},
		"an empty directory":  {map[string]string{"-tree": "", "tree/sub/": ""}, "tree is an empty directory"},
		"a link inside":       {map[string]string{"-a.xo": "", "b/real.xo": "the kernel", "a.xo -> b/real.xo": ""}, ""},
		"an absolute link":    {map[string]string{"tree/l -> " + outside + "/secret": ""}, "outside the work directory"},
		"a link outside": {map[string]string{"-a.xo": "", "a.xo -> " + outside + "/secret": ""},
			"outside the work directory"},
		"a link up": {map[string]string{"-a.xo": "", "a.xo -> ../../../../etc/passwd": ""}, "a.xo is"},
		"a dangling link": {map[string]string{"-a.xo": "", "a.xo -> nowhere": ""},
			"a link to nowhere, which is not there"},
		"a link in a directory": {map[string]string{"tree/l -> x/y.txt": ""}, ""},
		"a link round":          {map[string]string{"tree/l -> .": "", "tree/m -> l/x": ""}, "link to ., outside of it"},
		"a link out of it":      {map[string]string{"tree/l -> ../other.txt": ""}, ""},
		"a link to a dir out":   {map[string]string{"tree/l -> ../log": ""}, "a link to ../log, outside of it"},
		"a dangling link in it": {map[string]string{"tree/l -> no": ""}, "holds l, a link to no, which is not there"},
		"a link to itself":      {map[string]string{"tree/l -> l": ""}, "l"},
		"a fifo":                {map[string]string{"fifo": "tree/f"}, "neither a file nor a directory"},
		"a report that leads away": {map[string]string{"log/evil.rpt -> " + outside + "/secret": "",
			"log/no.rpt -> nowhere": "",
			"log/d.rpt/":            ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			work := files(t, t.TempDir(), plain())
			for p, text := range c.change {
				if gone, ok := strings.CutPrefix(p, "-"); ok {
					os.RemoveAll(filepath.Join(work, gone))
					delete(c.change, p)
				}
				if p == "fifo" {
					fifo(t, filepath.Join(work, text))
					delete(c.change, p)
				}
			}
			files(t, work, c.change)
			_, err := s.Publish(key("a"), work, Making{Step: testStep()})
			if c.want != "" {
				if !errors.Is(err, ErrOutput) || !strings.Contains(err.Error(), c.want) ||
					!strings.Contains(err.Error(), "p/package/a") {
					t.Errorf("got %v", err)
				}
				_, err := s.Get(key("a"))
				assert.Check(t, is.ErrorIs(err, ErrMissing), "and then")
				return
			}
			assert.NilError(t, err)
			r, err := s.Get(key("a"))
			assert.NilError(t, err)
			info, err := os.Lstat(r.Path("a.xo"))
			assert.Check(t, err == nil && info.Mode().IsRegular() && info.Size() == 10, "a.xo: %v, %v", info, err)
			os.RemoveAll(work) // nothing of the result may lead there
			for _, f := range r.Files {
				_, err := os.Stat(r.Path(f.Path))
				assert.Check(t, err == nil && f.Path != "log/evil.rpt", "%s: %v", f.Path, err)
			}
			p, err := s.Verify(t.Context(), nil)
			assert.Check(t, err == nil && len(p) == 0, "verify: %v, %v", p, err)
		})
	}
}

func TestOutputsThatLeadAway(t *testing.T) {
	s := open(t)
	work := files(t, t.TempDir(), plain())
	for _, p := range []string{"../x", "/etc/passwd", ".", "", "a/../../b", "a.xo/"} {
		st := testStep()
		st.Outputs = []string{p}
		_, err := s.Publish(key("a"), work, Making{Step: st})
		assert.Check(t, is.ErrorIs(err, ErrOutput), "%q", p)
	}
	for _, k := range []string{"", "../../x", strings.Repeat("A", 64), strings.Repeat("/", 64), key("a") + "a"} {
		_, err := s.Publish(k, work, Making{Step: testStep()})
		assert.Check(t, is.ErrorIs(err, ErrKey), "publish %q", k)
		_, err = s.Get(k)
		assert.Check(t, is.ErrorIs(err, ErrKey), "get %q", k)
		_, err = s.TryLock(k)
		assert.Check(t, is.ErrorIs(err, ErrKey), "lock %q", k)
		_, err = s.NewWork(k)
		assert.Check(t, is.ErrorIs(err, ErrKey), "work %q", k)
	}
	assert.Check(t, s.Discard(filepath.Dir(s.Dir())) != nil, "a directory outside was discarded")
}

func TestResultsAreReadOnly(t *testing.T) {
	s := open(t)
	work := files(t, t.TempDir(), plain())
	assert.NilError(t, os.Chmod(filepath.Join(work, "a.xo"), 0o700))
	r, err := s.Publish(key("a"), work, Making{Step: testStep()})
	assert.NilError(t, err)
	for name, want := range map[string]os.FileMode{"a.xo": 0o555, "tree/empty": 0o444} {
		info, err := os.Stat(r.Path(name))
		assert.Check(t, err == nil && info.Mode().Perm() == want, "%s: %v, %v", name, info.Mode(), err)
	}
	// The work directory is not part of the result: what is left running there may write.
	assert.NilError(t, os.WriteFile(filepath.Join(work, "a.xo"), []byte("late write"), 0o666))
	problems, err := s.Verify(t.Context(), nil)
	assert.Check(t, err == nil && len(problems) == 0, "%v, %v", problems, err)
}

func TestLogsOfAnyLength(t *testing.T) {
	s := open(t)
	work := files(t, t.TempDir(), plain())
	f, err := os.OpenFile(filepath.Join(work, "step.log"), os.O_RDWR, 0)
	assert.NilError(t, err)
	defer f.Close()
	const size = 3 << 30 // sparse
	f.WriteString("first line\n")
	_, err = f.WriteAt([]byte("last line"), size-9)
	assert.NilError(t, err)
	r, err := s.Publish(key("a"), work, Making{Step: testStep()})
	assert.NilError(t, err)
	text, err := os.ReadFile(filepath.Join(r.Dir, step.LogFile))
	if err != nil || len(text) > 2*most+100 || !strings.HasPrefix(string(text), "first line\n") ||
		!strings.HasSuffix(string(text), "last line") ||
		!strings.Contains(string(text), "[3204448256 bytes of this log are left out]") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	os.Remove(filepath.Join(work, "step.log"))
	r, err = s.Publish(key("b"), work, Making{Step: testStep()})
	assert.NilError(t, err)
	if text, err := os.ReadFile(filepath.Join(r.Dir, step.LogFile)); err != nil || len(text) != 0 {
		t.Errorf("without a log: %q, %v", text, err)
	}
}

func TestNewestResultOfAStep(t *testing.T) {
	s := open(t)
	assert.Check(t, s.Last("p/package/a") == nil && s.Last("../../etc") == nil, "there is one in an empty store")
	a, b := published(t, s, key("a")), published(t, s, key("b"))
	last := s.Last(a.ID)
	assert.Check(t, last != nil && last.Key == b.Key, "%+v", last)
	// A platform goes back to what it was; another one uses the same result.
	for _, id := range []string{a.ID, "q/package/../a"} {
		assert.NilError(t, s.Note(id, a))
		last := s.Last(id)
		assert.Check(t, last != nil && last.Key == a.Key, "%s: %+v", id, last)
	}
	assert.NilError(t, os.RemoveAll(a.Dir))
	last = s.Last(a.ID)
	assert.Check(t, last != nil && last.Key == a.Key, "after the result is gone: %+v", last)
}

func TestGroups(t *testing.T) {
	dir := t.TempDir()
	assert.NilError(t, os.Chmod(dir, 0o770))
	s, err := Open(dir)
	assert.Assert(t, err == nil && s.Shared(), "%v", err)
	r := published(t, s, key("a"))
	unlock, err := s.TryLock(key("b"))
	assert.NilError(t, err)
	unlock()
	work, err := s.NewWork(key("b"))
	assert.NilError(t, err)
	for name, want := range map[string]os.FileMode{r.Dir: 0o070, filepath.Dir(r.Dir): 0o070, r.Path("tree/x"): 0o070,
		r.Path("a.xo"):               0o040,
		filepath.Join(r.Dir, "used"): 0o060, filepath.Join(dir, "locks", key("b")): 0o060, work: 0o070, filepath.Dir(
			work): 0o070, s.lastFile(r.ID): 0o060} {
		info, err := os.Stat(name)
		assert.Check(t, err == nil && info.Mode()&0o070 == want, "%s: %v, %v", name, info.Mode(), err)
	}
}

func TestWhereTheStoreIs(t *testing.T) {
	t.Setenv(Environment, "/somewhere/else")
	dir, err := DefaultDir()
	assert.Check(t, err == nil && dir == "/somewhere/else", "%s, %v", dir, err)
	t.Setenv(Environment, "")
	t.Setenv("XDG_CACHE_HOME", "/caches")
	dir, err = DefaultDir()
	assert.Check(t, err == nil && dir == "/caches/cclforge/vitis", "%s, %v", dir, err)
	file := filepath.Join(files(t, t.TempDir(), map[string]string{"f": "x"}), "f")
	for _, dir := range []string{file, file + "/below"} {
		_, err := Open(dir)
		assert.Check(t, is.ErrorContains(err, Environment), "%s", dir)
	}
	t.Setenv(Environment, filepath.Join(t.TempDir(), "a", "b"))
	s, err := Open("")
	assert.Check(t, err == nil && s.Dir() == os.Getenv(Environment), "%v", err)
}
