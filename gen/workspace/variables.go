package workspace

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// Inputs reads values of variables of the named platforms, one HCL object that
// origin stands for in errors, or "". The error is a *Problems, which lists the
// variables that there are.
func (w *Workspace) Inputs(origin, vars string, names ...string) (lang.Inputs, error) {
	in, diags := w.parser.ParseInputs(origin, vars)
	if len(in.Assigned) == 0 && !diags.HasErrors() {
		return in, w.Check(diags)
	}
	lib := w.library()
	known := lib.PlatformNames()
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(known, name) })
	declared := w.declared(names)
	if diags.HasErrors() {
		diags[0].Detail += " " + w.example(vars, names, declared)
	} else if len(names) > 0 {
		diags = append(diags, undeclared(in, declared)...)
	}
	if diags.HasErrors() && len(names) > 0 {
		diags[len(diags)-1].Detail += "\n\n" + list(declared)
	}
	return in, w.Check(diags)
}

// declared are the variables of platforms, by name.
func (w *Workspace) declared(names []string) []lang.Variable {
	var all [][]lang.Variable
	for _, name := range names {
		all = append(all, w.library().Declared(name))
	}
	return union(all)
}

// union lists variables by name. A name is listed once for each different description.
func union(lists [][]lang.Variable) []lang.Variable {
	set := map[lang.Variable]bool{}
	for _, v := range slices.Concat(lists...) {
		set[v] = true
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b lang.Variable) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type),
			cmp.Compare(a.Default, b.Default), cmp.Compare(a.Description, b.Description))
	})
}

func namesOf(variables []lang.Variable) []string {
	return slices.Compact(lang.Names(variables, func(v lang.Variable) string { return v.Name }))
}

func undeclared(in lang.Inputs, declared []lang.Variable) hcl.Diagnostics {
	known := namesOf(declared)
	var diags hcl.Diagnostics
	for _, name := range slices.Sorted(maps.Keys(in.Assigned)) {
		if !slices.Contains(known, name) {
			text := fmt.Sprintf("No selected platform has a variable %q.", name)
			if near := lang.Nearest(name, known); near != "" {
				text += fmt.Sprintf(" Did you mean %q?", near)
			}
			diags = append(diags, lang.Errorf(in.Assigned[name].Range, "Unknown variable", "%s", text))
		}
	}
	return diags
}

// example is an object with which the platforms are valid: what was given, if
// braces are all that it lacks, or a default.
func (w *Workspace) example(given string, names []string, declared []lang.Variable) string {
	braced := "{" + strings.TrimSpace(given) + "}"
	in, diags := lang.NewParser().ParseInputs("", braced)
	good := !diags.HasErrors() && len(in.Assigned) > 0 && len(names) > 0 && len(undeclared(in, declared)) == 0
	for _, name := range names {
		if good {
			_, diags := w.library().Load(name, in)
			good = !diags.HasErrors()
		}
	}
	if good {
		return fmt.Sprintf("Did you mean -vars='%s'?", braced)
	}
	for _, v := range declared {
		if v.Default != "" && !strings.Contains(v.Default, "'") {
			return fmt.Sprintf("For example: -vars='{%s = %s}'.", v.Name, v.Default)
		}
	}
	return "For example: -vars='{name = \"value\"}'."
}

func list(declared []lang.Variable) string {
	if len(declared) == 0 {
		return "There are no variables."
	}
	var text strings.Builder
	text.WriteString("Variables:\n")
	t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, v := range declared {
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", v.Name, v.Type, shownDefault(v), v.Description)
	}
	_ = t.Flush() // a strings.Builder takes everything
	return strings.TrimRight(text.String(), "\n")
}

func shownDefault(v lang.Variable) string { return cmp.Or(v.Default, "(required)") }

// variableTable prints the variables of platforms, each with the platforms that
// have it. Names are those of platforms that can be read.
func variableTable(out io.Writer, names []string, declared [][]lang.Variable) error {
	all := union(declared)
	if len(all) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nVariables are set with -vars='{%s = %s}'.\n\n", all[0].Name, cmp.Or(all[0].Default, "..."))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "VARIABLE\tTYPE\tDEFAULT\tPLATFORMS\tDESCRIPTION")
	for _, v := range all {
		var have, lack []string
		for i, name := range names {
			if slices.Contains(declared[i], v) {
				have = append(have, name)
			} else {
				lack = append(lack, name)
			}
		}
		who := strings.Join(have, " ")
		switch {
		case len(lack) == 0:
			who = "all"
		case len(lack) < len(have):
			who = "all but " + strings.Join(lack, " ")
		}
		cells := []string{v.Name, v.Type, shownDefault(v), who, v.Description}
		fmt.Fprintln(t, lang.Printable(strings.Join(cells, "\t")))
	}
	return t.Flush()
}
