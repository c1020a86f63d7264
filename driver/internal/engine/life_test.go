package engine

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestLifeOfACard closes cards that are used for some time, once and again.
func TestLifeOfACard(t *testing.T) {
	for name, test := range map[string]struct {
		uses  []time.Duration
		takes time.Duration // to close it
	}{
		"not used":              {nil, 0},
		"used no more":          {[]time.Duration{0, 0}, 0},
		"in use":                {[]time.Duration{time.Second}, time.Second},
		"in use in many places": {[]time.Duration{3 * time.Second, 0, time.Hour, time.Minute}, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l Life
				var engines Set
				ctx, end := context.WithCancelCause(t.Context())
				d, err := engines.Open(0, func() (*Engine, error) { return plain(0), nil })
				assert.NilError(t, err)
				for _, takes := range test.uses {
					done, err := l.Use("card 7")
					assert.NilError(t, err)
					time.AfterFunc(takes, done)
				}
				began := time.Now()
				ended := time.Duration(-1)
				context.AfterFunc(ctx, func() { ended = time.Since(began) })
				synctest.Wait()
				var closing sync.WaitGroup
				closing.Go(func() {
					if first := l.Close("card 7", end, &engines); !first || time.Since(began) != test.takes {
						t.Errorf("closed after %v: first %v, want after %v", time.Since(began), first, test.takes)
					}
				})
				synctest.Wait()
				assert.Check(t, !l.Close("card 7", end, &engines) && time.Since(began) == 0,
					"closed again after %v", time.Since(began))
				if _, err := l.Use("card 7"); !errors.Is(err, ErrClosed) || err.Error() != "the card is closed: card 7" {
					t.Errorf("used after the end: %v", err)
				}
				if err := context.Cause(ctx); !errors.Is(err, ErrClosed) || err.Error() != "the card is closed: card 7" ||
					ended != 0 {
					t.Errorf("what waits ends after %v with %v", ended, err)
				}
				assert.Check(t, is.ErrorIs(context.Cause(d.life), ErrClosed), "the engine")
				closing.Wait()
			})
		})
	}
}

// TestNobodyUsesACardThatIsClosed has many use a card while several close it.
func TestNobodyUsesACardThatIsClosed(t *testing.T) {
	for range 50 {
		var l Life
		var engines Set
		var using, firsts, times atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for {
					done, err := l.Use("card 0")
					if err != nil {
						assert.Check(t, is.ErrorIs(err, ErrClosed))
						return
					}
					using.Add(1)
					times.Add(1)
					runtime.Gosched()
					using.Add(-1)
					done()
				}
			})
		}
		for times.Load() < 20 {
			runtime.Gosched()
		}
		for range 2 {
			all.Go(func() {
				if !l.Close("card 0", func(error) {}, &engines) {
					return
				}
				firsts.Add(1)
				if n := using.Load(); n != 0 {
					t.Errorf("%d use a card that is closed", n)
				}
			})
		}
		all.Wait()
		if firsts.Load() != 1 {
			t.Errorf("%d were the first to close it", firsts.Load())
		}
	}
}
