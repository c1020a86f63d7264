package report

import (
	"context"
	"io"
	"strings"
)

// parsePower reads the report of report_power. Of the hierarchy it takes the
// instances that are wanted, by the last part of their names.
func parsePower(ctx context.Context, r io.Reader, instances map[string]bool) (*Power, error) {
	boxes, err := readBoxes(ctx, r, numbered, func(section string) bool {
		return section == "Summary" || section == "On-Chip Components" || section == "By Hierarchy"
	})
	if err != nil {
		return nil, err
	}
	p := &Power{}
	known, cut := false, false
	for _, b := range boxes {
		cut = cut || b.cut
		switch b.section {
		case "Summary":
			known = p.summary(b) || known
		case "On-Chip Components":
			for _, row := range b.rows {
				if w, ok := number(b.cell(row, "Power (W)")); ok && row.indent <= 1 && row.cells[0] != "Total" {
					p.Parts = append(p.Parts, Watts{row.cells[0], w})
				}
			}
		case "By Hierarchy":
			for _, row := range b.rows {
				name := row.cells[0][strings.LastIndexByte(row.cells[0], '/')+1:]
				if w, ok := number(b.cell(row, "Power (W)")); ok && instances[name] {
					p.Kernels = append(p.Kernels, Watts{name, w})
				}
			}
		}
	}
	if !known {
		return nil, errNothing
	}
	if cut {
		return p, errCut
	}
	return p, nil
}

// summary reads the table without titles, whose first row is taken for them.
func (p *Power) summary(b *box) (known bool) {
	rows := append([]boxRow{{cells: b.titles}}, b.rows...)
	for _, row := range rows {
		if len(row.cells) < 2 {
			continue
		}
		value, ok := leading(row.cells[1])
		switch row.cells[0] {
		case "Total On-Chip Power (W)":
			p.Total, known = value, ok
			p.TooHot = p.TooHot || strings.Contains(row.cells[1], "exceeded")
		case "HBM Power (W)":
			p.HBM = value
		case "Dynamic (W)":
			p.Dynamic = value
		case "Device Static (W)":
			p.Static = value
		case "Junction Temperature (C)":
			p.Junction = value
			p.TooHot = p.TooHot || strings.Contains(row.cells[1], "exceeded")
		case "Confidence Level":
			p.Confidence = row.cells[1]
		}
	}
	return known
}
