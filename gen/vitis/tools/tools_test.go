package tools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/tools"
)

// What tools print about themselves, as people have published it: v++, vivado and
// vitis_hls of several versions, xclbinutil, xbutil (Xilinx/XRT, pull request 5622).
var says = map[string]string{
	"v++": "\n****** v++ v%s (64-bit)\n  **** SW Build 3524075 on 2022-04-13-17:42:45\n    ** Copyright " +
		"1986-2022 Xilinx, Inc. All Rights Reserved.\n",
	"vivado": "Vivado v%s (64-bit)\nSW Build 3526262 on Mon Apr 18 15:47:01 MDT 2022\nIP Build 3524634 on Mon Apr " +
		"18 20:55:01 MDT 2022\nTool Version Limit: 2022.04\n",
	"vitis_hls": "Vitis HLS - High-Level Synthesis from C, C++ and OpenCL v%s (64-bit)\nTool Version Limit: " +
		"2022.04\nCopyright 1986-2022 Xilinx, Inc. All Rights Reserved.\n",
	"xclbinutil": "       XRT Build Version: %s (HEAD)\n                 Hash ID: " +
		"0026185de81a179dc7d886197d3e35f9a179b4e8\n",
	"xbutil": "Version              : %s\nBranch               : version\nHash                 : " +
		"91df973f16bf6681d1ec385d60b34ef2223ad91f\n",
}

type machine struct {
	t    *testing.T
	dir  string
	vars map[string]string
}

func newMachine(t *testing.T) *machine {
	m := &machine{t, t.TempDir(), map[string]string{}}
	m.vars["PATH"] = filepath.Join(m.dir, "bin")
	return m
}

// script puts an executable below the machine's directory. It counts how often it
// was run.
func (m *machine) script(name, body string) string {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	assert.NilError(m.t, os.MkdirAll(filepath.Dir(path), 0o777))
	text := fmt.Sprintf("#!/bin/sh\necho \"$0 $*\" >>%s/calls\n%s\n", m.dir, body)
	assert.NilError(m.t, os.WriteFile(path, []byte(text), 0o777))
	return path
}

func (m *machine) tool(name, version string) string {
	m.t.Helper()
	body := "exit 0"
	if say, ok := says[filepath.Base(name)]; ok {
		body = "cat <<'END'\n" + fmt.Sprintf(say, version) + "END"
	}
	return m.script(name, body)
}

func (m *machine) calls() int {
	text, err := os.ReadFile(filepath.Join(m.dir, "calls"))
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}

func (m *machine) env() tools.Env {
	return tools.Env{Lookup: func(name string) (string, bool) { v, ok := m.vars[name]; return v, ok }}
}

func chain(t testing.TB) *platform.Toolchain {
	t.Helper()
	return designtest.Library(t).Toolchain
}

func need(names ...string) []tools.Need {
	var list []tools.Need
	for _, n := range names {
		list = append(list, tools.Need{Tool: n, For: "to link p"})
	}
	return list
}

func TestToolsAreFoundByPathAndByVariable(t *testing.T) {
	m := newMachine(t)
	vpp := m.tool("bin/v++", "2022.1")
	vivado := m.tool("vivado/bin/vivado", "2022.1")
	m.tool("vivado/bin/updatemem", "")
	hls := m.tool("hls/bin/vitis_hls", "2022.1")
	m.tool("bin/git", "")
	xrt := m.tool("xrt/bin/xclbinutil", "2.13.466")
	m.vars["XILINX_VIVADO"] = filepath.Join(m.dir, "vivado")
	m.vars["XILINX_HLS"] = filepath.Join(m.dir, "hls")
	m.vars["XILINX_XRT"] = filepath.Join(m.dir, "xrt")
	set, err := tools.Find(t.Context(), chain(t), m.env(), need("vivado", "v++", "updatemem", tools.HLS, "xclbinutil",
		"git", "v++")...)
	assert.NilError(t, err)
	for name, want := range map[string][2]string{
		"v++": {"2022.1", vpp}, "vivado": {"2022.1", vivado}, "vitis_hls": {"2022.1", hls}, "xclbinutil": {"2.13.466", xrt},
		"updatemem": {"2022.1", filepath.Join(m.dir, "vivado/bin/updatemem")}, "git": {"", filepath.Join(m.dir, "bin/git")},
	} {
		if got := set.Tools[name]; got.Name != name || got.Version != want[0] || got.Path != want[1] {
			t.Errorf("%s: got %+v, want %v", name, got, want)
		}
	}
	assert.Check(t, set.Version == "2022.1" && len(set.Warnings) == 0,
		"version %q, warnings %q", set.Version, set.Warnings)
	if hls, err := set.Tool(tools.HLS); err != nil || hls.Name != "vitis_hls" {
		t.Errorf("the HLS compiler is %v, %v", hls, err)
	}
	// Tools of others find the installation that was found.
	env := set.Environment("vivado", "v++", "git")
	assert.Check(t, len(env) == 1 && env["XILINX_VITIS"] == m.dir, "environment %v", env)
}

