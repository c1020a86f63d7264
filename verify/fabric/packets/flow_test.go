package packets_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/packets"
)

// What does not fit waits at the sender, however long; nothing is lost.
func TestReceiversHoldSendersBack(t *testing.T) {
	for name, lossy := range map[string]bool{"tcp": false, "udp": true} {
		t.Run(name, func(t *testing.T) {
			const window, payload, most = 32 << 10, 1000, 20_000
			ports := openAll(t, 2, packets.Options{WindowBytes: window, Lossy: lossy})
			send(t, ports[0], 1, message(0, make([]byte, payload)))
			var room atomic.Int32
			ports[0].Notify(func() { room.Add(1) })
			sent := 1
			before := int32(0)   // what had been told when there was no room last
			still := time.Time{} // since when there was none
			// What the kernel's buffers hold comes on top of the windows.
			for still.IsZero() || time.Since(still) < 300*time.Millisecond {
				told := room.Load()
				switch err := ports[0].Send(1, message(uint32(sent), make([]byte, payload))); {
				case err == nil:
					sent++
					still = time.Time{}
				case !errors.Is(err, fabric.ErrBusy):
					t.Fatal(err)
				case still.IsZero():
					before, still = told, time.Now()
				default:
					before = told
				}
				assert.Assert(t, sent != most, "%d packets went to who receives none", sent)
			}
			for i := range sent {
				if p := receive(t, ports[1]); number(p) != uint32(i) {
					t.Fatalf("received packet %d, want %d of %d", number(p), i, sent)
				}
			}
			until(t, "notification of room", func() bool { return room.Load() > before })
			send(t, ports[0], 1, message(uint32(sent), nil))
			p := receive(t, ports[1])
			assert.Check(t, number(p) == uint32(sent), "received packet %d, want %d", number(p), sent)
		})
	}
}

func TestARankThatDoesNotReadHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	ports := openAll(t, 3, packets.Options{WindowBytes: 16 << 10})
	send(t, ports[0], 1, message(0, nil))
	until(t, "that the rank that does not read is full", func() bool {
		err := ports[0].Send(1, message(0, make([]byte, 4032)))
		assert.Assert(t, err == nil || errors.Is(err, fabric.ErrBusy), "%v", err)
		time.Sleep(100 * time.Microsecond)
		return err != nil
	})
	for i := range 1000 {
		send(t, ports[0], 2, message(uint32(i), make([]byte, 100)))
		if p := receive(t, ports[2]); number(p) != uint32(i) {
			t.Fatalf("received packet %d, want %d", number(p), i)
		}
	}
}

func TestNothingVanishesBeforeItsReceiverIsThere(t *testing.T) {
	for name, o := range map[string]packets.Options{"tcp": {}, "udp": {Lossy: true}, "2022": {Unpadded: true}} {
		t.Run(name, func(t *testing.T) {
			o.Endpoints, o.Rank = endpoints(t, 12), 0
			sender := open(t, o)
			o.Rank = 1
			open(t, o) // its number begins that of rank 10
			send(t, sender, 1, message(0, nil))
			var told atomic.Int32
			sender.Notify(func() { told.Add(1) })
			for range 20 {
				assert.ErrorIs(t, sender.Send(10, message(0, nil)), fabric.ErrBusy, "to a rank that is not there")
				time.Sleep(time.Millisecond)
			}
			o.Rank = 10
			late := open(t, o)
			until(t, "notification", func() bool { return told.Load() > 0 })
			for i := range 10 {
				send(t, sender, 10, message(uint32(i), nil))
			}
			for i := range 10 {
				p := receive(t, late)
				assert.Assert(t, number(p) == uint32(i), "received packet %d, want %d", number(p), i)
			}
		})
	}
}

func TestPatienceEnds(t *testing.T) {
	for name, lossy := range map[string]bool{"tcp": false, "udp": true} {
		t.Run(name, func(t *testing.T) {
			o := packets.Options{Endpoints: endpoints(t, 2), Patience: 50 * time.Millisecond, Lossy: lossy}
			port := open(t, o)
			told := make(chan struct{}, 100)
			port.Notify(func() { told <- struct{}{} })
			var released atomic.Int32
			p := freed(message(0, nil), &released)
			begin := time.Now()
			assert.ErrorIs(t, port.Send(1, p), fabric.ErrBusy)
			select {
			case <-told:
			case <-time.After(patient):
				t.Fatal("nobody was told that it is worth another try")
			}
			d := time.Since(begin)
			assert.Check(t, d >= o.Patience, "told after %v", d)
			err := port.Send(1, p)
			assert.Check(t, !lossy || err == nil && port.Stats().Unheard == 1 && released.Load() == 1,
				"%v, %s, %d released", err, port.Stats(), released.Load())
			assert.Check(t, lossy || errors.Is(err, fabric.ErrClosed) && released.Load() == 0,
				"%v, %d released", err, released.Load())
			o.Rank = 1
			late := open(t, o)
			until(t, "the rank's return", func() bool { // until it is noticed, packets go the old way
				err := port.Send(1, message(7, nil))
				return err == nil && late.Receive() != nil
			})
		})
	}
}

