package report

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// table is a table for a terminal. Columns whose title ends in > stand right.
type table struct {
	titles []string
	right  []bool
	rows   [][]string
}

func newTable(titles ...string) *table {
	t := &table{}
	for _, title := range titles {
		title, right := strings.CutSuffix(title, ">")
		t.titles, t.right = append(t.titles, title), append(t.right, right)
	}
	return t
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table; columns without any text are left out.
func (t *table) write(b *bytes.Buffer) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.titles))
	for _, row := range t.rows {
		for i, c := range row {
			if c != "" {
				widths[i] = max(widths[i], utf8.RuneCountInString(c), utf8.RuneCountInString(t.titles[i]))
			}
		}
	}
	for _, row := range append([][]string{t.titles}, t.rows...) {
		var line strings.Builder
		line.WriteString("  ")
		for i, c := range row {
			if widths[i] == 0 {
				continue
			}
			if line.Len() > 2 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(c)))
			if t.right[i] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