func TestMissingToolsSayWhatToDo(t *testing.T) {
	for _, test := range []struct {
		name  string
		setup func(m *machine)
		needs []string
		want  []string
	}{
		{"nothing", func(*machine) {}, []string{"v++", "xclbinutil", "git"}, []string{
			"v++ is missing (needed to link p): it is not in PATH, and XILINX_VITIS is not set. Source settings64.sh of " +
				"Vitis, or set XILINX_VITIS to",
			"xclbinutil is missing (needed to link p): it is not in PATH, and XILINX_XRT is not set. Source " +
				"/opt/xilinx/xrt/setup.sh",
			"git is missing (needed to link p): it is not in PATH. Install the package git.",
		}},
		{"variable of elsewhere", func(m *machine) { m.vars["XILINX_VITIS"] = m.dir }, []string{"v++"},
			[]string{"has no bin/v++ in it"}},
		{"not executable", func(m *machine) { os.Chmod(m.tool("bin/v++", "2022.1"), 0o666) }, []string{"v++"},
			[]string{"v++ is missing"}},
		{"a directory", func(m *machine) { os.MkdirAll(filepath.Join(m.dir, "bin/v++"), 0o777) }, []string{"v++"},
			[]string{"v++ is missing"}},
		{"relative path", func(m *machine) { m.tool("bin/v++", "2022.1"); m.vars["PATH"] = "bin:." }, []string{"v++"},
			[]string{"v++ is missing"}},
		{"hls of a version", func(m *machine) { m.tool("bin/v++", "2022.2") }, []string{"v++", tools.HLS},
			[]string{"vitis_hls is missing", "XILINX_HLS is not set"}},
		{"what it comes with", func(m *machine) { m.tool("bin/updatemem", "") }, []string{"updatemem"},
			[]string{"vivado is missing"}},
		{"unheard of", func(*machine) {}, []string{"quartus"},
			[]string{"quartus is missing: platforms/tools says nothing of it"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			test.setup(m)
			set, err := tools.Find(t.Context(), chain(t), m.env(), need(test.needs...)...)
			assert.Assert(t, set == nil && errors.Is(err, tools.ErrMissing) && !errors.Is(err, tools.ErrTooOld),
				"got %v, %v", set, err)
			for _, want := range test.want {
				assert.Check(t, strings.Contains(err.Error(), want), "the error lacks %q:\n%s", want, err)
			}
		})
	}
}

// Without v++ nobody knows what compiles C++: one thing is missing, not two.
func TestWhatIsMissingIsSaidOnce(t *testing.T) {
	needs := []tools.Need{{Tool: "v++", For: "to link p"}, {Tool: tools.HLS, For: "to compile C++ of p"}}
	_, err := tools.Find(t.Context(), chain(t), newMachine(t).env(), needs...)
	assert.Check(t, errors.Is(err, tools.ErrMissing) && strings.Count(err.Error(), "is missing") == 1, "got %v", err)
	_, err = tools.Find(t.Context(), chain(t), newMachine(t).env(), needs[1:]...)
	assert.Check(t, errors.Is(err, tools.ErrMissing) && strings.Count(err.Error(), "is missing") == 1,
		"C++ alone: got %v", err)
}

func TestVersionsThatAreNotAsUsual(t *testing.T) {
	for _, test := range []struct {
		name          string
		vpp, vivado   string
		version       string
		facts         string
		warns, denies string
	}{
		{"newer than known", "2031.2", "2031.2", "2031.2", "2026.1",
			"Vitis 2031.2 is not known here; it is treated as 2026.1", ""},
		{"between known", "2024.3", "2024.3", "2024.3", "2024.2", "Vitis 2024.3 is not known here; it is treated as 2024.2",
			""},
		{"an update of a known one", "2022.1.1", "2022.1.1", "2022.1.1", "2022.1", "", ""},
		{"different", "2023.2", "2023.1", "2023.2", "2023.2", "vivado is version 2023.1", ""},
		{"too old", "2021.2", "2021.2", "", "", "", "v++ is too old: "},
		{"one too old", "2022.1", "2020.1", "", "", "", "vivado is too old: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			m.tool("bin/v++", test.vpp)
			m.tool("bin/vivado", test.vivado)
			set, err := tools.Find(t.Context(), chain(t), m.env(), need("v++", "vivado")...)
			if test.denies != "" {
				if !errors.Is(err, tools.ErrTooOld) || !strings.Contains(err.Error(), test.denies) ||
					!strings.Contains(err.Error(), "the oldest that works is 2022.1") {
					t.Fatalf("got %v", err)
				}
				return
			}
			assert.NilError(t, err)
			assert.Check(t, set.Version == test.version && set.Facts.Version == test.facts,
				"version %s, facts of %s", set.Version, set.Facts.Version)
			warned := strings.Join(set.Warnings, "\n")
			if test.warns == "" && strings.Contains(warned, "not known") || !strings.Contains(warned, test.warns) {
				t.Errorf("warnings: %s", warned)
			}
		})
	}
}

