package report

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// drawing is an SVG picture that grows downwards.
type drawing struct {
	bytes.Buffer
	width, height float64
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.Buffer, format, args...) }

// picture is the whole SVG; title is for those who cannot see it.
func (d *drawing) picture(title string) string {
	return fmt.Sprintf(
		`<svg xmlns="http://www.w3.org/2000/svg" width="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`+"\n",
		at(d.width), at(d.width), at(d.height), html.EscapeString(title), d.String())
}

func at(v float64) string { return decimal(v, 1) }

func (d *drawing) text(x, y float64, class, text string) {
	d.printf(`<text x="%s" y="%s" class="%s">%s</text>`, at(x), at(y), class, html.EscapeString(text))
}

// rect draws a bar; tip is what readers see when they point at it.
func (d *drawing) rect(x, y, w, h float64, class, tip string) {
	d.printf(`<rect x="%s" y="%s" width="%s" height="%s" rx="2" class="%s">`, at(x), at(y), at(max(0, w)), at(h), class)
	if tip != "" {
		d.printf(`<title>%s</title>`, html.EscapeString(tip))
	}
	d.printf(`</rect>`)
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	d.printf(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, at(x1), at(y1), at(x2), at(y2), class)
}

// Measures of the pictures, in pixels.
const (
	chartWidth = 1060
	rowHeight  = 24
	barHeight  = 14
	letter     = 6.3 // width of a letter, on average
)

// fit shortens a label to so many pixels, in its middle: names differ at their ends.
func fit(label string, width float64) string {
	most := int(width / letter)
	if n := utf8.RuneCountInString(label); n > most && most > 4 {
		r := []rune(label)
		return string(r[:most/2-1]) + "…" + string(r[n-(most-most/2):])
	}
	return label
}

func widest(labels []string, limit float64) float64 {
	w := 0.0
	for _, l := range labels {
		w = max(w, float64(utf8.RuneCountInString(l))*letter)
	}
	return min(w+6, limit)
}

// row is a bar with its label and the text behind it.
type row struct {
	label, text, class, tip string
	value                   float64
	was                     float64 // of the build before; NaN if it is not known
}

