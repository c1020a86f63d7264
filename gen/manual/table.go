package manual

import (
	"fmt"
	"strings"
)

// Table is a table whose cells are Markdown.
type Table struct {
	Caption string // Markdown above the table
	Columns []string
	Rules   []string // the alignment of each column
	Rows    [][]string
}

// newTable makes a table without rows. A column whose title ends in > has
// numbers, which stand to the right.
func newTable(columns ...string) Table {
	t := Table{}
	for _, c := range columns {
		title, right := strings.CutSuffix(c, ">")
		rule := "---"
		if right {
			rule = "--:"
		}
		t.Columns, t.Rules = append(t.Columns, title), append(t.Rules, rule)
	}
	return t
}

func (t *Table) add(cells ...string) { t.Rows = append(t.Rows, cells) }

// String writes the table in Markdown, with a newline at its end.
func (t Table) String() string {
	var b strings.Builder
	if t.Caption != "" {
		b.WriteString(t.Caption + "\n\n")
	}
	writeRow(&b, " ", t.Columns)
	writeRow(&b, "", t.Rules)
	for _, row := range t.Rows {
		writeRow(&b, " ", row)
	}
	return b.String()
}

func writeRow(b *strings.Builder, blank string, cells []string) {
	b.WriteByte('|')
	for _, cell := range cells {
		b.WriteString(blank)
		b.WriteString(cell)
		b.WriteString(blank)
		b.WriteByte('|')
	}
	b.WriteByte('\n')
}

func hex(v uint32) string { return fmt.Sprintf("`0x%04X`", v) }

func mask(v uint32) string { return fmt.Sprintf("`0x%08X`", v) }

func number[N ~int | ~uint32 | ~uint64](n N) string { return fmt.Sprint(n) }

// bitRange writes a field's bits as hardware does, high first.
func bitRange(high, low int) string {
	if high == low {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d:%d", high, low)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