func TestToolsThatCannotBeAsked(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"fails", "echo 'libudev.so.1: cannot open shared object file' >&2; exit 127",
			"libudev.so.1: cannot open shared object file"},
		{"is killed", "kill -9 $$", "signal: killed"},
		{"hangs", "sleep 1000 & echo $! >%s/child; wait", "has not said its version within"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			m.script("bin/v++", strings.ReplaceAll(test.body, "%s", m.dir))
			env := m.env()
			env.Limit = time.Second
			_, err := tools.Find(t.Context(), chain(t), env, need("v++")...)
			if !errors.Is(err, tools.ErrBroken) || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "bin/v++") {
				t.Errorf("got %v", err)
			}
			if text, err := os.ReadFile(filepath.Join(m.dir, "child")); err == nil {
				pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
				gone(t, pid)
			}
		})
	}
}

func gone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the process %d, which a tool has started, goes on", pid)
}

func TestFindEndsWithItsContext(t *testing.T) {
	m := newMachine(t)
	m.script("bin/v++", "sleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for m.calls() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := tools.Find(ctx, chain(t), m.env(), need("v++")...)
	assert.Check(t, errors.Is(err, context.Canceled), "got %v", err)
}

// A tool that says nothing of use is warned about, asked each time, and told apart
// from another such file.
func TestToolWithoutAVersion(t *testing.T) {
	m := newMachine(t)
	m.script("bin/v++", "echo v++: a compiler")
	env := m.env()
	env.Cache = filepath.Join(m.dir, "cache.json")
	find := func() (string, string) {
		set, err := tools.Find(t.Context(), chain(t), env, need("v++")...)
		assert.NilError(t, err)
		return set.Tools["v++"].Version, strings.Join(set.Warnings, "\n")
	}
	first, warned := find()
	assert.Check(t, is.Contains(warned, "does not say which version it is; it is treated as 2026.1"))
	again, _ := find()
	assert.Check(t, again == first && m.calls() == 2, "%q, then %q after %d calls", first, again, m.calls())
	m.script("bin/v++", "echo v++: another compiler")
	other, _ := find()
	assert.Check(t, other != first, "both are %q", other)
}

func TestVersionsAreRemembered(t *testing.T) {
	m := newMachine(t)
	m.tool("bin/v++", "2023.1")
	vivado := m.tool("bin/vivado", "2023.1")
	env := m.env()
	env.Cache = filepath.Join(m.dir, "deep/cache.json")
	find := func(want string, calls int) {
		t.Helper()
		before := m.calls()
		set, err := tools.Find(t.Context(), chain(t), env, need("v++", "vivado")...)
		assert.NilError(t, err)
		assert.Check(t, is.Equal(set.Tools["vivado"].Version, want))
		n := m.calls() - before
		assert.Check(t, n == calls, "%d calls, want %d", n, calls)
	}
	find("2023.1", 2)
	find("2023.1", 0)
	m.tool("bin/vivado", "2023.2") // the same size, and a directory that has not changed
	find("2023.2", 1)
	find("2023.2", 0)
	// Another one at the same place with the same time is told by its size.
	info, err := os.Stat(vivado)
	assert.NilError(t, err)
	m.script("bin/vivado", "cat <<'END'\n"+fmt.Sprintf(says["vivado"], "2024.1")+"\n\nEND")
	assert.NilError(t, os.Chtimes(vivado, info.ModTime(), info.ModTime()))
	find("2024.1", 1)
	// What is damaged, or of another form, is forgotten, and mended.
	content, err := os.ReadFile(env.Cache)
	assert.NilError(t, err)
	for _, text := range []string{"", strings.Replace(string(content), `"schema":1`, `"schema":2`, 1), "{",
		`{"schema": 99, "said": {}}`, `[1, 2]`, `{"schema": 1}`} {
		assert.NilError(t, os.WriteFile(env.Cache, []byte(text), 0o666))
		find("2024.1", 2)
		find("2024.1", 0)
	}
	// Without a place to remember, it is asked.
	if os.Getuid() != 0 {
		t.Log("as a user the directory could be read-only, too")
	}
	env.Cache = filepath.Join(vivado, "no-directory/cache.json")
	find("2024.1", 2)
	find("2024.1", 2)
}

func TestManyAtOnceRememberTheSame(t *testing.T) {
	m := newMachine(t)
	m.tool("bin/v++", "2023.1")
	facts, env := chain(t), m.env()
	env.Cache = filepath.Join(m.dir, "cache.json")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			set, err := tools.Find(t.Context(), facts, env, need("v++")...)
			assert.Check(t, err == nil && set.Version == "2023.1", "got %v, %v", set, err)
		})
	}
	all.Wait()
	left, err := filepath.Glob(filepath.Join(m.dir, "cache.json.*"))
	assert.Check(t, err == nil && len(left) == 0, "left over: %v, %v", left, err)
	before := m.calls()
	_, err = tools.Find(t.Context(), facts, env, need("v++")...)
	assert.Check(t, err == nil && m.calls() == before, "asked again: %v", err)
}

