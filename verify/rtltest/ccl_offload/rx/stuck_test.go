package rx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestRxPacketsStuck(t *testing.T) {
	for _, taken := range []bool{false, true} {
		packetSet.Check(t, "rx_packets", rxPacketsStuck(taken))
	}
	packetSet.Finds(t, "rx_packets", "rx_packets", "read_row > come && !since[15]", "read_row > come",
		rxPacketsStuck(true))
	packetSet.Finds(t, "rx_packets", "rx_packets", "front & ~over", "front", rxPacketsStuck(false))
}

// rxPacketsStuck resets the network while a packet has come in part, and the stack gives
// the rest only later: the reset ends, and nothing of the packet is offered again.
func rxPacketsStuck(taken bool) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		const rows, session = 10, 3
		come := 1 + r.IntN(rows-1)
		b.Put("network_enable", true)
		b.Put("rx_data_ready", true)
		b.Put("source_busy", true)
		slot := func() (uint64, error) {
			b.Set("need_session", session)
			b.Put("need_valid", true)
			defer b.Put("need_valid", false)
			for range 20 {
				if b.Step(); b.Is("need_ready") {
					return b.Get("need_slot"), nil
				}
			}
			return 0, errors.New("there is no slot")
		}
		give := func(slot uint64, data []byte, from, to int) {
			b.Put("row_valid", true)
			defer b.Put("row_valid", false)
			for i := from; i < to; i++ {
				b.Set("row_slot", slot)
				b.Set("row_number", uint64(i))
				b.SetBytes("row_data", data[i*beat:][:beat])
				b.Set("row_keep", ^uint64(0))
				b.Put("row_last", i == rows-1)
				b.Put("row_good", true)
				b.Set("row_bytes", rows*beat)
				b.Set("row_session", session)
				b.Step()
			}
		}
		beats := 0
		wait := func(most int, what string, until func() bool) error {
			for range most {
				if b.Step(); b.Is("rx_data_valid") {
					beats++
				}
				if until() {
					return nil
				}
			}
			return fmt.Errorf("%s: not within %d cycles", what, most)
		}
		offered := func() bool { return b.Is("rx_valid") }

		stuck, err := slot()
		if err != nil {
			return err
		}
		give(stuck, random(r, rows*beat), 0, come)
		if err := wait(20, "what comes is offered", offered); err != nil {
			return err
		}
		if taken {
			b.Set("rx_verdict", whole)
			b.Set("rx_take_bytes", rows*beat)
			b.Put("rx_verdict_valid", true)
			b.Step()
			b.Put("rx_verdict_valid", false)
			if err := wait(100, "the rest", func() bool { return beats > come }); err == nil {
				return fmt.Errorf("%d beats go on, of %d that have come", beats, come)
			}
		}
		b.Put("reset_network", true)
		if err := wait(40000, "a reset ends", func() bool { return b.Is("receive_idle") }); err != nil {
			return err
		}
		if err := wait(40, "a packet goes on", func() bool { return beats == rows }); taken != (err == nil) {
			return fmt.Errorf("%d beats went on: %v", beats, err)
		}
		b.Put("reset_network", false)
		if err := wait(40, "an offer", offered); err == nil {
			return errors.New("what was reset is offered")
		}
		next, err := slot()
		if err != nil {
			return err
		}
		if next == stuck {
			return fmt.Errorf("slot %d is given again while it is filled", stuck)
		}
		give(stuck, random(r, rows*beat), come, rows)
		data := random(r, rows*beat)
		give(next, data, 0, rows)
		if err := wait(20, "the next packet is offered", offered); err != nil {
			return err
		}
		if !bytes.Equal(b.Bytes("rx_beat"), data[:beat]) {
			return fmt.Errorf("%X is offered, not %X", b.Bytes("rx_beat"), data[:beat])
		}
		return nil
	}
}
