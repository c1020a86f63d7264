package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
)

func TestAnswersAreGivenOnce(t *testing.T) {
	var s Tickets
	ctx := t.Context()
	first, second := NewAnswer(), NewAnswer()
	a, b := s.Add(first), s.Add(second)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Wait(gone, a); !errors.Is(err, context.Canceled) {
		t.Errorf("before the answer: %v", err)
	}
	broken := errors.New("broken")
	second.Give(0, broken)
	first.Give(7, nil)
	// An answer that is there is given also when the context has ended.
	if code, err := s.Wait(gone, a); code != 7 || err != nil {
		t.Errorf("%v, %v", code, err)
	}
	if _, err := s.Wait(ctx, b); !errors.Is(err, broken) {
		t.Error(err)
	}
	for _, n := range []accl.Ticket{a, b, 0, 99} {
		if _, err := s.Wait(ctx, n); !errors.Is(err, ErrTicket) {
			t.Errorf("ticket %d: %v", n, err)
		}
	}
}

func TestOneOfManyGetsIt(t *testing.T) {
	var s Tickets
	call := NewAnswer()
	n := s.Add(call)
	var given atomic.Int32
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() {
			switch code, err := s.Wait(t.Context(), n); {
			case err == nil && code == 3:
				given.Add(1)
			case !errors.Is(err, ErrTicket):
				t.Errorf("%v, %v", code, err)
			}
		})
	}
	call.Give(3, nil)
	waiting.Wait()
	if given.Load() != 1 {
		t.Errorf("given %d times", given.Load())
	}
}