// bars draws one bar a row, from zero; negative ones go to the left. Bars that are
// longer than most end there; 0 stands for no such limit.
func bars(title string, rows []row, most float64) string {
	var labels, texts []string
	low, high := 0.0, 0.0
	for _, r := range rows {
		labels, texts = append(labels, r.label), append(texts, r.text)
		for _, v := range []float64{r.value, r.was} {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
		if most > 0 {
			high = min(high, most)
		}
	}
	if high == low {
		high = low + 1
	}
	left, right := widest(labels, 330), widest(texts, 300)
	d := &drawing{width: chartWidth, height: float64(len(rows))*rowHeight + 4}
	span := d.width - left - right - 16
	x := func(v float64) float64 { return left + 8 + span*(min(v, high)-low)/(high-low) }
	for i, r := range rows {
		y := float64(i)*rowHeight + 5
		d.text(left, y+barHeight-3, "e", fit(r.label, left))
		d.rect(min(x(0), x(r.value)), y, max(1, math.Abs(x(r.value)-x(0))), barHeight, r.class, r.tip)
		if !math.IsNaN(r.was) && math.Abs(x(r.was)-x(r.value)) >= 1 {
			d.line(x(r.was), y-2, x(r.was), y+barHeight+2, "was")
		}
		d.text(left+span+16, y+barHeight-3, "s", r.text)
	}
	d.line(x(0), 0, x(0), d.height, "axis")
	return d.picture(title)
}

// matrix draws a bar for each row and resource, in percent; a bar that is full
// stands for so many.
func matrix(title string, areas []Area, before map[string]Area, full float64) string {
	shown := used(areas)
	if len(shown) == 0 {
		return ""
	}
	var labels []string
	for _, a := range areas {
		labels = append(labels, a.Name)
	}
	left := widest(labels, 250)
	d := &drawing{width: chartWidth, height: float64(len(areas))*rowHeight + 26}
	column := (d.width - left - 10) / float64(len(shown))
	bar := column - 62
	for j, resource := range shown {
		d.text(left+10+float64(j)*column, 14, "s h", resource)
	}
	for i, a := range areas {
		y := float64(i)*rowHeight + 25
		d.text(left, y+barHeight-3, "e", fit(a.Name, left))
		for j, resource := range shown {
			n, ok := a.Use[resource]
			if !ok {
				continue
			}
			x := left + 10 + float64(j)*column
			tip := fmt.Sprintf("%s: %s %s", a.Name, grouped(n.Used), resource)
			if n.Available > 0 {
				tip += " of " + grouped(n.Available)
			}
			if was, ok := before[a.Name].Use[resource]; ok {
				tip += ", before " + grouped(was.Used)
			}
			d.rect(x, y, bar, barHeight, "track", tip)
			d.rect(x, y, bar*min(1, n.Percent/full), barHeight, heat(n.Percent), tip)
			if was, ok := before[a.Name].Use[resource]; ok && math.Abs(was.Percent-n.Percent)*bar >= full {
				mark := x + bar*min(1, was.Percent/full)
				d.line(mark, y-2, mark, y+barHeight+2, "was")
			}
			d.text(x+bar+5, y+barHeight-3, "s", fixed(n.Percent, 1)+" %")
		}
	}
	return d.picture(title)
}

// scale is a round number of percent that no bar is longer than.
func scale(areas []Area) float64 {
	most := 0.0
	for _, a := range areas {
		for _, n := range a.Use {
			most = max(most, n.Percent)
		}
	}
	for _, round := range []float64{5, 10, 20, 50} {
		if most <= round {
			return round
		}
	}
	return 100
}

// heat is the colour of a percentage: place and route get hard above 70 %, and
// fail above 85 % or so (UG949, "Device Utilization").
func heat(percent float64) string {
	switch {
	case percent >= 85:
		return "no"
	case percent >= 70:
		return "hot"
	default:
		return "bar"
	}
}

// used are the resources of which something is known in any area.
func used(areas []Area) []string {
	var list []string
	for _, resource := range Resources {
		for _, a := range areas {
			if _, ok := a.Use[resource]; ok {
				list = append(list, resource)
				break
			}
		}
	}
	return list
}

// colours is how many colours there are for parts of a whole.
const colours = 6

// stack draws parts of a whole beside each other, with a legend. There are as many
// as there are colours; the last takes the rest.
func stack(title string, parts []Watts) string {
	if len(parts) > colours {
		rest := Watts{Name: "other"}
		for _, p := range parts[colours-1:] {
			rest.Watts += p.Watts
		}
		parts = append(slices.Clone(parts[:colours-1]), rest)
	}
	total := 0.0
	for _, p := range parts {
		total += p.Watts
	}
	if total <= 0 {
		return ""
	}
	d := &drawing{width: chartWidth}
	x, lx, ly := 0.0, 0.0, 44.0
	for i, p := range parts {
		class := fmt.Sprintf("c%d", i%colours)
		w := d.width * p.Watts / total
		label := fmt.Sprintf("%s %s W", p.Name, watts(p.Watts))
		d.rect(x, 4, max(0, w-1), 22, class, label)
		x += w
		need := float64(utf8.RuneCountInString(label))*letter + 34
		if lx+need > d.width {
			lx, ly = 0, ly+20
		}
		d.rect(lx, ly-10, 12, 12, class, "")
		d.text(lx+17, ly, "", label)
		lx += need
	}
	d.height = ly + 8
	return d.picture(title)
}

// point is a value of one build; NaN if it is not known.
type point struct {
	value float64
	bad   bool
	tip   string
}

// curve draws values of builds, oldest first.
func curve(title, unit string, points []point, digits int, zero bool) string {
	low, high, known := math.Inf(1), math.Inf(-1), 0
	for _, p := range points {
		if !math.IsNaN(p.value) {
			low, high = min(low, p.value), max(high, p.value)
			known++
		}
	}
	if known == 0 {
		return ""
	}
	if zero {
		low, high = min(low, 0), max(high, 0)
	}
	if high == low {
		low, high = low-0.5, high+0.5
	}
	if !zero {
		low, high = low-(high-low)*0.08, high+(high-low)*0.08
	}
	const top, bottom, left, right = 26, 14, 58, 12
	d := &drawing{width: chartWidth/2 - 10, height: 150}
	x := func(i int) float64 {
		if len(points) == 1 {
			return (left + d.width - right) / 2
		}
		return left + (d.width-left-right)*float64(i)/float64(len(points)-1)
	}
	y := func(v float64) float64 { return top + (d.height-top-bottom)*(high-v)/(high-low) }
	d.text(0, 14, "h", title)
	d.text(d.width-right, 14, "s e", unit)
	for i := range 3 {
		v := low + (high-low)*float64(i)/2
		d.line(left, y(v), d.width-right, y(v), "grid")
		d.text(left-6, y(v)+4, "s e", fixed(v, digits))
	}
	if zero && low < 0 && high > 0 {
		d.line(left, y(0), d.width-right, y(0), "axis")
	}
	var path strings.Builder
	pen := "M"
	for i, p := range points {
		if math.IsNaN(p.value) {
			pen = "M"
			continue
		}
		fmt.Fprintf(&path, "%s%s %s", pen, at(x(i)), at(y(p.value)))
		pen = "L"
	}
	d.printf(`<path d="%s" class="curve"/>`, path.String())
	for i, p := range points {
		if math.IsNaN(p.value) {
			continue
		}
		class := "bar"
		if p.bad {
			class = "no"
		}
		d.printf(`<circle cx="%s" cy="%s" r="4" class="%s"><title>%s</title></circle>`, at(x(i)), at(y(p.value)), class,
			html.EscapeString(p.tip))
	}
	return d.picture(title)
}
