package emit

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

type userTemplate struct {
	Name string // as diagnostics call it
	Text []byte
	// Use is the place that says what it is used for.
	Use hcl.Range
}

// Execute executes the template within limits.
func (t userTemplate) Execute(data any) ([]byte, hcl.Diagnostics) {
	b := newBudget()
	parsed, err := template.New(t.Name).Funcs(b.functions()).Option("missingkey=error").Parse(string(t.Text))
	if err != nil {
		return nil, t.diagnose(err)
	}
	w := walker{template: t, set: parsed, depths: map[string]int{}}
	for _, each := range parsed.Templates() {
		if err := w.prepare(each.Name()); err != nil {
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

// walker prepares templates for execution within limits: it bounds how deep they nest,
// because errors leave a body in time that grows with the bodies around it, and puts the
// step function at the beginning of what can be executed more than once.
type walker struct {
	template userTemplate
	set      *template.Template
	depths   map[string]int // bodies in bodies, by template; -1 while one is looked at
}

// prepare prepares a template and those that it calls.
func (w *walker) prepare(name string) error {
	called := w.set.Lookup(name)
	if _, done := w.depths[name]; done || called == nil || called.Tree == nil {
		return nil // what is not defined is an error of the call, if it comes to that
	}
	w.depths[name] = -1
	depth, err := w.body(called.Root, true, 0)
	w.depths[name] = depth
	return err
}

// body prepares a body, and returns how deep it nests.
func (w *walker) body(list *parse.ListNode, repeated bool, around int) (int, error) {
	if list == nil {
		return 0, nil
	}
	if around > lang.MaxDepth {
		return 0, w.tooDeep(list.Pos)
	}
	deepest := 0
	for _, node := range list.Nodes {
		depth, err := w.node(node, around)
		if err != nil {
			return 0, err
		}
		if deepest = max(deepest, depth); around+deepest > lang.MaxDepth {
			return 0, w.tooDeep(node.Position())
		}
	}
	if !repeated {
		return deepest, nil
	}
	step, err := stepAt(w.line(list.Pos))
	if err == nil {
		list.Nodes = append([]parse.Node{step}, list.Nodes...)
	}
	return deepest, err
}

func (w *walker) node(node parse.Node, around int) (int, error) {
	branch := func(n *parse.BranchNode, repeated bool) (int, error) {
		first, err := w.body(n.List, repeated, around+1)
		if err != nil {
			return 0, err
		}
		second, err := w.body(n.ElseList, false, around+1)
		return 1 + max(first, second), err
	}
	switch n := node.(type) {
	case *parse.IfNode:
		return branch(&n.BranchNode, false)
	case *parse.WithNode:
		return branch(&n.BranchNode, false)
	case *parse.RangeNode:
		return branch(&n.BranchNode, true)
	case *parse.TemplateNode:
		if err := w.prepare(n.Name); err != nil {
			return 0, err
		}
		if w.depths[n.Name] < 0 {
			return 0, &limitError{"Template calls itself", fmt.Sprintf("The template %q calls itself", n.Name), w.line(n.Pos)}
		}
		return 1 + w.depths[n.Name], nil
	}
	return 0, nil
}

func (w *walker) tooDeep(pos parse.Pos) error {
	return &limitError{"Nested too deeply",
		fmt.Sprintf("Blocks and calls of templates may be nested at most %d deep", lang.MaxDepth), w.line(pos)}
}

func (w *walker) line(pos parse.Pos) int {
	return 1 + bytes.Count(w.template.Text[:min(int(pos), len(w.template.Text))], []byte("\n"))
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
func (t userTemplate) diagnose(err error) hcl.Diagnostics {
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
func (t userTemplate) place(line, column int) hcl.Range {
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
