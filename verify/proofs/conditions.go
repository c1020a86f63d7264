package proofs

import (
	"fmt"
	"regexp"
	"strings"
)

// conditional is how yosys writes an assertion that has a name: what is to hold,
// and under which condition.
var conditional = regexp.MustCompile(
	`(?m)^; yosys-smt2-assert \d+ ([^\s$]+)\n\(define-fun \|proof_a \d+\| (\(\(state \|proof_s\|\)\)) Bool \(or .* \(not (.*)\)\)\) ;.*\n`)

// withConditions makes a situation of the condition of each assertion that has a
// name: if it never came about, the assertion would say nothing. Invariants have
// no names.
func withConditions(smt2 string) string {
	number := strings.Count(smt2, coverMark)
	return conditional.ReplaceAllStringFunc(smt2, func(assertion string) string {
		part := conditional.FindStringSubmatch(assertion)
		assertion += fmt.Sprintf("%s%d condition-of:%s\n(define-fun |proof_c %d| %s Bool %s)\n",
			coverMark, number, part[1], number, part[2], part[3])
		number++
		return assertion
	})
}
