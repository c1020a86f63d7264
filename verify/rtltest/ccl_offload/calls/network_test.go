package calls

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(block.Module{Name: "network_registers"})

func TestNetworkRegisters(t *testing.T) { set.Check(t, "network_registers", networkRegisters) }

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
