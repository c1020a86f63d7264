package emit

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// per makes something of an owner once, for all who ask, and forgets it when the
// owner is gone. What it makes must not refer to the owner itself.
type per[O, T any] struct {
	build func(*O) (T, error)
	form  func(*O) string // tells states of one owner apart; nil if it has only one
	made  sync.Map        // perKey[O] → func() (T, error)
}

type perKey[O any] struct {
	owner weak.Pointer[O]
	form  string
}

// perGeneration is for what all platforms of a generation share.
type perGeneration[T any] = per[abi.Generation, T]

func (p *per[O, T]) of(owner *O) (T, error) {
	key := perKey[O]{owner: weak.Make(owner)}
	if p.form != nil {
		key.form = p.form(owner)
	}
	once, known := p.made.Load(key)
	if !known {
		once, known = p.made.LoadOrStore(key, sync.OnceValues(func() (T, error) { return p.build(owner) }))
		if !known {
			runtime.AddCleanup(owner, func(key perKey[O]) { p.made.Delete(key) }, key)
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
