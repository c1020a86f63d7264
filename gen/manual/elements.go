package manual

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/lang"
)

// element is something that a generation names and that texts can refer to.
type element struct {
	kind, name string
	doc        string
	docs       []string // of everything in it
	tables     func() []Table
	processor  bool // only the control processor sees it
	placed     bool
	set        *elements
}

func (e *element) is(kind, name string) bool { return e.kind == kind && e.name == name }

func (e *element) title() string {
	return strings.ToUpper(e.kind[:1]) + e.kind[1:] + " " + e.name
}

func (e *element) entry() Entry {
	return Entry{Title: Text(e.title()), Doc: e.set.prose(e.doc), Tables: e.tables()}
}

// elements are all of a generation, with an index for references.
type elements struct {
	list  []*element
	index map[string]*element // by kind and name
}

func (s *elements) add(e *element) {
	e.set = s
	s.list = append(s.list, e)
	s.index[e.kind+" "+e.name] = e
}

// reference matches how texts refer to elements: "enum operation".
var reference = regexp.MustCompile(`(?i)\b(enum|bit set|layout|record|registers|memory) ([a-z][a-z0-9_]*)\b`)

// Referred is the first element of a kind, such as enum, to which a text refers; "" if there is none.
func Referred(kind, text string) (name string) {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		if strings.EqualFold(m[1], kind) {
			return m[2]
		}
	}
	return ""
}

func (s *elements) referred(match string) *element {
	i := strings.LastIndexByte(match, ' ')
	return s.index[strings.ToLower(match[:i])+match[i:]]
}

// prose writes a text with links where it refers to elements.
func (s *elements) prose(text string) string {
	text = lang.OneLine(text)
	var b strings.Builder
	next := 0
	for _, at := range reference.FindAllStringIndex(text, -1) {
		e := s.referred(text[at[0]:at[1]])
		if e == nil {
			continue
		}
		b.WriteString(escape(text[next:at[0]]))
		fmt.Fprintf(&b, "[%s](#%s)", escape(text[at[0]:at[1]]), anchor(e.title()))
		next = at[1]
	}
	b.WriteString(escape(text[next:]))
	return b.String()
}

// withReferences lists elements, each followed by those that its texts refer
// to, and marks them as placed. What begins a chapter waits for it.
func (s *elements) withReferences(roots []*element, begins func(*element) bool) []*element {
	var out []*element
	var visit func(e *element)
	visit = func(e *element) {
		if e.placed {
			return
		}
		e.placed = true
		out = append(out, e)
		for _, doc := range append([]string{e.doc}, e.docs...) {
			for _, match := range reference.FindAllString(doc, -1) {
				if to := s.referred(match); to != nil && (begins(to) || !to.beginsChapter()) {
					visit(to)
				}
			}
		}
	}
	for _, e := range roots {
		visit(e)
	}
	return out
}

func (e *element) beginsChapter() bool {
	return slices.ContainsFunc(chapters[:len(chapters)-1], func(c plan) bool { return c.begin(e) })
}
