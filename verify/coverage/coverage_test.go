package coverage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/templates"
)

// left writes what a process leaves: points of a file and how often they were hit.
func left(t *testing.T, dir, name string, points []string, hits []uint64) {
	t.Helper()
	var counts bytes.Buffer
	for _, h := range hits {
		counts.Write(binary.LittleEndian.AppendUint64(nil, h))
	}
	for suffix, content := range map[string][]byte{pointsSuffix: []byte(strings.Join(points, "")),
		hitsSuffix: counts.Bytes()} {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name+suffix), content, 0o644))
	}
}

func rendered(t *testing.T, folder, name, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	assert.NilError(t, os.MkdirAll(dir, 0o755))
	path := filepath.Join(dir, name)
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func p(file string, line, column int, page, comment, lines string) string {
	return fmt.Sprintf("%s\t%d\t%d\t%s/fifo\t%s\t%s\n", file, line, column, page, comment, lines)
}

// uncovered are numbers of lines.
func uncovered(m Module) (numbers []int) {
	for _, l := range m.Source {
		if !l.Covered() {
			numbers = append(numbers, l.Number)
		}
	}
	return numbers
}

func TestRunsOfTwoPlatformsAreTakenTogether(t *testing.T) {
	dir := t.TempDir()
	// The second platform's file has a line more before the same ones.
	one := rendered(t, "common", "fifo.sv", "// Code generated from fifo.sv; DO NOT EDIT.\n\nalways\nif (a)\nb\nelse\nb\n")
	two := rendered(t, "common", "fifo.sv", "// two\nalways\nif (a)\nb\nelse\nb\n")
	points := func(file string, more int) []string {
		return []string{
			p(file, 1+more, 1, linePage, "block", fmt.Sprint(1+more)),
			p(file, 2+more, 1, branchPage, "if", fmt.Sprintf("%d-%d", 2+more, 3+more)),
			p(file, 2+more, 2, branchPage, "else", fmt.Sprintf("%d,%d", 4+more, 5+more)),
			p(file, 3+more, 9, togglePage, "b[0]", ""),
			p(file, 3+more, 9, togglePage, "b[1]", ""),
		}
	}
	left(t, dir, "1-0", points(one, 2), []uint64{7, 7, 0, 1, 0})
	left(t, dir, "2-0", points(two, 1), []uint64{1, 1, 0, 0, 0})
	all, err := Read(dir)
	assert.NilError(t, err)
	assert.Assert(t, len(all) == 1, "%d modules", len(all))
	m := all[0]
	if m.Name != "fifo" || m.Lines != (Share{3, 5}) || m.Branches != (Share{1, 2}) || m.Toggles != (Share{1, 2}) {
		t.Errorf("%+v", m)
	}
	if got, want := uncovered(m), []int{4, 5}; !slices.Equal(got, want) {
		t.Errorf("lines %v are not covered, not %v", got, want)
	}
	assert.Check(t, m.Source[0].Hits == 8, "the first line was hit %d times", m.Source[0].Hits)
	got := m.Source[2].Never
	assert.Check(t, slices.Equal(got, []string{"b[1]"}), "bits that did not change: %q", got)

	// The other way of the branch, by another process.
	left(t, dir, "3-0", points(one, 2), []uint64{1, 0, 1, 0, 1})
	if all, err = Read(dir); err != nil {
		t.Fatal(err)
	}
	if m := all[0]; m.Lines != (Share{5, 5}) || m.Branches != (Share{2, 2}) || m.Toggles != (Share{2, 2}) ||
		len(uncovered(m)) != 0 {
		t.Errorf("%+v", m)
	}
}

func TestModelsAroundTheHardwareDoNotCount(t *testing.T) {
	dir := t.TempDir()
	files := []string{rendered(t, "sim", "sim_axi_memory.sv", "always\n"), rendered(t, "tb", "bench.sv", "always\n"),
		"fifo.sv"}
	for i, file := range files {
		left(t, dir, fmt.Sprint(i), []string{p(file, 1, 1, linePage, "block", "1")}, []uint64{1})
	}
	all, err := Read(dir)
	assert.Check(t, errors.Is(err, ErrNothing), "%v, %v", all, err)
}

func TestWhatIsNoCoverageIsRefused(t *testing.T) {
	file := rendered(t, "common", "fifo.sv", "always\n")
	for name, test := range map[string]struct {
		points []string
		hits   []uint64
	}{
		"counts are missing": {[]string{p(file, 1, 1, linePage, "block", "1")}, nil},
		"too many counts":    {[]string{p(file, 1, 1, linePage, "block", "1")}, []uint64{1, 1}},
		"fields":             {[]string{"fifo.sv\t1\n"}, []uint64{1}},
		"a line's number":    {[]string{p(file, 7, 1, branchPage, "if", "7")}, []uint64{1}},
		"lines":              {[]string{p(file, 1, 1, linePage, "block", "1-x")}, []uint64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			left(t, dir, "1-0", test.points, test.hits)
			_, err := Read(dir)
			assert.Check(t, errors.Is(err, ErrForm), "%v", err)
		})
	}
}

func TestLinesOfOtherPlatformsCount(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{"a;\nb;\n", "a;\nc;\n"} {
		file := rendered(t, "reduce_ops", "reduce_ops_select.sv", text)
		left(t, dir, fmt.Sprint(i), []string{p(file, 1, 1, linePage, "block", "1"), p(file, 2, 1, linePage, "block", "2")},
			[]uint64{1, 0})
	}
	all, err := Read(dir)
	assert.Assert(t, err == nil && len(all) == 1, "%v, %v", all, err)
	m := all[0]
	assert.Check(t, m.Lines == (Share{1, 3}) && slices.Equal(uncovered(m), []int{2, 0}), "%+v", m)
}

