package engine

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// free is that nobody closes the card.
func free() (func(), error) { return func() {}, nil }

func TestTransfersOfMemory(t *testing.T) {
	left, leave := context.WithCancelCause(t.Context())
	why := errors.New("nobody waits any more")
	leave(why)
	broken := errors.New("it does not move")
	var gone Life
	gone.Close("card 7", func(error) {}, &Set{})
	for name, test := range map[string]struct {
		ctx           context.Context
		direct, freed bool
		closed        bool
		offset, bytes int
		fails         error
		moves         bool
		want          error
		text          string // of an error that is none of ours
	}{
		"all":                 {offset: 0, bytes: 10, moves: true},
		"none":                {offset: 5, bytes: 0},
		"none behind the end": {offset: 11, bytes: 0, text: "0 bytes from 11 on are not within a memory of 10"},
		"too many":            {offset: 0, bytes: 11, text: "11 bytes from 0 on are not within a memory of 10"},
		"fewer than none":     {offset: 5, bytes: -1, text: "-1 bytes from 5 on are not within a memory of 10"},
		"a sum that is too big": {offset: 1, bytes: math.MaxInt,
			text: "9223372036854775807 bytes from 1 on are not within a memory of 10"},
		"the same bytes":                {direct: true, offset: 0, bytes: 10},
		"left":                          {ctx: left, offset: 0, bytes: 10, want: why},
		"freed":                         {freed: true, offset: 0, bytes: 10, want: ErrFreed},
		"of a card that is closed":      {closed: true, offset: 0, bytes: 10, want: ErrClosed},
		"none of one that is closed":    {closed: true, offset: 0, bytes: 0},
		"fails":                         {offset: 0, bytes: 10, fails: broken, moves: true, want: broken},
		"too far, of one that is freed": {freed: true, closed: true, offset: 3, bytes: 8, want: ErrFreed},
	} {
		t.Run(name, func(t *testing.T) {
			using := 0
			m := &Memory{Host: make([]byte, 10), Direct: test.direct, Use: func() (func(), error) {
				if test.closed {
					return gone.Use("card 7")
				}
				using++
				return func() { using-- }, nil
			}}
			if test.freed {
				nothing := func() error { return nil }
				m.Use = free
				assert.NilError(t, m.Return(nothing, nothing))
			}
			ctx := test.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			moves := false
			err := m.Transfer(ctx, test.offset, test.bytes, func() error {
				if moves = true; using != 1 {
					t.Error("moves while the card may be closed")
				}
				return test.fails
			})
			switch {
			case test.text != "" && (err == nil || err.Error() != test.text):
				t.Errorf("%v, want %s", err, test.text)
			case test.text == "" && !errors.Is(err, test.want):
				t.Errorf("%v, want %v", err, test.want)
			}
			assert.Check(t, moves == test.moves && using == 0,
				"moves %v, want %v; %d use the card", moves, test.moves, using)
		})
	}
}

func TestMemoryIsReturned(t *testing.T) {
	refused, odd := errors.New("it is not taken back"), errors.New("something remains")
	const back, gone = "back", "gone"
	for name, test := range map[string]struct {
		fails  map[string]error
		closed bool
		want   error
		does   []string
		again  error // of the next time, when nothing fails
	}{
		"once":    {does: []string{back, gone}, again: ErrFreed},
		"refused": {fails: map[string]error{back: refused}, want: refused, does: []string{back}},
		"something remains": {fails: map[string]error{gone: odd}, want: odd, does: []string{back, gone},
			again: ErrFreed},
		"of a card that is closed": {closed: true, want: ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			var l Life
			if test.closed {
				l.Close("card 7", func(error) {}, &Set{})
			}
			m := &Memory{Use: func() (func(), error) { return l.Use("card 7") }}
			var does []string
			step := func(which string, err error) func() error {
				return func() error {
					does = append(does, which)
					return err
				}
			}
			if err := m.Return(step(back, test.fails[back]), step(gone, test.fails[gone])); !errors.Is(err, test.want) ||
				!slices.Equal(does, test.does) {
				t.Errorf("%v after %q, want %v after %q", err, does, test.want, test.does)
			}
			m.Use = free
			does = nil
			err := m.Return(step(back, nil), step(gone, nil))
			assert.Check(t, errors.Is(err, test.again) && (len(does) > 0) == (test.again == nil),
				"again: %v after %q, want %v", err, does, test.again)
		})
	}
}

// TestMemoryIsNotUsedAfterItsEnd has many move bytes of a memory while it is returned.
func TestMemoryIsNotUsedAfterItsEnd(t *testing.T) {
	for range 50 {
		var times, moving atomic.Int32
		m := &Memory{Host: make([]byte, 4), Use: free}
		there := true // read and written without a lock of its own
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for {
					err := m.Transfer(t.Context(), 0, 4, func() error {
						moving.Add(1)
						defer moving.Add(-1)
						times.Add(1)
						if !there {
							return errors.New("moves bytes that are not there")
						}
						return nil
					})
					if errors.Is(err, ErrFreed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for times.Load() < 20 {
			runtime.Gosched()
		}
		err := m.Return(func() error {
			there = false
			if n := moving.Load(); n != 0 {
				t.Errorf("%d are moved at the end", n)
			}
			return nil
		}, func() error { return nil })
		assert.NilError(t, err)
		all.Wait()
	}
}

// placed is a memory at an address.
type placed struct {
	accl.Memory
	at    uint64
	bytes int
}

func (p placed) Addr() uint64  { return p.at }
func (p placed) Bytes() []byte { return make([]byte, p.bytes) }

func TestAddressesInMemory(t *testing.T) {
	some := []placed{{at: 0x1000, bytes: 16}, {at: 0x1010, bytes: 1}, {at: math.MaxUint64 - 7, bytes: 8}}
	for _, test := range []struct {
		in      []placed
		address uint64
		want    bool
	}{
		{nil, 0, false}, {nil, 0x1000, false},
		{some, 0, false}, {some, 0xFFF, false}, {some, 0x1000, true}, {some, 0x100F, true}, {some, 0x1010, true},
		{some, 0x1011, false},
		{some[:1], 0x1010, false},
		{some, math.MaxUint64 - 8, false}, {some, math.MaxUint64 - 7, true}, {some, math.MaxUint64, true},
		{[]placed{{at: 0, bytes: 1}}, 0, true}, {[]placed{{at: 0, bytes: 1}}, 1, false},
		{[]placed{{at: 5}}, 5, false},
	} {
		if got := Holds(slices.Values(test.in), test.address); got != test.want {
			t.Errorf("0x%X in %d memories: %v", test.address, len(test.in), got)
		}
	}
}
