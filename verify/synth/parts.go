package synth

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// large is how many modules a kernel has that is mapped part by part: as a whole
// it takes too long. What lies between its parts is mapped with them as black boxes.
const large = 40

var (
	instance = regexp.MustCompile(`(?m)^\s+([a-z]\w*)\s+(?:#\(.*\)\s+)?[a-z]\w*\s+\($`)
	ports    = regexp.MustCompile(`(?s)\nmodule \w+ (?:#\(.*?\n\) )?\(.*?\n\);\n`)
)

// file is the file of a module.
func file(s Sources, module string) string {
	for name := range s {
		if path.Base(name) == module+".sv" {
			return name
		}
	}
	return ""
}

// instances are the modules of which a module has instances, among the sources.
func instances(s Sources, module string) []string {
	found := map[string]bool{}
	for _, m := range instance.FindAllSubmatch(s[file(s, module)], -1) {
		if name := string(m[1]); name != module && file(s, name) != "" {
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// modules counts those that a module is made of.
func modules(s Sources) int {
	n := 0
	for name := range s {
		if !strings.HasSuffix(name, "_pkg.sv") {
			n++
		}
	}
	return n
}

// Parts are the modules that a kernel is mapped by, beside what is around them:
// none if it is small. They are the instances in the first module that has more than
// one large one.
func Parts(k Kernel) []string {
	if modules(k.Sources) <= large {
		return nil
	}
	for at := k.Module; ; {
		below := instances(k.Sources, at)
		heavy := slices.DeleteFunc(slices.Clone(below), func(m string) bool { return modules(k.Sources.Below(m)) <= large })
		if len(heavy) != 1 {
			return below
		}
		at = heavy[0]
	}
}

// around are a kernel's sources with parts as black boxes.
func around(k Kernel, parts []string) Sources {
	own := maps.Clone(k.Sources)
	for _, part := range parts {
		name := file(own, part)
		header := ports.Find(own[name])
		own[name] = bytes.Join([][]byte{[]byte("`default_nettype none\n(* blackbox *)"), header,
			[]byte("endmodule\n`default_nettype wire\n")}, nil)
	}
	return own.Below(k.Module)
}
