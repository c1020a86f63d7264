package scan

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table writes cards for people.
func Table(w io.Writer, all []Card) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "XRT sees no card on this host.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "card\taddress\tboard\tready\tdesign\tinterface\tengines\tlinks\tused by")
	for _, c := range all {
		generation := "-"
		if c.Design != nil && c.Design.Generation != "" {
			generation = c.Design.Generation
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Index, c.BDF, cmp.Or(c.Name, "-"),
			map[bool]string{true: "yes", false: "no"}[c.Ready], c.what(), generation, c.engines(), c.links(), c.users())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range all {
		for _, line := range c.notes() {
			if _, err := fmt.Fprintf(w, "%s: %s\n", c.BDF, line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Card) what() string {
	switch {
	case c.Design != nil:
		return c.Design.String()
	case c.Loaded != "":
		return "unknown"
	}
	return "-"
}

// notes are what does not fit into a column.
func (c *Card) notes() []string {
	var out []string
	switch d := c.Design; {
	case d == nil && c.Loaded != "":
		out = append(out, fmt.Sprintf("holds %s, of which no file is known; -xclbin= names one", c.Loaded))
	case d == nil:
	case len(d.Others) > 0:
		out = append(out, fmt.Sprintf("holds %s, perhaps %s; of the same UUID, with other firmware or of another design: %s", c.Loaded, d.File, strings.Join(d.Others, ", ")))
	case d.Generator == "":
		out = append(out, fmt.Sprintf("holds %s, %s, which is not made here or not finished", c.Loaded, d.File))
	default:
		out = append(out, fmt.Sprintf("holds %s, %s, design %.12s, firmware %.12s", c.Loaded, d.File, d.Description.Design, d.Firmware))
	}
	if c.Note != "" {
		out = append(out, c.Note)
	}
	return append(out, c.Remarks...)
}

func (c *Card) engines() string {
	var list []string
	for _, e := range c.Engines {
		list = append(list, e.Name+" "+e.State)
	}
	return cmp.Or(strings.Join(list, ", "), "-")
}

func (c *Card) links() string {
	var list []string
	for _, l := range c.Links {
		list = append(list, l.Name+" "+l.State)
	}
	return cmp.Or(strings.Join(list, ", "), "-")
}

func (c *Card) users() string {
	var list []string
	for _, p := range c.Users {
		list = append(list, fmt.Sprintf("%s (%d)", p.Name, p.ID))
	}
	return cmp.Or(strings.Join(append(list, c.Running...), ", "), "-")
}
