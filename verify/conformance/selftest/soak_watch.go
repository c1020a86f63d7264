package selftest

import (
	"fmt"
	"runtime"
	"time"
)

// What may change between the first look and the last one: buffers of this size
// are kept for the next use, and timers and finalizers come and go.
const (
	slackBytes      = 32 << 20
	slackGoroutines = 8
)

// watch looks at memory and goroutines, first when a fifth of the time is over:
// by then everything has been used once.
type watch struct {
	first, last look
	looks       int
}

type look struct {
	heap       uint64 // bytes in use after a collection
	goroutines int
}

func newWatch() *watch { return &watch{} }

// note looks, when nothing runs.
func (w *watch) note(now, all time.Duration) {
	if now < all/5 {
		return
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers have let go
	runtime.ReadMemStats(&m)
	w.last = look{m.HeapInuse, runtime.NumGoroutine()}
	if w.looks == 0 {
		w.first = w.last
	}
	w.looks++
}

func (w *watch) String() string {
	return fmt.Sprintf("memory in use %.1f MB, then %.1f; goroutines %d, then %d",
		float64(w.first.heap)/1e6, float64(w.last.heap)/1e6, w.first.goroutines, w.last.goroutines)
}

// verdict is ErrLeak if something has grown.
func (w *watch) verdict() error {
	grown := w.last.heap > w.first.heap+w.first.heap/4+slackBytes || w.last.goroutines > w.first.goroutines+slackGoroutines
	if w.looks < 2 || !grown {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrLeak, w)
}
