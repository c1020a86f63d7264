package engine

import (
	"context"
	"errors"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// plain is an engine that has nothing to do.
func plain(number int) *Engine {
	d := &Engine{at: Place{Card: "card 0", Number: number}}
	d.life, d.end = context.WithCancelCause(context.Background())
	return d
}

func TestEnginesOfACard(t *testing.T) {
	broken := errors.New("it does not open")
	none := func(s *Set) {}
	open := func(number int) func(*Set) {
		return func(s *Set) {
			if _, err := s.Open(number, func() (*Engine, error) { return plain(number), nil }); err != nil {
				panic(err)
			}
		}
	}
	for name, test := range map[string]struct {
		before func(*Set)
		during func(*Set) // while it is being opened
		fails  error      // to open
		want   error
		calls  int  // of what opens it
		again  bool // it can be opened after that
	}{
		"the first":                   {before: none, calls: 1},
		"another one":                 {before: open(3), calls: 1},
		"one that is open":            {before: open(2), want: ErrOpen},
		"one that fails":              {before: none, fails: broken, want: broken, calls: 1, again: true},
		"on a card that is closed":    {before: (*Set).Close, want: ErrClosed},
		"one that was open":           {before: func(s *Set) { open(2)(s); s.Close() }, want: ErrClosed},
		"while the card closes":       {before: none, during: (*Set).Close, want: ErrClosed, calls: 1},
		"fails while the card closes": {before: none, during: (*Set).Close, fails: broken, want: broken, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			var s Set
			test.before(&s)
			d, calls := plain(2), 0
			got, err := s.Open(2, func() (*Engine, error) {
				calls++
				if test.during != nil {
					test.during(&s)
				}
				if test.fails != nil {
					return nil, test.fails
				}
				return d, nil
			})
			assert.Check(t, errors.Is(err, test.want) && calls == test.calls,
				"%v after %d calls, want %v after %d", err, calls, test.want, test.calls)
			if (err == nil) != (got == d) || err != nil && got != nil {
				t.Errorf("the engine is %p, and the error %v", got, err)
			}
			assert.Check(t, is.Equal(d.life.Err() != nil, (test.calls > 0 && test.fails == nil && test.want != nil)))
			if _, err := s.Open(2, func() (*Engine, error) { return plain(2), nil }); (err == nil) != test.again {
				t.Errorf("opened again: %v", err)
			}
			s.Close()
			if got != nil && !errors.Is(context.Cause(got.life), ErrClosed) {
				t.Errorf("after the end of the card the engine says %v", context.Cause(got.life))
			}
		})
	}
}

// Closing what is closed leaves the engine to who has opened it since, or is about to.
func TestEnginesAreGivenBack(t *testing.T) {
	var s Set
	reopen := func(open func() (*Engine, error)) (*Engine, error) { return s.Open(1, open) }
	first, err := reopen(func() (*Engine, error) { return plain(1), nil })
	assert.NilError(t, err)
	s.Return(first)
	assert.Check(t, is.ErrorIs(context.Cause(first.life), ErrClosed), "given back, it")
	second, err := reopen(func() (*Engine, error) {
		s.Return(first)
		if _, err := reopen(func() (*Engine, error) { return plain(1), nil }); !errors.Is(err, ErrOpen) {
			t.Errorf("while it is being opened: %v", err)
		}
		return plain(1), nil
	})
	assert.NilError(t, err)
	s.Return(first)
	if _, err := reopen(func() (*Engine, error) { return plain(1), nil }); !errors.Is(err, ErrOpen) {
		t.Errorf("while it is open: %v", err)
	}
	if second.life.Err() != nil {
		t.Errorf("the second one was stopped: %v", context.Cause(second.life))
	}
	s.Return(second)
	if _, err := reopen(func() (*Engine, error) { return plain(1), nil }); err != nil {
		t.Error(err)
	}
}
