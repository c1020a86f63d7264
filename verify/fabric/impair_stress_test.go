package fabric_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Ports whose inner ones are busy most of the time lose nothing, keep the order
// and never sleep for ever, whatever the faults in front do meanwhile.
func TestStressImpaired(t *testing.T) {
	for _, window := range []int{1, 300, 5000} {
		for name, f := range map[string]fabric.Faults{
			"direct": {Loss: 1}, // which TCP does not know
			"slow":   {Latency: 50 * time.Microsecond, Jitter: 200 * time.Microsecond, BytesPerSecond: 1e9},
		} {
			_, inner := world(t, fabric.TCP, 4, fabric.Options{WindowBytes: window})
			imp := impaired(inner, everywhere(1, f))
			exchangeOn(t, asPorts(imp), 500, func() {})
			for _, p := range imp {
				if s := p.Stats(); s.Sent != 2000 || s.Delivered != 2000 {
					t.Errorf("window %d, %s: %+v", window, name, s)
				}
			}
		}
	}
}

func TestStressImpairedDisturbed(t *testing.T) {
	_, inner := world(t, fabric.TCP, 4, fabric.Options{WindowBytes: 1000})
	imp := impaired(inner, fabric.Conditions{})
	exchangeOn(t, asPorts(imp), 2000, func() {
		for i := range 50 {
			c := [5]fabric.Conditions{
				everywhere(1, fabric.Faults{Latency: 200 * time.Microsecond}),
				only(i%4, (i+1)%4, fabric.Condition{Cut: true}),
				{},
				{Link: func(from, to int) fabric.Condition { return fabric.Condition{Cut: (from+to+i)%3 == 0} }},
				everywhere(1, fabric.Faults{BytesPerSecond: 1e8}),
			}[i%5]
			for _, p := range imp {
				p.SetConditions(c)
			}
			time.Sleep(100 * time.Microsecond)
		}
		for _, p := range imp {
			p.SetConditions(fabric.Conditions{})
		}
	})
	for _, p := range imp {
		if s := p.Stats(); s.Sent != 8000 || s.Delivered != 8000 {
			t.Errorf("%+v", s)
		}
	}
}

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
				if inner.tries != 1 || len(inner.taken) != 0 {
					t.Errorf("%d tries without notification", inner.tries)
				}
				for range 20 {
					inner.notify()
					synctest.Wait()
				}
			}
			if !slices.Equal(inner.taken, want) || freed != 20 {
				t.Errorf("early %v: took %v, released %d packets", early, inner.taken, freed)
			}
			if s := imp.Stats(); s.Delivered != 20 {
				t.Errorf("%+v", s)
			}
			if notified < 20 {
				t.Errorf("%d notifications went through", notified)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
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
	if freed != 0 {
		t.Errorf("%d packets were released before", freed)
	}
	imp.Close()
	if freed != 5 {
		t.Errorf("%d packets were released", freed)
	}
	inner.notify() // too late
	if s := imp.Stats(); len(inner.taken) != 0 || s.Dropped != 5 {
		t.Errorf("took %v, %+v", inner.taken, s)
	}
}

// A port is closed while all send to all, through faults; every packet is
// released once.
func TestImpairCloseDuringTraffic(t *testing.T) {
	for _, kind := range kinds {
		for round := range 6 {
			_, inner := world(t, kind, 3, fabric.Options{WindowBytes: 500})
			c := fabric.Conditions{}
			if round%2 == 1 {
				c = everywhere(1, fabric.Faults{Latency: 20 * time.Microsecond, Duplicate: 0.1, Reorder: 0.1})
			}
			ports := asPorts(impaired(inner, c))
			var mu sync.Mutex
			freed := map[*fabric.Packet]int{}
			made := 0
			stop := time.Now().Add(5 * time.Millisecond)
			var wg sync.WaitGroup
			for _, p := range ports {
				wg.Go(func() {
					for i := 0; time.Now().Before(stop); i++ {
						packet := numbered(0, 10)
						packet.Free = func() {
							mu.Lock()
							freed[packet]++
							mu.Unlock()
						}
						switch err := p.Send(uint32(i%3), packet); {
						case err == nil:
							mu.Lock()
							made++
							mu.Unlock()
						case !errors.Is(err, fabric.ErrBusy) && !errors.Is(err, fabric.ErrClosed):
							t.Errorf("%v: %v", kind, err)
						}
						if q := p.Receive(); q != nil {
							q.Release()
						}
					}
				})
			}
			time.Sleep(time.Duration(round) * 500 * time.Microsecond)
			ports[2].Close()
			wg.Wait()
			for _, p := range ports {
				p.Close()
			}
			released := func() int {
				mu.Lock()
				defer mu.Unlock()
				return len(freed)
			}
			for limit := time.Now().Add(time.Minute); released() < made && time.Now().Before(limit); {
				time.Sleep(time.Millisecond) // some are still being handed over
			}
			mu.Lock()
			if len(freed) != made {
				t.Errorf("%v: %d packets were sent, %d released", kind, made, len(freed))
			}
			for _, n := range freed {
				if n != 1 {
					t.Errorf("%v: a packet was released %d times", kind, n)
					break
				}
			}
			mu.Unlock()
		}
	}
}
