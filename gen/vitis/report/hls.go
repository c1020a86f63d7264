package report

import (
	"context"
	"io"
	"regexp"
	"strings"
)

var (
	hlsTitle   = regexp.MustCompile(`^== (?:Vitis|Vivado) HLS Report for '([^']+)'`)
	hlsProject = regexp.MustCompile(`^\* Project:\s+(\S+)`)
	hlsPart    = regexp.MustCompile(`^(?:==|\+) (\w+)`) // "== Utilization Estimates", "+ Timing:"
	withUnit   = regexp.MustCompile(`^([\d.,]+)\s*(ps|ns|us)$`)
)

// hlsColumns are the titles of the table of utilisation. HLS counts block RAMs of
// 18 Kb, half a tile.
var hlsColumns = map[string]string{"LUT": LUT, "FF": FF, "BRAM_18K": BRAM, "URAM": URAM, "DSP": DSP, "DSP48E": DSP}

// parseHLS reads the report that Vitis HLS writes about one function
// (<function>_csynth.rpt), up to its details, and says which project it is of.
func parseHLS(ctx context.Context, r io.Reader) (s *Synthesis, project string, err error) {
	s = &Synthesis{}
	part, ended := "", false
	boxes, err := readBoxes(ctx, r, func(line string) (string, bool) {
		text := strings.TrimSpace(line)
		if m := hlsTitle.FindStringSubmatch(text); m != nil && !ended {
			s.Kernel = m[1]
		} else if m := hlsProject.FindStringSubmatch(text); m != nil && !ended {
			project = m[1]
		}
		m := hlsPart.FindStringSubmatch(text)
		if m == nil {
			return "", false
		}
		ended = ended || part == "Utilization" && m[1] == "Detail"
		part = m[1]
		return part, true
	}, func(string) bool { return !ended })
	if err != nil {
		return nil, "", err
	}
	for _, b := range boxes {
		for _, row := range b.rows {
			switch cells := row.cells; {
			case b.section == "Timing" && len(cells) == 4 && s.Target == 0:
				s.Target, s.Estimated = nanoseconds(cells[1]), nanoseconds(cells[2])
			case b.section == "Latency" && len(cells) == 7 && cells[0] != "min":
				s.Latency, s.Interval = [2]string{cells[0], cells[1]}, [2]string{cells[4], cells[5]}
				s.Pipeline = cells[6]
			}
		}
		if b.section == "Utilization" {
			s.use(b)
		}
	}
	switch {
	case s.Target <= 0 || s.Kernel == "":
		return nil, "", errNothing
	case !ended:
		return s, project, errCut
	}
	return s, project, nil
}

// use reads the table of utilisation, whose last rows are totals.
func (s *Synthesis) use(b *box) {
	s.Use = map[string]Amount{}
	total := map[string]float64{}
	for _, row := range b.rows {
		for i, title := range b.titles {
			resource, known := hlsColumns[title]
			if !known || i >= len(row.cells) {
				continue
			}
			v, ok := number(strings.TrimPrefix(row.cells[i], "~"))
			if !ok {
				continue
			}
			if title == "BRAM_18K" {
				v /= 2
			}
			switch used, counted := total[resource]; {
			case row.cells[0] == "Total":
				total[resource] = v
			case row.cells[0] == "Available" && counted && v > 0:
				s.Use[resource] = Amount{used, v, 100 * used / v}
			}
		}
	}
}

// nanoseconds reads "6.67 ns".
func nanoseconds(text string) float64 {
	m := withUnit.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	v, _ := number(m[1])
	switch m[2] {
	case "ps":
		return v / 1000
	case "us":
		return v * 1000
	default:
		return v
	}
}
