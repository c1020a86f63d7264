package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

func TestNetworkReceive(t *testing.T) {
	packetSet.Check(t, "network_receive", networkReceive(tcpStack))
}
func TestNetworkReceiveUDP(t *testing.T) {
	packetSet.Check(t, "network_receive_udp", networkReceive(udpStack))
}
func TestNetworkReceiveRDMA(t *testing.T) {
	packetSet.Check(t, "network_receive_rdma", networkReceive(rdmaStack))
}

// networkReceive gets packets from a stack and from the engine itself, in a network
// that is switched off and reset now and then.
func networkReceive(of func(b *block.Bench, r *rand.Rand, x *taker) *stack) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		x, loop := newTaker(b, r), newLooper(b, r)
		x.blind = true
		if b.Const("engine_pkg::STACK_UDP") != 0 {
			x.patient = own // one order
		}
		s := of(b, r, x)
		calm, resetting, resets := 0, 0, 0
		var idle, busy wait
		const cycles, ending = 24000, 6000
		for cycle := range cycles + ending {
			more := resetting == 0 && cycle < cycles
			if cycle%1000 == 0 {
				s.gives, loop.gives = block.NewRhythm(r), block.NewRhythm(r)
				if x.pace(); !more {
					full := &pins.Rhythm{}
					x.stuck, x.enabled, x.takes, x.verdicts, s.gives, loop.gives = -1, true, full, full, full, full
				}
			}
			if more && r.IntN([]int{500, 30}[r.IntN(2)]) == 0 {
				x.enabled = !x.enabled && cycle%4000 > 500 || cycle%4000 > 1000
			}
			s.drive(more)
			s.data(cycle)
			loop.drive(cycle, !more)
			if more && cycle > calm && r.IntN(1500) == 0 {
				resetting = 1
				resets++
				switch until := cycle + 300 + r.IntN(400); r.IntN(3) {
				case 0:
					s.stalls = until
				case 1:
					loop.stalls = until
				}
			}
			b.Put("reset_network", resetting > 0)
			x.drive(resetting > 0)
			b.Settle()
			if err := x.look(cycle); err != nil {
				return err
			}
			b.Step()
			if err := x.took(cycle, resetting > 0); err != nil {
				return err
			}
			if err := s.step(cycle, resetting > 0); err != nil {
				return err
			}
			if p := loop.took(resetting > 0); p != nil {
				x.complete(p, cycle)
			}
			left := s.knows() || loop.begun() || x.left()
			if err := idle.check(left && !b.Is("receive_busy"), 4, "what is left"); err != nil {
				return fmt.Errorf("it is not busy: %w", err)
			}
			if err := busy.check(!left && b.Is("receive_busy"), 30, "nothing"); err != nil {
				return fmt.Errorf("it is busy: %w", err)
			}
			if b.Is("receive_idle") && (resetting == 0 || left) {
				return errors.New("nothing is left, it says")
			}
			if resetting > 0 {
				if b.Is("receive_idle") {
					resetting, calm = 0, cycle+5
				} else if resetting++; resetting > 30000 {
					return errors.New("a reset does not end")
				}
			}
		}
		if s.knows() || loop.begun() || x.left() {
			return fmt.Errorf("packets are left: of the stack %t, of the engine itself %t", s.knows(), loop.begun())
		}
		if x.seen < 150 || resets < 3 {
			return fmt.Errorf("only %d packets, %d resets", x.seen, resets)
		}
		return s.ended()
	}
}
