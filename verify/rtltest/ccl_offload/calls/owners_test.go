package calls

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestSessionOwners(t *testing.T)    { set.Check(t, "session_owners", sessionOwners) }
func TestNetworkRegisters(t *testing.T) { set.Check(t, "network_registers", networkRegisters) }

// owner is a queue that sends.
type owner struct {
	slices  int            // under way
	open    map[uint64]int // messages that are under way, by session: slices until one has ended, or 0
	key     uint64         // of the session that it sends on
	faulty  bool
	abandon bool
}

// going is a session on which a message goes on, besides its own.
func (o *owner) going(sessions []uint64) (key uint64, ok bool) {
	for _, s := range sessions {
		if n, open := o.open[s]; open && n == 0 && s != o.key {
			return s, true
		}
	}
	return 0, false
}

// sessionOwners sends messages of several packets on few sessions, from all
// queues.
func sessionOwners(b *block.Bench, r *rand.Rand) error {
	queues, most := b.Width("taken"), int(b.Const("engine_pkg::QUEUE_SESSIONS"))
	width := b.Width("keys") / queues
	all := make([]owner, queues)
	forget := func() {
		for q := range all {
			all[q] = owner{open: map[uint64]int{}}
		}
	}
	forget()
	sessions := []uint64{0, 1, 1 << (width - 1), 1<<(width-1) | 1, 1<<width - 1}
	packet := block.NewOutput(b, "packet_abandon_valid", "packet_abandon_ready")
	begun, beside, ending, waited, several := 0, 0, 0, 0, 0
	for range 8000 {
		if r.IntN(1500) == 0 {
			b.Reset()
			forget()
			packet.Forget()
		}
		keys := make([]byte, (b.Width("keys")+7)/8)
		abandon := uint64(0)
		for q := range all {
			o := &all[q]
			// A queue changes sessions between messages, seldom within one.
			n, open := o.open[o.key]
			if !o.abandon && (r.IntN(4) == 0 && (!open || n > 0) || r.IntN(100) == 0) {
				o.key = sessions[r.IntN(len(sessions))]
			}
			if s, ok := o.going(sessions); ok && r.IntN(4) == 0 {
				o.key = s
			}
			for i := range width {
				at := q*width + i
				keys[at/8] |= byte(o.key>>i&1) << (at % 8)
			}
			if !o.abandon && o.slices == 0 && r.IntN(60) < 1+10*max(0, len(o.open)-1) {
				o.abandon = true
				if len(o.open) > 1 {
					several++
				}
			}
			if o.abandon {
				abandon |= 1 << q
			}
		}
		b.SetBytes("keys", keys)
		b.Set("dispatched", 0)
		b.Set("retired", 0)
		b.Set("restart", 0)
		b.Scramble(r, "commits", "ends", "retired_good")
		b.Put("packet_abandon_ready", r.IntN(3) > 0)
		b.Set("abandon", abandon)
		b.Settle()
		taken, elsewhere, done := uint64(0), uint64(0), uint64(0)
		leaving := -1
		for q := range all {
			o := &all[q]
			for p := range all {
				if _, open := all[p].open[o.key]; open && p != q {
					taken |= 1 << q
				}
			}
			if _, open := o.open[o.key]; !open && len(o.open) == most {
				elsewhere |= 1 << q
				waited++
			}
			if o.abandon && len(o.open) == 0 {
				done |= 1 << q
			}
			if o.abandon && len(o.open) > 0 && leaving < 0 {
				leaving = q
			}
		}
		if b.Get("taken") != taken || b.Get("elsewhere") != elsewhere || b.Get("abandon_done") != done {
			return fmt.Errorf("taken %04b, elsewhere %04b, given up %04b; not %04b, %04b, %04b", b.Get("taken"),
				b.Get("elsewhere"), b.Get("abandon_done"), taken, elsewhere, done)
		}
		if b.Is("packet_abandon_valid") != (leaving >= 0) {
			return errors.New("a message is given up by nobody")
		}
		left := b.Get("packet_abandon_session") | b.Get("packet_abandon_self")<<(width-1)
		if leaving >= 0 {
			if _, open := all[leaving].open[left]; !open {
				return fmt.Errorf("queue %d gives up a message on %X, and has none there", leaving, left)
			}
		}
		// One queue sends, one slice ends.
		send, end := r.IntN(queues), r.IntN(queues)
		s, commits, ends := &all[send], r.IntN(3) > 0, r.IntN(3) == 0
		sends := !s.abandon && s.slices < 20 && r.IntN(2) == 0 &&
			(!commits || taken>>send&1 == 0 && (ends || elsewhere>>send&1 == 0))
		e, good := &all[end], r.IntN(60) > 0
		endsOne := e.slices > 0 && r.IntN(2) == 0
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
		_, open := s.open[s.key] // also while its last slice ends in this cycle
		b.Step()
		if leaving >= 0 && b.Is("packet_abandon_ready") {
			delete(all[leaving].open, left)
		}
		if _, err := packet.Taken(); err != nil {
			return err
		}
		if endsOne {
			e.slices--
			for key, n := range e.open {
				switch {
				case n == 1 && good && !e.faulty:
					delete(e.open, key)
				case n > 0:
					e.open[key] = n - 1
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
			s.slices++
			switch {
			case commits && !ends:
				if !open && len(s.open) > 0 {
					beside++
				}
				s.open[s.key] = 0
				begun++
			case commits && open:
				s.open[s.key] = s.slices
				if len(s.open) > 1 {
					ending++
				}
			}
		}
		for q := range all {
			if done>>q&1 != 0 {
				all[q].abandon = false
			}
		}
	}
	if begun < 200 || beside < 20 || ending < 20 || waited < 50 || several == 0 {
		return fmt.Errorf(
			"only %d messages, %d of them begun and %d ended beside others; %d waits for these, several given up %d times",
			begun, beside, ending, waited, several)
	}
	return nil
}

// networkRegisters are read and written; events come meanwhile.
func networkRegisters(b *block.Bench, r *rand.Rand) error {
	d, err := block.Design("u55c_tcp")
	if err != nil {
		return err
	}
	g := d.ABI()
	at := map[uint64]string{}
	for _, reg := range g.RegisterMap("network").Registers {
		at[uint64(reg.At)] = reg.Name
	}
	closedEvent := uint64(block.Masks(g.BitSet("network_event"))["closed"])
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
				return fmt.Errorf("event %t, written %t, enabled %t; not %t, %t, %t", b.Is("event_network"), b.Is("enabled"),
					b.Is("network_enable"), shall.event, shall.enabled, enabled)
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
			want := map[string]uint64{"events": before, "closed_session": by, "control": 0,
				"stack": b.Const("engine_pkg::STACK")}
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
