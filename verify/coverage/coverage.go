// Package coverage says which lines of the hardware's description simulations have
// been through, which ways they have gone at branches, and which bits have changed,
// over all runs that left their counts in a directory (verilate.CoverageVariable).
//
// Lines are those of always blocks and functions; what continuous assignments do is
// seen from the bits. Platforms and parameters are taken together: what one of them
// covers is covered.
package coverage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cclforge/cclforge/templates"
)

// ErrForm says that a file is not what a model leaves when it ends.
var ErrForm = errors.New("not what a model leaves of its coverage")

// Share is how much of something was covered.
type Share struct {
	Hit int `json:"hit"`
	All int `json:"all"`
}

// Percent is 100 if there is nothing to cover.
func (s Share) Percent() float64 {
	if s.All == 0 {
		return 100
	}
	return 100 * float64(s.Hit) / float64(s.All)
}

func (s *Share) count(hit bool) {
	s.All++
	if hit {
		s.Hit++
	}
}

func (s *Share) add(o Share) {
	s.Hit += o.Hit
	s.All += o.All
}

// Module is what was covered of a module, which is a file.
type Module struct {
	Name     string `json:"name"`
	File     string `json:"file"` // in templates/rtl
	Lines    Share  `json:"lines"`
	Branches Share  `json:"branches"`
	Toggles  Share  `json:"toggles"`
	Source   []Line `json:"-"`
	// Uncovered are numbers of lines.
	Uncovered []int `json:"uncovered,omitempty"`
}

// Line is one of a module's source.
type Line struct {
	Text    string
	Counted bool // it is one that can be covered
	Hits    uint64
	// Never are the ways of its branches that were not gone, and its bits that did
	// not change.
	Never []string
}

const (
	pointsSuffix = ".points"
	hitsSuffix   = ".hits"
	hardware     = "rtl" // folder of the templates
	models       = "sim" // folder in it of what stands around the hardware
)

// Read merges everything that a directory holds into modules, by file.
func Read(dir string) ([]Module, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*"+pointsSuffix))
	if err != nil {
		return nil, err
	}
	m := merger{files: map[string]*file{}, sources: map[string]*source{}}
	for _, name := range names {
		if err := m.process(strings.TrimSuffix(name, pointsSuffix)); err != nil {
			return nil, fmt.Errorf("read the coverage of %s: %w", filepath.Base(name), err)
		}
	}
	return m.modules(), nil
}

// place is a line, whatever its number is on one platform or another: its text, and
// how many the same are before it.
type place struct {
	text   string
	before int
}

// point is one of a line.
type point struct {
	column        int
	page, comment string
}

type file struct {
	shown  *source
	lines  map[place]uint64
	points map[place]map[point]uint64
}

// source is a file as it was rendered.
type source struct {
	name   string // path in templates/rtl; empty if it is not hardware of ours
	lines  []string
	places []place
}

type merger struct {
	files   map[string]*file   // by path in templates/rtl
	sources map[string]*source // by path
}

// process adds what a process has left of one library.
func (m *merger) process(name string) error {
	hits, err := os.ReadFile(name + hitsSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no model has ended
	}
	if err != nil {
		return err
	}
	points, err := os.Open(name + pointsSuffix)
	if err != nil {
		return err
	}
	defer points.Close()
	lines := bufio.NewScanner(points)
	n := 0
	for ; lines.Scan(); n++ {
		if len(hits) < 8*(n+1) {
			return fmt.Errorf("%w: more points than counts", ErrForm)
		}
		if err := m.point(lines.Text(), binary.LittleEndian.Uint64(hits[8*n:])); err != nil {
			return fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if lines.Err() == nil && len(hits) != 8*n {
		return fmt.Errorf("%w: %d points, %d bytes of counts", ErrForm, n, len(hits))
	}
	return lines.Err()
}

func (m *merger) point(line string, hits uint64) error {
	fields := strings.Split(line, "\t")
	if len(fields) != 6 {
		return fmt.Errorf("%w: %d fields, not 6", ErrForm, len(fields))
	}
	from, comment, stands := fields[0], fields[4], fields[5]
	page, _, _ := strings.Cut(fields[3], "/")
	at, err := strconv.Atoi(fields[1])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	column, err := strconv.Atoi(fields[2])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForm, err)
	}
	t, err := m.source(from)
	if err != nil || t.name == "" {
		return err
	}
	f := m.files[t.name]
	if f == nil {
		f = &file{shown: t, lines: map[place]uint64{}, points: map[place]map[point]uint64{}}
		m.files[t.name] = f
	}
	if at < 1 || at > len(t.places) {
		return fmt.Errorf("%w: %s has no line %d", ErrForm, from, at)
	}
	where := t.places[at-1]
	if page != linePage {
		if f.points[where] == nil {
			f.points[where] = map[point]uint64{}
		}
		f.points[where][point{column, page, comment}] += hits
	}
	if page == togglePage {
		return nil
	}
	numbers, err := ranges(stands)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n < 1 || n > len(t.places) {
			return fmt.Errorf("%w: %s has no line %d", ErrForm, from, n)
		}
		f.lines[t.places[n-1]] += hits
	}
	return nil
}

