package report

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// screen is a small model of a terminal: it wraps, scrolls, and knows the control
// sequences of ECMA-48 that displays may use. Anything else fails the test.
type screen struct {
	t       testing.TB
	mu      sync.Mutex
	columns int
	rows    int
	past    []string // what has scrolled away
	cells   [][]rune
	x, y    int
	hidden  bool
	writes  int
}

func newScreen(t testing.TB, columns, rows int) *screen {
	s := &screen{t: t, columns: columns, rows: rows}
	s.cells = [][]rune{{}}
	return s
}

func (s *screen) size() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.columns, s.rows
}

// resize makes the terminal so wide; lines that do not fit any more wrap, as
// terminals of today do it.
func (s *screen) resize(columns, rows int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var cells [][]rune
	y := s.y
	for i, line := range s.cells {
		if i == s.y {
			y = len(cells)
		}
		for len(line) > columns {
			cells = append(cells, line[:columns:columns])
			line = line[columns:]
		}
		cells = append(cells, line)
	}
	s.cells, s.y, s.columns, s.rows = cells, y, columns, rows
	s.scroll()
}

func (s *screen) scroll() {
	for len(s.cells) > s.rows {
		s.past = append(s.past, string(s.cells[0]))
		s.cells = s.cells[1:]
		s.y--
	}
	s.y = max(0, s.y)
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	text := []rune(string(p))
	for i := 0; i < len(text); i++ {
		switch r := text[i]; {
		case r == '\x1b':
			end := i + 1
			for end < len(text) && !(text[end] >= 'A' && text[end] <= 'Z' || text[end] >= 'a' && text[end] <= 'z') {
				end++
			}
			if end == len(text) {
				s.t.Errorf("a control sequence is cut: %q", string(text[i:]))
				return len(p), nil
			}
			s.control(string(text[i+1 : end+1]))
			i = end
		case r == '\r':
			s.x = 0
		case r == '\n':
			s.newline()
			s.x = 0
		case r < ' ':
			s.t.Errorf("control character %q", r)
		default:
			s.put(r)
		}
	}
	return len(p), nil
}

func (s *screen) newline() {
	s.y++
	if s.y == len(s.cells) {
		s.cells = append(s.cells, nil)
	}
	s.scroll()
}

func (s *screen) put(r rune) {
	if s.x == s.columns {
		s.newline()
		s.x = 0
	}
	line := s.cells[s.y]
	for len(line) <= s.x {
		line = append(line, ' ')
	}
	line[s.x] = r
	s.cells[s.y] = line
	s.x++
}

func (s *screen) control(c string) {
	switch c {
	case "[?25l":
		s.hidden = true
	case "[?25h":
		s.hidden = false
	case "[A":
		s.y = max(0, s.y-1)
	case "[K":
		s.cells[s.y] = s.cells[s.y][:min(s.x, len(s.cells[s.y]))]
	case "[J":
		s.cells[s.y] = s.cells[s.y][:min(s.x, len(s.cells[s.y]))]
		s.cells = s.cells[:s.y+1]
	default:
		s.t.Errorf("control sequence %q", c)
	}
}

// text is all that was ever written and is still there, past and present.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.past {
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
	}
	for _, line := range s.cells {
		fmt.Fprintln(&b, strings.TrimRight(string(line), " "))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
