package report

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/cclforge/cclforge/gen/vitis/report/logs"
)

// box is a table with lines around its cells, as most reports have.
type box struct {
	section string // the heading above it, without its number
	titles  []string
	rows    []boxRow
	cut     bool // it has no end
}

// boxRow is a row; indent is by how much its first cell is further right than the
// title is.
type boxRow struct {
	indent int
	cells  []string
}

// cell is what stands in the column of a title; empty if there is none.
func (b *box) cell(r boxRow, title string) string {
	for i, t := range b.titles {
		if t == title && i < len(r.cells) {
			return r.cells[i]
		}
	}
	return ""
}

var heading = regexp.MustCompile(`^\d+(?:\.\d+)*\.?\s+(\S.*?)\s*$`)

// mostRows is how many rows of a table are kept; reports about single nets are not
// what this reads.
const mostRows = 20000

// numbered is the heading of a section of a report of Vivado, without its number.
func numbered(line string) (section string, is bool) {
	m := heading.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// readBoxes reads all tables of a report for which keep says so. headed says which lines
// beside tables are headings.
func readBoxes(ctx context.Context, r io.Reader, headed func(line string) (section string, is bool),
	keep func(section string) bool) ([]*box, error) {
	var list []*box
	var now *box
	section := ""
	err := logs.Each(ctx, r, func(line string) bool {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "+-"):
			switch {
			case now != nil:
				now.cut = len(now.rows) == 0
			case keep(section):
				now = &box{section: section, cut: true}
				list = append(list, now)
			}
		case strings.HasPrefix(text, "|"):
			if now != nil {
				now.cut = true
				now.add(text)
			}
		default:
			now = nil
			if s, is := headed(line); is {
				section = s
			}
		}
		return true
	})
	return list, err
}

func (b *box) add(text string) {
	if len(text) < 2 || !strings.HasSuffix(text, "|") {
		return // cut short
	}
	cells := strings.Split(text[1:len(text)-1], "|")
	indent := len(cells[0]) - len(strings.TrimLeft(cells[0], " "))
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	switch {
	case b.titles == nil:
		b.titles = cells
	case len(b.rows) < mostRows:
		b.rows = append(b.rows, boxRow{indent, cells})
	}
}
