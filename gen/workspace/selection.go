package workspace

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/cclforge/cclforge/gen/lang"
)

// Selection says which platforms are meant, and with which variables.
type Selection struct {
	// Only lists names or glob patterns, separated by commas; empty means all.
	Only string
	// Vars is one HCL object with values for variables, or empty.
	Vars string
}

// varsName is what diagnostics call the variables of a Selection.
const varsName = "-vars"

// resolve finds the platforms and variables of a selection.
func (w *Workspace) resolve(s Selection) ([]string, lang.Inputs, error) {
	names, err := Match(s.Only, w.library().PlatformNames())
	if err != nil {
		return nil, lang.Inputs{}, err
	}
	in, err := w.Inputs(varsName, s.Vars, names...)
	if err != nil {
		return nil, in, err
	}
	w.warnEnvironment(w.declared(names))
	return names, in, nil
}

// warnEnvironment says which variables of the environment have no effect.
func (w *Workspace) warnEnvironment(declared []lang.Variable) {
	known := namesOf(declared)
	for _, name := range environment() {
		if !slices.Contains(known, name) {
			w.Log("%s%s is set, but no selected platform has that variable. %s",
				lang.EnvPrefix, name, lang.Choices(name, known))
		}
	}
}

// environment lists the variables that the environment sets, sorted.
func environment() []string {
	var names []string
	for _, e := range os.Environ() {
		if name, ok := strings.CutPrefix(e, lang.EnvPrefix); ok {
			name, _, _ = strings.Cut(name, "=")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Match lists the names that any of the comma-separated patterns matches, in
// their order. It is an error if a pattern matches none.
func Match(patterns string, names []string) ([]string, error) {
	list := splitPatterns(patterns)
	if len(list) == 0 {
		return names, nil
	}
	chosen := map[string]bool{}
	var errs []error
	for _, pattern := range list {
		if !doublestar.ValidatePattern(pattern) {
			errs = append(errs, fmt.Errorf("%q is not a pattern; write for example 'u5*' or 'u{50,280}_tcp'", pattern))
			continue
		}
		any := false
		for _, name := range names {
			if doublestar.MatchUnvalidated(pattern, name) {
				chosen[name], any = true, true
			}
		}
		if !any {
			errs = append(errs, errors.New(noPlatform(pattern, names)))
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("%w\nPlatforms: %s", errors.Join(errs...), lang.Printable(strings.Join(names, ", ")))
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !chosen[name] }), nil
}

// Find says whether a platform of this name is among the names: nil, or an error as Match
// has it, which matches lang.ErrInvalid.
func Find(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return absent{fmt.Sprintf("%s\nPlatforms: %s", noPlatform(name, names), lang.Printable(strings.Join(names, ", ")))}
}

// absent says that there is no platform of a name.
type absent struct{ text string }

func (e absent) Error() string { return e.text }

func (e absent) Is(target error) bool { return target == lang.ErrInvalid }

func noPlatform(pattern string, names []string) string {
	text := fmt.Sprintf("no platform is called %q", pattern)
	if near := nearest(pattern, names); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
		for _, other := range near[1:] {
			text = strings.TrimSuffix(text, "?") + fmt.Sprintf(" or %q?", other)
		}
	}
	return text
}

// nearest lists the name that was probably meant, or all names with a similar beginning.
func nearest(pattern string, names []string) []string {
	if near := lang.Nearest(pattern, names); near != "" {
		return []string{near}
	}
	var beginnings []string
	for _, name := range names {
		beginnings = append(beginnings, name[:min(len(name), len(pattern))])
	}
	near := lang.Nearest(pattern, beginnings)
	if near == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, near) })
}

// splitPatterns splits at commas outside braces and drops empty parts.
func splitPatterns(text string) []string {
	depth := 0
	parts := strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return r == ',' && depth <= 0
	})
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
