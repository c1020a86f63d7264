package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var networkSet = block.NewSet(
	block.Module{Name: "network_receive", Parts: []string{"packet_table", "rx_fill", "rx_offer", "rx_packets",
		"rx_shift", "byte_rotate", "rx_stream", "rx_tcp", "slot_memory", "slot_reader"}},
	block.Module{Name: "network_receive", As: "network_receive_udp", Platform: "u55c_udp"},
	block.Module{Name: "network_receive", As: "network_receive_rdma", Platform: "u55c_rdma",
		Parts: []string{"rx_rdma"}},
	block.Module{Name: "rx_packets"},
)

func TestNetworkReceive(t *testing.T) {
	networkSet.Check(t, "network_receive", networkReceive(tcpStack))
}
func TestNetworkReceiveUDP(t *testing.T) {
	networkSet.Check(t, "network_receive_udp", networkReceive(udpStack))
}
func TestNetworkReceiveRDMA(t *testing.T) {
	networkSet.Check(t, "network_receive_rdma", networkReceive(rdmaStack))
}

// wait counts the cycles in which somebody has to wait.
type wait int

func (w *wait) check(waits bool, most int, what string) error {
	if !waits {
		*w = 0
	} else if *w++; int(*w) > most {
		return fmt.Errorf("%s waits for more than %d cycles", what, most)
	}
	return nil
}

// networkReceive gets packets from a stack and from the engine itself, in a network
// that is switched off and reset now and then.
func networkReceive(of func(b *block.Bench, r *rand.Rand, x *taker) *stack) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		x, loop := newTaker(b, r), newLooper(b, r)
		if b.Const("engine_pkg::STACK_UDP") != 0 {
			x.patient = own // one order
		}
		s := of(b, r, x)
		calm, resetting, resets := 0, 0, 0
		var idle, busy wait
		const cycles, ending = 24000, 6000
		for cycle := range cycles + ending {
			more := resetting == 0 && cycle > 40 && cycle < cycles // at first, and in the end, nothing comes
			if cycle%1000 == 0 {
				s.gives, loop.gives = block.NewRhythm(r), block.NewRhythm(r)
				if x.pace(); !more {
					full := &block.Rhythm{}
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
			if err := x.look(); err != nil {
				return err
			}
			b.Step()
			if err := x.took(resetting > 0); err != nil {
				return err
			}
			if err := s.step(resetting > 0); err != nil {
				return err
			}
			if p := loop.took(resetting > 0); p != nil {
				x.complete(p)
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
		if x.seen < 150 || resets < 3 || x.cuts && x.again < 20 {
			return fmt.Errorf("only %d packets, %d resets, %d offered again", x.seen, resets, x.again)
		}
		return s.ended()
	}
}

// TestABeatACycle: full packets of several sessions go on without gaps.
func TestABeatACycle(t *testing.T) {
	for name, layout := range map[string]string{"network_receive": "tcp_notification", "network_receive_udp": "",
		"network_receive_rdma": "rdma_notification"} {
		networkSet.Check(t, name, func(b *block.Bench, r *rand.Rand) error { return rate(b, r, layout) })
	}
}

func rate(b *block.Bench, r *rand.Rand, layout string) error {
	for _, name := range []string{"network_enable", "rx_data_ready", "rx_verdict_valid", "eth_read_pkg_tready"} {
		b.Set(name, 1)
	}
	for range 40 {
		b.Step()
	}
	const packets, rows = 24, 64
	b.Set("rx_verdict", whole)
	b.Set("eth_rx_data_tkeep", ^uint64(0))
	var due []uint64 // sessions of beats that may come
	comes := func(session uint64) { due = append(due, slices.Repeat([]uint64{session}, rows)...) }
	told, beats, first := 0, 0, 0
	for cycle := range 5000 {
		if told < packets {
			fill(b, r, "eth_notification_tdata", layout, map[string]uint64{"session": uint64(told % 3),
				"length": rows * beat, "closed": 0})
		}
		b.Put("eth_notification_tvalid", layout != "" && told < packets)
		b.Put("eth_rx_data_tvalid", len(due) > 0)
		b.Put("eth_rx_data_tlast", len(due)%rows == 1)
		if len(due) > 0 {
			b.Set("eth_rx_data_tdest", due[0])
		}
		b.Settle()
		b.Set("rx_take_bytes", b.Get("rx_bytes"))
		b.Step()
		if len(due) > 0 && b.Is("eth_rx_data_tready") {
			due = due[1:]
		}
		if b.Is("eth_read_pkg_tvalid") {
			comes(b.Get("eth_read_pkg_tdata") & 0xFFFF)
		}
		if told < packets && b.Is("eth_notification_tready") {
			if layout != "tcp_notification" {
				comes(uint64(told % 3))
			}
			told++
		}
		if !b.Is("rx_data_valid") {
			continue
		}
		if beats++; beats == 1 {
			first = cycle
		}
		if beats == packets*rows {
			if cycles := float64(cycle-first+1) / (packets * rows); cycles > 1.1 {
				return fmt.Errorf("%.3f cycles a beat", cycles)
			}
			return nil
		}
	}
	return fmt.Errorf("only %d beats come", beats)
}
