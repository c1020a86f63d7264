package kernels

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// answerer is a device that answers calls when it is told to: with their tag.
type answerer struct {
	accl.Device
	mu      sync.Mutex
	calls   []accl.Call
	allowed int
	changed chan struct{}
}

func newAnswerer() *answerer { return &answerer{changed: make(chan struct{})} }

func (a *answerer) Start(_ context.Context, _ int, c accl.Call) (accl.Ticket, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, c)
	return accl.Ticket(len(a.calls)), nil
}

func (a *answerer) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	for {
		a.mu.Lock()
		if int(t) <= a.allowed {
			defer a.mu.Unlock()
			return accl.ReturnCode(a.calls[t-1].Tag), nil
		}
		changed := a.changed
		a.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// allow has n more calls answered.
func (a *answerer) allow(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.allowed += n
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *answerer) tags() []uint32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []uint32
	for _, c := range a.calls {
		out = append(out, c.Tag)
	}
	return out
}

func TestCarelessHosts(t *testing.T) {
	dev := newAnswerer()
	var lock sync.Mutex
	var faults []error
	h := newHostController(t.Context(), dev, 0, func(err error) {
		lock.Lock()
		defer lock.Unlock()
		faults = append(faults, err)
	})
	put(t, h, tagAt, 1)
	put(t, h, PostAt, 0)
	put(t, h, tagAt, 2) // before its words are taken
	put(t, h, PostAt, 0)
	get(t, h, postedAt)
	if got := dev.tags(); !slices.Equal(got, []uint32{2}) || len(faults) != 1 || !errors.Is(faults[0], ErrPostedTooSoon) {
		t.Errorf("placed %v, with %v", got, faults)
	}
	for i := range uint32(40) {
		put(t, h, tagAt, 10+i)
		put(t, h, PostAt, 0)
		get(t, h, postedAt)
	}
	if got := get(t, h, postedAt); got != 32 || len(faults) != 10 || !errors.Is(faults[9], ErrPostedTooMany) {
		t.Errorf("%d are posted, with %d faults: %v", got, len(faults), faults)
	}
	// Without a look at it, a call is placed, too.
	dev.allow(1)
	eventually(t, "an answer", func() bool { return get(t, h, AnsweredAt) == 1 })
	put(t, h, tagAt, 99)
	put(t, h, PostAt, 0)
	eventually(t, "the call is placed", func() bool { return slices.Contains(dev.tags(), 99) })
}

func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}