// Verilator's pages.
const (
	linePage   = "v_line"
	branchPage = "v_branch"
	togglePage = "v_toggle"
)

// ranges reads "3,5-7".
func ranges(s string) ([]int, error) {
	var found []int
	if s == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		low, high, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(low)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrForm, err)
		}
		last := first
		if isRange {
			if last, err = strconv.Atoi(high); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrForm, err)
			}
		}
		for n := first; n <= last; n++ {
			found = append(found, n)
		}
	}
	return found, nil
}

// inTemplates is the path of a rendered file in templates/rtl; empty if it is not
// hardware of ours. Benches of single modules name a file without its folder.
func inTemplates(from string) string {
	folder, base := filepath.Base(filepath.Dir(from)), filepath.Base(from)
	if !filepath.IsAbs(from) {
		folder = "*"
	}
	found, err := fs.Glob(templates.FS, path.Join(hardware, folder, base+"*"))
	if err != nil || len(found) != 1 || strings.TrimSuffix(path.Base(found[0]), ".tmpl") != base {
		return ""
	}
	name := strings.TrimSuffix(strings.TrimPrefix(found[0], hardware+"/"), ".tmpl")
	if path.Dir(name) == models {
		return ""
	}
	return name
}

// source reads a file, which stands in templates/rtl as it is if nobody says where it
// was rendered.
func (m *merger) source(from string) (*source, error) {
	if t := m.sources[from]; t != nil {
		return t, nil
	}
	t := &source{name: inTemplates(from)}
	if t.name != "" {
		content, err := os.ReadFile(from)
		if !filepath.IsAbs(from) {
			content, err = fs.ReadFile(templates.FS, path.Join(hardware, t.name))
		}
		if err != nil {
			return nil, err
		}
		t.lines = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	}
	seen := map[string]int{}
	for _, line := range t.lines {
		t.places = append(t.places, place{line, seen[line]})
		seen[line]++
	}
	m.sources[from] = t
	return t, nil
}

// modules are sorted by file.
func (m *merger) modules() []Module {
	var all []Module
	for name, f := range m.files {
		module := Module{Name: strings.TrimSuffix(path.Base(name), ".sv"), File: name}
		for i, text := range f.shown.lines {
			where := f.shown.places[i]
			hits, counted := f.lines[where]
			line := Line{Text: text, Counted: counted, Hits: hits, Never: never(f.points[where])}
			if counted {
				module.Lines.count(hits > 0)
				if hits == 0 {
					module.Uncovered = append(module.Uncovered, i+1)
				}
			}
			module.Source = append(module.Source, line)
		}
		for _, points := range f.points {
			for p, hits := range points {
				if p.page == togglePage {
					module.Toggles.count(hits > 0)
				} else {
					module.Branches.count(hits > 0)
				}
			}
		}
		all = append(all, module)
	}
	slices.SortFunc(all, func(a, b Module) int { return strings.Compare(a.File, b.File) })
	return all
}

func never(points map[point]uint64) []string {
	var names []string
	for p, hits := range points {
		if hits == 0 && !slices.Contains(names, p.comment) {
			names = append(names, p.comment)
		}
	}
	slices.Sort(names)
	return names
}

// Total is the sum of modules.
func Total(modules []Module) Module {
	total := Module{Name: "all"}
	for _, m := range modules {
		total.Lines.add(m.Lines)
		total.Branches.add(m.Branches)
		total.Toggles.add(m.Toggles)
	}
	return total
}
