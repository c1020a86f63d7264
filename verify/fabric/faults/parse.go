package faults

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/cclforge/cclforge/gen/lang"
)

// inline is what diagnostics call a plan that is given as an object.
const inline = "-faults"

// Parse reads a plan: one HCL object like {loss = 0.01, latency = "2ms"}, or the name of a
// file that ends in .hcl. It chooses a seed for a plan without one. The error is a
// *Mistakes with all mistakes, unless the file cannot be read.
func Parse(text string) (*Plan, error) {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && strings.HasSuffix(trimmed, ".hcl") {
		return parseFile(trimmed)
	}
	d := newDecoder()
	if trimmed == "" {
		return d.done()
	}
	expr, diags := d.parser.ParseExpression(inline, []byte(text))
	switch {
	case !strings.HasPrefix(trimmed, "{"):
		start := hcl.Range{Filename: inline, Start: hcl.InitialPos, End: hcl.InitialPos}
		d.complain(start, "Faults expected",
			`Faults are given as one object, for example {loss = 0.01, latency = "2ms"}, or as the name of a file that ends in .hcl.`)
	case expr == nil:
		d.diags = diags
	default:
		d.diags = diags // of keys that are there twice
		d.ctx = lang.NewContext(nil)
		d.plan(d.entries(expr))
	}
	return d.done()
}

func parseFile(name string) (*Plan, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, fmt.Errorf("read faults: %w", err)
	}
	d := newDecoder()
	file, diags := d.parser.Parse(name, text)
	d.diags = append(d.diags, diags...)
	if file != nil {
		scope, diags := file.Open(lang.Inputs{}, d.parser)
		d.diags = append(d.diags, diags...)
		d.ctx = scope.Context
		d.plan(d.body(scope.Body.(*hclsyntax.Body)))
	}
	return d.done()
}

// readFile reads no more than what the parser will refuse.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, lang.MaxFileBytes+1))
}

// done returns the plan, with a seed, or the mistakes.
func (d *decoder) done() (*Plan, error) {
	if err := problems(d.parser, d.diags); err != nil {
		return nil, err
	}
	if !d.seeded {
		d.out.Seed, d.out.chosen = rand.Int64N(1e9), true // short enough to be typed
	}
	return d.out, nil
}
