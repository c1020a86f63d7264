package regs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestProcessorBus(t *testing.T) {
	for name, platform := range map[string]string{"processor_bus": "u55c_tcp", "processor_bus_2022": "u280_2022"} {
		set.Check(t, name, func(b *block.Bench, r *rand.Rand) error { return processorBus(b, r, platform) })
	}
}

// pages are the places of registers by the names of their ports.
var pages = map[string]string{"calls": "calls", "window": "call_window", "move": "move", "move_status": "move_status",
	"rx": "rx", "network": "network",
	"sessions": "sessions", "rendezvous": "rendezvous", "system": "system", "timers": "timers", "notice": "notice"}

// processorBus brings accesses to where the processor sees something, and answers
// by itself where there is nothing.
func processorBus(b *block.Bench, r *rand.Rand, platform string) error {
	g, err := generation(platform)
	if err != nil {
		return err
	}
	at := map[string]uint64{} // of the pages that there are
	for port, name := range pages {
		if m := g.RegisterMap(name); m != nil && m.Base != 0 {
			at[port] = uint64(m.Base)
		} else if m := g.Memory(name); m != nil {
			at[port] = uint64(m.ProcessorBase)
		}
	}
	if len(at) < 8 {
		return fmt.Errorf("only the pages %v", at)
	}
	exchange := g.Memory("exchange")
	base, size := uint64(exchange.ProcessorBase), uint64(exchange.Size)
	bases := []uint64{base, base + size - 4, base - 4, base + size}
	for _, v := range at {
		bases = append(bases, v, v, v)
	}
	valid, waited := false, false
	var address, data, strobe uint64
	var write bool
	seen := map[string]int{}
	for range 10_000 {
		if !valid {
			if valid = r.IntN(4) > 0; valid {
				write, data, strobe, waited = r.IntN(2) == 0, uint64(r.Uint32()), 15, false
				switch r.IntN(4) {
				case 0:
					address = base + r.Uint64N(size)&^3
				case 1:
					address = bases[r.IntN(len(bases))] + r.Uint64N(4)
				case 2:
					address = bases[r.IntN(len(bases))]&^0xFFF + r.Uint64N(1<<12)
				default:
					address = bases[r.IntN(len(bases))]&^0xFF + r.Uint64N(1<<8)
				}
				switch r.IntN(6) {
				case 0:
					strobe = 1 + r.Uint64N(15)
				case 1:
					address ^= 1 << (12 + r.IntN(20))
				}
			}
		}
		b.Put("bus_valid", valid)
		b.Put("bus_write", write)
		b.Set("bus_address", address)
		b.Set("bus_wdata", data)
		b.Set("bus_strobe", strobe)
		if !valid {
			b.Scramble(r, "bus_write", "bus_address", "bus_wdata", "bus_strobe")
		}
		b.Put("exchange_ready", r.IntN(3) == 0)
		b.Scramble(r, "exchange_rdata")
		for port := range pages {
			b.Scramble(r, port+"_response")
			b.Put(port+"_response.ready", r.IntN(3) == 0)
		}
		resets := r.IntN(400) == 0
		b.InReset = resets
		b.Step()
		b.InReset = false
		where := "nowhere"
		if address >= base && address-base < size {
			where = "exchange"
		}
		for port, v := range at {
			if strobe == 15 && address&^0xFF == v {
				where = port
			}
		}
		if b.Is("exchange_valid") != (valid && where == "exchange") {
			return fmt.Errorf("an access to %X with strobes %X goes to the exchange memory: %t", address, strobe,
				b.Is("exchange_valid"))
		}
		if valid && where == "exchange" && (b.Is("exchange_write") != write || b.Get("exchange_address") != address-base ||
			b.Get("exchange_wdata") != data || b.Get("exchange_strobe") != strobe) {
			return fmt.Errorf("an access to %X comes as one to %X", address, b.Get("exchange_address"))
		}
		for port := range pages {
			name := port + "_request."
			if b.Is(name+"valid") != (valid && where == port) {
				return fmt.Errorf("an access to %X with strobes %X goes to the page of %s: %t", address, strobe,
					port, b.Is(name+"valid"))
			}
			if valid && where == port && (b.Is(name+"write") != write || b.Get(name+"address") != address&0xFF ||
				b.Get(name+"wdata") != data) {
				return fmt.Errorf("an access to %X comes as one to %X", address, b.Get(name+"address"))
			}
		}
		if resets {
			valid, waited = valid && r.IntN(2) == 0, false
			continue
		}
		if !valid {
			continue
		}
		ready, fails, answer := false, false, uint64(0)
		switch where {
		case "exchange":
			ready, answer = b.Is("exchange_ready"), b.Get("exchange_rdata")
		case "nowhere": // an error, in the second cycle
			ready, fails = waited, true
		default:
			ready, fails, answer = b.Is(where+"_response.ready"), b.Is(where+"_response.error"), b.Get(where+"_response.rdata")
		}
		waited = true
		if b.Is("bus_ready") != ready {
			return fmt.Errorf("an access to %X (%s) is ready: %t", address, where, !ready)
		}
		if ready && (b.Is("bus_error") != fails || !fails && !write && b.Get("bus_rdata") != answer) {
			return fmt.Errorf("an access to %X (%s) fails: %t, gives %X; not %t, %X", address, where, b.Is("bus_error"),
				b.Get("bus_rdata"), fails, answer)
		}
		if ready {
			valid = false
			seen[where]++
		}
	}
	if len(seen) != len(at)+2 {
		return fmt.Errorf("accesses came only to %v", seen)
	}
	return nil
}
