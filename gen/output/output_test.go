package output

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// tree files by path, the plain model of a directory.
type contents map[string]string

func testManifest() Manifest {
	return Manifest{Comment: Marker + " from p.hcl; DO NOT EDIT.", Platform: "p", Generation: "g",
		Generator: "digest", Inputs: []Input{{Name: "p.hcl", SHA256: Hash([]byte("p"))}}}
}

func (c contents) files() []File {
	var out []File
	for _, name := range slices.Sorted(maps.Keys(c)) {
		out = append(out, File{Path: name, Content: []byte(c[name]), Inputs: []string{"p.hcl"}})
	}
	return out
}

func testDir(base string) Dir { return Dir{Base: base, Path: "p", Manifest: ManifestName} }

func mustApply(t *testing.T, d Dir, c contents) *Plan {
	t.Helper()
	p, err := d.Plan(testManifest(), c.files())
	assert.NilError(t, err)
	assert.NilError(t, p.Apply(t.Context()))
	return p
}

// snapshot reads everything below a directory; directories end in a slash.
func snapshot(t *testing.T, dir string) contents {
	t.Helper()
	out := contents{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			out[filepath.ToSlash(rel)+"/"] = ""
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			out[filepath.ToSlash(rel)] = "-> " + target
			return err
		default:
			text, err := os.ReadFile(name)
			out[filepath.ToSlash(rel)] = string(text)
			return err
		}
		return nil
	})
	assert.Assert(t, err == nil || errors.Is(err, fs.ErrNotExist), "%v", err)
	return out
}

// want is what the directory must hold: the files, their directories and the
// manifest, whose text the caller has read.
func want(c, users contents, manifest string) contents {
	out := contents{}
	if manifest != "" {
		out[ManifestName] = manifest
	}
	for _, m := range []contents{c, users} {
		for name, text := range m {
			out[name] = text
			for i, r := range name {
				if r == '/' {
					out[name[:i+1]] = ""
				}
			}
		}
	}
	return out
}

func put(t *testing.T, base, name, text string) {
	t.Helper()
	full := filepath.Join(base, filepath.FromSlash(name))
	assert.NilError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	assert.NilError(t, os.WriteFile(full, []byte(text), 0o644))
}

func TestApplyFollowsTheSet(t *testing.T) {
	base := t.TempDir()
	d := testDir(base)
	users := contents{"notes.txt": "mine", "docs/own.md": "mine too"}
	for name, text := range users {
		put(t, base, "p/"+name, text)
	}
	for _, set := range []contents{
		{"link.cfg": "one", "docs/manual.md": "m", "docs/deep/er/x.svg": "x"},
		{"link.cfg": "two", "docs/manual.md": "m", "rtl/pkg.sv": "s"},
		{"link.cfg/now/a.dir": "d", "rtl": "now a file"},
		{"link.cfg": "a file again"},
		{},
		{"empty": ""},
	} {
		mustApply(t, d, set)
		got := snapshot(t, filepath.Join(base, "p"))
		assert.Assert(t, is.DeepEqual(want(set, users, got[ManifestName]), got), "after %v (-want +got)", set)
		m, err := d.Read()
		assert.NilError(t, err)
		assert.Check(t, d.Intact(m), "a finished run is not intact")
		listed := contents{}
		for _, e := range m.Files {
			listed[e.Path] = e.SHA256
		}
		for name, text := range set {
			assert.Check(t, listed[name] == Hash([]byte(text)), "manifest has %q for %s", listed[name], name)
		}
		assert.Check(t, len(listed) == len(set) && len(m.Files) == len(set), "manifest lists %v", listed)
	}
}

func TestSecondRunWritesNothing(t *testing.T) {
	base := t.TempDir()
	d := testDir(base)
	set := contents{"a": "1", "b/c": "2"}
	mustApply(t, d, set)
	before := infos(t, base)
	if p := mustApply(t, d, set); len(p.Changes) != 0 {
		t.Errorf("changes: %v", p.Changes)
	}
	same(t, before, infos(t, base))
	p := mustApply(t, d, contents{"a": "1", "b/c": "3"})
	same(t, []Change{{"b/c", Changed}, {ManifestName, Changed}}, p.Changes)
	assert.Check(t, infos(t, base)["p/a"] == before["p/a"], "a file that did not change was written")
}

