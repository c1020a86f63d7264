package platform

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

func checkName(rng hcl.Range, what, name string) hcl.Diagnostics {
	if !lang.Identifier(name) {
		return hcl.Diagnostics{notIdentifier(rng, what, name)}
	}
	// "in" and "out" are keywords of SystemVerilog in no position that a port
	// of a linked kernel takes there, and users' kernels have such ports.
	if language, is := lang.Keyword(name); is && what != "port" {
		return hcl.Diagnostics{lang.Errorf(rng, "Reserved word", "%q cannot name a %s: it is a keyword of %s.",
			name, what, language)}
	}
	return nil
}

func notIdentifier(rng hcl.Range, what, name string) *hcl.Diagnostic {
	return lang.Errorf(rng, "Invalid name",
		"%q cannot name a %s: names start with a letter and have letters, digits and underscores.", name, what)
}

func duplicate(rng hcl.Range, what, name string, prev hcl.Range) *hcl.Diagnostic {
	return lang.Errorf(rng, "Duplicate name", "The %s %q is already described in %s, line %d.", what, name, prev.Filename,
		prev.Start.Line)
}

// blockNames are the names of blocks of a kind, with where each is described first.
type blockNames map[string]hcl.Range

// take checks the name of a block, which no other block of its kind may have.
func (b blockNames) take(rng hcl.Range, what, name string) hcl.Diagnostics {
	diags := checkName(rng, what, name)
	if first, dup := b[name]; dup {
		return append(diags, duplicate(rng, what, name, first))
	}
	b[name] = rng
	return diags
}

func oneOf(rng hcl.Range, attr, value string, allowed []string) hcl.Diagnostics {
	if slices.Contains(allowed, value) {
		return nil
	}
	return hcl.Diagnostics{lang.Errorf(rng, "Unknown value", "%s cannot be %q. %s", attr, value,
		lang.Choices(value, allowed))}
}

func orElse(rng, other hcl.Range) hcl.Range {
	if rng.Filename == "" {
		return other
	}
	return rng
}
