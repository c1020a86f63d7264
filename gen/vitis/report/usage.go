package report

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
)

// kernelColumns are the titles of report_accelerator_utilization.
var kernelColumns = map[string]string{"LUT": LUT, "LUTAsMem": LUTRAM, "REG": FF, "BRAM": BRAM, "URAM": URAM, "DSP": DSP}

// siteTypes are the rows of report_utilization for UltraScale+ and Versal. A star
// marks numbers that may still change, or a note.
var siteTypes = map[string]string{
	"CLB LUTs": LUT, "LUT as Memory": LUTRAM, "CLB Registers": FF, "Registers": FF,
	"Block RAM Tile": BRAM, "URAM": URAM, "DSPs": DSP, "DSP Slices": DSP,
}

// share matches "4377 [  7.80%]".
var share = regexp.MustCompile(`^([\d.,]+)\s*\[\s*([<\d.,\s]+)%\s*\]$`)

// instances matches the number of instances behind the name of a kernel.
var instances = regexp.MustCompile(`\s*\(\d+\)$`)

var errCut = errors.New("it ends in the middle of a table")

// parseKernels reads the report of report_accelerator_utilization, which v++ writes
// as kernel_util_routed.rpt: the shell, what it leaves to kernels, and each kernel
// with its instances below it, further to the right.
func parseKernels(ctx context.Context, r io.Reader, u *Usage) error {
	boxes, err := readBoxes(ctx, r, numbered, func(string) bool { return true })
	if err != nil {
		return err
	}
	i := slices.IndexFunc(boxes, func(b *box) bool {
		return len(b.rows) > 0 && slices.Contains(b.titles, "Name") && slices.Contains(b.titles, "LUT")
	})
	if i < 0 {
		return errNothing
	}
	b := boxes[i]
	kernel := ""
	var lone []Area // kernels of which no instance was seen
	for _, row := range b.rows {
		if row.cells[0] == "Unused Resources" {
			continue // below 0 % if too much is used
		}
		a, ok := shares(b, row)
		if !ok {
			err = errors.New("a row of it cannot be read: " + strings.Join(row.cells, " | "))
			continue
		}
		switch name := row.cells[0]; {
		case name == "Platform":
			u.Platform = &a
		case name == "User Budget":
			u.Budget = &a
		case name == "Used Resources":
			u.Used = &a
		case row.indent <= 1:
			a.Name = instances.ReplaceAllString(name, "")
			lone = append(lone, a)
			kernel = a.Name
		default:
			a.Kernel = kernel
			u.Kernels = append(u.Kernels, a)
			if n := len(lone); n > 0 && lone[n-1].Name == kernel {
				lone = lone[:n-1]
			}
		}
	}
	for _, a := range lone {
		a.Kernel = a.Name
		u.Kernels = append(u.Kernels, a)
	}
	if b.cut {
		return errCut
	}
	return err
}

func shares(b *box, row boxRow) (Area, bool) {
	a := Area{Name: row.cells[0], Use: map[string]Amount{}}
	for i, title := range b.titles {
		resource, known := kernelColumns[title]
		if !known || i >= len(row.cells) {
			continue
		}
		m := share.FindStringSubmatch(row.cells[i])
		if m == nil {
			return a, false
		}
		used, ok1 := number(m[1])
		percent, ok2 := number(m[2])
		if !ok1 || !ok2 {
			return a, false
		}
		a.Use[resource] = Amount{Used: used, Percent: percent}
	}
	return a, len(a.Use) > 0
}

const slrSection = "SLR CLB Logic and Dedicated Block Utilization"

// parseSites reads the report of report_utilization: full_util_routed.rpt and
// slr_util_routed.rpt of v++.
func parseSites(ctx context.Context, r io.Reader, u *Usage) error {
	boxes, err := readBoxes(ctx, r, numbered, func(string) bool { return true })
	if err != nil {
		return err
	}
	card := Area{Name: "card", Use: map[string]Amount{}}
	cut := false
	for _, b := range boxes {
		cut = cut || b.cut
		if strings.HasPrefix(b.section, slrSection) {
			u.SLRs = slrs(b)
			continue
		}
		for _, row := range b.rows {
			resource, known := siteTypes[strings.TrimRight(row.cells[0], "*")]
			if _, twice := card.Use[resource]; !known || twice {
				continue
			}
			used, ok1 := number(b.cell(row, "Used"))
			available, ok2 := number(b.cell(row, "Available"))
			percent, ok3 := number(b.cell(row, "Util%"))
			if ok1 && ok2 && ok3 {
				card.Use[resource] = Amount{used, available, percent}
			}
		}
	}
	if len(card.Use) == 0 && len(u.SLRs) == 0 {
		return errNothing
	}
	if len(card.Use) > 0 && (u.Card == nil || len(u.Card.Use) < len(card.Use)) {
		u.Card = &card
	}
	if cut {
		return errCut
	}
	return nil
}

// slrs reads the table with a column of numbers and a column of percents for each
// SLR.
func slrs(b *box) []Area {
	var list []Area
	for _, title := range b.titles {
		if !strings.HasPrefix(title, "SLR") || strings.HasSuffix(title, "%") {
			continue
		}
		a := Area{Name: title, Use: map[string]Amount{}}
		for _, row := range b.rows {
			resource, known := siteTypes[strings.TrimRight(row.cells[0], "*")]
			if _, twice := a.Use[resource]; !known || twice {
				continue
			}
			used, ok1 := number(b.cell(row, title))
			percent, ok2 := number(b.cell(row, title+" %"))
			if ok1 && ok2 {
				a.Use[resource] = Amount{Used: used, Percent: percent}
			}
		}
		if len(a.Use) > 0 {
			list = append(list, a)
		}
	}
	return list
}