// Who waits to be told that there is room, or that there are packets, needs
// nothing else.
func TestNotificationsSuffice(t *testing.T) {
	for _, window := range []int{1, 1000, 30_000} {
		ports := openAll(t, 2, packets.Options{WindowBytes: window})
		var told [2]chan struct{}
		for i := range told {
			told[i] = make(chan struct{}, 1)
			ports[i].Notify(func() {
				select {
				case told[i] <- struct{}{}:
				default:
				}
			})
		}
		wait := func(i int, what string) bool {
			select {
			case <-told[i]:
				return true
			case <-time.After(patient):
				t.Errorf("window of %d: nobody told the %s", window, what)
				return false
			}
		}
		const n = 2000
		var both sync.WaitGroup
		both.Go(func() {
			for i := uint32(0); i < n; {
				err := ports[0].Send(1, message(i, make([]byte, i%100)))
				if err == nil {
					i++
				} else if !errors.Is(err, fabric.ErrBusy) || !wait(0, "sender") {
					return
				}
			}
		})
		both.Go(func() {
			for i := uint32(0); i < n; {
				if p := ports[1].Receive(); p == nil {
					if !wait(1, "receiver") {
						return
					}
				} else if i++; number(p) != i-1 {
					t.Errorf("window of %d: packet %d instead of %d", window, number(p), i-1)
				}
			}
		})
		both.Wait()
	}
}

// A rank that comes back is waited for anew when it leaves again.
func TestPatienceBeginsAnew(t *testing.T) {
	t.Parallel()
	o := packets.Options{Endpoints: endpoints(t, 2), Patience: 200 * time.Millisecond}
	sender := open(t, o)
	o.Rank = 1
	for round := range 3 {
		receiver := open(t, o)
		until(t, "arrival", func() bool {
			err := sender.Send(1, message(0, nil))
			return err == nil && receiver.Receive() != nil
		})
		receiver.Close()
		left := time.Now()
		until(t, "an end", func() bool { return errors.Is(sender.Send(1, message(0, nil)), fabric.ErrClosed) })
		d := time.Since(left)
		assert.Check(t, d >= o.Patience, "round %d: missed for %v", round, d)
	}
}

// A rank that leaves while packets wait for it is missed in the end.
func TestWhatWaitsForARankThatLeftIsDropped(t *testing.T) {
	o := packets.Options{Endpoints: endpoints(t, 2), Patience: 50 * time.Millisecond, WindowBytes: 8 << 10}
	sender := open(t, o)
	o.Rank = 1
	receiver := open(t, o)
	var sent, released atomic.Int32
	until(t, "that the receiver is full", func() bool {
		err := sender.Send(1, freed(message(0, make([]byte, 4032)), &released))
		if err == nil {
			sent.Add(1)
		}
		return err != nil && sent.Load() > 0
	})
	receiver.Close()
	until(t, "an end", func() bool { return errors.Is(sender.Send(1, message(0, nil)), fabric.ErrClosed) })
	until(t, "release of all packets", func() bool { return released.Load() == sent.Load() })
}

// Many at once, all of them both ways.
func TestAllToAll(t *testing.T) {
	const ranks, each = 5, 200
	ports := openAll(t, ranks, packets.Options{WindowBytes: 10 << 10})
	var all sync.WaitGroup
	for rank, port := range ports {
		all.Go(func() {
			for i := range each {
				for to := range ranks {
					if to != rank {
						p := message(uint32(i), noise(rank*ranks+to, 50*i))
						for end := time.Now().Add(patient); ; time.Sleep(50 * time.Microsecond) {
							err := port.Send(uint32(to), p)
							if err == nil {
								break
							}
							if !errors.Is(err, fabric.ErrBusy) || time.Now().After(end) {
								t.Errorf("rank %d to %d: %v", rank, to, err)
								return
							}
						}
					}
				}
			}
		})
		all.Go(func() {
			next := make([]int, ranks)
			for got, end := 0, time.Now().Add(2*patient); got < each*(ranks-1) && !t.Failed(); {
				p := port.Receive()
				if p == nil {
					if time.Now().After(end) {
						t.Errorf("rank %d has received %d packets", rank, got)
					}
					time.Sleep(50 * time.Microsecond)
					continue
				}
				i := next[p.Session]
				want := noise(int(p.Session)*ranks+rank, 50*i)
				assert.Check(t, int(number(p)) == i && string(p.Payload) == string(want),
					"rank %d: packet %d of rank %d has %d bytes", rank, number(p), p.Session, len(p.Payload))
				next[p.Session]++
				got++
			}
		})
	}
	all.Wait()
}
