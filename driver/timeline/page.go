package timeline

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
)

// What a picture has room for.
const (
	MostArrows = 400
	MostRanks  = 32

	mostNotArrived = 8
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// Page writes a page of HTML that needs nothing else: a sequence diagram of the first MostArrows
// arrows between the first MostRanks ranks, where the time of each rank went, and what is missing.
func (t *Timeline) Page(w io.Writer) error {
	return page.Execute(w, struct {
		*Timeline
		Picture *picture
		Rows    []accountRow
		Notes   []string
	}{t, t.picture(), t.rows(), t.notes()})
}

type accountRow struct {
	Rank, Calls                         int
	Total                               string
	Firmware, Moves, Wire, Waiting, For string
	Sent, Arrived                       int
}

func (t *Timeline) rows() (out []accountRow) {
	for rank := range t.Accounts {
		a := &t.Accounts[rank]
		out = append(out, accountRow{rank, a.Calls, fmt.Sprintf("%.1f", float64(a.Total)/1e3), a.share(a.Firmware),
			a.share(a.Moves), a.share(a.Wire), a.share(a.Waiting()), a.waits(), a.Sent, a.Arrived})
	}
	return out
}

// notes say what the picture does not show.
func (t *Timeline) notes() (out []string) {
	if text := t.Missing(); text != "" {
		out = append(out, text+".")
	}
	for i, m := range t.NotArrived {
		if i == mostNotArrived {
			out = append(out, fmt.Sprintf("%d further packets have not arrived.", len(t.NotArrived)-i))
			break
		}
		out = append(out, fmt.Sprintf("What rank %d has sent to rank %d at %s has not arrived: %s.", m.From, m.To,
			micros(m.Sent-t.Begin), m.Text))
	}
	if _, until := t.trains(min(len(t.Ranks), MostRanks)); until < t.End {
		out = append(out, fmt.Sprintf("There are %d packets; drawn is what fits on %d arrows, until %s.", len(t.Messages),
			MostArrows, micros(until-t.Begin)))
	}
	if n := len(t.Ranks); n > MostRanks {
		out = append(out, fmt.Sprintf("%d ranks are there, of which the first %d are drawn.", n, MostRanks))
	}
	out = append(out, t.Notes...)
	if t.Aligned {
		out = append(out, "Each rank has a clock of its own. They are aligned as if the fastest message between two ranks "+
			"took the same time in both directions.")
	}
	return out
}

// picture is a sequence diagram: ranks are columns, and time goes down.
type picture struct {
	Width, Height, Bottom float64
	Columns               []text
	Ticks                 []text
	Bars                  []bar
	Arrows                []arrow
	Labels                []text
	Right                 float64
}

type text struct {
	X, Y         float64
	Text, Anchor string
}

type bar struct {
	X, Y, Width, Height float64
	Class, Title        string
	to                  float64 // where it ends
	label               string
}

type arrow struct {
	X1, Y1, X2, Y2 float64
	Class, Title   string
	from           int
	label          string
}

// Sizes of the picture, in pixels.
const (
	axis       = 84 // left of the first column
	right      = 40 // of the last one, for what it says
	legend     = 540
	top        = 56
	leastStep  = 0.4 // between times that differ
	mostStep   = 26  // whatever lies between
	wanted     = 1500
	labelStep  = 13 // between labels of a column
	arriveStep = 4
	callWidth  = 18
	queueWidth = 4
	tickStep   = 44
	labelled   = 15 // height of a wait that is named
)

// mark is a time that the picture shows.
type mark struct {
	at    int64
	y     *float64
	rank  int
	least float64 // below the last mark of the rank that had one, too
}

func columnWidth(ranks int) float64 {
	switch {
	case ranks <= 4:
		return 230
	case ranks <= 8:
		return 165
	}
	return 120
}

func (t *Timeline) picture() *picture {
	ranks := min(len(t.Ranks), MostRanks)
	wide := columnWidth(ranks)
	p := &picture{Right: axis + wide*float64(ranks)}
	p.Width = max(p.Right+right, legend)
	x := func(rank int) float64 { return axis + wide*(float64(rank)+0.5) }
	for rank := range ranks {
		p.Columns = append(p.Columns, text{X: x(rank), Text: fmt.Sprintf("rank %d", rank)})
	}
	drawn, until := t.trains(ranks)
	p.bars(t, x, ranks, until)
	marks := p.arrows(drawn, x)
	k := 0
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Rank >= ranks || s.Begin > until {
			continue
		}
		b := &p.Bars[k]
		k++
		marks = append(marks, mark{s.Begin, &b.Y, s.Rank, 0}, mark{min(s.End, until), &b.to, s.Rank, 0})
	}
	p.place(marks)
	p.ticks(marks, t.Begin)
	p.label(wide)
	return p
}

// train is packets of a kind that a rank sends to another one behind each other, while the first
// is on the way: one arrow.
type train struct {
	Message
	packets int
}

// trains are those between the first ranks, and until when there was room for all of them.
func (t *Timeline) trains(ranks int) (out []train, until int64) {
	last := map[int]int{} // of each sender, in out
	for _, m := range t.Messages {
		if m.From >= ranks || m.To >= ranks {
			continue
		}
		if i, is := last[m.From]; is {
			if l := &out[i]; l.To == m.To && l.Kind == m.Kind && m.Bytes > 0 && l.Bytes > 0 && m.Sent <= l.Arrived {
				l.Arrived, l.Bytes, l.packets = max(l.Arrived, m.Arrived), l.Bytes+m.Bytes, l.packets+1
				continue
			}
		}
		if len(out) == MostArrows {
			return out, m.Sent
		}
		last[m.From] = len(out)
		out = append(out, train{m, 1})
	}
	return out, t.End
}

