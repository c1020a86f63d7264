package pins

import (
	"fmt"
	"slices"
)

// AXILite is a host at a module's AXI4-Lite slave: one access at a time. Address
// and data of a write, and its readiness, come when Random says.
type AXILite struct {
	Bench  *Bench
	Prefix string // of the pins, with its underscore
	Step   func() // runs a cycle
	Random func(n int) int
}

// AddAXILite adds the slave's pins.
func AddAXILite(m *Module, prefix string, address int) {
	for name, width := range map[string]int{"awvalid": 1, "awaddr": address, "wvalid": 1, "wdata": 32, "wstrb": 4,
		"bready": 1, "arvalid": 1, "araddr": address, "rready": 1} {
		m.In[prefix+name] = width
	}
	for name, width := range map[string]int{"awready": 1, "wready": 1, "bvalid": 1, "bresp": 2, "arready": 1, "rvalid": 1,
		"rdata": 32, "rresp": 2} {
		m.Out[prefix+name] = width
	}
}

// AddAXILiteStructs adds what AddAXILite does, as the fields of the two structs that
// parts of a kernel have (axilite_pkg).
func AddAXILiteStructs(m *Module, prefix string) {
	m.Parts = map[string]Part{}
	add := func(pins map[string]int, of string, fields ...field) {
		for _, f := range slices.Backward(fields) {
			m.Parts[prefix+f.name] = Part{of, pins[of], f.width}
			pins[of] += f.width
		}
	}
	add(m.In, "control_request", field{"awvalid", 1}, field{"awaddr", 32}, field{"wvalid", 1}, field{"wdata", 32},
		field{"wstrb", 4}, field{"bready", 1}, field{"arvalid", 1}, field{"araddr", 32}, field{"rready", 1})
	add(m.Out, "control_response", field{"awready", 1}, field{"wready", 1}, field{"bvalid", 1}, field{"bresp", 2},
		field{"arready", 1}, field{"rvalid", 1}, field{"rdata", 32}, field{"rresp", 2})
}

type field struct {
	name  string
	width int
}

const patience = 2000 // cycles

// channel offers something until it is taken; it begins after a random time.
func (a *AXILite) channel(name string) (next func() bool) {
	delay, valid := a.Random(4), false
	return func() bool { // in every cycle, until it is true
		if valid && a.Bench.Is(a.Prefix+name+"ready") {
			a.Bench.Set(a.Prefix+name+"valid", 0)
			return true
		}
		if !valid && delay == 0 {
			valid = true
			a.Bench.Set(a.Prefix+name+"valid", 1)
		}
		delay--
		return false
	}
}

// Write writes the bytes of a word that strobe says.
func (a *AXILite) Write(address, data uint32, strobe uint8) error {
	b, p := a.Bench, a.Prefix
	b.Set(p+"awaddr", uint64(address))
	b.Set(p+"wdata", uint64(data))
	b.Set(p+"wstrb", uint64(strobe))
	aw, w := a.channel("aw"), a.channel("w")
	awDone, wDone := aw(), w()
	for range patience {
		ready := a.Random(2) == 0
		b.Set(p+"bready", uint64(bit(ready)))
		a.Step()
		if b.Is(p + "bvalid") {
			if !awDone || !wDone {
				return fmt.Errorf("a write to 0x%X is answered before it has come", address)
			}
			if ready {
				b.Set(p+"bready", 0)
				if b.Get(p+"bresp") != 0 {
					return fmt.Errorf("a write to 0x%X is answered by %d", address, b.Get(p+"bresp"))
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
	b, p := a.Bench, a.Prefix
	b.Set(p+"araddr", uint64(address))
	ar := a.channel("ar")
	done := ar()
	var held uint64
	waiting := false
	for range patience {
		ready := a.Random(2) == 0
		b.Set(p+"rready", uint64(bit(ready)))
		a.Step()
		if b.Is(p + "rvalid") {
			if data := b.Get(p + "rdata"); waiting && data != held {
				return 0, fmt.Errorf("the answer to a read of 0x%X changes", address)
			} else {
				held, waiting = data, true
			}
			if ready {
				b.Set(p+"rready", 0)
				if b.Get(p+"rresp") != 0 {
					return 0, fmt.Errorf("a read of 0x%X is answered by %d", address, b.Get(p+"rresp"))
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

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
