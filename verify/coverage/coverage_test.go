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

	"github.com/cclforge/cclforge/templates"
)

// left writes what a process leaves: points of a file and how often they were hit.
func left(t *testing.T, dir, name string, points []string, hits []uint64) {
	t.Helper()
	var counts bytes.Buffer
	for _, h := range hits {
		counts.Write(binary.LittleEndian.AppendUint64(nil, h))
	}
	for suffix, content := range map[string][]byte{pointsSuffix: []byte(strings.Join(points, "")), hitsSuffix: counts.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name+suffix), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func rendered(t *testing.T, folder, name, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func p(file string, line, column int, page, comment, lines string) string {
	return fmt.Sprintf("%s\t%d\t%d\t%s/fifo\t%s\t%s\n", file, line, column, page, comment, lines)
}

func TestRunsOfTwoPlatformsAreTakenTogether(t *testing.T) {
	dir := t.TempDir()
	// The second platform's file has a line more before the same ones.
	one := rendered(t, "common", "fifo.sv", "always\nif (a)\nb\nelse\nb\n")
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
	left(t, dir, "1-0", points(one, 0), []uint64{7, 7, 0, 1, 0})
	left(t, dir, "2-0", points(two, 1), []uint64{1, 1, 0, 0, 0})
	all, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("%d modules", len(all))
	}
	m := all[0]
	if m.Name != "fifo" || m.Lines != (Share{3, 5}) || m.Branches != (Share{1, 2}) || m.Toggles != (Share{1, 2}) {
		t.Errorf("%+v", m)
	}
	if want := []int{4, 5}; !slices.Equal(m.Uncovered, want) {
		t.Errorf("lines %v are not covered, not %v", m.Uncovered, want)
	}
	if m.Source[0].Hits != 8 {
		t.Errorf("the first line was hit %d times", m.Source[0].Hits)
	}
	if got := m.Source[2].Never; !slices.Equal(got, []string{"b[1]"}) {
		t.Errorf("bits that did not change: %q", got)
	}

	// The other way of the branch, by another process.
	left(t, dir, "3-0", points(one, 0), []uint64{1, 0, 1, 0, 1})
	if all, err = Read(dir); err != nil {
		t.Fatal(err)
	}
	if m := all[0]; m.Lines != (Share{5, 5}) || m.Branches != (Share{2, 2}) || m.Toggles != (Share{2, 2}) || len(m.Uncovered) != 0 {
		t.Errorf("%+v", m)
	}
}

func TestModelsAroundTheHardwareDoNotCount(t *testing.T) {
	dir := t.TempDir()
	for folder, name := range map[string]string{"sim": "sim_axi_memory.sv", "tb": "bench.sv"} {
		file := rendered(t, folder, name, "always\n")
		left(t, dir, folder, []string{p(file, 1, 1, linePage, "block", "1")}, []uint64{1})
	}
	if all, err := Read(dir); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
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
			if _, err := Read(dir); !errors.Is(err, ErrForm) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestGapsHaveReasons(t *testing.T) {
	m := Module{Name: "fifo", Source: []Line{{Text: "  a;"}, {Text: "  b;"}}, Uncovered: []int{1, 2}}
	gaps, stale := Gaps([]Module{m}, []Reason{{"fifo", "a;", "because"}, {"fifo", "c;", "because"}, {"other", "b;", "because"}})
	if want := []Gap{{"fifo", 1, "a;", "because"}, {"fifo", 2, "b;", ""}}; !slices.Equal(gaps, want) {
		t.Errorf("%+v", gaps)
	}
	if len(stale) != 2 || !strings.HasPrefix(stale[0], "fifo") || !strings.HasPrefix(stale[1], "other") {
		t.Errorf("%q", stale)
	}
}

func TestReasonsCanBeRead(t *testing.T) {
	known, err := Reasons()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range known {
		files, err := fs.Glob(templates.FS, "rtl/*/"+r.Module+".sv*")
		if err != nil || len(files) == 0 || r.Reason == "" || r.Line == "" {
			t.Errorf("%+v: files %q, %v", r, files, err)
		}
	}
}

func TestPage(t *testing.T) {
	m := Module{Name: "fifo", File: "common/fifo.sv", Lines: Share{1, 2}, Uncovered: []int{2}, Source: []Line{
		{Text: "if (a < b)", Counted: true, Hits: 3, Never: []string{"else"}}, {Text: "c;", Counted: true},
	}}
	r := &Report{Total: Total([]Module{m}), Modules: []Module{m}}
	r.Gaps, r.Stale = Gaps(r.Modules, nil)
	dir := t.TempDir()
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`50.0 %`, `class="part"><b>   1  </b>if (a &lt; b)<em>  // else</em>`, `class="never"><b>   2  </b>c;`, `no reason is known`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	var out strings.Builder
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "fifo:2: c;") {
		t.Errorf("printed:\n%s", &out)
	}
}
