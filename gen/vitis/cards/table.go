package cards

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// columns is how wide notes get; the tables stay below that with the names that
// platforms have.
const columns = 100

// Table writes cards for people: tables of the cards of XRT, of the regions of shells, of
// engines and of networks, then notes.
func Table(w io.Writer, all []Found) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(w, "XRT sees no card on this host, and no shell's driver shows one.")
		return err
	}
	for _, part := range []func(*tabwriter.Writer, []Found) (rows int){cardTable, regionTable, engineTable, networkTable} {
		var text strings.Builder
		t := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		if part(t, all) == 0 {
			continue
		}
		if err := t.Flush(); err != nil { // which a strings.Builder does not cause
			return err
		}
		if _, err := fmt.Fprintln(w, text.String()); err != nil {
			return err
		}
	}
	for _, c := range all {
		name := c.BDF
		if c.Region != nil {
			name = c.Region.File
		}
		for _, line := range c.notes() {
			if _, err := io.WriteString(w, fold(name+": "+line)); err != nil {
				return err
			}
		}
	}
	return nil
}

func cardTable(t *tabwriter.Writer, all []Found) (rows int) {
	fmt.Fprintln(t, "card\taddress\tboard\tready\thottest\tdesign\tinterface")
	for _, c := range all {
		if c.Region != nil {
			continue
		}
		rows++
		generation := "-"
		if c.Design != nil && c.Design.Generation != "" {
			generation = c.Design.Generation
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Index, c.BDF, cmp.Or(c.Name, "-"), yes(c.Ready), c.Hottest(),
			c.what(), generation)
	}
	return rows
}

func regionTable(t *tabwriter.Writer, all []Found) (rows int) {
	fmt.Fprintln(t, "card\tshell\tnumber\tregion\tstate\thas\taddress\tMAC")
	for _, c := range all {
		r := c.Region
		if r == nil {
			continue
		}
		rows++
		region, has := fmt.Sprint(r.Number), "-"
		if b := r.Built; b != nil {
			region += fmt.Sprintf(" of %d", b.Regions)
			has = list(named{"host", b.HostStreams}, named{"memory", b.CardStreams}, named{"RDMA", b.RDMA}, named{"AVX", b.AVX})
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", c.label(), c.Shell, c.Index, region, r.State, has,
			cmp.Or(r.Address, "-"), cmp.Or(r.MAC, "-"))
	}
	return rows
}

// label is the card in tables; regions have the names of their files.
func (c *Found) label() string {
	if c.Region != nil {
		return path.Base(c.Region.File)
	}
	return fmt.Sprint(c.Index)
}

func engineTable(t *tabwriter.Writer, all []Found) (rows int) {
	fmt.Fprintln(t, "card\tengine\tstate\thardware id\tstack\tDMA\thas")
	for _, c := range all {
		for _, e := range c.Engines {
			rows++
			h := e.Hardware
			if h == nil {
				fmt.Fprintf(t, "%s\t%s\t%s\t-\t-\t-\t-\n", c.label(), e.Name, e.State)
				continue
			}
			dma := list(named{"internal", h.InternalDMA}, named{"external", h.ExternalDMA})
			has := list(named{"arithmetic", h.Arithmetic}, named{"compression", h.Compression},
				named{"streams", h.KernelStreams}, named{"debug", h.Debug})
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.label(), e.Name, e.State, h.ID, cmp.Or(h.Stack, "-"), dma, has)
		}
	}
	return rows
}

func networkTable(t *tabwriter.Writer, all []Found) (rows int) {
	fmt.Fprintln(t, "card\tnetwork\tkind\tlink\taddress\tMAC\tsockets\tARP")
	for _, c := range all {
		for _, n := range c.Networks {
			rows++
			sockets, neighbors := "-", "-"
			if n.Sockets != nil {
				sockets = fmt.Sprintf("%d of %d", n.Sockets.Used, n.Sockets.Size)
			}
			if n.Neighbors != nil {
				neighbors = fmt.Sprint(*n.Neighbors)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.label(), n.Name, n.Kind, n.link(), cmp.Or(n.Address, "-"),
				cmp.Or(n.MAC, "-"), sockets, neighbors)
		}
	}
	return rows
}

// link is the state of the link in a word or two.
func (n *Network) link() string {
	switch {
	case n.State == InUse, n.State == Unknown:
		return string(n.State)
	case n.Link == nil:
		return "-"
	}
	text := "down"
	if n.Link.Up {
		text = "up"
	}
	if n.Link.FEC {
		text += ", RS-FEC"
	}
	return text
}

func (c *Found) what() string {
	switch {
	case c.Design != nil:
		return c.Design.String()
	case c.Loaded != "":
		return "unknown"
	}
	return "-"
}

// notes are what does not fit into a column.
func (c *Found) notes() []string {
	var out []string
	switch d := c.Design; {
	case d == nil && c.Loaded != "":
		out = append(out, fmt.Sprintf("holds %s, of which no file is known; --xclbin names one", c.Loaded))
	case d == nil:
	case len(d.Others) > 0:
		out = append(out, fmt.Sprintf("holds %s, perhaps %s; of the same UUID, with other firmware or of another design: %s",
			c.Loaded, d.File, strings.Join(d.Others, ", ")))
	case d.Generator == "":
		out = append(out, fmt.Sprintf("holds %s, %s, which is not made here or not finished", c.Loaded, d.File))
	default:
		out = append(out, fmt.Sprintf("holds %s, %s, design %.12s, firmware %.12s", c.Loaded, d.File, d.Description.Design,
			d.Firmware))
	}
	if c.Region != nil && c.Region.State == InUse {
		out = append(out, "in use by another process")
	}
	if state := c.state(); state != "" {
		out = append(out, state)
	}
	if users := c.users(); users != "" {
		out = append(out, "used by "+users)
	}
	for _, e := range c.Engines {
		if e.Halted != "" {
			out = append(out, e.Name+" "+e.Halted)
		}
	}
	for _, n := range c.Networks {
		if l := n.Link; l != nil && !l.Up {
			out = append(out, fmt.Sprintf("the link of %s is down: the receiver says %s", l.Name,
				cmp.Or(strings.Join(l.Says, ", "), "nothing")))
		}
	}
	if c.Note != "" {
		out = append(out, c.Note)
	}
	return append(out, c.Remarks...)
}

// state is what XRT says of a card beside its temperature.
func (c *Found) state() string {
	if c.Region != nil {
		return ""
	}
	var parts []string
	if c.Shell != "" {
		parts = append(parts, "shell "+c.Shell)
	}
	if watts := c.Watts(); watts != "-" {
		parts = append(parts, watts)
	}
	if c.Link != nil {
		parts = append(parts, "PCIe "+c.Link.String())
	}
	return strings.Join(parts, ", ")
}

func (c *Found) users() string {
	var list []string
	for _, p := range c.Users {
		list = append(list, fmt.Sprintf("%s (%d)", p.Name, p.ID))
	}
	return strings.Join(append(list, c.Running...), ", ")
}

type named struct {
	name string
	has  bool
}

func list(all ...named) string {
	var out []string
	for _, n := range all {
		if n.has {
			out = append(out, n.name)
		}
	}
	return cmp.Or(strings.Join(out, ", "), "-")
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// fold breaks lines between words.
func fold(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text + "\n") {
		at, first := 0, true
		if b.Len() > 0 {
			at, _ = b.WriteString("  ")
		}
		for _, word := range strings.Fields(line) {
			n := utf8.RuneCountInString(word)
			switch {
			case first:
				first = false
			case at+1+n > columns:
				b.WriteString("\n  ")
				at = 2
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}
