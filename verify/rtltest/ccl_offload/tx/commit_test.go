package transmit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestCommit(t *testing.T) { set.Check(t, "tx_commit", commits) }

// finished is a packet that is completed, or a mark in place of the rest of a message.
type finished struct {
	slot              uint64
	good, used, mark  bool
	counted, numbered bool
	record            uint64
}

// commits completes packets. The exchange memory and the announcements say their
// numbers when they like; a slot may be taken away meanwhile.
func commits(b *block.Bench, r *rand.Rand) error {
	var counter uint64
	for i, w := range definitions().Memory("exchange").Tables {
		if w.Name == "communicators" {
			for j, x := range definitions().Memory("exchange").Tables[i].Record {
				if x.Name == "outbound_seq" {
					counter = uint64(4 * j)
				}
			}
		}
	}
	if counter == 0 {
		return errors.New("no word counts messages")
	}
	slots := b.Width("used")
	done := map[string]int{}
	for range 6 {
		b.Reset()
		used := r.Uint64() & (1<<slots - 1)
		commits, abandons, numbers := block.NewRhythm(r).Next, block.NewRhythm(r).Next, block.NewRhythm(r).Next
		said := map[uint64]finished{} // of each slot
		for s := range uint64(slots) {
			said[s] = finished{counted: r.IntN(3) == 0, numbered: r.IntN(2) == 0, record: uint64(r.Uint32())}
		}
		var now *finished // under way
		var over bool
		since := 0
		offered, abandoned := false, false
		for range 1500 {
			if !offered && commits() {
				offered = true
				b.Set("packet_commit_slot", r.Uint64N(uint64(slots)))
				b.Put("packet_commit_good", r.IntN(4) > 0)
			}
			if !offered {
				b.Scramble(r, "packet_commit_slot", "packet_commit_good")
			}
			abandoned = abandoned || abandons() && r.IntN(4) == 0
			b.Put("packet_commit_valid", offered)
			b.Put("packet_abandon_valid", abandoned)
			if r.IntN(6) == 0 {
				used ^= 1 << r.IntN(slots)
			}
			free := uint64(r.IntN(slots))
			is := used>>free&1 == 0
			b.Set("used", used)
			b.Put("free_valid", is)
			b.Set("free_slot", free)
			b.Settle()
			about := said[b.Get("slot")]
			b.Put("counted", about.counted)
			b.Put("numbered", about.numbered)
			b.Set("record", about.record)
			b.Scramble(r, "exchange_response", "number_value")
			b.Settle()
			ready := numbers()
			b.Put("exchange_response.done", ready && b.Is("exchange_request.valid"))
			b.Put("number_done", ready && b.Is("number_valid"))
			b.Step()

			if b.Is("idle") != (now == nil) {
				return fmt.Errorf("it is idle: %t", now != nil)
			}
			if b.Is("take_free") != b.Is("packet_abandon_ready") {
				return errors.New("a slot is taken for nothing, or none for a mark")
			}
			takesMark, takes := abandoned && b.Is("packet_abandon_ready"), offered && b.Is("packet_commit_ready")
			if now == nil && (takesMark != (abandoned && is) || takes != (offered && !takesMark)) || now != nil &&
				(takes || takesMark) {
				return fmt.Errorf("a packet is taken: %t, a mark: %t", takes, takesMark)
			}
			if now == nil {
				if b.Is("enter") || b.Is("give_back") || b.Is("number_take") || b.Is("exchange_request.valid") ||
					b.Is("number_valid") {
					return errors.New("something happens without a packet")
				}
				switch {
				case takesMark:
					now = &finished{slot: free, mark: true, good: true}
					used |= 1 << free
					abandoned = false
				case takes:
					now = new(finished)
					*now = said[b.Get("packet_commit_slot")]
					now.slot, now.good = b.Get("packet_commit_slot"), b.Is("packet_commit_good")
					offered = false
				}
				over, since = false, 0
				continue
			}
			if since++; since > 1000 {
				return errors.New("a packet is not completed")
			}
			if b.Get("slot") != now.slot {
				return fmt.Errorf("slot %d is completed, not %d", b.Get("slot"), now.slot)
			}
			there := used>>now.slot&1 != 0
			first := since == 1 && !now.mark // what is with the packet is looked at
			if first {
				now.used = there
			}
			over = over || first && (!there || !now.good)
			if b.Is("give_back") != (first && there && !now.good) {
				return fmt.Errorf("a packet that is good: %t is given back: %t", now.good, b.Is("give_back"))
			}
			counts, asks := now.counted && !now.mark && !over, now.numbered && !now.counted && !now.mark && !over && !first
			if b.Is("exchange_request.valid") != counts || b.Is("number_valid") != asks {
				return fmt.Errorf("%+v is counted: %t, numbered: %t", *now, b.Is("exchange_request.valid"), b.Is("number_valid"))
			}
			if counts && (b.Get("exchange_request.operation") != b.Const("engine_pkg::EXCHANGE_ADD") ||
				b.Get("exchange_request.wdata") != 1 || b.Get("exchange_request.address") != (now.record+counter)&0xFFFFFFFF) {
				return fmt.Errorf("%X is added to word %X of record %X", b.Get("exchange_request.wdata"),
					b.Get("exchange_request.address"), now.record)
			}
			gets, value := counts && b.Is("exchange_response.done"), b.Get("exchange_response.rdata")
			if asks {
				gets, value = b.Is("number_done"), b.Get("number_value")
			}
			if b.Is("number_take") != gets || gets && b.Get("number_taken") != value {
				return fmt.Errorf("number %X is taken: %t, of %X: %t", b.Get("number_taken"), b.Is("number_take"), value, gets)
			}
			enters := !over && !first
			if counts || asks { // with its number
				enters = gets
			}
			if b.Is("enter") != (enters && there) || enters && b.Is("mark") != now.mark {
				return fmt.Errorf("%+v enters: %t, as a mark: %t", *now, b.Is("enter"), b.Is("mark"))
			}
			switch {
			case enters && now.mark:
				done["mark"]++
			case enters && now.counted:
				done["counted"]++
			case enters && now.numbered:
				done["numbered"]++
			case enters:
				done["plain"]++
			}
			if over || enters {
				now = nil
			}
		}
	}
	if len(done) < 4 || done["mark"] < 10 || done["counted"] < 10 || done["numbered"] < 10 {
		return fmt.Errorf("only %v", done)
	}
	return nil
}
