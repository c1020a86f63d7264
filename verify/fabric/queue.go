package fabric

// Queue is a queue that grows as needed and keeps its memory. The zero value is
// empty.
type Queue[T any] struct {
	slots []T // a power of two of them
	head  int // counts up for ever
	tail  int
}

// Len is how many elements there are.
func (q *Queue[T]) Len() int { return q.tail - q.head }

// Push appends an element.
func (q *Queue[T]) Push(v T) {
	if q.Len() == len(q.slots) {
		q.grow()
	}
	q.slots[q.tail&(len(q.slots)-1)] = v
	q.tail++
}

// Unpop puts back an element that was popped.
func (q *Queue[T]) Unpop(v T) {
	if q.Len() == len(q.slots) {
		q.grow()
	}
	q.head--
	q.slots[q.head&(len(q.slots)-1)] = v
}

func (q *Queue[T]) grow() {
	grown := make([]T, max(8, 2*len(q.slots)))
	n := 0
	for ; q.Len() > 0; n++ {
		grown[n] = q.Pop()
	}
	q.slots, q.head, q.tail = grown, 0, n
}

// Front is the next element, Back the last one; there must be one, as for Pop.
func (q *Queue[T]) Front() *T { return &q.slots[q.head&(len(q.slots)-1)] }

// Back is the last element.
func (q *Queue[T]) Back() *T { return &q.slots[(q.tail-1)&(len(q.slots)-1)] }

// Pop takes the next element.
func (q *Queue[T]) Pop() T {
	var none T
	slot := q.Front()
	v := *slot
	*slot = none
	q.head++
	return v
}
