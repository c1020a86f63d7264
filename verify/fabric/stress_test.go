package fabric_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
)

// bell turns notifications into something to wait for.
type bell chan struct{}

func newBell(p fabric.Port) bell {
	b := make(bell, 1)
	p.Notify(func() {
		select {
		case b <- struct{}{}:
		default:
		}
	})
	return b
}

// ways are those in which links get conditions: from the network, or in front of its
// ports.
var ways = map[string]func(*fabric.Net, []fabric.Port) (ports []fabric.Port, set func(fabric.Conditions)){
	"network": func(net *fabric.Net, ports []fabric.Port) ([]fabric.Port, func(fabric.Conditions)) {
		return ports, net.SetConditions
	},
	"ports": func(_ *fabric.Net, ports []fabric.Port) ([]fabric.Port, func(fabric.Conditions)) {
		imp := impaired(ports, fabric.Conditions{})
		return asPorts(imp), func(c fabric.Conditions) {
			for _, p := range imp {
				p.SetConditions(c)
			}
		}
	},
}

// exchange lets the four ports of a network exchange packets while its links are
// disturbed.
func exchange(t *testing.T, way string, kind fabric.Kind, window, count int,
	disturb func(set func(fabric.Conditions))) {
	const ranks = 4
	net, inner := world(t, kind, ranks, fabric.Options{WindowBytes: window})
	ports, set := ways[way](net, inner)
	exchangeOn(t, ports, count, func() { disturb(set) })
	for a, p := range ports {
		for b := range ranks {
			balanced(t, net.Stats(a, b))
		}
		imp, ok := fabric.ImpairedOf(p)
		if n := uint64(ranks * count); ok && (imp.Stats().Sent != n || imp.Stats().Delivered != n) {
			t.Errorf("%v, window %d: %+v", kind, window, imp.Stats())
		}
	}
}

// exchangeOn lets all ports send count packets to all, themselves included, with
// a goroutine each that sends and receives and sleeps only when it can do
// neither, so that a notification that is lost hangs.
func exchangeOn(t *testing.T, ports []fabric.Port, count int, disturb func()) {
	ranks := len(ports)
	var freed atomic.Int64
	var wg sync.WaitGroup
	for _, p := range ports {
		b := newBell(p)
		wg.Go(func() {
			sent, seen, received := make([]int, ranks), make([]int, ranks), 0
			for received < ranks*count || total(sent) < ranks*count {
				progress := false
				for to := range ranks {
					if sent[to] == count {
						continue
					}
					packet := numbered(sent[to], sent[to]%100)
					packet.Free = func() { freed.Add(1) }
					switch err := p.Send(uint32(to), packet); {
					case err == nil:
						sent[to]++
						progress = true
					case !errors.Is(err, fabric.ErrBusy):
						t.Errorf("sending: %v", err)
						return
					}
				}
				for range ranks {
					packet := p.Receive()
					if packet == nil {
						break
					}
					if number(packet) != seen[packet.Session] {
						t.Errorf("packet %d arrives instead of %d", number(packet), seen[packet.Session])
					}
					seen[packet.Session]++
					received++
					packet.Release()
					progress = true
					if received%97 == 0 { // hold now and then
						p.Hold(packet.Session, true)
						p.Hold(packet.Session, false)
					}
				}
				if !progress {
					<-b
				}
			}
		})
	}
	disturb()
	wg.Wait()
	got := int(freed.Load())
	assert.Check(t, got == ranks*ranks*count, "%d of %d packets were released", got, ranks*ranks*count)
}

func total(s []int) (sum int) {
	for _, n := range s {
		sum += n
	}
	return sum
}

func TestStress(t *testing.T) {
	for _, kind := range kinds {
		for _, window := range []int{1, 300, 5000} {
			exchange(t, "network", kind, window, 2000, func(func(fabric.Conditions)) {})
		}
	}
}

