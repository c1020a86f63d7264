package abi

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

var generationName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// Load reads the interface generations of a folder. Blocks extend one another
// across files; abstract ones are not returned. All errors are reported, in
// order of place. A generation with errors is returned as far as it could be
// read.
func Load(files []*lang.File, parser *lang.Parser) (map[string]*Generation, hcl.Diagnostics) {
	blocks, diags := readBlocks(files, parser)
	l := &loader{blocks: blocks, documented: map[hcl.Range]bool{}}
	generations := map[string]*Generation{}
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		line, whole, d := l.bases(name)
		diags = append(diags, d...)
		if blocks[name].flag("abstract") {
			continue
		}
		merged := blocks[line[0]]
		for _, next := range line[1:] {
			merged = blocks[next].merge(merged)
		}
		generation, d := l.build(merged, line, whole)
		generations[name] = generation
		diags = append(diags, d...)
	}
	diags = append(diags, l.unusedDocs()...)
	return generations, lang.Sorted(diags)
}

func readBlocks(files []*lang.File, parser *lang.Parser) (map[string]*node, hcl.Diagnostics) {
	blocks := map[string]*node{}
	var diags hcl.Diagnostics
	schema := &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: abiKind.block, LabelNames: []string{"name"}}}}
	for _, file := range files {
		// What a generation means must not depend on who reads it.
		scope, d := file.Open(lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }}, parser)
		diags = append(diags, d...)
		content, d := scope.Body.Content(schema)
		diags = append(diags, d...)
		for _, b := range content.Blocks {
			n, d := readNode(abiKind, b.Labels[0], b, scope.Context)
			diags = append(diags, d...)
			if !generationName.MatchString(n.label) {
				diags = append(diags, lang.Errorf(n.labelRng, "Invalid name",
					"%q cannot name an interface generation: write small letters, digits and single dashes, starting with a "+
						"letter, for example accl-2024.", n.label))
			}
			if prev, dup := blocks[n.label]; dup {
				diags = append(diags, lang.Errorf(n.labelRng, "Duplicate name",
					"The interface generation %q already stands in %s.", n.label, place(prev.labelRng, n.labelRng)))
				continue
			}
			blocks[n.label] = n
		}
	}
	return blocks, diags
}

// loader turns blocks into generations.
type loader struct {
	blocks map[string]*node
	// documented are the entries of docs that describe a word of some
	// generation.
	documented map[hcl.Range]bool
}

// bases lists what a block consists of: what it extends, in order and each
// once, and itself last. It is whole if all that it extends is there.
func (l *loader) bases(name string) (line []string, whole bool, diags hcl.Diagnostics) {
	var path []string
	whole = true
	var visit func(string)
	visit = func(name string) {
		if slices.Contains(line, name) {
			return
		}
		path = append(path, name)
		extends, _ := l.blocks[name].usable("extends")
		for i, base := range extends.strings() {
			rng := extends.element(i)
			if l.blocks[base] == nil {
				whole = false
				diags = append(diags, lang.Errorf(rng, "Unknown interface generation",
					"%q is not described. %s", base, lang.Choices(base, slices.Collect(maps.Keys(l.blocks)))))
			} else if start := slices.Index(path, base); start >= 0 {
				whole = false
				// Every member of a cycle finds it; its first name reports it.
				if cycle := path[start:]; slices.Min(cycle) == cycle[0] {
					diags = append(diags, lang.Errorf(rng, "Extends itself",
						"%q extends itself: %s -> %s.", base, strings.Join(cycle, " -> "), base))
				}
			} else {
				visit(base)
			}
		}
		path = path[:len(path)-1]
		line = append(line, name)
	}
	visit(name)
	return line, whole, diags
}

// unusedDocs reports entries of docs that describe nothing.
func (l *loader) unusedDocs() hcl.Diagnostics {
	var diags hcl.Diagnostics
	var visit func(*node)
	visit = func(n *node) {
		docs := n.maps["docs"]
		for _, word := range slices.Sorted(maps.Keys(docs)) {
			if s := docs[word]; !l.documented[s.rng] {
				diags = append(diags, lang.Errorf(s.rng, "Unknown word", "%q is documented, but %s has no word of this name.",
					word, n))
			}
		}
		for _, c := range n.children {
			visit(c)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.blocks)) {
		visit(l.blocks[name])
	}
	return diags
}
