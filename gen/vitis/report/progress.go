package report

import (
	"cmp"
	"io"
	"os"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Display shows the events of a build. Event may be called from several goroutines
// at once. Close ends the display; it restores the terminal and gives the first
// error of the writer.
type Display interface {
	Event(step.Event)
	Close() error
}

// DisplayOptions are for tests; the zero value suits people.
type DisplayOptions struct {
	Now func() time.Time // time.Now
	// Size is the size of the terminal; 80 by 24 if it says less than 1.
	Size func() (columns, rows int)
	// Tick says when to draw again; four times a second if nil.
	Tick <-chan time.Time
	// Every is how often plain lines tell of stages, and Heartbeat how often they
	// tell that something still runs: 30 s and a minute if 0.
	Every, Heartbeat time.Duration
}

func (o *DisplayOptions) complete(tick time.Duration) (stop func()) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Size == nil {
		o.Size = func() (int, int) { return 0, 0 }
	}
	o.Every = cmp.Or(o.Every, 30*time.Second)
	o.Heartbeat = cmp.Or(o.Heartbeat, time.Minute)
	if o.Tick != nil {
		return func() {}
	}
	t := time.NewTicker(tick)
	o.Tick = t.C
	return t.Stop
}

// ticking is what displays that draw at times have in common.
type ticking struct {
	mu    sync.Mutex
	out   firstError
	o     DisplayOptions
	state *state
	stop  func()
	done  chan struct{}
	ended bool
	end   sync.WaitGroup
}

// start calls draw at each tick until the display is closed.
func (t *ticking) start(w io.Writer, o DisplayOptions, tick time.Duration, draw func()) {
	t.stop = o.complete(tick)
	t.out, t.o, t.state, t.done = firstError{w: w}, o, newState(o.Now()), make(chan struct{})
	t.end.Go(func() {
		for {
			select {
			case <-t.done:
				return
			case _, ok := <-t.o.Tick:
				if !ok {
					return
				}
				t.mu.Lock()
				if !t.ended {
					draw()
				}
				t.mu.Unlock()
			}
		}
	})
}

// close ends the display with last, which has the total if there was a step.
func (t *ticking) close(last func(total []string)) error {
	t.mu.Lock()
	if !t.ended {
		t.ended = true
		close(t.done)
		t.stop()
		var total []string
		if len(t.state.list) > 0 {
			total = []string{t.state.total(t.o.Now())}
		}
		last(total)
	}
	t.mu.Unlock()
	t.end.Wait()
	return t.out.err
}

// For is the display that suits a file: live if it is a terminal that can do it,
// plain lines if not, and JSON if that is wanted.
func For(f *os.File, asJSON bool) Display {
	switch {
	case asJSON:
		return NewJSON(f)
	case terminal(f):
		return NewLive(f, DisplayOptions{Size: func() (int, int) { return size(f) }})
	default:
		return NewPlain(f, DisplayOptions{})
	}
}

// firstError keeps the first error of a writer, after which it writes no more.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(p)
	f.err = err
	return n, err
}
