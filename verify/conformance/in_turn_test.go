package conformance_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestSendsInTurn sends elements of two types in two communicators in turn. What firmware knows
// of each is not read from the tables of the host anew: all but the first ones cost half of these
// at most, also after the host has configured something.
func TestSendsInTurn(t *testing.T) {
	ctx := limited(t, time.Minute)
	w, engines := emulated(ctx, t, "u55c_tcp", 3)
	var worlds, pairs [2]*accl.Comm
	for r := range 2 {
		var err error
		pairs[r], err = engines[r].Split(ctx, []int{1, 0})
		assert.NilError(t, err)
		worlds[r] = engines[r].World()
	}
	floats, integers := newMail[float32](ctx, t, engines), newMail[int32](ctx, t, engines)
	value := 0
	turn := func() uint64 {
		before := executed(w, 0)
		for _, send := range []func() error{
			func() error { return floats.pass(ctx, worlds, 1, value) },
			func() error { return integers.pass(ctx, worlds, 1, value) },
			func() error { return floats.pass(ctx, pairs, 0, value) },
			func() error { return integers.pass(ctx, pairs, 0, value) },
		} {
			value++
			assert.NilError(t, send())
		}
		return executed(w, 0) - before
	}
	for buffers := range 3 {
		for _, e := range engines {
			assert.NilError(t, e.SetMaxEager(ctx, uint32((1+buffers)*e.Platform().RxBuffers.Bytes)))
		}
		first := turn()
		turn()
		for range 3 {
			if took := turn(); 2*took > first {
				t.Errorf("eager messages of up to %d buffers: sends in turn take %d instructions, and %d the first time",
					1+buffers, took, first)
			}
		}
	}
}

// mail is what rank 0 sends to rank 1, and where it arrives.
type mail[T float32 | int32] struct{ from, to *accl.Buffer[T] }

func newMail[T float32 | int32](ctx context.Context, t *testing.T, engines []*accl.Engine) mail[T] {
	t.Helper()
	const count = 16
	from, err := accl.Alloc[T](ctx, engines[0], count)
	to, err2 := accl.Alloc[T](ctx, engines[1], count)
	assert.NilError(t, errors.Join(err, err2))
	return mail[T]{from, to}
}

// pass sends values from this one on to a rank of the communicator.
func (m mail[T]) pass(ctx context.Context, comms [2]*accl.Comm, to, value int) error {
	for k := range m.from.Host() {
		m.from.Host()[k], m.to.Host()[k] = T(value+k), -1
	}
	var errs [2]error
	var all sync.WaitGroup
	all.Go(func() { _, errs[0] = comms[0].Send(ctx, m.from, m.from.Len(), accl.Peer(to)) })
	all.Go(func() { _, errs[1] = comms[1].Recv(ctx, m.to, m.to.Len(), accl.Peer(1-to)) })
	all.Wait()
	for k, got := range m.to.Host() {
		if got != T(value+k) {
			errs[1] = errors.Join(errs[1], errors.New("something else was received"))
			break
		}
	}
	return errors.Join(errs[:]...)
}
