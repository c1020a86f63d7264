package render

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// Template is the template of a user.
type Template struct {
	Name string // as diagnostics call it
	Text []byte
	// Use is the place that says what it is used for.
	Use hcl.Range
}

// Execute executes the template within limits.
func (t Template) Execute(data any) ([]byte, hcl.Diagnostics) {
	b := newBudget()
	parsed, err := template.New(t.Name).Funcs(b.functions()).Option("missingkey=error").Parse(string(t.Text))
	if err != nil {
		return nil, t.diagnose(err)
	}
	for _, each := range parsed.Templates() {
		if err := countSteps(each.Tree, t.Text); err != nil {
			return nil, t.diagnose(err)
		}
	}
	var out bounded
	if len(t.Text) > 0 {
		err = parsed.Execute(&out, data)
	}
	if err != nil {
		return nil, t.diagnose(err)
	}
	return out.Bytes(), nil
}

// stepFunction is what the bodies of loops and templates call first.
const stepFunction = "_step"

// countSteps puts the step function at the beginning of a template and of each body
// in it that can be executed more than once.
func countSteps(tree *parse.Tree, text []byte) error {
	if tree == nil || tree.Root == nil {
		return nil
	}
	var visit func(list *parse.ListNode, counts bool) error
	branch := func(n *parse.BranchNode, counts bool) error {
		return errors.Join(visit(n.List, counts), visit(n.ElseList, false))
	}
	visit = func(list *parse.ListNode, counts bool) error {
		if list == nil {
			return nil
		}
		for _, node := range list.Nodes {
			var err error
			switch n := node.(type) {
			case *parse.IfNode:
				err = branch(&n.BranchNode, false)
			case *parse.WithNode:
				err = branch(&n.BranchNode, false)
			case *parse.RangeNode:
				err = branch(&n.BranchNode, true)
			}
			if err != nil {
				return err
			}
		}
		if !counts {
			return nil
		}
		step, err := stepAt(1 + bytes.Count(text[:min(int(list.Pos), len(text))], []byte("\n")))
		if err == nil {
			list.Nodes = append([]parse.Node{step}, list.Nodes...)
		}
		return err
	}
	return visit(tree.Root, true)
}

// stepAt calls the step function for a line.
func stepAt(line int) (parse.Node, error) {
	trees, err := parse.Parse(stepFunction, fmt.Sprintf("{{%s %d}}", stepFunction, line), "", "",
		map[string]any{stepFunction: true})
	if err != nil {
		return nil, err
	}
	return trees[stepFunction].Root.Nodes[0], nil
}

// message is what text/template says: where, by line and perhaps column, and what.
var message = regexp.MustCompile(`(?s)^template: (.*?):(\d+)(?::(\d+))?: (?:executing ".*?" at )?(.*)$`)

// diagnose turns an error of text/template into a diagnostic at its place.
func (t Template) diagnose(err error) hcl.Diagnostics {
	place, summary, detail := t.Use, "Template error", err.Error()
	if m := message.FindStringSubmatch(detail); m != nil && m[1] == t.Name {
		line, _ := strconv.Atoi(m[2]) // digits
		column, _ := strconv.Atoi("0" + m[3])
		place, detail = t.place(line, column), m[4]
	}
	var limit *limitError
	if errors.As(err, &limit) {
		summary, detail = limit.summary, limit.detail
		if limit.line > 0 {
			place = t.place(limit.line, 0)
		}
	}
	return hcl.Diagnostics{lang.Errorf(place, summary, "%s.", strings.TrimSuffix(detail, "."))}
}

// place is the rest of a line from a column, which counts bytes from 0.
func (t Template) place(line, column int) hcl.Range {
	start, rest := 0, t.Text
	for range line - 1 {
		_, after, found := bytes.Cut(rest, []byte("\n"))
		if !found {
			break
		}
		start, rest = start+len(rest)-len(after), after
	}
	rest, _, _ = bytes.Cut(rest, []byte("\n"))
	rest = bytes.TrimRight(rest, " \t\r")
	column = min(column, len(rest))
	at := func(n int) hcl.Pos { return hcl.Pos{Line: line, Column: utf8.RuneCount(rest[:n]) + 1, Byte: start + n} }
	return hcl.Range{Filename: t.Name, Start: at(column), End: at(len(rest))}
}
