package block

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// defect is a change of a module's text that ought to be a mistake.
type defect struct {
	at       int
	old, new string
	line     int
	before   string
}

func (d defect) String() string {
	return fmt.Sprintf("line %d, %q becomes %q: %s", d.line, d.old, d.new, d.before)
}

func (d defect) plant(text string) string { return text[:d.at] + d.new + text[d.at+len(d.old):] }

// rules are changes: what matches the group becomes one of the others.
var rules = []struct {
	find *regexp.Regexp
	with func(old string) []string
}{
	{regexp.MustCompile(`( == )`), always(" != ")},
	{regexp.MustCompile(`( != )`), always(" == ")},
	{regexp.MustCompile(`( && )`), always(" || ")},
	{regexp.MustCompile(`( \|\| )`), always(" && ")},
	{regexp.MustCompile(` (&) `), always("|")},
	{regexp.MustCompile(` (\|) `), always("&")},
	{regexp.MustCompile(`[ (](<) `), always("<=", ">")},
	{regexp.MustCompile(`[ (](>=?) `), always("<")},
	{regexp.MustCompile(` (\+) `), always("-")},
	{regexp.MustCompile(` (-) `), always("+")},
	{regexp.MustCompile(`[ (]([!~])[\w(]`), always("")},
	{regexp.MustCompile(`<= ('0|1'b0);`), always("'1")},
	{regexp.MustCompile(`<= (1'b1);`), always("1'b0")},
	{regexp.MustCompile(`\bif (\()`), always("(!")},
	{regexp.MustCompile(`(\w+(?:\[[^\]\n]*\])?\s*<= [^;\n]*;)`), always(";")}, // an assignment is missing
	{regexp.MustCompile(`\s(\.\w+(?:\([^()\n]*\))?)[,\n]`), func(old string) []string { // nothing is connected
		name, _, _ := strings.Cut(old, "(")
		return []string{name + "()"}
	}},
	{regexp.MustCompile(`<= (\w+ \? )`), func(old string) []string { return []string{"!" + old} }},
}

func always(with ...string) func(string) []string {
	return func(string) []string { return with }
}

// defects are the places of a module where a change ought to be a mistake:
// behind its header, and not in comments.
func defects(text string) []defect {
	body := strings.Index(text, "\n);")
	if body < 0 {
		body = 0
	}
	unseen := hidden(text)
	var all []defect
	for _, rule := range rules {
		for _, m := range rule.find.FindAllStringSubmatchIndex(text, -1) {
			at, end := m[2], m[3]
			line := text[strings.LastIndex(text[:at], "\n")+1:]
			line, _, _ = strings.Cut(line, "\n")
			start := at - (strings.LastIndex(text[:at], "\n") + 1)
			if c := strings.Index(line, "//"); at < body || c >= 0 && start > c || strings.Contains(line, "localparam") ||
				strings.Contains(line, "for (") || unseen[strings.Count(text[:at], "\n")] {
				continue
			}
			for _, with := range rule.with(text[at:end]) {
				all = append(all, defect{at, text[at:end], with, 1 + strings.Count(text[:at], "\n"), strings.TrimSpace(line)})
			}
		}
	}
	return all
}

// hidden are the lines that Verilator does not see.
func hidden(text string) []bool {
	var lines, around []bool // a condition that does not hold, for each that is open
	for line := range strings.Lines(text) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch what {
		case "`ifdef", "`ifndef":
			around = append(around, (strings.TrimSpace(name) == "VERILATOR") != (what == "`ifdef"))
		case "`else":
			around[len(around)-1] = !around[len(around)-1]
		case "`endif":
			around = around[:len(around)-1]
		}
		lines = append(lines, slices.Contains(around, true))
	}
	return lines
}
