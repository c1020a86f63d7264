package report

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// table is a table for a terminal. Columns whose title ends in > stand right.
type table struct {
	titles []string
	right  []bool
	rows   [][]string
	marked []bool // rows with bad news
}

func newTable(titles ...string) *table {
	t := &table{}
	for _, title := range titles {
		title, right := strings.CutSuffix(title, ">")
		t.titles, t.right = append(t.titles, title), append(t.right, right)
	}
	return t
}

func (t *table) add(cells ...string) { t.addMarked(false, cells...) }

func (t *table) addMarked(bad bool, cells ...string) {
	t.rows, t.marked = append(t.rows, cells), append(t.marked, bad)
}

// widths are those of the columns: 0 for one without any text, which is left out.
func (t *table) widths() []int {
	widths := make([]int, len(t.titles))
	for _, row := range t.rows {
		for i, c := range row {
			if c != "" {
				widths[i] = max(widths[i], utf8.RuneCountInString(c), utf8.RuneCountInString(t.titles[i]))
			}
		}
	}
	return widths
}

func (t *table) write(b *bytes.Buffer) {
	if len(t.rows) == 0 {
		return
	}
	widths := t.widths()
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

// html is the table for a page; empty if it has no rows.
func (t *table) html() string {
	if len(t.rows) == 0 {
		return ""
	}
	var b strings.Builder
	widths := t.widths()
	line := func(class, tag string, cells []string) {
		fmt.Fprintf(&b, "<tr%s>", class)
		for i, c := range cells {
			if widths[i] == 0 {
				continue
			}
			class := ""
			if t.right[i] {
				class = ` class="n"`
			}
			fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, class, html.EscapeString(c), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<div class=\"scroll\"><table>\n")
	line("", "th", t.titles)
	for i, row := range t.rows {
		class := ""
		if t.marked[i] {
			class = ` class="bad"`
		}
		line(class, "td", row)
	}
	b.WriteString("</table></div>\n")
	return b.String()
}
