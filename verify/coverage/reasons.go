package coverage

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsimple"
)

// Reason says why a line is not covered.
type Reason struct {
	Module string `hcl:"module,label"`
	Line   string `hcl:"line"` // its text, without space around it
	Reason string `hcl:"reason"`
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
	Number int    `json:"line"`
	Text   string `json:"text"`
	Reason string `json:"reason,omitempty"` // empty: nobody has said
}

// Gaps are the lines of modules that are not covered, with reasons, and the reasons
// of lines that are covered or not there any more.
func Gaps(modules []Module, known []Reason) (gaps []Gap, stale []string) {
	used := make([]bool, len(known))
	for _, m := range modules {
		for _, number := range m.Uncovered {
			gap := Gap{Module: m.Name, Number: number, Text: strings.TrimSpace(m.Source[number-1].Text)}
			for i, r := range known {
				if r.Module == m.Name && r.Line == gap.Text {
					gap.Reason, used[i] = r.Reason, true
				}
			}
			gaps = append(gaps, gap)
		}
	}
	for i, r := range known {
		if !used[i] {
			stale = append(stale, fmt.Sprintf("%s: %q is covered, or not there", r.Module, r.Line))
		}
	}
	return gaps, stale
}
