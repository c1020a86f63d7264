package block

import "fmt"

// AXILite is a host at a module's AXI4-Lite slave: one access at a time. Address
// and data of a write, and its readiness, come when Random says.
type AXILite struct {
	Bench    *Bench
	To, From string // how the names of what the slave gets and gives begin
	Step     func() // runs a cycle
	Random   func(n int) int
}

const patience = 2000 // cycles

// channel offers something until it is taken; it begins after a random time.
func (a *AXILite) channel(name string) (next func() bool) {
	delay, valid := a.Random(4), false
	return func() bool { // in every cycle, until it is true
		if valid && a.Bench.Is(a.From+name+"ready") {
			a.Bench.Set(a.To+name+"valid", 0)
			return true
		}
		if !valid && delay == 0 {
			valid = true
			a.Bench.Set(a.To+name+"valid", 1)
		}
		delay--
		return false
	}
}

// Write writes the bytes of a word that strobe says.
func (a *AXILite) Write(address, data uint32, strobe uint8) error {
	b := a.Bench
	b.Set(a.To+"awaddr", uint64(address))
	b.Set(a.To+"wdata", uint64(data))
	b.Set(a.To+"wstrb", uint64(strobe))
	aw, w := a.channel("aw"), a.channel("w")
	awDone, wDone := aw(), w()
	for range patience {
		ready := a.Random(2) == 0
		b.Put(a.To+"bready", ready)
		a.Step()
		if b.Is(a.From + "bvalid") {
			if !awDone || !wDone {
				return fmt.Errorf("a write to 0x%X is answered before it has come", address)
			}
			if ready {
				b.Set(a.To+"bready", 0)
				if b.Get(a.From+"bresp") != 0 {
					return fmt.Errorf("a write to 0x%X is answered by %d", address, b.Get(a.From+"bresp"))
				}
				return nil
			}
		}
		if !awDone {
			awDone = aw()
		}
		if !wDone {
			wDone = w()
		}
	}
	return fmt.Errorf("a write to 0x%X is not answered", address)
}

// Read reads a word.
func (a *AXILite) Read(address uint32) (uint32, error) {
	b := a.Bench
	b.Set(a.To+"araddr", uint64(address))
	ar := a.channel("ar")
	done := ar()
	var held uint64
	waiting := false
	for range patience {
		ready := a.Random(2) == 0
		b.Put(a.To+"rready", ready)
		a.Step()
		if b.Is(a.From + "rvalid") {
			if data := b.Get(a.From + "rdata"); waiting && data != held {
				return 0, fmt.Errorf("the answer to a read of 0x%X changes", address)
			} else {
				held, waiting = data, true
			}
			if ready {
				b.Set(a.To+"rready", 0)
				if b.Get(a.From+"rresp") != 0 {
					return 0, fmt.Errorf("a read of 0x%X is answered by %d", address, b.Get(a.From+"rresp"))
				}
				return uint32(held), nil
			}
		}
		if !done {
			done = ar()
		}
	}
	return 0, fmt.Errorf("a read of 0x%X is not answered", address)
}