// infos identifies files on disk: a renamed-over one has another time or inode.
func infos(t *testing.T, base string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(base, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(base, name)
		out[filepath.ToSlash(rel)] = info.ModTime().String() + identity(info)
		return nil
	})
	assert.NilError(t, err)
	return out
}

func TestUsersFilesInTheWay(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare contents // below p/
		refused bool
	}{
		{"own file", contents{"a": "mine"}, true},
		{"same content", contents{"a": "1"}, false},
		{"marked as generated", contents{"a": "// " + Marker + " long ago"}, false},
		{"empty", contents{"a": ""}, false},
		{"directory with own file", contents{"a/mine": "x"}, true},
		{"file where a directory is needed", contents{"b": "mine"}, true},
		{"own manifest", contents{ManifestName: `{"mine": true}`}, true},
		{"damaged manifest of ours", contents{ManifestName: `{"comment": "` + Marker + ` from`}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := t.TempDir()
			for name, text := range test.prepare {
				put(t, base, "p/"+name, text)
			}
			before := snapshot(t, base)
			set := contents{"a": "1", "b/c": "2"}
			p, err := testDir(base).Plan(testManifest(), set.files())
			if test.refused {
				assert.Check(t, is.ErrorIs(err, ErrNotOurs))
				same(t, before, snapshot(t, base))
				return
			}
			assert.NilError(t, err)
			assert.NilError(t, p.Apply(t.Context()))
		})
	}
}

func TestRemovalSparesWhatUsersPutInPlace(t *testing.T) {
	base := t.TempDir()
	d := testDir(base)
	mustApply(t, d, contents{"a": "1", "b": "2", "c": "// " + Marker + "\n3"})
	put(t, base, "p/a", "replaced by hand, without the mark")
	put(t, base, "p/c", "// "+Marker+"\nedited, but still marked")
	mustApply(t, d, contents{"z": "9"})
	got := snapshot(t, filepath.Join(base, "p"))
	delete(got, ManifestName)
	same(t, contents{"a": "replaced by hand, without the mark", "z": "9"}, got)
}

func TestPlanRemoval(t *testing.T) {
	base := t.TempDir()
	d := Dir{Base: base, Path: "abi/g", Manifest: ManifestName}
	mustApply(t, d, contents{"a": "1", "b/c": "2"})
	put(t, base, "abi/other/mine", "x")
	for range 2 {
		p, err := d.PlanRemoval()
		assert.NilError(t, err)
		assert.NilError(t, p.Apply(t.Context()))
		same(t, contents{"abi/": "", "abi/other/": "", "abi/other/mine": "x"}, snapshot(t, base))
	}
}

func TestUnusablePaths(t *testing.T) {
	for _, paths := range [][]string{
		{"../x"}, {"/etc/x"}, {"a/../../x"}, {"a//b"}, {"."}, {""}, {"a/./b"}, {`a\b`}, {"c:x"}, {"a\x00b"}, {"a\nb"},
		{"A", "a"}, {"d/x", "D/y"}, {"a", "a/b"}, {"a/b", "a"}, {"a", "a"}, {"Ä", "ä"},
		{ManifestName}, {"MANIFEST.json"}, {ManifestName + "/x"}, {strings.Repeat("x", 250)},
	} {
		var files []File
		for _, p := range paths {
			files = append(files, File{Path: p})
		}
		base := t.TempDir()
		_, err := testDir(base).Plan(testManifest(), files)
		assert.Check(t, errors.Is(err, ErrPath), "%q: error %v", paths, err)
	}
	for _, dir := range []string{"..", "../x", "/tmp", "a/../..", ""} {
		if _, err := (Dir{Base: t.TempDir(), Path: dir, Manifest: ManifestName}).Plan(testManifest(), nil); !errors.Is(err,
			ErrPath) {
			t.Errorf("directory %q: error %v", dir, err)
		}
	}
}

