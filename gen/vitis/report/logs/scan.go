package logs

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

const (
	mostLines  = 8   // that are shown
	mostWidth  = 400 // of a line
	mostFollow = 3   // lines that belong to an error
	mostLogs   = 64
	mostFiles  = 100_000 // of a work directory
)

type scan struct {
	name    string
	real    []string // lines about the cause
	after   []string // lines about consequences
	cause   int      // index in causes; -1 if none
	weight  int      // how clear the cause is
	pointed []string // logs that it points to
	follow  int      // how many lines may still belong to the last real one
	before  string   // the line before, if it has text
	trace   bool     // inside what Tcl prints about where an error was
}

func (s *scan) found() bool { return len(s.real)+len(s.after) > 0 }

func (s *scan) lines() []string {
	list := s.real
	if len(list) == 0 {
		list = s.after
	}
	return list[:min(len(list), mostLines)]
}

// Weights of what tells a cause.
const (
	inConsequence = 1 + iota
	anywhere
	inReal
)

// find lists the logs of a work directory, the step's own first, then those that
// are nearest to the tools that do the work.
func find(ctx context.Context, dir fs.FS) []string {
	type candidate struct {
		name string
		rank int
	}
	var list []candidate
	n := 0
	_ = fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error { // what cannot be read tells nothing
		if n++; n > mostFiles || ctx.Err() != nil {
			return fs.SkipAll
		}
		if err == nil && !d.IsDir() {
			if r := rank(p); r > 0 {
				list = append(list, candidate{p, r})
			}
		}
		return nil
	})
	slices.SortFunc(list,
		func(a, b candidate) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name)) })
	var names []string
	for _, c := range list[:min(len(list), mostLogs)] {
		names = append(names, c.name)
	}
	return names
}

// rank orders logs; 0 for files that are none.
func rank(p string) int {
	name := path.Base(p)
	switch {
	case p == step.LogFile:
		return 1
	case name == "vitis_hls.log" || name == "vivado_hls.log" || strings.HasSuffix(name, "hls.log"):
		return 2
	case strings.HasSuffix(name, "runme.log"):
		return 3
	case name == "vivado.log":
		return 4
	case name == "vivado_error.txt":
		return 5
	case strings.HasPrefix(name, "hs_err_pid"):
		return 6
	case strings.HasSuffix(name, ".log") && !strings.HasSuffix(name, ".backup.log"):
		return 7
	default:
		return 0
	}
}

// promote moves logs that another one points to to the front.
func promote(logs, pointed []string) {
	slices.SortStableFunc(logs, func(a, b string) int {
		return cmp.Compare(mentioned(a, pointed), mentioned(b, pointed))
	})
}

func mentioned(name string, pointed []string) int {
	for i, p := range pointed {
		if strings.HasSuffix(p, "/"+name) || p == name {
			return i
		}
	}
	return len(pointed)
}

// read reads a log; nil if it cannot be read at all.
func read(ctx context.Context, dir fs.FS, name string) *scan {
	f, err := dir.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	s := &scan{name: name, cause: -1}
	_ = Each(ctx, f, func(line string) bool { // what was read until then counts
		s.line(line)
		return true
	})
	if strings.HasPrefix(path.Base(name), "hs_err_pid") {
		s.tell(indexOf(Crash), inConsequence)
	}
	return s
}

var (
	// nested matches how v++ wraps the error of a tool that it runs.
	nested = regexp.MustCompile(`caught Tcl error:\s*(ERROR: \[.+)$`)
	logIn  = regexp.MustCompile(`['" ]([^'" ]*/[^'" /]+\.log)['"]?`)
	stamp  = regexp.MustCompile(`^\[?\d{1,2}:\d{2}:\d{2}\]?\s`)
)