// Ports whose inner ones are busy most of the time lose nothing, keep the order
// and never sleep for ever.
func TestStressFaults(t *testing.T) {
	for way := range ways {
		for _, f := range []fabric.Faults{
			{Loss: 1}, // which TCP does not know
			{Latency: 50 * time.Microsecond, Jitter: 200 * time.Microsecond, BytesPerSecond: 1e9},
		} {
			for _, window := range []int{1, 300, 5000} {
				exchange(t, way, fabric.TCP, window, 500, func(set func(fabric.Conditions)) { set(everywhere(1, f)) })
			}
		}
	}
}

// Faults and partitions come and go during traffic, and TCP loses nothing.
func TestStressDisturbed(t *testing.T) {
	for way := range ways {
		exchange(t, way, fabric.TCP, 2000, 2000, func(set func(fabric.Conditions)) {
			for i := range 50 {
				set([]fabric.Conditions{
					everywhere(1, fabric.Faults{Latency: 200 * time.Microsecond}),
					only(i%4, (i+1)%4, fabric.Condition{Cut: true}),
					{},
					{Link: func(from, to int) fabric.Condition { return fabric.Condition{Cut: (from+to+i)%3 == 0} }},
					everywhere(1, fabric.Faults{BytesPerSecond: 1e8}),
				}[i%5])
				time.Sleep(100 * time.Microsecond)
			}
			set(fabric.Conditions{})
		})
	}
}

// A port goes while all send to all. The others see its session closed, and
// nobody waits for it; every packet is released exactly once.
func TestCloseDuringTraffic(t *testing.T) {
	for _, kind := range kinds {
		for round := range 12 {
			const ranks, gone, count = 4, 2, 10_000
			net, inner := world(t, kind, ranks, fabric.Options{WindowBytes: 500})
			ports, set := ways[[]string{"network", "ports"}[round/2%2]](net, inner)
			if round%2 == 1 {
				set(everywhere(1, fabric.Faults{Latency: 20 * time.Microsecond, Duplicate: 0.1, Reorder: 0.1}))
			}
			var freed, made, sending atomic.Int64
			var wg sync.WaitGroup
			sending.Store(ranks)
			for i, p := range ports {
				b := newBell(p)
				wg.Go(func() {
					done := sync.OnceFunc(func() { sending.Add(-1) })
					defer done()
					sent, closed := 0, false
					for {
						progress := false
						for to := range ranks {
							if sent >= count {
								break
							}
							packet := numbered(0, 10)
							packet.Free = func() { freed.Add(1) }
							switch err := p.Send(uint32(to), packet); {
							case err == nil:
								made.Add(1)
								progress = true
							case errors.Is(err, fabric.ErrClosed):
								if i == gone {
									return
								}
								if to != gone {
									t.Errorf("%v: session from %d to %d is closed", kind, i, to)
								}
							}
							sent++
						}
						for packet := p.Receive(); packet != nil; packet = p.Receive() {
							packet.Release()
							progress = true
						}
						for s, ok := p.Closed(); ok; s, ok = p.Closed() {
							if s != gone || closed || kind == fabric.UDP {
								t.Errorf("%v: port %d sees session %d closed", kind, i, s)
							}
							closed = true
						}
						if sent >= count && (closed || kind == fabric.UDP || i == gone) {
							done()
							if sending.Load() == 0 && freed.Load() == made.Load() {
								return
							}
						}
						if !progress {
							select {
							case <-b:
							case <-time.After(time.Millisecond): // nobody says when all is released
							}
						}
					}
				})
			}
			time.Sleep(time.Duration(round) * 200 * time.Microsecond)
			if round%3 == 0 {
				net.Kill(gone)
			} else {
				ports[gone].Close()
			}
			wg.Wait()
			if freed.Load() != made.Load() {
				t.Errorf("%v: %d packets were sent, %d released", kind, made.Load(), freed.Load())
			}
		}
	}
}
