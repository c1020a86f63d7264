package coverage

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsimple"
)

// Reason says why lines are not covered.
type Reason struct {
	Module   string   `hcl:"module,label"`
	Lines    []string `hcl:"lines,optional"`    // their text, without space around it
	Function string   `hcl:"function,optional"` // all lines of which it explains
	Reason   string   `hcl:"reason"`
}

//go:embed reasons.hcl
var reasons []byte

// Reasons are those that are known.
func Reasons() ([]Reason, error) {
	var known struct {
		Uncovered []Reason `hcl:"uncovered,block"`
	}
	if err := hclsimple.Decode("verify/coverage/reasons.hcl", reasons, nil, &known); err != nil {
		return nil, err
	}
	return known.Uncovered, nil
}

// Gap is a line that is not covered.
type Gap struct {
	Module string `json:"module"`
	Number int    `json:"line,omitempty"` // 0 if the file that is shown does not have it
	Text   string `json:"text"`
	Reason string `json:"reason,omitempty"` // empty: nobody has said
}

// Place is what a reader looks for.
func (g Gap) Place() string {
	if g.Number == 0 {
		return g.Module + " of another platform"
	}
	return fmt.Sprintf("%s:%d", g.Module, g.Number)
}

var (
	functionBegins = regexp.MustCompile(`^\s*function\b[^;(]*?(\w+)\s*[(;]`)
	functionEnds   = regexp.MustCompile(`\bendfunction\b`)
)

// Gaps are the lines of modules that are not covered, with reasons, and the reasons
// of lines that are covered or not there any more. What no run had is not judged.
func Gaps(modules []Module, known []Reason) (gaps []Gap, stale []string) {
	for i := range modules {
		m := &modules[i]
		mine := slices.DeleteFunc(slices.Clone(known), func(r Reason) bool { return r.Module != m.Name })
		used := map[string]bool{}
		m.Open = 0
		function := ""
		for _, l := range m.Source {
			if f := functionBegins.FindStringSubmatch(l.Text); f != nil {
				function = f[1]
			}
			if !l.Covered() {
				gap := Gap{Module: m.Name, Number: l.Number, Text: strings.TrimSpace(l.Text)}
				for _, r := range mine {
					if slices.Contains(r.Lines, gap.Text) {
						gap.Reason, used[gap.Text] = r.Reason, true
					}
					if r.Function != "" && r.Function == function {
						gap.Reason, used[function] = r.Reason, true
					}
				}
				if gap.Reason == "" {
					m.Open++
				}
				gaps = append(gaps, gap)
			}
			if functionEnds.MatchString(l.Text) {
				function = ""
			}
		}
		for _, r := range mine {
			for _, text := range append(slices.Clone(r.Lines), r.Function) {
				if text != "" && !used[text] {
					stale = append(stale, fmt.Sprintf("%s: %q is covered, or not there", m.Name, text))
				}
			}
		}
	}
	return gaps, stale
}
