package vitis

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// result is where users find what a build has made.
func (b *bench) result(name string) string {
	return filepath.Join(b.dir, "out", "build", name, name+".xclbin")
}

func (b *bench) linked(name string) *standin.Linked {
	b.Helper()
	l, err := standin.Inspect(b.result(name))
	assert.NilError(b.T, err)
	return l
}

// content is the result of a build, byte for byte.
func (b *bench) content(name string) string {
	b.Helper()
	text, err := os.ReadFile(b.result(name))
	assert.NilError(b.T, err)
	return string(text)
}

// did says in a word what a call does, "" for what comes with others: "package
// hostctrl", "compile loopback", "fetch", "link", "image".
func did(c standin.Call) string {
	words := strings.Join(c.Args, " ")
	last := ""
	if len(c.Args) > 0 {
		last = strings.TrimSuffix(filepath.Base(c.Args[len(c.Args)-1]), ".tcl")
	}
	switch {
	case c.Tool == "vivado" && strings.Contains(words, "vitis/package/"):
		return "package " + last
	case c.Tool == "vitis_hls", c.Tool == "v++" && strings.Contains(words, "--mode hls"):
		return "compile " + filepath.Base(c.Dir)
	case c.Tool == "v++" && strings.Contains(words, "--link"):
		return "link"
	case c.Tool == "git" && (strings.Contains(words, " fetch ") || strings.HasPrefix(words, "clone ")):
		return "fetch"
	case c.Tool == "make":
		return "make"
	case c.Tool == "xclbinutil" && strings.Contains(words, "--replace-section"):
		return "patch"
	case c.Tool == "xclbinutil" && strings.Contains(words, "--output"):
		return "image"
	}
	return ""
}

// done are the things that calls did, each of which must have gone well, sorted.
func (b *bench) done() []string {
	b.Helper()
	var list []string
	for _, c := range b.worked() {
		if c.Exit != 0 {
			b.Errorf("%s %s: exit status %d", c.Tool, strings.Join(c.Args, " "), c.Exit)
		}
		for _, n := range c.Notes {
			if pair, ok := strings.CutPrefix(n, "converter: "); ok && !strings.Contains(pair, "udp_rx_meta") &&
				!strings.Contains(pair, "udp_tx_meta") {
				b.Errorf("a stream changes its width: %s", pair)
			}
		}
		if w := did(c); w != "" {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

// wanted are the things that a build of a design from nothing does, sorted.
func wanted(d *design.Design) []string {
	list := []string{"image", "link"}
	for _, k := range d.Kernels() {
		switch {
		case k.InCpp():
			list = append(list, "compile "+k.ID)
		case k.Source == platform.SourceRTL:
			list = append(list, "package "+k.ID)
		}
	}
	for _, s := range d.Sources() {
		list = append(list, "fetch")
		for range strings.Count("\n"+s.Command, "\nmake") {
			list = append(list, "make")
		}
	}
	slices.Sort(list)
	return list
}

func difference(got, want []string) string {
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("ran   %q\nnot   %q", got, want)
}

func designOf(t *testing.T, name string) *design.Design {
	t.Helper()
	all, err := shipped()
	assert.NilError(t, err)
	for _, d := range all {
		if d.Platform.Name == name {
			return d
		}
	}
	t.Fatalf("there is no platform %s", name)
	return nil
}

// TestPlatforms takes shipped platforms to an .xclbin, one with each version of the
// tools; with -everything each with all.
func TestPlatforms(t *testing.T) {
	all, err := shipped()
	assert.NilError(t, err)
	for v, version := range standin.Versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, standin.Options{Version: version})
			for n, d := range all {
				if !*everything && n != v*len(all)/len(standin.Versions) {
					continue
				}
				if d.Platform.POEs[0].Kind == "rdma" {
					continue // TestShell
				}
				b.platform(d, version)
			}
		})
	}
}

