package fabric_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
)

// reluctant is a port that takes a packet only now and then.
type reluctant struct {
	fabric.Port // what it does not need

	mu     sync.Mutex
	room   int
	early  bool // room comes while Send still says that it is busy
	taken  []int
	tries  int
	notify func()
}

func (r *reluctant) Lossy() bool { return false }

func (r *reluctant) Notify(f func()) { r.notify = f }

func (r *reluctant) Close() error { return nil }

func (r *reluctant) Send(_ uint32, p *fabric.Packet) error {
	r.mu.Lock()
	r.tries++
	if r.room == 0 {
		r.room = 1
		early := r.early
		r.mu.Unlock()
		if early {
			r.notify()
		}
		return fabric.ErrBusy
	}
	r.room--
	r.taken = append(r.taken, number(p))
	r.mu.Unlock()
	p.Release()
	return nil
}

// A packet that the inner port does not take stays until it says that there is
// room, even if it says so before it says that it is busy.
func TestImpairRetries(t *testing.T) {
	for _, early := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			inner := &reluctant{early: early}
			imp := fabric.Impair(inner, fabric.Who{})
			imp.SetConditions(everywhere(1, fabric.Faults{Loss: 1}))
			notified, freed := 0, 0
			p := imp.Port()
			p.Notify(func() { notified++ })
			var want []int
			for i := range 20 {
				packet := numbered(i, 0)
				packet.Free = func() { freed++ }
				send(t, p, 1, packet)
				want = append(want, i)
			}
			synctest.Wait()
			if !early {
				assert.Check(t, inner.tries == 1 && len(inner.taken) == 0, "%d tries without notification", inner.tries)
				for range 20 {
					inner.notify()
					synctest.Wait()
				}
			}
			assert.Check(t, slices.Equal(inner.taken, want) && freed == 20,
				"early %v: took %v, released %d packets", early, inner.taken, freed)
			s := imp.Stats()
			assert.Check(t, is.Equal(s.Delivered, uint64(20)), "%+v", s)
			assert.Check(t, notified >= 20, "%d notifications went through", notified)
			assert.Check(t, p.Close())
		})
	}
}

// Closing releases what the inner port has not taken.
func TestImpairCloseWhileBusy(t *testing.T) {
	inner := &reluctant{}
	imp := fabric.Impair(inner, fabric.Who{})
	imp.SetConditions(everywhere(1, fabric.Faults{Loss: 1}))
	freed := 0
	for i := range 5 {
		packet := numbered(i, 0)
		packet.Free = func() { freed++ }
		send(t, imp.Port(), 1, packet)
	}
	assert.Check(t, freed == 0, "%d packets were released before", freed)
	imp.Close()
	assert.Check(t, freed == 5, "%d packets were released", freed)
	inner.notify() // too late
	s := imp.Stats()
	assert.Check(t, len(inner.taken) == 0 && s.Dropped == 5, "took %v, %+v", inner.taken, s)
}
