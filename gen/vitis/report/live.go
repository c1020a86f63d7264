package report

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Control sequences (ECMA-48; DEC private mode 25 for the cursor).
const (
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
	clearLine  = "\x1b[K"
	clearBelow = "\x1b[J"
	lineUp     = "\x1b[A"
)

// live keeps a block of lines at the bottom of what was written: one for each step
// that runs or waits, and one about the whole. What has ended scrolls away above.
type live struct {
	ticking
	drawn []string // the block as it stands on the terminal
	wide  int      // the width of the terminal then
}

// NewLive draws on a terminal.
func NewLive(w io.Writer, o DisplayOptions) Display {
	l := &live{}
	l.start(w, o, 250*time.Millisecond, func() { l.draw(nil) })
	return l
}

// Event implements Display.
func (l *live) Event(e step.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.state.take(e)
	if t == nil || l.ended {
		return
	}
	switch e.Kind {
	case step.Planned, step.Stage:
		return // the next tick shows it
	case step.Started, step.Waiting:
		l.draw(nil)
	default:
		if text := ending(t, e); text != "" {
			l.draw([]string{text})
		}
	}
}

// Close implements Display.
func (l *live) Close() error { return l.close(func(total []string) { l.write(total, nil) }) }

// draw writes lines that stay, and the block below them.
func (l *live) draw(above []string) {
	columns, rows := l.size()
	block := l.block(columns-1, rows-1)
	if len(above) == 0 && columns == l.wide && slices.Equal(block, l.drawn) {
		return
	}
	l.write(above, block)
}

func (l *live) size() (columns, rows int) {
	columns, rows = l.o.Size()
	if columns < 1 {
		columns = 80
	}
	if rows < 1 {
		rows = 24
	}
	return columns, rows
}

// write replaces the block, in one piece, so that nothing flickers.
func (l *live) write(above, block []string) {
	columns, _ := l.size()
	var b strings.Builder
	if len(l.drawn) == 0 && len(block) > 0 {
		b.WriteString(hideCursor)
	}
	b.WriteString(strings.Repeat(lineUp, l.height(columns)) + "\r")
	for _, text := range above {
		b.WriteString(text + clearLine + "\n")
	}
	for _, text := range block {
		b.WriteString(text + clearLine + "\n")
	}
	b.WriteString(clearBelow)
	if len(block) == 0 {
		b.WriteString(showCursor)
	}
	_, _ = io.WriteString(&l.out, b.String()) // kept for Close
	l.drawn, l.wide = block, columns
}

// height is how many rows the block takes: if the terminal has become narrower,
// lines may stand on more than one.
func (l *live) height(columns int) int {
	n := 0
	for _, text := range l.drawn {
		n += max(1, (utf8.RuneCountInString(text)+columns-1)/columns)
	}
	return n
}

// block is the lines at the bottom, at most so wide and so many.
func (l *live) block(width, rows int) []string {
	now := l.o.Now()
	active := l.state.active()
	if len(active) == 0 && len(l.drawn) == 0 {
		return nil
	}
	room := max(0, rows-2)
	more := 0
	if len(active) > room {
		more = len(active) - max(0, room-1)
		active = active[:len(active)-more]
	}
	names := 0
	for _, t := range l.state.list {
		if t.run || t.running() { // all, so that columns stay where they are
			names = max(names, utf8.RuneCountInString(t.name))
		}
	}
	names = min(names, max(12, width/3))
	var list []string
	for _, t := range active {
		list = append(list, cut(taskLine(t, now, names, width), width))
	}
	if more > 0 && room > 0 {
		list = append(list, cut("  and "+plural(more, "step"), width))
	}
	return append(list, cut(l.state.total(now), width))
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word + " more"
	}
	return strconv.Itoa(n) + " " + word + "s more"
}

const barWidth = 16

// taskLine is a step: name, stage, time, and how far it is compared with before.
func taskLine(t *task, now time.Time, names, width int) string {
	line := "  " + pad(t.name, names) + "  "
	if !t.running() {
		return line + "waits" + prefixed(": ", t.stage)
	}
	elapsed := now.Sub(t.begin).Truncate(time.Second)
	stage := t.stage
	if stage == "" {
		stage = "running" + prefixed(" on ", t.where)
	}
	line += pad(stage, stageWidth) + "  " + pad(duration(elapsed), timeWidth)
	if t.expected <= 0 {
		return line
	}
	left := "about " + rough(t.expected-elapsed) + " left"
	if elapsed >= t.expected {
		left = "took " + rough(t.expected) + " before"
	}
	with := line + " " + bar(elapsed, t.expected) + " " + left
	if utf8.RuneCountInString(with) <= width {
		return with
	}
	return line + " " + left
}

const (
	stageWidth = 22
	timeWidth  = 11
)

// bar is how much of the expected time is over.
func bar(elapsed, expected time.Duration) string {
	n := int(float64(barWidth) * min(1, float64(elapsed)/float64(expected)))
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", barWidth-n) + "]"
}
