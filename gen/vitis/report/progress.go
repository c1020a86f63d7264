package report

import (
	"io"
	"os"
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

// DisplayOptions are for tests, and for those who know better.
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
	if o.Every == 0 {
		o.Every = 30 * time.Second
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = time.Minute
	}
	if o.Tick != nil {
		return func() {}
	}
	t := time.NewTicker(tick)
	o.Tick = t.C
	return t.Stop
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