// UG1702, "platforminfo Utility": the user's paths, then those of installations.
func TestBoardPlatformsAreFoundAsTheLinkerDoes(t *testing.T) {
	const name = "xilinx_u55c_gen3x16_xdma_3_202210_1"
	put := func(m *machine, below string) string {
		path := filepath.Join(m.dir, filepath.FromSlash(below), name+".xpfm")
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		assert.NilError(t, os.WriteFile(path, []byte("<platform/>"), 0o666))
		return path
	}
	find := func(m *machine) *tools.Set {
		m.tool("vitis/bin/v++", "2023.1")
		m.vars["PATH"] = filepath.Join(m.dir, "vitis/bin")
		set, err := tools.Find(t.Context(), chain(t), m.env(), need("v++")...)
		assert.NilError(t, err)
		return set
	}
	for below, variable := range map[string]string{
		"mine/" + name:            "mine",
		"mine":                    "mine",
		"other/" + name:           "absent:other",
		"vitis/platforms/" + name: "", // of the v++ that was found, though no variable is set
	} {
		m := newMachine(t)
		want := put(m, below)
		var dirs []string
		for _, d := range filepath.SplitList(variable) {
			dirs = append(dirs, filepath.Join(m.dir, d))
		}
		m.vars["PLATFORM_REPO_PATHS"] = strings.Join(dirs, ":")
		set := find(m)
		got, err := set.Platform(name)
		assert.Check(t, err == nil && got == want, "%s: got %s, %v", below, got, err)
		dir := set.RepositoryOf(got, name)
		assert.Check(t, strings.HasPrefix(got, dir+"/") && dir != "", "%s is found in %q", got, dir)
		if other, err := set.Platform(want); err != nil || other != want || set.RepositoryOf(other, want) != "" {
			t.Errorf("the file %s: got %s, %v", want, other, err)
		}
	}
	m := newMachine(t)
	m.vars["PLATFORM_REPO_PATHS"] = filepath.Join(m.dir, "mine")
	set := find(m)
	_, err := set.Platform(name)
	for _, want := range []string{name, filepath.Join(m.dir, "mine"), "/opt/xilinx/platforms",
		filepath.Join(m.dir, "vitis/platforms"), "PLATFORM_REPO_PATHS"} {
		assert.Check(t, errors.Is(err, tools.ErrMissing) && strings.Contains(err.Error(), want),
			"the error lacks %s: %v", want, err)
	}
	_, err = set.Platform("/absent/my.xpfm")
	assert.Check(t, errors.Is(err, tools.ErrMissing), "got %v", err)
}

func TestAssumedTools(t *testing.T) {
	facts := chain(t)
	set := tools.Assume(facts, "")
	if set.Version != "2026.1" || !set.Assumed() || set.Tools["v++"].Path != "" || set.Tools["v++"].Version != "2026.1" ||
		set.Tools["git"].Version != "" {
		t.Errorf("got %+v", set)
	}
	file, err := set.Platform("mine")
	assert.Check(t, err == nil && filepath.Base(file) == "mine.xpfm", "got %s, %v", file, err)
	old := tools.Assume(facts, "2022.2")
	hls, err := old.Tool(tools.HLS)
	assert.Check(t, err == nil && hls.Name == "vitis_hls" && hls.Version == "2022.2", "got %v, %v", hls, err)
	board := &platform.Board{}
	board.Shell, board.Avoid = "shell", map[string]string{"2022.2": "why not"}
	w := old.BoardWarning(board)
	assert.Check(t, strings.Contains(w, "2022.2") && strings.Contains(w, "why not"), "no warning: %q", w)
	assert.Check(t, is.Equal(tools.Assume(facts, "2022.1").BoardWarning(board), ""))
}
