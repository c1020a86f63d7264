package cards

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table writes cards for people.
func Table(w io.Writer, cards []Card) error {
	if len(cards) == 0 {
		_, err := fmt.Fprintln(w, "XRT sees no card on this host.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "card\taddress\tboard\tshell\tready\tloaded\thottest\tpower\tPCIe\tused by")
	for _, c := range cards {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Index, c.BDF, cmp.Or(c.Name, "-"), cmp.Or(c.Shell, "-"),
			map[bool]string{true: "yes", false: "no"}[c.Ready], cmp.Or(c.Loaded, "-"), c.Hottest(), c.watts(), c.Link, c.use())
	}
	for _, c := range cards {
		if c.Note != "" {
			fmt.Fprintf(t, "%s: %s\n", c.BDF, c.Note)
		}
	}
	return t.Flush()
}

// Hottest is the highest of its temperatures, with the sensor: "37 °C (fpga0)"; "-" if there
// are none.
func (c Card) Hottest() string {
	if len(c.Temperatures) == 0 {
		return "-"
	}
	t := slices.MaxFunc(c.Temperatures, func(a, b Temperature) int { return cmp.Compare(a.Celsius, b.Celsius) })
	return fmt.Sprintf("%g °C (%s)", t.Celsius, t.Sensor)
}

func (c Card) watts() string {
	switch {
	case c.Power == 0:
		return "-"
	case c.PowerLimit == 0:
		return fmt.Sprintf("%.1f W", c.Power)
	}
	return fmt.Sprintf("%.1f of %g W", c.Power, c.PowerLimit)
}

func (c Card) use() string {
	var list []string
	for _, p := range c.Users {
		list = append(list, fmt.Sprintf("%s (%d)", p.Name, p.ID))
	}
	list = append(list, c.Running...)
	return cmp.Or(strings.Join(list, ", "), "-")
}

// String is "gen3 x16", with what the card could do if that is more.
func (l *Link) String() string {
	if l == nil {
		return "-"
	}
	s := fmt.Sprintf("gen%d x%d", l.Generation, l.Lanes)
	if l.Generation < l.ExpectedGeneration || l.Lanes < l.ExpectedLanes {
		s += fmt.Sprintf(" (of gen%d x%d)", l.ExpectedGeneration, l.ExpectedLanes)
	}
	return s
}