// bars are those of all spans that begin in time, in their order.
func (p *picture) bars(t *Timeline, x func(rank int) float64, ranks int, until int64) {
	for i := range t.Spans {
		s := &t.Spans[i]
		if s.Rank >= ranks || s.Begin > until {
			continue
		}
		b := bar{X: x(s.Rank) - callWidth/2, Width: callWidth, Class: class(string(s.Kind)),
			Title: fmt.Sprintf("%s, %s to %s (%s). %s", s.Name, micros(s.Begin-t.Begin), micros(s.End-t.Begin),
				micros(s.End-s.Begin), s.Text)}
		switch s.Kind {
		case HostCall:
			b.X, b.Width = b.X-5, b.Width+10
		case MoveSpan:
			b.X, b.Width = b.X+1+float64(s.Queue)*queueWidth, queueWidth
		case WaitSpan:
			b.label = s.Name
		}
		p.Bars = append(p.Bars, b)
	}
}

func (p *picture) arrows(drawn []train, x func(rank int) float64) (marks []mark) {
	p.Arrows = make([]arrow, len(drawn)) // marks point into it
	for i, m := range drawn {
		a := &p.Arrows[i]
		*a = arrow{X1: x(m.From), X2: x(m.To), Class: class(m.Kind), from: m.From, label: m.Kind,
			Title: fmt.Sprintf("rank %d to rank %d: %s; %s on the way", m.From, m.To, m.Text, micros(m.Arrived-m.Sent))}
		if m.Bytes > 0 {
			a.label += " " + size(m.Bytes)
		}
		if m.packets > 1 {
			a.label += fmt.Sprintf(" in %d", m.packets)
			a.Title = fmt.Sprintf("%d packets, of which the first is: %s", m.packets, a.Title)
		}
		if m.From < m.To {
			a.X1, a.X2 = a.X1+callWidth/2, a.X2-callWidth/2
		} else {
			a.X1, a.X2 = a.X1-callWidth/2, a.X2+callWidth/2
		}
		marks = append(marks, mark{m.Sent, &a.Y1, m.From, labelStep}, mark{m.Arrived, &a.Y2, -1 - m.To, arriveStep})
	}
	return marks
}

// place gives all times their place: where much happens, time is stretched, and where nothing
// happens it is cut short.
func (p *picture) place(marks []mark) {
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	if len(marks) == 0 {
		p.Bottom, p.Height = top+mostStep, top+2*mostStep
		return
	}
	total := max(marks[len(marks)-1].at-marks[0].at, 1)
	y, last := float64(top+mostStep), map[int]float64{}
	for i, m := range marks {
		if i > 0 && m.at > marks[i-1].at {
			y += min(max(float64(m.at-marks[i-1].at)*wanted/float64(total), leastStep), mostStep)
		}
		if before, is := last[m.rank]; is && m.least > 0 {
			y = max(y, before+m.least)
		}
		if m.least > 0 {
			last[m.rank] = y
		}
		*m.y = y
	}
	p.Bottom = y + 10
	p.Height = p.Bottom + 20
}

// tick is a time for which there is room at the left.
func tick(ns int64) string {
	if ns >= 1e9 {
		return fmt.Sprintf("%.5f s", float64(ns)/1e9)
	}
	return fmt.Sprintf("%.1f µs", float64(ns)/1e3)
}

func (p *picture) ticks(marks []mark, zero int64) {
	at := 0.0
	for _, m := range marks {
		if *m.y >= at {
			p.Ticks = append(p.Ticks, text{X: axis - 10, Y: *m.y, Text: tick(m.at - zero)})
			at = *m.y + tickStep
		}
	}
}

// label sets what waits and arrows say.
func (p *picture) label(wide float64) {
	for i := range p.Bars {
		b := &p.Bars[i]
		b.Height = max(b.to-b.Y, 1)
		if b.label != "" && b.Height >= labelled {
			p.Labels = append(p.Labels, text{b.X + b.Width + 4, b.Y + b.Height/2 + 4, b.label, "start"})
		}
	}
	slices.SortStableFunc(p.Bars, func(a, b bar) int { return cmp.Compare(-a.Width, -b.Width) }) // moves above calls
	for i := range p.Arrows {
		a := &p.Arrows[i]
		l := text{a.X1 + 5, a.Y1 - 2, a.label, "start"}
		if a.X2 < a.X1 {
			l.X, l.Anchor = a.X1-5, "end"
		}
		// On the line, where it has come down that far.
		down := (a.Y2 - a.Y1) / max(1, abs(a.X2-a.X1)) * min(40, wide/4)
		l.Y += min(down, labelStep)
		p.Labels = append(p.Labels, l)
	}
}

func abs(v float64) float64 { return max(v, -v) }

// class is a kind as a class of CSS.
func class(kind string) string {
	switch kind {
	case string(HostCall):
		return "host"
	case ClearToSend:
		return "cts"
	}
	return kind
}

// size is a number of bytes in words.
func size(bytes int) string {
	switch {
	case bytes >= 1<<20 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}
