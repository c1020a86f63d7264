package coverage

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

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

// counted and percent are for readers; nothing that can be covered is not all of it.
func (s Share) counted() string {
	if s.All == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", s.Hit, s.All)
}

func (s Share) percent() string {
	if s.All == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", s.Percent())
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
	File     string `json:"file"` // in templates
	Lines    Share  `json:"lines"`
	Branches Share  `json:"branches"`
	Toggles  Share  `json:"toggles"`
	// Open is how many lines are not covered without a known reason.
	Open   int    `json:"open"`
	Source []Line `json:"-"`
}

// Line is one of a module's source.
type Line struct {
	// in the template if it is no text template; 0 if the file has it on other platforms than the one that is shown
	Number  int
	Text    string
	Counted bool // it is one that can be covered
	Hits    uint64
	// Never are the ways of its branches that were not gone, and its bits that did
	// not change.
	Never []string
}

// Covered tells whether the line has been gone through, if that counts.
func (l Line) Covered() bool { return !l.Counted || l.Hits > 0 }

// modules are sorted by file.
func (m *merger) modules() []Module {
	var all []Module
	for name, f := range m.files {
		all = append(all, f.module(name))
	}
	slices.SortFunc(all, func(a, b Module) int { return strings.Compare(a.File, b.File) })
	return all
}

func (f *file) module(name string) Module {
	module := Module{Name: strings.TrimSuffix(path.Base(name), ".sv"), File: name}
	shown := map[place]bool{}
	for i, s := range f.sources {
		for n, where := range s.places {
			hits, counted := f.lines[where]
			line := Line{Text: where.text, Counted: counted, Hits: hits, Never: never(f.points[where])}
			switch {
			case n < s.header:
				continue
			case i == 0:
				line.Number = n + 1 - s.header
			case shown[where] || !counted && len(f.points[where]) == 0:
				continue
			}
			shown[where] = true
			module.Source = append(module.Source, line)
			if counted {
				module.Lines.count(hits > 0)
			}
		}
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
	return module
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
		total.Open += m.Open
	}
	return total
}