func TestGapsHaveReasons(t *testing.T) {
	m := Module{Name: "fifo"}
	for i, text := range []string{
		"  a;", "  b;", "  function automatic logic [7:0] f(input logic x);", "  a;", "  d;", "  endfunction", "  b;",
	} {
		m.Source = append(m.Source, Line{Number: i + 1, Text: text, Counted: true})
	}
	m.Source[5].Counted = false
	modules := []Module{m}
	gaps, stale := Gaps(modules, []Reason{
		{Module: "fifo", Lines: []string{"a;", "c;"}, Reason: "because"}, {Module: "fifo", Function: "f", Reason: "constant"},
		{Module: "fifo", Function: "g", Reason: "constant"}, {Module: "other", Lines: []string{"b;"},
			Reason: "no run had it"},
	})
	want := []Gap{
		{"fifo", 1, "a;", "because"}, {"fifo", 2, "b;", ""}, {"fifo", 3, "function automatic logic [7:0] f(input logic x);",
			"constant"},
		{"fifo", 4, "a;", "constant"}, {"fifo", 5, "d;", "constant"}, {"fifo", 7, "b;", ""},
	}
	assert.Check(t, slices.Equal(gaps, want), "%+v", gaps)
	assert.Check(t, modules[0].Open == 2, "%d lines are open", modules[0].Open)
	assert.Check(t, len(stale) == 2 && strings.Contains(stale[0], `"c;"`) && strings.Contains(stale[1], `"g"`),
		"%q", stale)
}

func TestTooLittleIsAnError(t *testing.T) {
	r := Report{Modules: []Module{{Name: "fifo", Lines: Share{Hit: 5, All: 10}, Open: 1},
		{Name: "lane", Lines: Share{Hit: 8, All: 10}, Open: 2}}}
	assert.Check(t, r.Least(80))
	if err := r.Least(90); !errors.Is(err, ErrLeast) || strings.Contains(err.Error(), "fifo") ||
		!strings.Contains(err.Error(), "lane 80.0 %") {
		t.Error(err)
	}
}

func TestModulesOfWhichNothingWasCountedAreNamed(t *testing.T) {
	for _, bits := range []bool{false, true} {
		covered := []Module{{File: "rtl/common/fifo.sv"}, {File: "coyote/coyote_dma.sv"}}
		if bits {
			covered[0].Toggles = Share{1, 2}
		}
		missing, err := Missing(covered)
		assert.NilError(t, err)
		for name, want := range map[string]bool{
			"rtl/common/fifo.sv": false, "coyote/coyote_dma.sv": false, "rtl/common/skid_buffer.sv": true,
			"coyote/coyote_read.sv":          true,
			"rtl/ccl_offload/ccl_offload.sv": true, "rtl/ccl_offload/move/move_pkg.sv": false,
			"rtl/sim/sim_axi_memory.sv": false, "rtl/checks.sv": false,
			"rtl/loopback/loopback.sv": bits, // assignments alone
		} {
			if slices.Contains(missing, name) != want {
				t.Errorf("%s is missing, with bits counted (%t): %t", name, bits, !want)
			}
		}
	}
}

func TestReasonsCanBeRead(t *testing.T) {
	known, err := Reasons()
	assert.NilError(t, err)
	for _, r := range known {
		var text string
		for _, file := range []string{"rtl/*/" + r.Module + ".sv*", "rtl/*/*/" + r.Module + ".sv*",
			"coyote/" + r.Module + ".sv*"} {
			names, err := fs.Glob(templates.FS, file)
			assert.NilError(t, err)
			for _, name := range names {
				content, err := fs.ReadFile(templates.FS, name)
				assert.NilError(t, err)
				text += string(content)
			}
		}
		if text == "" || r.Reason == "" || len(r.Lines) == 0 && r.Function == "" || r.Function != "" &&
			!strings.Contains(text, r.Function+"(") {
			t.Errorf("%+v: no such module or function, or no reason", r)
		}
	}
}

func TestPage(t *testing.T) {
	m := Module{Name: "fifo", File: "rtl/common/fifo.sv", Lines: Share{1, 2}, Source: []Line{
		{Number: 1, Text: "if (a < b)", Counted: true, Hits: 3, Never: []string{"else"}},
		{Number: 2, Text: "c;", Counted: true},
		{Number: 3, Text: "d;", Never: []string{"d[0]", "d[1]", "d[2]", "d[3]", "d[4]", "d[5]", "d[6]", "d[7]"}},
	}}
	r, err := newReport([]Module{m}, nil)
	assert.NilError(t, err)
	dir := t.TempDir()
	assert.NilError(t, r.Write(dir))
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	assert.NilError(t, err)
	for _, want := range []string{`50.0 %`, `class="part"><b>   1  </b>if (a &lt; b)<em>  // else</em>`,
		`class="never"><b>   2  </b>c;`, `no reason is known`, `d[5] and 2 more`, `rtl/ccl_offload/data/lane.sv`} {
		assert.Check(t, is.Contains(string(page), want), "the page does")
	}
	var out strings.Builder
	assert.NilError(t, r.Print(&out))
	if !strings.Contains(out.String(), "fifo:2: c;") {
		t.Errorf("printed:\n%s", &out)
	}
}
