package rx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestRxPacketsTurns(t *testing.T) { networkSet.Check(t, "rx_packets", rxPacketsTurns) }

func TestRxPacketsStuck(t *testing.T) {
	for _, taken := range []bool{false, true} {
		networkSet.Check(t, "rx_packets", rxPacketsStuck(taken))
	}
	networkSet.Finds(t, "rx_packets", "rx_packets", "read_row > come && !since[15]", "read_row > come",
		rxPacketsStuck(true))
	networkSet.Finds(t, "rx_packets", "rx_packets", "front & ~over", "front", rxPacketsStuck(false))
}

// slotFor gets a slot for a packet of a session.
func slotFor(b *block.Bench, session uint64) (uint64, error) {
	b.Set("need_session", session)
	b.Put("need_valid", true)
	b.Put("need_take", true)
	defer b.Put("need_valid", false)
	for range 20 {
		if b.Step(); b.Is("need_known") && b.Is("need_ready") {
			return b.Get("need_slot"), nil
		}
	}
	return 0, errors.New("there is no slot")
}

// giveRows fills some rows of a slot.
func giveRows(b *block.Bench, slot, session uint64, data []byte, from, to int) {
	b.Put("row_valid", true)
	defer b.Put("row_valid", false)
	for i := from; i < to; i++ {
		b.Set("row_slot", slot)
		b.Set("row_number", uint64(i))
		b.SetBytes("row_data", data[i*beat:][:beat])
		b.Set("row_keep", ^uint64(0))
		b.Put("row_last", (i+1)*beat == len(data))
		b.Put("row_good", true)
		b.Set("row_bytes", uint64(len(data)))
		b.Set("row_session", session)
		b.Step()
	}
}

// rxPacketsTurns has packets of all sessions wait all the time: their slots have turns, but for one that is
// held until there may be room again.
func rxPacketsTurns(b *block.Bench, r *rand.Rand) error {
	b.Put("network_enable", true)
	last, held, retried := [own]int{}, -1, -1 // last: when a session was offered
	more := func(session int) error {
		slot, err := slotFor(b, uint64(session))
		giveRows(b, slot, uint64(session), random(r, beat), 0, 1)
		return err
	}
	for session := range 2 * own {
		if err := more(session % own); err != nil {
			return err
		}
	}
	for n := range 400 {
		for wait := 0; !b.Is("rx_valid"); wait++ {
			if b.Step(); wait > 40 {
				return errors.New("nothing is offered")
			}
		}
		session := int(b.Get("rx_session"))
		for other, at := range last {
			if other != held && n-at > int(b.Const("engine_pkg::SLOTS")) {
				return fmt.Errorf("session %d waits while %d packets are offered", other, n-at)
			}
		}
		if session == held {
			return fmt.Errorf("session %d is offered again", session)
		}
		last[session] = n
		verdict := uint64(drop)
		if held < 0 && n > retried+1 && r.IntN(10) == 0 { // what is offered at a retry may come again
			verdict, held = hold, session
		}
		b.Set("rx_verdict", verdict)
		b.Put("rx_verdict_valid", true)
		b.Step()
		b.Put("rx_verdict_valid", false)
		b.Step()
		if verdict == hold {
			continue
		}
		if err := more(session); err != nil {
			return err
		}
		if held >= 0 && r.IntN(30) == 0 {
			b.Put("rx_retry", true)
			b.Step()
			b.Put("rx_retry", false)
			last[held], held, retried = n, -1, n
		}
	}
	return nil
}

// rxPacketsStuck resets the network while a packet has come in part, and the stack gives
// the rest only later: the reset ends, and nothing of the packet is offered again.
func rxPacketsStuck(taken bool) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		const rows = 10
		come := 1 + r.IntN(rows-1)
		b.Put("network_enable", true)
		b.Put("rx_data_ready", true)
		b.Put("source_busy", true)
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

		stuck, err := slotFor(b, 3)
		if err != nil {
			return err
		}
		giveRows(b, stuck, 3, random(r, rows*beat), 0, come)
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
		next, err := slotFor(b, 3)
		if err != nil {
			return err
		}
		if next == stuck {
			return fmt.Errorf("slot %d is given again while it is filled", stuck)
		}
		giveRows(b, stuck, 3, random(r, rows*beat), come, rows)
		data := random(r, rows*beat)
		giveRows(b, next, 3, data, 0, rows)
		if err := wait(20, "the next packet is offered", offered); err != nil {
			return err
		}
		if !bytes.Equal(b.Bytes("rx_beat"), data[:beat]) {
			return fmt.Errorf("%X is offered, not %X", b.Bytes("rx_beat"), data[:beat])
		}
		return nil
	}
}
