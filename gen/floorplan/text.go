package floorplan

import "strings"

// font is a size of the picture's typeface.
type font struct {
	size int // pixels
	bold bool
}

// advances are the widths of the characters from space to tilde in
// thousandths of the font size, as in Helvetica and in all fonts with its
// metrics.
var advances = [...]int{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

const (
	otherAdvance = 1000 // any other character
	boldPercent  = 108
	sparePercent = 104 // fonts that stand in for Helvetica are a little wider
)

// width estimates how many pixels a text takes.
func (f font) width(text string) int {
	sum := 0
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			sum += advances[r-' ']
		case r == '·' || r == '×' || r == '…' || r == '–':
			sum += 600
		default:
			sum += otherAdvance
		}
	}
	if f.bold {
		sum = sum * boldPercent / 100
	}
	return (sum*f.size*sparePercent + 99_999) / 100_000
}

// wrap breaks a text that is wider than the room it has: after commas and
// semicolons, and before plus signs.
func (f font) wrap(text string, room int) []string {
	text = strings.NewReplacer(", ", ",\n", "; ", ";\n", " + ", "\n+ ").Replace(text)
	pieces := strings.Split(text, "\n")
	lines := pieces[:1]
	for _, piece := range pieces[1:] {
		last := &lines[len(lines)-1]
		if longer := *last + " " + piece; f.width(longer) <= room {
			*last = longer
		} else {
			lines = append(lines, piece)
		}
	}
	return lines
}

// fit shortens a text that is wider than the room it has.
func (f font) fit(text string, room int) string {
	if f.width(text) <= room {
		return text
	}
	runes := []rune(text)
	for len(runes) > 1 && f.width(string(runes)+"…") > room {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
