//go:build linux

package run

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/vitis/step"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

func TestDeliver(t *testing.T) {
	f := fix(t)
	plan := twoPlatforms(f.count, "0")
	plan.Results = append(plan.Results, step.Result{Platform: "p", Step: "p/package/a", Output: "tree",
		Path: "files/tree"},
		step.Result{Platform: "p", Step: "p/package/a", Output: "no/report.rpt", Path: "report.rpt"},
		step.Result{Platform: "p", Step: "p/package/a", Output: "tree/x/y", Path: "y.txt"})
	dir := filepath.Join(t.TempDir(), "out", "p")
	_, err := Deliver(plan, f.store, "p", dir)
	assert.Check(t, errors.Is(err, store.ErrMissing) && !exists(dir), "before the build: %v", err)
	out, err := f.run(plan)
	assert.NilError(t, err)
	all := []string{"files/tree/x/y", "p.xclbin", "y.txt"}
	deliver := func() {
		t.Helper()
		paths, err := Deliver(plan, f.store, "p", dir)
		assert.NilError(t, err)
		slices.Sort(paths)
		for i, p := range all {
			assert.Assert(t, i < len(paths) && paths[i] == filepath.Join(dir, p), "delivered %q", paths)
		}
		var found []string
		filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
			if !d.IsDir() {
				rel, _ := filepath.Rel(dir, p)
				found = append(found, rel)
			}
			return nil
		})
		assert.Check(t, slices.Equal(found, all), "there are %q", found)
		for p, text := range map[string]string{"p.xclbin": want["p/image/p"], "y.txt": "deep\n", "files/tree/x/y": "deep\n"} {
			got, err := os.ReadFile(filepath.Join(dir, p))
			assert.Check(t, err == nil && string(got) == text, "%s: %q, %v", p, got, err)
		}
	}
	deliver()
	info, _ := os.Stat(filepath.Join(dir, "p.xclbin"))
	_, err = out.Deliver("p", dir)
	assert.Check(t, err)
	deliver()
	now, _ := os.Stat(filepath.Join(dir, "p.xclbin"))
	assert.Check(t, os.SameFile(info, now), "what is there was copied again")
	assert.Check(t, info.Mode().Perm()&0o200 != 0, "users cannot remove or write it: %v", info.Mode())
	// Users' own files with those names are replaced, others stay.
	os.WriteFile(filepath.Join(dir, "p.xclbin"), []byte(strings.Replace(want["p/image/p"], "kernel", "kernal", 1)), 0o666)
	os.Remove(filepath.Join(dir, "y.txt"))
	os.Symlink("/etc/passwd", filepath.Join(dir, "y.txt"))
	os.WriteFile(filepath.Join(dir, ".p.xclbin.cclforge-tmp"), []byte("left by a crash"), 0o666)
	deliver()
	// Something that cannot be replaced: nothing is changed.
	os.RemoveAll(dir)
	os.MkdirAll(filepath.Join(dir, "y.txt", "mine"), 0o777)
	_, err = Deliver(plan, f.store, "p", dir)
	assert.Check(t, is.ErrorContains(err, "y.txt is a directory"), "onto a directory")
	assert.Check(t, !exists(filepath.Join(dir, "p.xclbin")), "a part was delivered")
	// Damage that sizes and times do not show.
	link, err := f.store.Get(mustKeys(t, plan, f.store)["p/image/p"].Hash)
	assert.NilError(t, err)
	good, err := os.ReadFile(link.Path("p.xclbin"))
	assert.NilError(t, err)
	info, _ = os.Stat(link.Path("p.xclbin"))
	for _, text := range []string{strings.Replace(string(good), "kernel", "kernal", 1), string(good)} {
		os.Chmod(link.Path("p.xclbin"), 0o666)
		os.WriteFile(link.Path("p.xclbin"), []byte(text), 0o666)
		os.Chtimes(link.Path("p.xclbin"), info.ModTime(), info.ModTime())
		other := filepath.Join(t.TempDir(), "p")
		if _, err := Deliver(plan, f.store, "p", other); text != string(good) &&
			(!errors.Is(err, store.ErrDamaged) || exists(filepath.Join(other, "y.txt"))) {
			t.Errorf("a damaged file was delivered: %v", err)
		} else if text == string(good) && err != nil {
			t.Error(err)
		}
	}
	// A result that is damaged: nothing is changed.
	keys, _ := plan.Keys(f.store.Hash)
	r, err := f.store.Get(keys["p/package/a"].Hash)
	assert.NilError(t, err)
	os.RemoveAll(dir)
	os.MkdirAll(dir, 0o777)
	os.Remove(r.Path("tree/x/y"))
	_, err = Deliver(plan, f.store, "p", dir)
	assert.Check(t, is.ErrorIs(err, store.ErrDamaged))
	left, _ := os.ReadDir(dir)
	assert.Check(t, len(left) == 0, "left %v", left)
}

func TestDeliverToAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() != 0 || syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		t.Skip("SKIPPED: a small file system needs root and mount")
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	f := fix(t)
	s := shell("p/link/p", step.Link, f.count, "echo new >small; head -c 200000 /dev/zero >large", "small", "large")
	plan := &step.Plan{Steps: []*step.Step{s}, Results: []step.Result{
		{Platform: "p", Step: s.ID, Output: "small", Path: "small"}, {Platform: "p", Step: s.ID, Output: "large",
			Path: "large"}}}
	_, err := f.run(plan)
	assert.NilError(t, err)
	os.WriteFile(filepath.Join(dir, "small"), []byte("old"), 0o666)
	_, err = Deliver(plan, f.store, "p", dir)
	assert.Check(t, is.ErrorIs(err, syscall.ENOSPC))
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
	text, _ := os.ReadFile(filepath.Join(dir, "small"))
	assert.Check(t, string(text) == "old" && len(names) == 1 && len(hidden) == 0, "%q, %q, %q", text, names, hidden)
}

// A store of somebody else, all of whose results are there.
func TestAReadOnlyStore(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to mount a directory that cannot be written")
	}
	f := fix(t)
	plan := twoPlatforms(f.count, "0")
	_, err := f.run(plan)
	assert.NilError(t, err)
	dir := f.store.Dir()
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("SKIPPED: cannot mount:", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip("SKIPPED: cannot mount:", err)
	}
	out, err := f.run(plan)
	assert.Assert(t, err == nil && len(out.Present) == 8, "%+v, %v", out, err)
	right(t, out)
	_, err = Deliver(plan, f.store, "p", t.TempDir())
	assert.Check(t, err)
	plan.Step("p/image/p").Files[0].Content = []byte("firmware 2\n")
	if out, err = f.run(plan); !errors.Is(err, syscall.EROFS) || len(out.Failures) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
}

func mustKeys(t *testing.T, plan *step.Plan, st *store.Store) step.Keys {
	t.Helper()
	keys, err := plan.Keys(st.Hash)
	assert.NilError(t, err)
	return keys
}
