package workspace

import (
	"cmp"
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

// Row is a platform of the library, with the defaults of its variables. Of one that is
// not valid there are name and status.
type Row struct {
	Name     string   `json:"name"`
	Valid    bool     `json:"valid"`
	Board    string   `json:"board,omitempty"`
	ABI      string   `json:"abi,omitempty"`
	Engines  int      `json:"engines,omitempty"`
	Networks []string `json:"networks,omitempty"` // with their Ethernet ports: "tcp:0"
	Lanes    []string `json:"lanes,omitempty"`    // plugins on them: "reduce_ops", "3×hp_compression"
	Memory   []string `json:"memory,omitempty"`   // with the banks that are connected: "HBM[0:31]"
	// Status says whether it is generated into the usual place: "not generated",
	// "generated", "generated, with variables", "out of date"; or what is wrong.
	Status string `json:"status"`
}

// Rows are the platforms of the library, in order of name.
func (w *Workspace) Rows(ctx context.Context) ([]Row, error) {
	t, err := w.table(ctx)
	if err != nil {
		return nil, err
	}
	return t.rows, w.Check(t.lib.LeftOut(t.names, slices.Concat(t.found...)))
}

// table is what is known of all platforms, in order of name.
type table struct {
	lib      *platform.Library
	names    []string
	rows     []Row
	found    []hcl.Diagnostics
	declared [][]lang.Variable
}

func (w *Workspace) table(ctx context.Context) (*table, error) {
	lib := w.library()
	names := lib.PlatformNames()
	t := &table{lib, names, make([]Row, len(names)), make([]hcl.Diagnostics, len(names)),
		make([][]lang.Variable, len(names))}
	return t, parallel(ctx, len(names), func(i int) error {
		t.rows[i], t.found[i] = w.row(lib, names[i])
		t.declared[i] = lib.Declared(names[i])
		return nil
	})
}

// Table prints the platforms of the library, one on a line.
func (w *Workspace) Table(ctx context.Context, out io.Writer) error {
	all, err := w.table(ctx)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tBOARD\tABI\tCCLOS\tNETWORK\tLANES\tMEMORY\tSTATUS")
	for _, r := range all.rows {
		texts := []string{r.Name, "-", "-", "-", "-", "-", "-", r.Status}
		if r.Valid {
			lanes := cmp.Or(strings.Join(r.Lanes, " "), "none")
			networks, memory := strings.Join(r.Networks, " "), strings.Join(r.Memory, " ")
			texts = []string{r.Name, r.Board, r.ABI, fmt.Sprint(r.Engines), networks, lanes, memory, r.Status}
		}
		fmt.Fprintln(t, lang.Printable(strings.Join(texts, "\t")))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var readable []string
	var variables [][]lang.Variable
	for i, name := range all.names {
		if len(all.declared[i]) > 0 || !all.found[i].HasErrors() {
			readable, variables = append(readable, name), append(variables, all.declared[i])
		}
	}
	if err := variableTable(out, readable, variables); err != nil {
		return err
	}
	return w.Check(all.lib.LeftOut(all.names, slices.Concat(all.found...)))
}

func (w *Workspace) row(lib *platform.Library, name string) (Row, hcl.Diagnostics) {
	d, diags := design.Load(lib, name, lang.Inputs{})
	if d == nil {
		p := Problems{Diags: diags}
		return Row{Name: name, Status: p.Count() + ": validate -only=" + name}, diags
	}
	p := d.Platform
	return Row{
		Name: name, Valid: true, Board: p.Board.Name, ABI: p.ABI.Name, Engines: p.CCLO.Count,
		Networks: networks(d), Lanes: lanes(d), Memory: memory(d), Status: w.status(d),
	}, diags
}

func networks(d *design.Design) []string {
	var parts []string
	for _, poe := range d.Platform.POEs {
		text := poe.Kind
		if poe.Kind != "axis" {
			text = fmt.Sprintf("%s:%d", poe.Kind, poe.Port)
		}
		parts = append(parts, text)
	}
	return parts
}

func lanes(d *design.Design) []string {
	var parts []string
	if a := d.Platform.Arithmetic; a != nil {
		parts = append(parts, a.Kernel)
	}
	if c := d.Platform.Compression; c != nil && c.Lanes > 0 {
		parts = append(parts, fmt.Sprintf("%d×%s", c.Lanes, c.Kernel))
	}
	return parts
}

// memory lists the banks that are connected, for each memory the lowest and
// the highest.
func memory(d *design.Design) []string {
	spans := map[string]*design.MemoryLink{}
	for _, m := range d.Memories {
		s := spans[m.Memory]
		if s == nil {
			s = &design.MemoryLink{Memory: m.Memory, First: m.First, Last: m.Last}
			spans[m.Memory] = s
		}
		s.First, s.Last = min(s.First, m.First), max(s.Last, m.Last)
	}
	var parts []string
	for _, name := range sortedNames(spans) {
		parts = append(parts, spans[name].Banks())
	}
	return parts
}

// status says whether the usual place holds what would be generated, with
// whichever values the variables had.
func (w *Workspace) status(d *design.Design) string {
	m, err := w.place(Options{}, d.Platform.Name).Read()
	if err != nil {
		return "not generated"
	}
	units, err := w.units([]Rendered{{Design: d}}, Options{})
	if err != nil {
		return err.Error()
	}
	text := "generated"
	for _, u := range units {
		if u.design != nil && !maps.EqualFunc(m.Variables, u.manifest.Variables, equalJSON) {
			u.manifest.Variables = m.Variables
			text = "generated, with variables"
		}
		if !u.current() {
			return "out of date"
		}
	}
	return text
}
