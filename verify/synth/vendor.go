package synth

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

const (
	models      = "sim"
	modelPrefix = "sim_" // of what only simulations have
)

// Vendor are the modules of others that a kernel instantiates, with what simulations
// have in their place, among all sources of the platform; the files that those are
// made of come with them.
func (k Kernel) Vendor(all Sources) Sources {
	found := Sources{}
	for name, text := range k.Sources {
		if path.Dir(name) == models {
			continue
		}
		for _, word := range identifier.FindAll(code(text), -1) {
			model := path.Join(models, string(word)+suffix)
			if strings.HasPrefix(string(word), modelPrefix) ||
				!bytes.Contains(all[model], []byte("\nmodule "+string(word)+" ")) {
				continue
			}
			for needed, text := range all.below(model) {
				if k.Sources[needed] == nil {
					found[needed] = text
				}
			}
		}
	}
	return found
}

var header = regexp.MustCompile(`(?s)^(?:\s*(?://[^\n]*|` + "`" + `default_nettype none)?\n)*(module \w+ \(.*?\n\);\n)`)

// BlackBoxes are the same modules as synthesis sees them: ports without content.
func (k Kernel) BlackBoxes(all Sources) Sources {
	found := Sources{}
	for name, text := range k.Vendor(all) {
		word := strings.TrimSuffix(path.Base(name), suffix)
		if h := header.FindSubmatch(text); h != nil && k.names(word) {
			found[name] = bytes.Join([][]byte{[]byte("(* blackbox *)\n"), h[1], []byte("endmodule\n")}, nil)
		}
	}
	return found
}

// names tells whether a kernel's own sources have a word.
func (k Kernel) names(word string) bool {
	for _, text := range k.Sources {
		for _, w := range identifier.FindAll(code(text), -1) {
			if string(w) == word {
				return true
			}
		}
	}
	return false
}
