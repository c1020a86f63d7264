package emit

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// ErrCollision says that two things of a description would have one name in
// the code made from it.
var ErrCollision = errors.New("names collide")

// language says how names and numbers are written.
type language struct {
	name string
	// identify names a symbol; the scope is "" where names stand by themselves.
	identify func(g *group, path []string) (scope, name string)
	// literal writes a number, and the type of its declaration if the language
	// wants one.
	literal func(s symbol) (typ, value string)
}

// wording is a group in the words of a language.
type wording struct {
	*group
	Scope   string
	Entries []entry
}

// Title introduces the group.
func (w wording) Title() string {
	if w.Name == "" || w.Name == platformName {
		return w.Doc
	}
	return w.Name + ": " + w.Doc
}

// Enum reports whether the symbols exclude each other.
func (w wording) Enum() bool { return w.Kind == enumKind }

// withoutWords drops what only code that handles 32-bit words has use for.
func (w *wording) withoutWords() {
	w.Entries = slices.DeleteFunc(w.Entries, func(e entry) bool { return e.Word })
}

// entry is a symbol in the words of a language. It is flat, because there are
// many of them and templates find plain fields fastest.
type entry struct {
	Name, Type, Literal, Doc string
	Key                      string // its own name in the description
	Value                    uint64
	IsList                   bool
	Internal, Derived, Word  bool // as in symbol
}

// wordings writes groups in a language, and claims their names.
func (l language) wordings(groups []group, names *identifiers) ([]wording, error) {
	out := make([]wording, len(groups))
	var errs []error
	for i := range groups {
		g := &groups[i]
		out[i] = wording{group: g, Entries: make([]entry, 0, len(g.Symbols))}
		if g.Name != "" {
			out[i].Scope, _ = l.identify(g, []string{g.Name})
		}
		for _, s := range g.Symbols {
			scope, name := l.identify(g, s.Path)
			typ, value := l.literal(s)
			out[i].Entries = append(out[i].Entries, entry{
				Name: name, Type: typ, Literal: value, Doc: s.Doc, Key: s.Path[len(s.Path)-1], Value: s.Value,
				IsList:   s.List != nil,
				Internal: s.Internal, Derived: s.Derived, Word: s.Word,
			})
			errs = append(errs, names.claim(scope, name, claimant{s.Path, s.From}))
		}
	}
	return out, errors.Join(errs...)
}

// identifiers are the names taken in a file or package, and in what it builds
// on.
type identifiers struct {
	language string
	base     *identifiers
	taken    map[string]claimant
}

// claimant is what a name stands for, and where that is described.
type claimant struct {
	path []string
	from hcl.Range
}

func (c claimant) String() string {
	if c.from.Filename == "" {
		return strings.Join(c.path, " ")
	}
	return fmt.Sprintf("%s (%s, line %d)", strings.Join(c.path, " "), path.Base(c.from.Filename), c.from.Start.Line)
}

func newIdentifiers(l language, base *identifiers) *identifiers {
	return &identifiers{l.name, base, map[string]claimant{}}
}

// reserve claims names that templates use themselves.
func (i *identifiers) reserve(names ...string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, i.claim("", name, claimant{path: []string{"the name", name, "of every file"}}))
	}
	return errors.Join(errs...)
}

func (i *identifiers) claim(scope, name string, by claimant) error {
	if scope != "" {
		name = scope + "::" + name
	}
	for level := i; level != nil; level = level.base {
		if other, taken := level.taken[name]; taken {
			return fmt.Errorf("%w: %s and %s would both be %s in %s; rename one of them", ErrCollision,
				other, by, name, i.language)
		}
	}
	i.taken[name] = by
	return nil
}
