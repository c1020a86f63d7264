package firmware

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
)

// What task_switch, written in assembly, keeps on the stack; and the word that
// guards its end. In bytes.
const (
	switchBytes = 64
	guardBytes  = 4
)

// callGraph is what the compiler says of functions: the bytes of their frames,
// whom they call, and whom of these only at their end, when the frame is gone.
type callGraph struct {
	frame map[string]int
	calls map[string][]string
	ends  map[[2]string]bool
	roots []string // functions that nobody calls by name
}

var (
	jumpLine = regexp.MustCompile(`^\t(call|tail)\t([\w.]+)`)
	nameLine = regexp.MustCompile(`^([\w.]+):`)
	nodeLine = regexp.MustCompile(`^node: \{ title: "([^"]*)" label: ".*\\n(\d+) bytes \((.*)\)" \}`)
	edgeLine = regexp.MustCompile(`^edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"`)
)

func readCallGraph(t *testing.T, dir string) *callGraph {
	t.Helper()
	g := &callGraph{frame: map[string]int{}, calls: map[string][]string{}, ends: map[[2]string]bool{}}
	called := map[string]bool{}
	files, _ := filepath.Glob(filepath.Join(dir, "*.ci"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		for line := range strings.Lines(string(text)) {
			if m := nodeLine.FindStringSubmatch(line); m != nil {
				g.frame[m[1]], _ = strconv.Atoi(m[2])
				if m[3] != "static" {
					t.Errorf("the frame of %s is %s", m[1], m[3])
				}
			}
			if m := edgeLine.FindStringSubmatch(line); m != nil {
				g.calls[m[1]] = append(g.calls[m[1]], m[2])
				called[m[2]] = true
			}
		}
	}
	for name := range g.frame {
		if !called[name] {
			g.roots = append(g.roots, name)
		}
	}
	texts, _ := filepath.Glob(filepath.Join(dir, "*.s"))
	for _, name := range texts {
		g.readEnds(t, name)
	}
	return g
}

// readEnds finds calls that are jumps, in the assembly of a file.
func (g *callGraph) readEnds(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	assert.NilError(t, err)
	title := func(function string) string {
		static := strings.TrimSuffix(filepath.Base(name), ".s") + ".c:" + function
		if _, ok := g.frame[static]; ok {
			return static
		}
		return function
	}
	var from string
	for line := range strings.Lines(string(text)) {
		if m := nameLine.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[1], ".L") {
			from = title(m[1])
		} else if m := jumpLine.FindStringSubmatch(line); m != nil {
			edge := [2]string{from, title(m[2])}
			before, seen := g.ends[edge]
			g.ends[edge] = m[1] == "tail" && (before || !seen)
		}
	}
}

// depth is the most that a function and those below it need, and which of them do. An
// indirect call may reach every function that nobody calls by name.
func (g *callGraph) depth(t *testing.T, name string, above []string) (most int, chain []string) {
	for _, a := range above {
		if a == name {
			t.Fatalf("recursion: %v", append(above, name))
		}
	}
	if name == "task_switch" {
		return switchBytes, []string{name}
	}
	above = append(above, name)
	most = g.frame[name]
	for _, callee := range g.calls[name] {
		targets := []string{callee}
		if callee == "__indirect_call" {
			targets = g.indirect(name)
		}
		for _, target := range targets {
			bytes, below := g.depth(t, target, above)
			if !g.ends[[2]string{name, target}] {
				bytes += g.frame[name]
			}
			if bytes > most {
				most, chain = bytes, below
			}
		}
	}
	return most, append([]string{fmt.Sprintf("%s (%d)", name, g.frame[name])}, chain...)
}

// begun are the functions that a call's stack begins with, and whether they are only in
// generations with rendezvous: without it no messages go into windows.
var begun = map[string]bool{
	"main.c:run": false, "collective_fail": false, "stage.c:run_in_turn": false, "ring.c:in_messages": false,
	"stage.c:run_windows": true, "ring.c:in_windows": true, "alltoall.c:in_windows": true,
}

// indirect calls go from the dispatcher to operations, and from the runner of
// stages to their builders, which are static functions.
func (g *callGraph) indirect(from string) []string {
	var to []string
	for _, name := range g.roots {
		builder := strings.Contains(name, ":")
		if _, begins := begun[name]; !begins && name != "cclo_main" && name != "scheduler" &&
			builder == (strings.HasPrefix(from, "stage.c:run_") || strings.HasSuffix(from, ":next_stage")) {
			to = append(to, name)
		}
	}
	return to
}

// A call's stack is large enough for the deepest chain of functions.
func TestStackIsDeepEnough(t *testing.T) {
	for name, generation := range designtest.Library(t).ABIs {
		o := compiled(t, generation)
		g := readCallGraph(t, o.dir)
		words := regexp.MustCompile(`#define STACK_WORDS (\d+)`).FindSubmatch(o.in.files["engine.h"])
		assert.Assert(t, words != nil && len(g.roots) >= 15, "%s: the call graph lacks its roots: %v", name, g.roots)
		have, _ := strconv.Atoi(string(words[1]))
		for _, root := range slices.Sorted(maps.Keys(begun)) {
			is, has := slices.Contains(g.roots, root), generation.Features["rendezvous"] || !begun[root]
			assert.Assert(t, is == has,
				"%s: a stack begins with %s: %t, want %t; of the roots: %v", name, root, is, has, g.roots)
			if !is {
				continue
			}
			need, chain := g.depth(t, root, nil)
			need += guardBytes
			assert.Check(t, need <= 4*have, "%s: a call needs %d bytes of stack and has %d", name, need, 4*have)
			t.Logf("%s: %d of %d bytes: %s", name, need, 4*have, strings.Join(chain, ", "))
		}
	}
}
