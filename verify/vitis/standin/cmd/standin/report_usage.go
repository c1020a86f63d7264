package main

import (
	"fmt"
	"strings"
)

// column is a kind of resource, with what a big card has of it.
type column struct {
	name       string
	have       int
	least, use int // of one instance
}

var columns = []column{
	{"LUT", 1_303_680, 1_000, 20_000}, {"LUTAsMem", 600_960, 100, 4_000}, {"REG", 2_607_360, 2_000, 40_000},
	{"BRAM", 2_016, 0, 30}, {"URAM", 960, 0, 8}, {"DSP", 9_024, 0, 64},
}

func (c column) of(v View, in Unit) int {
	return figure(c.least, c.use, v.Design[:8], in.Kernel, c.name)
}

// table lays rows out in boxes.
func table(b *strings.Builder, heads []string, rows [][]string) {
	width := make([]int, len(heads))
	for i, h := range heads {
		width[i] = len(h)
		for _, r := range rows {
			width[i] = max(width[i], len(r[i]))
		}
	}
	rule := "+"
	for _, w := range width {
		rule += strings.Repeat("-", w+2) + "+"
	}
	line := func(cells []string) {
		b.WriteString("|")
		for i, cell := range cells {
			if i == 0 {
				fmt.Fprintf(b, " %-*s |", width[i], cell)
			} else {
				fmt.Fprintf(b, " %*s |", width[i], cell)
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(rule + "\n")
	line(heads)
	b.WriteString(rule + "\n")
	for _, r := range rows {
		line(r)
	}
	b.WriteString(rule + "\n\n\n")
}

// kernels is the use of compute units, as v++ reports it.
func kernels(v View) string {
	var b strings.Builder
	head(&b, v, "report_accelerator_utilization -kernels -file impl_1_kernel_util_routed.rpt")
	b.WriteString(
		"Accelerator Utilization Design Information\n\nTable of Contents\n-----------------\n1. System Utilization\n\n1. " +
			"System Utilization\n---------------------\n\n")
	heads := []string{"Name"}
	for _, c := range columns {
		heads = append(heads, c.name)
	}
	share := func(n, of int) string { return fmt.Sprintf("%d [%6.2f%%]", n, 100*float64(n)/float64(of)) }
	row := func(name string, n func(column) (int, int)) []string {
		cells := []string{name}
		for _, c := range columns {
			cells = append(cells, share(n(c)))
		}
		return cells
	}
	budget := func(c column) int { return c.have - c.have/8 }
	used := func(c column) int {
		total := 0
		for _, in := range v.Instances {
			total += c.of(v, in)
		}
		return total
	}
	rows := [][]string{
		row("Platform", func(c column) (int, int) { return c.have / 8, c.have }),
		row("User Budget", func(c column) (int, int) { return budget(c), budget(c) }),
		row("   Used Resources", func(c column) (int, int) { return used(c), budget(c) }),
		row("   Unused Resources", func(c column) (int, int) { return budget(c) - used(c), budget(c) }),
	}
	done := map[string]bool{}
	for _, in := range v.Instances {
		if done[in.Kernel] {
			continue
		}
		done[in.Kernel] = true
		var of []Unit
		for _, other := range v.Instances {
			if other.Kernel == in.Kernel {
				of = append(of, other)
			}
		}
		rows = append(rows, row(fmt.Sprintf("%s (%d)", in.Kernel, len(of)),
			func(c column) (int, int) { return len(of) * c.of(v, in), budget(c) }))
		for _, one := range of {
			rows = append(rows, row("   "+one.Name, func(c column) (int, int) { return c.of(v, one), budget(c) }))
		}
	}
	table(&b, heads, rows)
	return b.String()
}

// sites are the rows of Vivado's utilization reports.
var sites = []struct {
	name   string
	have   int
	column int
}{
	{"CLB LUTs", 1_303_680, 0}, {"  LUT as Memory", 600_960, 1}, {"CLB Registers", 2_607_360, 2},
	{"Block RAM Tile", 2_016, 3}, {"URAM", 960, 4}, {"DSPs", 9_024, 5},
}

func utilization(v View) string {
	var b strings.Builder
	head(&b, v, "report_utilization -file impl_1_full_util_routed.rpt")
	b.WriteString("Utilization Design Information\n\n1. CLB Logic\n------------\n\n")
	var rows [][]string
	for _, s := range sites {
		n := s.have / 8
		for _, in := range v.Instances {
			n += columns[s.column].of(v, in)
		}
		rows = append(rows, []string{s.name, fmt.Sprint(n), "0", "0", fmt.Sprint(s.have),
			fmt.Sprintf("%.2f", 100*float64(n)/float64(s.have))})
	}
	table(&b, []string{"Site Type", "Used", "Fixed", "Prohibited", "Available", "Util%"}, rows)
	return b.String()
}

// regions is the use of each SLR.
func regions(v View) string {
	var b strings.Builder
	head(&b, v, "report_utilization -slr -file impl_1_slr_util_routed.rpt")
	b.WriteString(
		"Utilization Design Information\n\n1. SLR CLB Logic and Dedicated Block " +
			"Utilization\n------------------------------------------------\n\n")
	heads := []string{"Site Type"}
	for s := range v.SLRs {
		heads = append(heads, fmt.Sprintf("SLR%d", s))
	}
	for s := range v.SLRs {
		heads = append(heads, fmt.Sprintf("SLR%d %%", s))
	}
	var rows [][]string
	for _, site := range sites {
		row := []string{site.name}
		var shares []string
		for s := range v.SLRs {
			n := site.have / v.SLRs / 8
			for _, in := range v.Instances {
				if in.SLR == s || in.SLR < 0 && s == 0 {
					n += columns[site.column].of(v, in)
				}
			}
			row = append(row, fmt.Sprint(n))
			shares = append(shares, fmt.Sprintf("%.2f", 100*float64(n)/float64(site.have/v.SLRs)))
		}
		rows = append(rows, append(row, shares...))
	}
	table(&b, heads, rows)
	return b.String()
}
