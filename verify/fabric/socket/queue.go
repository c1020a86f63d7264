package socket

// queue grows as needed and keeps its memory.
type queue[T any] struct {
	slots []T // a power of two of them
	head  int // counts up for ever
	tail  int
}

func (q *queue[T]) len() int { return q.tail - q.head }

func (q *queue[T]) push(v T) {
	if q.len() == len(q.slots) {
		grown := make([]T, max(8, 2*len(q.slots)))
		n := 0
		for ; q.len() > 0; n++ {
			grown[n] = q.pop()
		}
		q.slots, q.head, q.tail = grown, 0, n
	}
	q.slots[q.tail&(len(q.slots)-1)] = v
	q.tail++
}

// front is the next element, back the last one; there must be one, as for pop.
func (q *queue[T]) front() T { return q.slots[q.head&(len(q.slots)-1)] }
func (q *queue[T]) back() T  { return q.slots[(q.tail-1)&(len(q.slots)-1)] }

func (q *queue[T]) pop() T {
	var none T
	slot := &q.slots[q.head&(len(q.slots)-1)]
	v := *slot
	*slot = none
	q.head++
	return v
}