func (s *scan) line(raw string) {
	if strings.Contains(raw, "\x1b") {
		raw = Clean(raw)
	}
	if s.tcl(raw) {
		return
	}
	index, certain := match(raw)
	about := subjectOf(raw)
	if about == ordinary && !certain && s.follow == 0 {
		return
	}
	line := clean(raw)
	if m := nested.FindStringSubmatch(line); m != nil {
		line = m[1]
		about = subjectOf(line)
		index, certain = match(line)
	}
	switch {
	case about == realError:
		if index >= 0 {
			s.tell(index, inReal)
		}
		s.add(&s.real, line)
		s.follow = mostFollow
		return
	case about == consequence:
		if index >= 0 {
			s.tell(index, inConsequence)
		}
		for _, m := range logIn.FindAllStringSubmatch(line, -1) {
			if len(s.pointed) < mostLogs {
				s.pointed = append(s.pointed, m[1])
			}
		}
		s.add(&s.after, line)
		s.follow = 0
		return
	case certain && index >= 0:
		s.tell(index, anywhere)
		s.add(&s.real, line)
		s.follow = 0
		return
	}
	if s.follow == 0 {
		return
	}
	if line == "" || message.MatchString(line) || stamp.MatchString(line) {
		s.follow = 0
		return
	}
	s.follow--
	s.add(&s.real, "  "+line)
}

// tcl takes the trace that Tcl prints behind an error: the message stands before
// it, and often nothing else marks it as an error.
func (s *scan) tcl(raw string) (taken bool) {
	if !s.trace && strings.TrimSpace(raw) != "while executing" {
		if strings.TrimSpace(raw) != "" {
			s.before = raw
		}
		return false
	}
	if !s.trace {
		s.trace = true
		message := clean(s.before)
		if message == "" || subjectOf(message) == consequence {
			return true
		}
		if index, _ := match(message); index >= 0 {
			s.tell(index, inReal)
		}
		s.add(&s.real, message)
		s.follow = mostFollow
		return true
	}
	if !strings.HasPrefix(raw, "    ") && !strings.HasPrefix(raw, "\"") {
		s.trace, s.follow, s.before = false, 0, raw
		return false
	}
	if s.follow > 0 && strings.TrimSpace(raw) != "invoked from within" {
		s.follow--
		s.add(&s.real, "  "+clean(raw))
		if tclFile.MatchString(raw) {
			s.follow = 0
		}
	}
	return true
}

var tclFile = regexp.MustCompile(`\(file "([^"]+)" line (\d+)\)`)

// tell notes a cause: the clearest counts, and of those the first.
func (s *scan) tell(cause, weight int) {
	if weight > s.weight {
		s.cause, s.weight = cause, weight
	}
}

// add keeps the first lines, each once.
func (s *scan) add(list *[]string, line string) {
	if len(*list) < mostLines && !slices.Contains(*list, line) {
		*list = append(*list, line)
	}
}

// clean is a line as it can be shown.
func clean(line string) string {
	line = strings.TrimSpace(Clean(line))
	if runes := []rune(line); len(runes) > mostWidth {
		line = string(runes[:mostWidth-1]) + "…"
	}
	return line
}

// places are how tools say where an error is: Vitis HLS, Vivado, compilers.
var places = []*regexp.Regexp{
	regexp.MustCompile(`\(([^()\s:]+):(\d+)(?::\d+)?\)\s*$`),
	regexp.MustCompile(`\[([^\[\]\s:]+):(\d+)\]\s*$`),
	regexp.MustCompile(`^([^\s:]+\.(?:c|cc|cpp|cxx|h|hpp|hh|v|sv|svh|vhd|tcl)):(\d+)(?::\d+)?: (?:fatal )?error`),
	tclFile,
}

// place is the first place that lines name.
func place(list []string) (file string, line int) {
	for _, l := range list {
		for _, p := range places {
			if m := p.FindStringSubmatch(l); m != nil {
				if n, err := strconv.Atoi(m[2]); err == nil {
					return m[1], n
				}
			}
		}
	}
	return "", 0
}
