package fabric_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// exchange lets the ports of a network exchange packets while it has faults and
// is disturbed.
func exchange(t *testing.T, kind fabric.Kind, o fabric.Options, f fabric.Faults, ranks, count int,
	disturb func(*fabric.Net)) {
	net, ports := world(t, kind, ranks, o)
	net.SetFaults(f)
	exchangeOn(t, ports, count, func() {
		if disturb != nil {
			disturb(net)
		}
	})
	for a := range ranks {
		for b := range ranks {
			balanced(t, net.Stats(a, b))
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
	if got := int(freed.Load()); got != ranks*ranks*count {
		t.Errorf("%d of %d packets were released", got, ranks*ranks*count)
	}
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
			exchange(t, kind, fabric.Options{WindowBytes: window}, fabric.Faults{}, 4, 2000, nil)
		}
	}
}

func TestStressDelayed(t *testing.T) {
	exchange(t, fabric.TCP, fabric.Options{WindowBytes: 5000}, fabric.Faults{Latency: 50 * time.Microsecond,
		Jitter: time.Millisecond, BytesPerSecond: 1e9}, 4, 500, nil)
}

// Faults and partitions come and go during traffic, and TCP loses nothing.
func TestStressDisturbed(t *testing.T) {
	exchange(t, fabric.TCP, fabric.Options{WindowBytes: 3000}, fabric.Faults{}, 4, 2000, func(net *fabric.Net) {
		for i := range 50 {
			switch i % 5 {
			case 0:
				net.SetFaults(fabric.Faults{Latency: 200 * time.Microsecond})
			case 1:
				net.Partition([]int{i % 4}, []int{(i + 1) % 4, (i + 2) % 4})
			case 2:
				net.SetFaults(fabric.Faults{})
			case 3:
				net.Heal()
			case 4:
				net.SetFaults(fabric.Faults{BytesPerSecond: 1e8})
			}
			time.Sleep(100 * time.Microsecond)
		}
		net.Heal()
	})
}

// A port goes while all send to all. The others see its session closed, and
// nobody waits for it; every packet is released exactly once.
func TestCloseDuringTraffic(t *testing.T) {
	for _, kind := range kinds {
		for round := range 10 {
			const ranks, gone = 4, 2
			net, ports := world(t, kind, ranks, fabric.Options{WindowBytes: 500})
			if round%2 == 1 {
				net.SetFaults(fabric.Faults{Latency: 20 * time.Microsecond, Duplicate: 0.1, Reorder: 0.1})
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
							if sent >= 20_000 {
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
						if sent >= 20_000 && (closed || kind == fabric.UDP || i == gone) {
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
