package fabric

// ring is a queue that grows as needed and keeps its memory.
type ring[T any] struct {
	slots []T // a power of two of them
	head  int // counts up for ever
	tail  int
}

func (r *ring[T]) len() int { return r.tail - r.head }

func (r *ring[T]) push(v T) {
	if r.len() == len(r.slots) {
		r.grow()
	}
	r.slots[r.tail&(len(r.slots)-1)] = v
	r.tail++
}

// unpop puts an element back that was popped.
func (r *ring[T]) unpop(v T) {
	if r.len() == len(r.slots) {
		r.grow()
	}
	r.head--
	r.slots[r.head&(len(r.slots)-1)] = v
}

func (r *ring[T]) grow() {
	grown := make([]T, max(8, 2*len(r.slots)))
	n := 0
	for ; r.len() > 0; n++ {
		grown[n] = r.pop()
	}
	r.slots, r.head, r.tail = grown, 0, n
}

// front returns the next element; there must be one, as for pop.
func (r *ring[T]) front() *T { return &r.slots[r.head&(len(r.slots)-1)] }

func (r *ring[T]) pop() T {
	var none T
	slot := r.front()
	v := *slot
	*slot = none
	r.head++
	return v
}
