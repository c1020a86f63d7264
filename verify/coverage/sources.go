package coverage

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/templates"
)

const models = "rtl/sim" // folder of the templates with what stands around the hardware

// folders of the templates hold hardware in folders of its own.
var folders = []string{"rtl", ""}

// place is a line, whatever its number is on one platform or another: its text, and
// how many the same are before it.
type place struct {
	text   string
	before int
}

// source is a file as it was rendered.
type source struct {
	name   string // path in templates; empty if it is not hardware of ours
	header int    // lines before those of the template
	places []place
}

// inTemplates is the path of a rendered file in templates; empty if it is not
// hardware of ours. Files without a folder are those with planted defects.
func inTemplates(from string) string {
	if !filepath.IsAbs(from) {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(from), "/")
	for _, folder := range folders {
		for inside := 2; inside <= 3 && inside <= len(parts); inside++ { // large kernels have folders of their parts
			name := path.Join(folder, path.Join(parts[len(parts)-inside:]...))
			for _, suffix := range []string{"", ".tmpl"} {
				if _, err := fs.Stat(templates.FS, name+suffix); err == nil && path.Dir(name) != models {
					return name
				}
			}
		}
	}
	return ""
}

func (m *merger) source(from string) (*source, error) {
	if t := m.sources[from]; t != nil {
		return t, nil
	}
	t := &source{name: inTemplates(from)}
	if t.name != "" {
		text, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		key := t.name + "\n" + string(text)
		if m.texts[key] == nil {
			m.texts[key] = t
			t.read(string(text))
		}
		t = m.texts[key]
	}
	m.sources[from] = t
	return t, nil
}

const generated = "// Code generated "

func (s *source) read(text string) {
	if header, _, found := strings.Cut(text, "\n\n"); found && strings.HasPrefix(header, generated) {
		s.header = strings.Count(header, "\n") + 2
	}
	seen := map[string]int{}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		s.places = append(s.places, place{line, seen[line]})
		seen[line]++
	}
}

var (
	comments     = regexp.MustCompile(`//[^\n]*`)
	moduleHeader = regexp.MustCompile(`(?m)^module\s`)
	blocks       = regexp.MustCompile(`\b(always_\w+|function|initial)\b`)
)

// Missing are the files of the hardware with modules of which nothing was counted, by
// their path in templates. Of those that have no blocks there are only bits to count.
func Missing(modules []Module) ([]string, error) {
	var missing []string
	bits := Total(modules).Toggles.All > 0
	err := fs.WalkDir(templates.FS, ".", func(name string, _ fs.DirEntry, err error) error {
		file := strings.TrimSuffix(name, ".tmpl")
		// What stands in no folder of its own is rendered for one platform.
		if err != nil || path.Ext(file) != ".sv" || path.Dir(file) == models || path.Dir(file) == folders[0] {
			return err
		}
		if slices.ContainsFunc(modules, func(m Module) bool { return m.File == file }) {
			return nil
		}
		text, err := fs.ReadFile(templates.FS, name)
		if moduleHeader.Match(text) && (bits || blocks.Match(comments.ReplaceAll(text, nil))) {
			missing = append(missing, file)
		}
		return err
	})
	return missing, err
}
