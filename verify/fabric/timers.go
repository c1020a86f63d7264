package fabric

import (
	"container/heap"
	"sync"
	"time"
)

// timers lets links advance when it is time. It has a goroutine only while
// something is due. Its lock may be taken while that of a port is held, but
// not the other way round.
type timers struct {
	mu    sync.Mutex
	links byTime
	timer *time.Timer
}

// at lets a link advance at a time in nanoseconds, or earlier if that has been
// asked for.
func (t *timers) at(n *Net, l *link, when int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case l.timerSlot == 0:
		l.timerAt = when
		heap.Push(&t.links, l)
	case when < l.timerAt:
		l.timerAt = when
		heap.Fix(&t.links, l.timerSlot-1)
	default:
		return
	}
	if t.links[0] == l {
		t.arm(n)
	}
}

// arm sets the timer for the first link. If it fires while tick still runs,
// the two share the work.
func (t *timers) arm(n *Net) {
	d := time.Duration(t.links[0].timerAt - n.now())
	if t.timer == nil {
		t.timer = time.AfterFunc(d, func() { t.tick(n) })
	} else {
		t.timer.Reset(d)
	}
}

func (t *timers) tick(n *Net) {
	for {
		t.mu.Lock()
		if len(t.links) == 0 {
			t.mu.Unlock()
			return
		}
		l := t.links[0]
		if l.timerAt > n.now() {
			t.arm(n)
			t.mu.Unlock()
			return
		}
		heap.Pop(&t.links)
		t.mu.Unlock()
		l.advance()
	}
}

// byTime is a heap of links that know their place in it.
type byTime []*link

func (b byTime) Len() int           { return len(b) }
func (b byTime) Less(i, j int) bool { return b[i].timerAt < b[j].timerAt }

func (b byTime) Swap(i, j int) {
	b[i], b[j] = b[j], b[i]
	b[i].timerSlot, b[j].timerSlot = i+1, j+1
}

func (b *byTime) Push(x any) {
	l := x.(*link)
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
