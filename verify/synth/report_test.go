package synth

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
)

func row(kernel, module string, part, lut, levels int) Row {
	return Row{kernel, module, part, Result{Use: Use{LUT: lut, BRAM18: 3},
		Inside: Path{Levels: levels, Begin: "register a", End: "b.D", Through: []string{"<c>"}}}}
}

func TestTheTableShowsChanges(t *testing.T) {
	r := Report{
		Platform: "p", Rules: Rules, Commit: "abc123",
		Rows: []Row{row("k", "k", 0, 110, 12), row("k", "m", 2, 7, 3), row("k", "added", 1, 5, 1)},
		Base: []Row{row("k", "k", 0, 100, 13), row("k", "m", 2, 7, 3), row("k", "gone", 1, 5, 1)},
	}
	for _, c := range []struct {
		base string
		want []string
	}{
		{"abc123", []string{"k|110|(+10)|0|0|1.5|0|0|12|(-1)|0|0|0", "m|(2|times)|7|0|0|1.5|0|0|3|0|0|0",
			"added|5|(new)|0|(new)|0|(new)|1.5|(new)|0|(new)|0|(new)|1|(new)|0|(new)|0|(new)|0|(new)", "since commit abc123",
			"through <c>"}},
		{"", []string{"k|110|0|0|1.5|0|0|12|0|0|0", "m|(2|times)|7|0|0|1.5|0|0|3|0|0|0", "added|5|0|0|1.5|0|0|1|0|0|0",
			"Compared with nothing: there is none"}},
	} {
		r.Commit, r.Reason = c.base, "there is none"
		var text, html bytes.Buffer
		assert.NilError(t, errors.Join(r.Text(&text), r.Page(&html)))
		for i, want := range c.want {
			lines := strings.Split(text.String(), "\n")
			for i, l := range lines {
				if fields := strings.Join(strings.Fields(l), "|"); strings.Contains(fields, "|1.5|") {
					lines[i] = fields
				}
			}
			if i < 3 && !slices.Contains(lines, want) || !strings.Contains(strings.Join(lines, "\n"), want) {
				t.Errorf("there is no %q in\n%s", want, text.String())
			}
		}
		assert.Check(t, !strings.Contains(text.String(), "gone"),
			"a module that is not there is shown:\n%s", text.String())
		if !strings.Contains(html.String(), "&lt;c&gt;") || strings.Contains(html.String(), "&#43;10") != (c.base != "") {
			t.Errorf("the page is\n%s", html.String())
		}
	}
}

func TestAKernelIsTheSumOfItsParts(t *testing.T) {
	rows := []Row{row("k", "k", 0, 100, 2), row("k", "m", 1, 10, 9), row("k", "not", 1, 1000, 20),
		row("other", "m", 1, 1000, 20)}
	rows[0].Parts = map[string]int{"m": 3}
	rows[0].sum(rows)
	if k := rows[0]; k.LUT != 130 || k.BRAM() != 6 || k.Inside.Levels != 9 || k.Inside.Begin != "m: register a" ||
		rows[1].Part != 3 || rows[1].LUT != 10 {
		t.Errorf("%+v", rows)
	}
}

func engine(t *testing.T) Kernel {
	t.Helper()
	in, err := Load("u55c_tcp")
	assert.NilError(t, err)
	i := slices.IndexFunc(in.Kernels, func(k Kernel) bool { return k.ID == "ccl_offload" })
	assert.Assert(t, i >= 0 && len(in.Kernels) == len(in.Boxes) && in.Has("move_engine") && !in.Has("nothing"),
		"the kernels are %d", len(in.Kernels))
	return in.Kernels[i]
}

// The engine is mapped by parts, and what is around them is whole: yosys finds no
// port, module or driver missing.
func TestTheEngineHasParts(t *testing.T) {
	k := engine(t)
	parts := Parts(k)
	for _, want := range []string{"move_engine", "data_path", "control_processor", "processor_bus",
		"messages", "dma_writer"} {
		assert.Check(t, slices.Contains(parts, want), "%s is no part: %v", want, parts)
	}
	assert.Check(t, !slices.Contains(parts, "cclo_core") && !slices.Contains(parts, "fifo"), "the parts are %v", parts)
	s := around(k, parts)
	assert.Check(t, file(s, "rv32_core") == "" && file(s, "cclo_core") != "", "around the parts are %d files", len(s))
	if err := Available(); err != nil {
		t.Skip(err)
	}
	d := designtest.Load(t, "u55c_tcp", nil)
	all, err := Rendered(d)
	assert.NilError(t, err)
	for name, text := range k.BlackBoxes(all) {
		s[name] = text
	}
	files := make([]string, 0, len(s))
	dir := t.TempDir()
	for name, text := range s {
		at := filepath.Join(dir, filepath.Base(name))
		assert.NilError(t, os.WriteFile(at, text, 0o644))
		files = append(files, at)
	}
	// Packages first, those that others need before them.
	rank := func(name string) int {
		i := slices.Index([]string{"cclo_pkg.sv", "engine_pkg.sv"}, filepath.Base(name))
		switch {
		case i >= 0:
			return i
		case strings.HasSuffix(name, "_pkg.sv"):
			return 2
		}
		return 3
	}
	slices.SortFunc(files, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	if _, err := Elaborate(t.Context(), dir, k.Module, files...); err != nil {
		t.Error(err)
	}
}

func TestOnlyWhatIsNamedIsMapped(t *testing.T) {
	in := Input{Kernels: []Kernel{engine(t)}}
	for _, c := range []struct {
		only, want string
	}{{"move_engine", "move_engine"}, {"fifo", "fifo"}, {"calls,rv32_alu", "calls rv32_alu"}, {"nothing", ""}} {
		list, err := in.tasks(strings.Split(c.only, ","))
		var got []string
		for _, task := range list {
			got = append(got, task.module)
		}
		assert.Check(t, strings.Join(got, " ") == c.want && (err != nil) == (c.want == ""),
			"%s: %v, %v", c.only, got, err)
	}
	list, err := in.tasks(nil)
	if err != nil || len(list) < 15 || !list[0].around || list[0].module != "ccl_offload" || list[1].around {
		t.Errorf("%d tasks, %v", len(list), err)
	}
}

func TestMappingEndsWithTheContext(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	told := 0
	_,
		err := Rows(ctx,
		Input{Kernels: []Kernel{
			{ID: "m", Module: "m", Sources: Sources{"m.sv": []byte("module m;\nendmodule\n")}}}}, nil, 2,
		func(_, _ int, _ string, err error) {
			told++
			assert.Check(t, is.ErrorIs(err, context.Canceled))
		})
	assert.Check(t, errors.Is(err, context.Canceled) && told == 1, "%v, told %d times", err, told)
}

func TestArchivesStayInTheirDirectory(t *testing.T) {
	for name, good := range map[string]bool{"a/b.go": true, "../b.go": false, "/b.go": false} {
		var archive bytes.Buffer
		w := tar.NewWriter(&archive)
		if err := errors.Join(w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: 3, Mode: 0o644}),
			func() error { _, err := w.Write([]byte("abc")); return err }(), w.Close()); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		err := unpack(&archive, dir)
		text, _ := os.ReadFile(filepath.Join(dir, "a", "b.go"))
		assert.Check(t, (err == nil) == good && (string(text) == "abc") == good, "%s: %v, %q", name, err, text)
	}
}
