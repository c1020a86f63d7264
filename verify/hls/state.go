package hls

import "fmt"

// Doing is what a kernel does when it has been run.
type Doing uint32

// What a kernel can do.
const (
	Idle   Doing = iota // has not been started, or its call has ended
	Reads               // waits for a beat of a stream
	Writes              // waits for room at a stream
	Polls               // looks at its streams again and again, and none has changed
	Failed              // has done what no kernel may do; it will not run again
)

// State is what a kernel does, and how far it is.
type State struct {
	Doing  Doing
	Port   int    // that it waits for, or -1
	Stream string // the name of that
	Moved  uint64 // beats of that which it has read or written so far
	Calls  uint64 // of the kernel that have ended
	Text   string // why it has failed
}

// String is what stands after the name of a kernel.
func (s State) String() string {
	switch s.Doing {
	case Idle:
		if s.Calls == 0 {
			return "has not run"
		}
		return fmt.Sprintf("has ended call %d", s.Calls)
	case Reads:
		return fmt.Sprintf("waits to read beat %d of %s (%d read)", s.Moved+1, s.Stream, s.Moved)
	case Writes:
		return fmt.Sprintf("waits to write beat %d of %s (%d written)", s.Moved+1, s.Stream, s.Moved)
	case Polls:
		return "looks at its streams again and again, and none changes"
	default:
		return "has failed: " + s.Text
	}
}
