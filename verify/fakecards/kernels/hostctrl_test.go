package kernels

import (
	"context"
	"errors"
	"math/rand/v2"
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

// bench is a host controller on its own.
type bench struct {
	t testing.TB
	*hostController
	dev *answerer

	lock   sync.Mutex
	faults []error
}

func newBench(t testing.TB) *bench {
	b := &bench{t: t, dev: newAnswerer()}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	b.hostController = newHostController(ctx, b.dev, 0, func(err error) {
		b.lock.Lock()
		defer b.lock.Unlock()
		b.faults = append(b.faults, err)
	})
	return b
}

func (b *bench) get(offset uint32) uint32 {
	b.t.Helper()
	v, err := b.Read(b.t.Context(), offset)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

func (b *bench) set(offset, value uint32) {
	b.t.Helper()
	if err := b.Write(b.t.Context(), offset, value); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) reaches(what string, offset, mask, want uint32) {
	b.t.Helper()
	eventually(b.t, what, func() bool { return b.get(offset)&mask == want })
}

func TestCallsAreStarted(t *testing.T) {
	b := newBench(t)
	if v := b.get(0); v != idleBit {
		t.Errorf("control is 0x%X", v)
	}
	words := map[uint32]uint32{0x10: 1, 0x18: 2, 0x20: 3, 0x28: 4, 0x30: 5, 0x38: 6, 0x40: 7, 0x48: 8, 0x50: 9, 0x58: 10,
		0x5C: 11, 0x64: 12, 0x68: 13, 0x70: 14, 0x74: 15}
	for at, v := range words {
		b.set(at, v)
	}
	for at, v := range words {
		if got := b.get(at); got != v {
			t.Errorf("0x%X holds %d, not %d", at, got, v)
		}
	}
	b.set(0, 1)
	if v := b.get(0); v != readyBit {
		t.Errorf("a call is running: control is 0x%X", v)
	}
	if v := b.get(0); v != 0 {
		t.Errorf("a call is running: control is 0x%X", v)
	}
	b.dev.allow(1)
	b.reaches("the end of the call", 0, DoneBit, DoneBit)
	if v := b.get(0); v != idleBit {
		t.Errorf("done was read: control is 0x%X", v)
	}
	want := accl.Call{Scenario: 1, Count: 2, Comm: 3, RootSrcDst: 4, FunctionCode: 5, Tag: 6, ArithCfg: 7,
		CompressionFlags: 8, StreamFlags: 9,
		Addr0: 11<<32 | 10, Addr1: 13<<32 | 12, Addr2: 15<<32 | 14}
	if !slices.Equal(b.dev.calls, []accl.Call{want}) {
		t.Errorf("placed %+v", b.dev.calls)
	}
	if b.get(0x84) != 0 || b.get(0x88) != 0 || b.get(0x8C) != 32 {
		t.Error("a start counts as a post")
	}
}

// TestCallsArePosted posts at random, as a careful host does.
func TestCallsArePosted(t *testing.T) {
	b := newBench(t)
	r := rand.New(rand.NewPCG(5, 6))
	var want []uint32
	read, allowed := uint32(0), 0
	for len(want) < 300 || int(read) < len(want) {
		if n := len(want) - int(read); len(want) < 300 && n < 32 && r.IntN(3) > 0 {
			tag := r.Uint32()
			b.set(tagAt, tag)
			b.set(PostAt, r.Uint32())
			want = append(want, tag)
			b.reaches("the call is posted", postedAt, 0xFFFFFFFF, uint32(len(want)))
			continue
		}
		if n := len(want) - allowed; n > 0 {
			n = 1 + r.IntN(n)
			b.dev.allow(n)
			allowed += n
		}
		b.reaches("calls are answered", AnsweredAt, 0xFFFFFFFF, uint32(allowed))
		for int(read) < allowed {
			if got := b.get(answersAt + 4*(read%32)); got != want[read] {
				t.Fatalf("answer %d is 0x%X, not 0x%X", read, got, want[read])
			}
			read++
		}
	}
	if got := b.dev.tags(); !slices.Equal(got, want) {
		t.Error("other calls were placed")
	}
	if len(b.faults) > 0 {
		t.Error(b.faults)
	}
}

func TestCarelessHosts(t *testing.T) {
	b := newBench(t)
	b.set(tagAt, 1)
	b.set(PostAt, 0)
	b.set(tagAt, 2) // before its words are taken
	b.set(PostAt, 0)
	b.get(postedAt)
	if got := b.dev.tags(); !slices.Equal(got, []uint32{2}) || len(b.faults) != 1 ||
		!errors.Is(b.faults[0], ErrPostedTooSoon) {
		t.Errorf("placed %v, with %v", got, b.faults)
	}
	for i := range uint32(40) {
		b.set(tagAt, 10+i)
		b.set(PostAt, 0)
		b.get(postedAt)
	}
	if got := b.get(postedAt); got != 32 || len(b.faults) != 10 || !errors.Is(b.faults[9], ErrPostedTooMany) {
		t.Errorf("%d are posted, with %d faults: %v", got, len(b.faults), b.faults)
	}
	// Without a look at it, a call is placed, too.
	b.dev.allow(1)
	b.reaches("an answer", AnsweredAt, 0xFFFFFFFF, 1)
	b.set(tagAt, 99)
	b.set(PostAt, 0)
	eventually(t, "the call is placed", func() bool { return slices.Contains(b.dev.tags(), 99) })
}

// TestStartsAndPostsTakeTurns has a start wait for answers, and a post for the end of
// a start.
func TestStartsAndPostsTakeTurns(t *testing.T) {
	b := newBench(t)
	b.set(tagAt, 1)
	b.set(PostAt, 0)
	b.get(postedAt)
	b.set(tagAt, 2)
	b.set(0, 1)
	time.Sleep(5 * latestTake)
	if v := b.get(0); v != StartBit {
		t.Errorf("a start waits: control is 0x%X", v)
	}
	b.dev.allow(1)
	b.reaches("the start is taken", 0, readyBit, readyBit)
	b.set(tagAt, 3)
	b.set(PostAt, 0)
	time.Sleep(5 * latestTake)
	if v := b.get(postedAt); v != 1 {
		t.Errorf("%d calls are posted while one runs that was started", v)
	}
	b.dev.allow(1)
	b.reaches("the post is taken", postedAt, 0xFFFFFFFF, 2)
	b.dev.allow(1)
	b.reaches("the post is answered", AnsweredAt, 0xFFFFFFFF, 2)
	if got := b.dev.tags(); !slices.Equal(got, []uint32{1, 2, 3}) || b.get(answersAt) != 1 || b.get(answersAt+4) != 3 {
		t.Errorf("placed %v", got)
	}
}

func TestHostControllersOfOthers(t *testing.T) {
	b := newBench(t)
	b.foreign = true
	b.set(tagAt, 1)
	b.set(PostAt, 0)
	time.Sleep(5 * latestTake)
	for _, at := range []uint32{PostAt, postedAt, AnsweredAt, capacityAt, answersAt} {
		if v := b.get(at); v != 0 {
			t.Errorf("0x%X reads %d", at, v)
		}
	}
	if got := b.dev.tags(); len(got) > 0 {
		t.Errorf("placed %v", got)
	}
	b.set(0, 1)
	b.dev.allow(1)
	b.reaches("the end of the call", 0, DoneBit, DoneBit)
	if got := b.dev.tags(); !slices.Equal(got, []uint32{1}) {
		t.Errorf("placed %v", got)
	}
}

func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}
