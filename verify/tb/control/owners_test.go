package control

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/tb/block"
	"github.com/cclforge/cclforge/verify/tb/pins"
)

func TestSessionOwners(t *testing.T)    { set.Check(t, "session_owners", sessionOwners) }
func TestNetworkRegisters(t *testing.T) { set.Check(t, "network_registers", networkRegisters) }

// owner is a queue that sends.
type owner struct {
	slices  []bool // under way; whether one ends the message that is under way
	closing int    // slices until the message ends, or 0
	owns    bool
	key     uint64 // of the session
	owned   uint64
	faulty  bool
	abandon bool
}

// sessionOwners sends messages of several packets on few sessions, from all
// queues.
func sessionOwners(b *block.Bench, r *rand.Rand) error {
	queues := b.Width("taken")
	width := b.Width("keys") / queues
	var all [8]owner
	sessions := []uint64{0, 1, 1 << (width - 1), 1<<(width-1) | 1, 1<<width - 1}
	packet := block.NewOutput(b, "packet_abandon_valid", "packet_abandon_ready")
	owning := 0
	for range 8000 {
		if r.IntN(1500) == 0 {
			b.Reset()
			all = [8]owner{}
			packet.Forget()
		}
		keys := make([]byte, (b.Width("keys")+7)/8)
		for q := range queues {
			o := &all[q]
			if len(o.slices) == 0 && !o.abandon && r.IntN(10) == 0 {
				o.key = sessions[r.IntN(len(sessions))]
			}
			if o.owns && r.IntN(3) > 0 && len(o.slices) == 0 {
				o.key = o.owned
			}
			for i := range width {
				at := q*width + i
				keys[at/8] |= byte(o.key>>i&1) << (at % 8)
			}
		}
		b.SetBytes("keys", keys)
		b.Set("dispatched", 0)
		b.Set("retired", 0)
		b.Set("restart", 0)
		b.Scramble(r, "commits", "ends", "retired_good")
		b.Put("packet_abandon_ready", r.IntN(3) > 0)
		abandon := uint64(0)
		for q := range queues {
			o := &all[q]
			if !o.abandon && len(o.slices) == 0 && r.IntN(40) == 0 {
				o.abandon = true
			}
			if o.abandon {
				abandon |= 1 << q
			}
		}
		b.Set("abandon", abandon)
		b.Settle()
		taken, elsewhere, done := uint64(0), uint64(0), uint64(0)
		leaving := -1
		for q := range queues {
			o := &all[q]
			for p := range queues {
				if p != q && all[p].owns && all[p].owned == o.key {
					taken |= 1 << q
				}
			}
			if o.owns && o.owned != o.key {
				elsewhere |= 1 << q
			}
			if o.abandon && !o.owns {
				done |= 1 << q
			}
			if o.abandon && o.owns && leaving < 0 {
				leaving = q
			}
		}
		if b.Get("taken") != taken || b.Get("elsewhere") != elsewhere || b.Get("abandon_done") != done {
			return fmt.Errorf("taken %04b, elsewhere %04b, given up %04b; not %04b, %04b, %04b", b.Get("taken"), b.Get("elsewhere"), b.Get("abandon_done"), taken, elsewhere, done)
		}
		if b.Is("packet_abandon_valid") != (leaving >= 0) {
			return errors.New("a message is given up by nobody")
		}
		if leaving >= 0 {
			o := all[leaving]
			if got := b.Get("packet_abandon_session") | b.Get("packet_abandon_self")<<(width-1); got != o.owned {
				return fmt.Errorf("a message on %X is given up, not on %X", got, o.owned)
			}
		}
		// One queue sends, one slice ends.
		send, end := r.IntN(queues), r.IntN(queues)
		s, commits, ends := &all[send], r.IntN(3) > 0, r.IntN(3) == 0
		sends := !s.abandon && len(s.slices) < 20 && r.IntN(2) == 0 && taken>>send&1 == 0 && elsewhere>>send&1 == 0
		e, good := &all[end], r.IntN(60) > 0
		endsOne := len(e.slices) > 0 && r.IntN(2) == 0
		restart := r.IntN(60 * queues)
		if sends {
			b.Set("dispatched", 1<<send)
			b.Put("commits", commits)
			b.Put("ends", ends)
		}
		if endsOne {
			b.Set("retired", 1<<end)
			b.Put("retired_good", good)
		}
		if restart < queues {
			b.Set("restart", 1<<restart)
		}
		owned := s.owns // also while its last slice ends in this cycle
		b.Step()
		if leaving >= 0 && b.Is("packet_abandon_ready") {
			all[leaving].owns, all[leaving].closing = false, 0
		}
		if _, err := packet.Taken(); err != nil {
			return err
		}
		if endsOne {
			e.slices = e.slices[1:]
			if e.closing > 0 {
				if e.closing--; e.closing == 0 && good && !e.faulty {
					e.owns = false
				}
			}
		}
		if restart < queues {
			all[restart].faulty = false
		}
		if endsOne && !good {
			e.faulty = true
		}
		if sends {
			s.slices = append(s.slices, false)
			switch {
			case commits && !ends:
				s.owns, s.owned, s.closing = true, s.key, 0
				owning++
			case commits && owned:
				s.owns, s.closing = true, len(s.slices)
			}
		}
		for q := range queues {
			if done>>q&1 != 0 {
				all[q].abandon = false
			}
		}
	}
	if owning < 200 {
		return fmt.Errorf("only %d messages", owning)
	}
	return nil
}