func TestSymbolicLinks(t *testing.T) {
	set := contents{"docs/a": "1"}
	t.Run("base may be one", func(t *testing.T) {
		real, base := t.TempDir(), filepath.Join(t.TempDir(), "out")
		assert.NilError(t, os.Symlink(real, base))
		mustApply(t, testDir(base), set)
		assert.Check(t, is.Equal(snapshot(t, real)["p/docs/a"], "1"))
	})
	for _, name := range []string{"p", "p/docs"} {
		for _, inside := range []bool{true, false} {
			base, target := t.TempDir(), t.TempDir()
			if inside {
				target = filepath.Join(base, "target")
				os.Mkdir(target, 0o755)
			}
			os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o755)
			assert.NilError(t, os.Symlink(target, filepath.Join(base, name)))
			_, err := testDir(base).Plan(testManifest(), set.files())
			assert.Check(t, errors.Is(err, ErrPath), "link at %s (inside %v): error %v", name, inside, err)
			got := snapshot(t, target)
			assert.Check(t, len(got) == 0, "written through the link: %v", got)
		}
	}
	t.Run("in the place of a generated file", func(t *testing.T) {
		base, outside := t.TempDir(), filepath.Join(t.TempDir(), "mine")
		mustApply(t, testDir(base), set)
		os.WriteFile(outside, []byte("precious"), 0o644)
		os.Remove(filepath.Join(base, "p/docs/a"))
		assert.NilError(t, os.Symlink(outside, filepath.Join(base, "p/docs/a")))
		mustApply(t, testDir(base), set)
		text, _ := os.ReadFile(outside)
		assert.Check(t, string(text) == "precious", "written through the link: %q", text)
		assert.Check(t, is.Equal(snapshot(t, base)["p/docs/a"], "1"))
	})
	t.Run("parent of a vanished file", func(t *testing.T) {
		base := t.TempDir()
		mustApply(t, testDir(base), set)
		os.Rename(filepath.Join(base, "p/docs"), filepath.Join(base, "p/kept"))
		assert.NilError(t, os.Symlink("kept", filepath.Join(base, "p/docs")))
		mustApply(t, testDir(base), contents{"z": "9"})
		got := snapshot(t, base)
		assert.Check(t, got["p/kept/a"] == "1" && got["p/z"] == "9", "got %v", got)
	})
}

func TestUnknownInput(t *testing.T) {
	_, err := testDir(t.TempDir()).Plan(testManifest(), []File{{Path: "a", Inputs: []string{"typo.tmpl"}}})
	assert.Check(t, is.ErrorContains(err, "typo.tmpl"))
}

func TestSchemaOfAnotherVersion(t *testing.T) {
	base := t.TempDir()
	put(t, base, "p/"+ManifestName, `{"schema": 99, "comment": "`+Marker+`"}`)
	_, err := testDir(base).Plan(testManifest(), nil)
	assert.Check(t, err != nil && strings.Contains(err.Error(), "schema 99"), "error %v", err)
}

func TestDiff(t *testing.T) {
	base := t.TempDir()
	d := testDir(base)
	mustApply(t, d, contents{"a": "one\ntwo\n", "b": "x\n"})
	p, err := d.Plan(testManifest(), contents{"a": "one\n2\n", "c": "new\n"}.files())
	assert.NilError(t, err)
	p.Changes = slices.DeleteFunc(p.Changes, func(c Change) bool { return c.Path == ManifestName })
	before := snapshot(t, base)
	got, err := p.Diff(t.Context())
	assert.NilError(t, err)
	want := "changed BASE/p/a\n--- BASE/p/a\n+++ BASE/p/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\nremoved BASE/p/b\nadded " +
		"BASE/p/c\n"
	same(t, want, strings.ReplaceAll(string(got), base, "BASE"))
	same(t, before, snapshot(t, base))
}

func same(t testing.TB, want, got any) {
	t.Helper()
	assert.Check(t, is.DeepEqual(want, got), "-want +")
}

func TestIntactSeesEveryChange(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"edited":  func(dir string) error { return os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o644) },
		"removed": func(dir string) error { return os.Remove(filepath.Join(dir, "b/c")) },
		"made a link": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "a")), os.Symlink("b/c", filepath.Join(dir, "a")))
		},
		"leftover file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, temporary(ManifestName)), nil, 0o644)
		},
	} {
		base := t.TempDir()
		d := testDir(base)
		mustApply(t, d, contents{"a": "1", "b/c": "2"})
		m, err := d.Read()
		assert.NilError(t, err)
		assert.NilError(t, damage(filepath.Join(base, "p")))
		assert.Check(t, !d.Intact(m), "%s: the damage was not seen", name)
	}
}
