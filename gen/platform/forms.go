package platform

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// Forms lists the forms that a kernel has, the one that is chosen unless the
// platform says otherwise first.
func (k *Kernel) Forms() []string {
	forms := []string{k.Source}
	if k.HLS != nil && k.Source != SourceHLS {
		forms = append(forms, SourceHLS)
	}
	if k.XO != nil && k.Source != SourceXO {
		forms = append(forms, SourceXO)
	}
	return forms
}

// sources checks which forms of its kernels a platform chooses.
func (b *loader) sources() {
	places := keyRanges(b.block.Body, "source")
	for _, kernel := range sortedKeys(b.block.Source) {
		rng := orElse(places[kernel], b.block.SourceRange)
		k, ok := b.lib.Kernels[kernel]
		form := b.block.Source[kernel]
		switch {
		case b.uses(kernel), b.notAbstract(rng, kernel):
		case !ok:
			b.errorf(rng, "Unknown kernel", "There is no kernel %q. %s", kernel, lang.Choices(kernel, sortedKeys(b.lib.Kernels)))
		case !slices.Contains(k.Forms(), form):
			b.p.Sound = false
			b.errorf(rng, "Unknown form", "Kernel %s does not exist as %q. %s", kernel, form, lang.Choices(form, k.Forms()))
		}
	}
}

// notAbstract reports that a kernel is only there for others to be like, if it
// is, and whether it is.
func (b *loader) notAbstract(rng hcl.Range, name string) bool {
	if _, abstract := b.lib.abstract[name]; !abstract {
		return false
	}
	b.errorf(rng, "Abstract kernel", "%q cannot be linked. Kernels can be like it: kernel \"mine\" { like = %q }.",
		name, name)
	return true
}
