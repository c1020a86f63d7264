package regs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestRendezvousRegisters(t *testing.T) { set.Check(t, "rendezvous_registers", rendezvousRegisters) }
func TestRendezvousRegistersRDMA(t *testing.T) {
	set.Check(t, "rendezvous_registers_rdma", rendezvousRegisters)
}

// rendezvousRegisters opens and shuts windows, looks at them, and at announcements.
func rendezvousRegisters(b *block.Bench, r *rand.Rand) error {
	p, err := newPage(b, r, "rendezvous", map[string]string{"peer_request.valid": "peer_response.done",
		"window_valid": "window_done", "seek_valid": "seek_done", "take_valid": "take_done"},
		"peer_response", "window_arrived", "window_complete")
	if err != nil {
		return err
	}
	salt := r.Uint64()
	foreign := func(session uint64) bool { return (session*0x9E3779B97F4A7C15+salt)>>63 != 0 }
	p.follow = func() { b.Put("foreign", foreign(b.Get("session"))) }
	windows := b.Const("engine_pkg::WINDOWS")
	foreigners := 0
	for i := range 6000 {
		if i%500 == 0 {
			p.stalls = block.NewRhythm(r).Next
		}
		a := access{write: r.IntN(2) == 0, address: p.offset(), data: uint64(r.Uint32())}
		b.Scramble(r, "selection", "sought", "sought_other", "sought_collective", "sought_count", "sought_address",
			"sought_host", "sought_transfer")
		if b.Is("sought") {
			b.Set("sought_other", 0)
		}
		b.Settle()
		var questions []question
		var v uint64
		want := &v
		announced := map[string]uint64{}
		if b.Is("sought") || b.Is("sought_other") {
			address, of := b.Get("sought_address"), b.Collective("sought_collective")
			announced = map[string]uint64{"announced_count": b.Get("sought_count"), "announced_address": address & 0xFFFFFFFF,
				"announced_address_high": address >> 32,
				"announced_host":         b.Get("sought_host"), "announced_transfer": b.Get("sought_transfer"),
				"announced_number": of.Number, "announced_collective_count": of.Count, "announced_shape": of.Shape}
		}
		number, known := p.kept["window"]
		there := known && number < windows
		shows := map[string]uint64{"window": number}
		window := question{"window_valid", shows, func() {}}
		lookUp := func(rank string) question {
			return p.lookUp(b.Get("selection.comm"), b.Get("selection."+rank), func() {
				if shows["known"] = b.Get("peer_response.ok"); b.Is("peer_response.ok") {
					shows["session"] = b.Get("peer_response.session")
				}
			})
		}
		name := p.words[a.address]
		switch name {
		case "window":
			if r.IntN(8) > 0 {
				a.data = []uint64{r.Uint64N(windows), windows - 1, windows, windows + 1, a.data}[r.IntN(5)]
			}
		case "open":
			shows["window_open"], shows["window_shut"], shows["window_host"] = 1, 0, a.data&1
			p.buffer("window", shows)
			questions = []question{lookUp("source"), window}
		case "shut":
			shows["window_open"], shows["window_shut"] = 0, 1
			questions = []question{window}
		case "arrived", "done":
			shows["window_open"], shows["window_shut"] = 0, 0
			window.answer = func() {
				if v = b.Get("window_arrived"); name == "done" {
					v = b.Get("window_complete")
				}
			}
			questions = []question{window}
		case "seek":
			delete(shows, "window")
			questions = []question{lookUp("destination"), {"seek_valid", shows, func() {
				v = r.Uint64N(3)
				b.Put("sought", v == 1)
				b.Put("sought_other", v == 2)
			}}}
		case "foreign":
			questions = []question{p.lookUp(b.Get("selection.comm"), b.Get("selection.source"), func() {
				if b.Is("peer_response.ok") && foreign(b.Get("peer_response.session")) && b.Const("engine_pkg::STACK_RDMA") == 0 {
					v = 1
					foreigners++
				}
			})}
		case "take":
			questions = []question{{"take_valid", nil, func() {}}}
		default:
			v = announced[name]
		}
		switch name {
		case "window", "address", "address_high", "bytes":
			want = nil
		case "open", "shut", "arrived", "done":
			if !known { // nobody knows which one
				continue
			}
			if !there {
				questions, v = nil, 0
			}
		}
		if err := p.once(a, false, want, questions...); err != nil {
			return err
		}
	}
	if rdma := b.Const("engine_pkg::STACK_RDMA") != 0; !rdma && foreigners < 20 {
		return fmt.Errorf("only %d ranks were foreign", foreigners)
	}
	return p.all()
}