// networkRegisters are read and written; events come meanwhile.
func networkRegisters(b *block.Bench, r *rand.Rand) error {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return err
	}
	g := d.ABI()
	at := map[uint64]string{}
	for _, reg := range g.RegisterMap("network").Registers {
		at[uint64(reg.At)] = reg.Name
	}
	closedEvent := uint64(0)
	for _, e := range g.BitSet("network_event").Bits {
		if e.Name == "closed" {
			closedEvent = 1 << e.At
		}
	}
	width := b.Width("events_set")
	events, closedBy, enabled := uint64(0), uint64(0), false
	var shall, was struct{ event, enabled bool }
	resetting := false
	step := func(written *uint64) (set uint64) { // events that come in this cycle
		b.Scramble(r, "closed_by")
		b.Set("events_set", 0)
		if r.IntN(40) == 0 {
			set = r.Uint64() & r.Uint64() & (1<<width - 1)
			b.Set("events_set", set)
		}
		closed := r.IntN(40) == 0
		b.Put("closed", closed)
		b.Step()
		if closed {
			set |= closedEvent
			closedBy = b.Get("closed_by")
		}
		return set
	}
	for i := range 4000 {
		// One access, or none.
		b.Scramble(r, "reg_request")
		b.Set("reg_request.valid", 0)
		access := r.IntN(3) > 0
		address, write := uint64(4*r.IntN(64)), r.IntN(2) == 0
		if r.IntN(3) > 0 {
			address = uint64(4 * r.IntN(len(at)+1))
		}
		data := r.Uint64() & 0xFFFFFFFF
		if access {
			b.Set("reg_request.valid", 1)
			b.Put("reg_request.write", write)
			b.Set("reg_request.address", address)
			b.Set("reg_request.wdata", data)
		}
		if r.IntN(100) == 0 {
			resetting = !resetting
		}
		begins := resetting && !b.Is("reset_network")
		b.Put("reset_network", resetting)
		if i%200 == 199 {
			b.Reset()
			events, closedBy, enabled, shall = 0, 0, false, was
			if b.Is("event_network") || b.Is("network_enable") {
				return errors.New("a reset leaves something")
			}
			continue
		}
		before, by, was := events, closedBy, enabled
		for n := 0; ; n++ {
			set := step(nil)
			if b.Is("event_network") != shall.event || b.Is("enabled") != shall.enabled || b.Is("network_enable") != enabled {
				return fmt.Errorf("event %t, written %t, enabled %t; not %t, %t, %t", b.Is("event_network"), b.Is("enabled"), b.Is("network_enable"), shall.event, shall.enabled, enabled)
			}
			shall.event, shall.enabled = set != 0, false
			if begins {
				events, begins = 0, false
			}
			name := at[address]
			if access && n == 0 && write {
				switch name {
				case "events":
					events &^= data
				case "control":
					enabled, shall.enabled = data&1 != 0, true
				}
			}
			events |= set
			if resetting {
				enabled = false
			}
			if !access {
				break
			}
			if !b.Is("reg_response.ready") {
				if n > 10 {
					return errors.New("an access does not end")
				}
				if n > 0 {
					before, by, was = events, closedBy, enabled
				}
				continue
			}
			// It ends; it has read what stood there when it began.
			fails := name == "" || name == "closed_session" && write
			if b.Is("reg_response.error") != fails {
				return fmt.Errorf("register 0x%X (%s), write %t: error %t", address, name, write, b.Is("reg_response.error"))
			}
			want := map[string]uint64{"events": before, "closed_session": by, "control": 0, "stack": b.Const("engine_pkg::STACK")}
			if was {
				want["control"] = 1
			}
			if v, ok := want[name]; ok && !write && b.Get("reg_response.rdata") != v {
				return fmt.Errorf("%s is %X, not %X", name, b.Get("reg_response.rdata"), v)
			}
			break
		}
	}
	return nil
}
