package emit

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// perGeneration makes something of a generation once, for all its platforms,
// and forgets it when the generation is gone. What it makes must not refer to
// the generation itself.
type perGeneration[T any] struct {
	build func(*abi.Generation) (T, error)
	made  sync.Map // weak.Pointer[abi.Generation] → func() (T, error)
}

func (p *perGeneration[T]) of(g *abi.Generation) (T, error) {
	key := weak.Make(g)
	once, known := p.made.Load(key)
	if !known {
		once, known = p.made.LoadOrStore(key, sync.OnceValues(func() (T, error) { return p.build(g) }))
		if !known {
			runtime.AddCleanup(g, func(key weak.Pointer[abi.Generation]) { p.made.Delete(key) }, key)
		}
	}
	return once.(func() (T, error))()
}

// common is the part of a rendering that all platforms of a generation share.
type common struct {
	text  string
	names *identifiers
}

// platformInputs lists the descriptions of a design and the templates of a
// file.
func platformInputs(d *design.Design, used ...string) []string {
	return withTemplates(slices.Clone(d.Files), used)
}

// generationInputs lists the descriptions of a generation and the templates of
// a file.
func generationInputs(g *abi.Generation, used ...string) []string {
	files := []string{g.Range.Filename}
	for _, group := range vocabulary(g) {
		for _, s := range group.Symbols {
			files = append(files, s.From.Filename)
		}
	}
	slices.Sort(files)
	return withTemplates(slices.Compact(files), used)
}

func withTemplates(files, used []string) []string {
	for _, name := range used {
		files = append(files, "templates/"+name)
	}
	return files
}
