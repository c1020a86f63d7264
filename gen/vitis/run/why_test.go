//go:build linux

package run

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

func TestWhy(t *testing.T) {
	f := fix(t)
	why := func(plan *step.Plan) map[string]string {
		t.Helper()
		decisions, err := Why(plan, f.store)
		assert.NilError(t, err)
		said := map[string]string{}
		for _, d := range decisions {
			text := strings.Join(d.Why, "; ")
			switch {
			case d.Same != "":
				text += "as " + d.Same
			case d.Present:
				text += "present"
			case d.Unneeded:
				text += "unneeded"
			}
			assert.Check(t, d.Runs() == (len(d.Why) > 0), "%+v", d)
			said[d.Step.ID] = text
		}
		return said
	}
	is := func(got map[string]string, want ...string) {
		t.Helper()
		all := map[string]string{}
		for _, line := range want {
			id, text, _ := strings.Cut(line, ": ")
			all[id] = text
		}
		assert.Check(t, reflect.DeepEqual(got, all), "got  %q\nwant %q", got, all)
	}
	plan := func(change func(*step.Plan)) *step.Plan {
		p := twoPlatforms(f.count, "0")
		p.Steps, p.Results = p.Steps[:4], p.Results[:1]
		p.Steps[2].Tools = []step.Tool{{Name: "v++", Version: "2023.2", Path: "/a/v++"}}
		p.Steps[2].Facts = map[string]string{"platform": "u55c_gen3x16"}
		if change != nil {
			change(p)
		}
		return p
	}
	never := "it has never been built"
	both := twoPlatforms(f.count, "0")
	got := why(both)
	is(got, "p/package/a: "+never, "p/package/b: "+never, "p/link/p: "+never, "p/image/p: "+never,
		"q/package/a: as p/package/a", "q/package/b: "+never, "q/link/q: "+never, "q/image/q: "+never)
	_, err := f.run(plan(nil))
	assert.NilError(t, err)
	present := []string{"p/package/a: present", "p/package/b: present", "p/link/p: present", "p/image/p: present"}
	is(why(plan(nil)), present...)
	is(why(plan(func(p *step.Plan) { p.Steps[2].Tools[0].Path = "/b/v++" })), present...)
	is(why(plan(func(p *step.Plan) { p.Steps[0].Files[0].Content = []byte("another\n") })),
		"p/package/a: in/a.txt has changed", present[1],
		"p/link/p: a.xo will be built anew; tree will be built anew", "p/image/p: p.linked will be built anew")
	is(why(plan(func(p *step.Plan) { p.Steps[2].Tools[0].Version = "2024.1" })), present[0], present[1],
		"p/link/p: v++ was 2023.2 and is 2024.1", "p/image/p: p.linked will be built anew")
	is(why(plan(func(p *step.Plan) {
		p.Steps[2].Facts = map[string]string{"platform": "u55c_gen3x4", "frequency": "300"}
		p.Steps[2].Commands = p.Steps[2].Commands[:1]
		p.Steps[2].Outputs = []string{"p.linked", "x"}
	})), present[0], present[1],
		"p/link/p: what it leaves has changed; its commands have changed; frequency is new; platform was u55c_gen3x16 and "+
			"is u55c_gen3x4",
		"p/image/p: p.linked will be built anew")
	is(why(plan(func(p *step.Plan) { p.Steps[0].Files = nil })), "p/package/a: in/a.txt is gone", present[1],
		"p/link/p: a.xo will be built anew; tree will be built anew", "p/image/p: p.linked will be built anew")
	keys, err := plan(nil).Keys(f.store.Hash)
	assert.NilError(t, err)
	// What nothing needs any more is not made again.
	os.RemoveAll(f.store.ResultDir(keys["p/package/a"].Hash))
	is(why(plan(nil)), "p/package/a: unneeded", present[1], present[2], present[3])
	out, err := f.run(plan(nil))
	assert.Check(t, err == nil && len(out.Ran) == 0, "%+v, %v", out, err)
	is(why(plan(func(p *step.Plan) { p.Steps[1].Files[0].Content = []byte("another\n") })),
		"p/package/a: its result is no longer in the cache",
		"p/package/b: in/b.txt has changed", "p/link/p: b.xo will be built anew", "p/image/p: p.linked will be built anew")
	os.Truncate(filepath.Join(f.store.ResultDir(keys["p/link/p"].Hash), "out", "p.linked"), 1)
	got = why(plan(nil))
	assert.Check(t, got["p/link/p"] == "unneeded", "%q", got)
	os.RemoveAll(f.store.ResultDir(keys["p/image/p"].Hash))
	is(why(plan(nil)), "p/package/a: its result is no longer in the cache", present[1],
		"p/link/p: its result in the cache is damaged: p.linked has 1 bytes and had 28",
		"p/image/p: its result is no longer in the cache")
	if out, err = f.run(plan(nil)); err != nil ||
		!slices.Equal(out.Ran, []string{"p/package/a", "p/link/p", "p/image/p"}) {
		t.Errorf("%+v, %v", out, err)
	}
	is(why(plan(nil)), present...)
}
