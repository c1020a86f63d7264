package report

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
)

var (
	hlsTitle   = regexp.MustCompile(`^== (?:Vitis|Vivado) HLS Report for '([^']+)'`)
	hlsProject = regexp.MustCompile(`^\* Project:\s+(\S+)`)
	withUnit   = regexp.MustCompile(`^([\d.,]+)\s*(ps|ns|us)$`)
)

// hlsColumns are the titles of the table of utilisation. HLS counts block RAMs of
// 18 Kb, half a tile.
var hlsColumns = map[string]string{"LUT": LUT, "FF": FF, "BRAM_18K": BRAM, "URAM": URAM, "DSP": DSP, "DSP48E": DSP}

// hlsReader is the state between lines of a *_csynth.rpt.
type hlsReader struct {
	synthesis Synthesis
	project   string
	part      string // "Timing", "Latency", "Utilization"
	titles    []string
	found     bool
	ended     bool
	total     map[string]float64
}

// parseHLS reads the report that Vitis HLS writes about one function
// (<function>_csynth.rpt), up to its details, and says which project it is of.
func parseHLS(ctx context.Context, r io.Reader) (s *Synthesis, project string, err error) {
	h := &hlsReader{total: map[string]float64{}}
	if err := logs.Each(ctx, r, h.line); err != nil {
		return nil, "", err
	}
	if !h.found {
		return nil, "", errNothing
	}
	if !h.ended {
		return &h.synthesis, h.project, errCut
	}
	return &h.synthesis, h.project, nil
}

func (h *hlsReader) line(line string) bool {
	text := strings.TrimSpace(line)
	switch {
	case strings.HasPrefix(text, "== "):
		if m := hlsTitle.FindStringSubmatch(text); m != nil {
			h.synthesis.Kernel = m[1]
		}
		h.part = ""
		if strings.HasPrefix(text, "== Utilization Estimates") {
			h.part = "Utilization"
		}
	case strings.HasPrefix(text, "+ Timing:"):
		h.part = "Timing"
	case strings.HasPrefix(text, "+ Latency:"):
		h.part = "Latency"
	case strings.HasPrefix(text, "+ Detail:"):
		h.ended = h.ended || h.part == "Utilization"
		h.part = ""
	case strings.HasPrefix(text, "* Project:"):
		if m := hlsProject.FindStringSubmatch(text); m != nil {
			h.project = m[1]
		}
	case strings.HasPrefix(text, "|"):
		h.row(cells(text))
	case strings.HasPrefix(text, "+-"):
	default:
		h.titles = nil
	}
	return !h.ended
}

func cells(text string) []string {
	list := strings.Split(strings.Trim(text, "|"), "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

func (h *hlsReader) row(row []string) {
	switch h.part {
	case "Timing":
		if h.titles == nil {
			h.titles = row
		} else if len(row) == 4 && h.synthesis.Target == 0 {
			h.synthesis.Target, h.synthesis.Estimated = nanoseconds(row[1]), nanoseconds(row[2])
			h.found = h.synthesis.Target > 0 && h.synthesis.Kernel != ""
		}
	case "Latency":
		if len(row) == 7 && row[0] != "min" {
			h.synthesis.Latency = [2]string{row[0], row[1]}
			h.synthesis.Interval = [2]string{row[4], row[5]}
			h.synthesis.Pipeline = row[6]
		}
	case "Utilization":
		h.use(row)
	}
}

func (h *hlsReader) use(row []string) {
	if h.titles == nil {
		h.titles = row
		return
	}
	for i, title := range h.titles {
		resource, known := hlsColumns[title]
		if !known || i >= len(row) {
			continue
		}
		v, ok := number(strings.TrimPrefix(row[i], "~"))
		if !ok {
			continue
		}
		if resource == BRAM && title == "BRAM_18K" {
			v /= 2
		}
		switch row[0] {
		case "Total":
			h.total[resource] = v
		case "Available":
			if h.synthesis.Use == nil {
				h.synthesis.Use = map[string]Amount{}
			}
			used, counted := h.total[resource]
			if counted && v > 0 {
				h.synthesis.Use[resource] = Amount{used, v, 100 * used / v}
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
