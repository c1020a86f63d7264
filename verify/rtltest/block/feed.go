package block

import "math/rand/v2"

// Feed gives a module the elements of a queue, at a pace of its own.
type Feed[T any] struct {
	*Input
	Pace  func() bool // nil: always
	Put   func(T)     // sets the fields
	Queue []T
}

// Drive goes before a step. While nothing is offered, the fields are random.
func (f *Feed[T]) Drive(r *rand.Rand) {
	if f.Offered() {
		return
	}
	f.Bench.Scramble(r, f.Fields...)
	if len(f.Queue) > 0 && (f.Pace == nil || f.Pace()) {
		f.Put(f.Queue[0])
		f.Offer()
	}
}

// Gone is, after a step, the element that was taken in it.
func (f *Feed[T]) Gone() (x T, ok bool) {
	if ok = f.Taken(); ok {
		x, f.Queue = f.Queue[0], f.Queue[1:]
	}
	return x, ok
}

// Forget is for resets: it empties the queue.
func (f *Feed[T]) Forget() {
	f.Withdraw()
	f.Queue = nil
}

// Drain takes the output of a module, at a pace of its own.
type Drain struct {
	*Output
	Pace func() bool // nil: always
	Late bool        // ready comes only after valid
}

// Drive goes before a step.
func (d *Drain) Drive() {
	d.Bench.Put(d.Ready, (!d.Late || d.held != nil) && (d.Pace == nil || d.Pace()))
}
