package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver"
	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen"
	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/templates"
)

// embedded is everything but the descriptions that decides what is generated, by
// the folder where it lies: the generator's sources, the templates, the types of
// the driver that it fills in, and the firmware that memories are filled with.
var embedded = map[string]fs.FS{
	"driver": driver.Sources, "firmware": firmware.Images, "gen": gen.Sources, "templates": templates.FS,
}

// generator is a digest of what is embedded, and of the versions of the modules
// that read and render. It is the same on every machine.
var generator = sync.OnceValue(func() string {
	h := sha256.New()
	for _, folder := range slices.Sorted(maps.Keys(embedded)) {
		for _, name := range sources(embedded[folder]) {
			text, _ := fs.ReadFile(embedded[folder], name) // an embedded file can always be read
			part(h, name, text)
		}
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if slices.Contains(rendering, m.Path) {
				if m.Replace != nil {
					m = m.Replace
				}
				part(h, m.Path, []byte(m.Version))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
})

// rendering are the modules whose version can change what is generated.
var rendering = []string{
	"github.com/Masterminds/sprig/v3",
	"github.com/hashicorp/hcl/v2",
	"github.com/yuin/goldmark",
	"github.com/zclconf/go-cty",
}

// sources lists the files of an embedded tree that reach the program, sorted.
func sources(tree fs.FS) []string {
	var names []string
	// Walking embedded files does not fail.
	_ = fs.WalkDir(tree, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
		return err
	})
	return names
}

// part adds a named text to a digest so that no two sequences of parts look
// alike.
func part(h hash.Hash, name string, text []byte) {
	fmt.Fprintf(h, "%d %s %d ", len(name), name, len(text))
	h.Write(text)
	h.Write([]byte("\n"))
}

// sums remembers the hashes of files by name. It is safe for concurrent use.
type sums struct{ known sync.Map }

func (s *sums) of(name string, text []byte) string {
	if sum, ok := s.known.Load(name); ok {
		return sum.(string)
	}
	sum := output.Hash(text)
	s.known.Store(name, sum)
	return sum
}

// digest is one number for a set of files.
func (s *sums) digest(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		part(h, name, []byte(s.of(name, files[name])))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// templateRoot is how inputs name the folder of the templates.
const templateRoot = "templates/"

// inputs hashes the inputs of a set of files by name, sorted.
func (s *sums) inputs(names []string, descriptions map[string][]byte) ([]output.Input, error) {
	out := []output.Input{}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		sum, ok := s.known.Load(name)
		if !ok {
			text, ok := descriptions[name]
			if rest, isTemplate := strings.CutPrefix(name, templateRoot); !ok && isTemplate {
				var err error
				if text, err = fs.ReadFile(templates.FS, rest); err != nil {
					return nil, fmt.Errorf("hash the input %s: %w", name, err)
				}
			} else if !ok {
				return nil, fmt.Errorf("hash the input %s: it is neither a description nor a template", name)
			}
			sum = s.of(name, text)
		}
		out = append(out, output.Input{Name: name, SHA256: sum.(string)})
	}
	return out, nil
}
