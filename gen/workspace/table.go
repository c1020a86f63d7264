package workspace

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

// Table prints the platforms of the library, one on a line, and whether each
// is valid with its defaults and generated into the usual place.
func (w *Workspace) Table(ctx context.Context, out io.Writer) error {
	lib := w.library()
	names := lib.PlatformNames()
	rows := make([][]string, len(names))
	found := make([]hcl.Diagnostics, len(names))
	declared := make([][]lang.Variable, len(names))
	err := parallel(ctx, len(names), func(i int) error {
		rows[i], found[i] = w.row(lib, names[i])
		declared[i] = lib.Declared(names[i])
		return nil
	})
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tBOARD\tABI\tCCLOS\tNETWORK\tLANES\tMEMORY\tSTATUS")
	for _, row := range rows {
		fmt.Fprintln(t, lang.Printable(strings.Join(row, "\t")))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var readable []string
	var variables [][]lang.Variable
	for i, name := range names {
		if len(declared[i]) > 0 || !found[i].HasErrors() {
			readable, variables = append(readable, name), append(variables, declared[i])
		}
	}
	if err := variableTable(out, readable, variables); err != nil {
		return err
	}
	return w.Check(lib.LeftOut(names, slices.Concat(found...)))
}

func (w *Workspace) row(lib *platform.Library, name string) ([]string, hcl.Diagnostics) {
	d, diags := design.Load(lib, name, lang.Inputs{})
	if d == nil {
		p := Problems{Diags: diags}
		return []string{name, "-", "-", "-", "-", "-", "-", p.Count() + ": validate -only=" + name}, diags
	}
	p := d.Platform
	cells := []string{
		name, p.Board.Name, p.ABI.Name, fmt.Sprint(p.CCLO.Count), network(d), lanes(d), memory(d), w.status(lib, d),
	}
	return cells, diags
}

func network(d *design.Design) string {
	var parts []string
	for _, poe := range d.Platform.POEs {
		text := poe.Kind
		if poe.Kind != "axis" {
			text = fmt.Sprintf("%s:%d", poe.Kind, poe.Port)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func lanes(d *design.Design) string {
	var parts []string
	if a := d.Platform.Arithmetic; a != nil {
		parts = append(parts, a.Kernel)
	}
	if c := d.Platform.Compression; c != nil && c.Lanes > 0 {
		parts = append(parts, fmt.Sprintf("%d×%s", c.Lanes, c.Kernel))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " ")
}

// memory lists the banks that are connected, for each memory the lowest and
// the highest.
func memory(d *design.Design) string {
	type span struct{ first, last int }
	spans := map[string]span{}
	var order []string
	for _, m := range d.Memories {
		s, known := spans[m.Memory]
		if !known {
			order = append(order, m.Memory)
			s = span{m.First, m.Last}
		}
		spans[m.Memory] = span{min(s.first, m.First), max(s.last, m.Last)}
	}
	slices.Sort(order)
	for i, name := range order {
		s := spans[name]
		if s.first == s.last {
			order[i] = fmt.Sprintf("%s[%d]", name, s.first)
		} else {
			order[i] = fmt.Sprintf("%s[%d:%d]", name, s.first, s.last)
		}
	}
	return strings.Join(order, " ")
}

// status says whether the usual place holds what would be generated, with
// whichever values the variables had.
func (w *Workspace) status(lib *platform.Library, d *design.Design) string {
	m, err := w.place(Options{}, d.Platform.Name).Read()
	if err != nil {
		return "not generated"
	}
	units, err := w.units(lib, []*platform.Platform{d.Platform}, Options{})
	if err != nil {
		return err.Error()
	}
	text := "generated"
	for _, u := range units {
		if u.platform != nil && !maps.EqualFunc(m.Variables, u.manifest.Variables, equalJSON) {
			u.manifest.Variables = m.Variables
			text = "generated, with variables"
		}
		if !u.current() {
			return "out of date"
		}
	}
	return text
}
