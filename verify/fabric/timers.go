package fabric

import (
	"container/heap"
	"sync"
	"time"
)

// timers lets lines advance when it is time. It has a goroutine only while
// something is due. Its lock may be taken while that of a line is held, but
// not the other way round.
type timers struct {
	mu      sync.Mutex
	lines   byTime
	timer   *time.Timer
	stopped bool
}

// at lets a line advance at a time in nanoseconds, or earlier if that has been
// asked for.
func (t *timers) at(l *line, when int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.stopped:
		return
	case l.timerSlot == 0:
		l.timerAt = when
		heap.Push(&t.lines, l)
	case when < l.timerAt:
		l.timerAt = when
		heap.Fix(&t.lines, l.timerSlot-1)
	default:
		return
	}
	if t.lines[0] == l {
		t.arm()
	}
}

// arm sets the timer for the first line. If it fires while tick still runs,
// the two share the work.
func (t *timers) arm() {
	d := time.Duration(t.lines[0].timerAt - t.lines[0].medium.now())
	if t.timer == nil {
		t.timer = time.AfterFunc(d, t.tick)
	} else {
		t.timer.Reset(d)
	}
}

func (t *timers) tick() {
	for {
		t.mu.Lock()
		if len(t.lines) == 0 {
			t.mu.Unlock()
			return
		}
		l := t.lines[0]
		if l.timerAt > l.medium.now() {
			t.arm()
			t.mu.Unlock()
			return
		}
		heap.Pop(&t.lines)
		t.mu.Unlock()
		l.out.advance()
	}
}

// stop lets no line advance any more.
func (t *timers) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped, t.lines = true, nil
	if t.timer != nil {
		t.timer.Stop()
	}
}

// byTime is a heap of lines that know their place in it.
type byTime []*line

func (b byTime) Len() int           { return len(b) }
func (b byTime) Less(i, j int) bool { return b[i].timerAt < b[j].timerAt }

func (b byTime) Swap(i, j int) {
	b[i], b[j] = b[j], b[i]
	b[i].timerSlot, b[j].timerSlot = i+1, j+1
}

func (b *byTime) Push(x any) {
	l := x.(*line)
	*b = append(*b, l)
	l.timerSlot = len(*b)
}

func (b *byTime) Pop() any {
	old := *b
	l := old[len(old)-1]
	old[len(old)-1] = nil
	*b = old[:len(old)-1]
	l.timerSlot = 0
	return l
}