// layout sees that the driver finds in a result what was designed: every kernel by its
// instance's name, the memory that its ports reach, and the design's hash.
func (b *bench) layout(d *design.Design) {
	b.Helper()
	f, closer, err := xclbin.Open(b.result(d.Platform.Name))
	assert.NilError(b.T, err)
	defer closer()
	l, err := f.Layout()
	assert.NilError(b.T, err)
	if about, ok, err := f.Describe(); err != nil || !ok || about.Platform != d.Platform.Name || len(about.Design) != 64 {
		b.Errorf("%s: described as %+v, %t (%v)", d.Platform.Name, about, ok, err)
	}
	assert.Check(b.T, len(l.Kernels) == len(d.Instances),
		"%s: %d kernels, want %d", d.Platform.Name, len(l.Kernels), len(d.Instances))
	for _, in := range d.Instances {
		if k, err := l.Kernel(in.Name); err != nil || k.Kernel != in.Kernel.Name {
			b.Errorf("%s: %s is %+v (%v)", d.Platform.Name, in.Name, k, err)
		}
	}
	want := map[string][]string{} // by instances, a line for each port
	for _, m := range d.Memories {
		if m.Port.Instance.Kernel.Source == platform.SourceXO {
			continue // the stand-in of its own build knows no arguments of it
		}
		var tags []string
		for i := m.First; i <= m.Last; i++ {
			tags = append(tags, fmt.Sprintf("%s[%d]", m.Memory, i))
		}
		want[m.Port.Instance.Name] = append(want[m.Port.Instance.Name], strings.Join(tags, " "))
	}
	for _, k := range l.Kernels {
		arguments, err := l.Arguments(k.Instance)
		assert.NilError(b.T, err)
		var got []string
		for _, a := range arguments {
			places, err := l.Reach(k.Instance, a)
			assert.NilError(b.T, err)
			var tags []string
			size := uint64(0)
			for _, p := range places {
				tags = append(tags, p.Tag)
				size += p.KiB
			}
			got = append(got, strings.Join(tags, " "))
			if p, err := l.BufferBank(k.Instance, a); err != nil || p.KiB != size || p.Base != places[0].Base {
				b.Errorf("%s: a buffer for argument %d of %s lies in %+v (%v), want %s", d.Platform.Name,
					a, k.Instance, p, err, tags)
			}
		}
		slices.Sort(got)
		slices.Sort(want[k.Instance])
		assert.Check(b.T, slices.Equal(slices.Compact(got), slices.Compact(want[k.Instance])),
			"%s: %s reaches %q, want %q", d.Platform.Name, k.Instance, got, want[k.Instance])
	}
}

func (b *bench) platform(d *design.Design, version string) {
	b.Helper()
	name := d.Platform.Name
	b.cache = filepath.Join(b.TempDir(), "cache")
	o := b.run("build", name)
	if hls := slices.ContainsFunc(d.Sources(),
		func(s *design.Source) bool { return slices.Contains(s.Tools, "vitis_hls") }); hls && version >= "2024.2" {
		// A third party's build needs a tool that this version does not have.
		assert.Check(b.T, o.code != 0 && strings.Contains(o.err, "vitis_hls"),
			"%s with %s: vitis_hls is not named as missing: %v", name, version, o)
		if calls := b.worked(); len(calls) > 0 {
			b.Errorf("%s with %s: %s ran although a tool is missing", name, version, calls[0].Tool)
		}
		return
	}
	if o.code != 0 {
		b.Errorf("%s with %s: %v", name, version, o)
		b.worked()
		return
	}
	if diff := difference(b.done(), wanted(d)); diff != "" {
		b.Errorf("%s with %s: %s", name, version, diff)
	}
	l := b.linked(name)
	assert.Check(b.T, l.Metadata["platform"] == name && l.Metadata["generation"] == d.ABI().Name,
		"%s: the result says it is %v", name, l.Metadata)
	engines := 0
	for _, in := range d.Instances {
		if in.Role != "engine" {
			continue
		}
		engines++
		assert.Check(b.T, l.Memories[in.Name] != "", "%s: there is no firmware in the memory of %s", name, in.Name)
	}
	assert.Check(b.T, len(l.Memories) == engines,
		"%s: firmware is in %d memories of %d engines", name, len(l.Memories), engines)
	b.layout(d)
	if strings.Contains(o.out, "Not known") {
		b.Errorf("%s: reports that cannot be read:\n%s", name, o.out[strings.Index(o.out, "Not known"):])
	}
}
