package fabric_test

import (
	"testing"

	"github.com/cclforge/cclforge/verify/fabric"
)

func TestElementsLeaveInTheOrderInWhichTheyCame(t *testing.T) {
	var q fabric.Queue[int]
	var want []int
	for i := range 1000 {
		switch {
		case i%7 < 4:
			q.Push(i)
			want = append(want, i)
		case i%7 == 4: // to the front, as after a try
			q.Unpop(-i)
			want = append([]int{-i}, want...)
		case len(want) > 0:
			if *q.Front() != want[0] || *q.Back() != want[len(want)-1] {
				t.Fatalf("step %d: %d … %d, not %v", i, *q.Front(), *q.Back(), want)
			}
			if got := q.Pop(); got != want[0] {
				t.Fatalf("step %d: %d, not %d", i, got, want[0])
			}
			want = want[1:]
		}
		if q.Len() != len(want) {
			t.Fatalf("step %d: %d elements, not %d", i, q.Len(), len(want))
		}
	}
}

func TestElementsThatHaveLeftAreForgotten(t *testing.T) {
	var q fabric.Queue[*int]
	for range 20 {
		q.Push(new(int))
	}
	for q.Len() > 1 {
		front := q.Front()
		if q.Pop(); *front != nil {
			t.Fatal("its place still refers to an element that has left")
		}
	}
}

func TestQueuesKeepTheirMemory(t *testing.T) {
	var q fabric.Queue[int]
	through := func() {
		for i := range 100 {
			q.Push(i)
		}
		for q.Len() > 0 {
			q.Pop()
		}
	}
	if n := testing.AllocsPerRun(10, through); n > 0 { // after one that does not count
		t.Errorf("%v allocations", n)
	}
}
