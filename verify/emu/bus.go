package emu

import (
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/emu/rv32"
)

// register is what happens when the processor reads or writes a word; nil if it must not, or the word just holds a
// value.
type register struct {
	name  string
	load  func() (uint32, error)
	store func(uint32) error
}

// bus is what the control processor sees beside its RAM: exchange memory and
// registers.
type bus struct {
	exchange     *exchange
	exchangeFrom uint32 // as the processor sees it
	first        uint32 // address of registers[0]
	registers    []register
	words        []rv32.Word // of the registers that hold a value, which the processor reads and writes itself

	g       *abi.Generation
	unknown []string // names that the engine implements and the generation lacks
}

func newBus(g *abi.Generation, n *numbers, x *exchange) *bus {
	b := &bus{exchange: x, exchangeFrom: n.exchange.ProcessorBase, g: g}
	first, end := n.callWindow.ProcessorBase, n.callWindow.ProcessorBase+n.callWindow.Size
	for _, m := range processorMaps(g) {
		for _, r := range m.Registers {
			first, end = min(first, m.Base+r.At), max(end, m.Base+uint32(r.End()))
		}
	}
	b.first, b.registers = first, make([]register, (end-first)/wordBytes)
	b.words = make([]rv32.Word, len(b.registers))
	return b
}

// processorMaps are the register maps of the processor; the others are the
// host's alone.
func processorMaps(g *abi.Generation) []abi.RegisterMap {
	var out []abi.RegisterMap
	for _, m := range g.Registers {
		if m.Base != 0 {
			out = append(out, m)
		}
	}
	return out
}

// Load implements rv32.Bus.
func (b *bus) Load(addr uint32, size int) (uint32, error) {
	if i := b.index(addr); i < uint32(len(b.registers)) && size == wordBytes {
		switch word, load := b.words[i].Read, b.registers[i].load; {
		case word != nil:
			return *word, nil
		case load != nil:
			return load()
		}
	}
	if at := addr - b.exchangeFrom; at < b.exchange.Bytes() {
		return b.exchange.load(at+b.exchange.Base, size), nil
	}
	return 0, b.refuse(addr, size, "read")
}

// Store implements rv32.Bus.
func (b *bus) Store(addr uint32, size int, v uint32) error {
	if i := b.index(addr); i < uint32(len(b.registers)) && size == wordBytes {
		switch word, store := b.words[i].Write, b.registers[i].store; {
		case word != nil:
			*word = v
			return nil
		case store != nil:
			return store(v)
		}
	}
	if at := addr - b.exchangeFrom; at < b.exchange.Bytes() {
		b.exchange.store(at+b.exchange.Base, size, v)
		return nil
	}
	return b.refuse(addr, size, "written")
}

// refuse is why something cannot be read or written.
func (b *bus) refuse(addr uint32, size int, how string) error {
	i := b.index(addr)
	if i >= uint32(len(b.registers)) || b.registers[i].name == "" {
		return rv32.ErrUnmapped
	}
	name := b.registers[i].name
	if size != wordBytes {
		return fmt.Errorf("%w: %s is a whole word, not %d bytes", rv32.ErrUnmapped, name, size)
	}
	return fmt.Errorf("%w: %s cannot be %s", rv32.ErrUnmapped, name, how)
}

// find is the index of a register; false if the generation lacks it.
func (b *bus) find(mapName, name string) (uint32, bool) {
	m := b.g.RegisterMap(mapName)
	if r := m.Register(name); r != nil {
		return b.index(m.Base + r.At), true
	}
	b.unknown = append(b.unknown, "the register "+mapName+"."+name)
	return 0, false
}

// index is that of the register at an address.
func (b *bus) index(addr uint32) uint32 { return (addr - b.first) / wordBytes }

// on says what a register of one word does. What its access does not allow is
// left out.
func (b *bus) on(mapName, name string, load func() uint32, store func(uint32) error) {
	if i, is := b.find(mapName, name); is {
		r := &b.registers[i]
		r.name, r.store = mapName+"."+name, store
		if load != nil {
			r.load = func() (uint32, error) { return load(), nil }
		}
	}
}

// variable makes a register of one word one that only holds a value.
func (b *bus) variable(mapName, name string, v *uint32) {
	if i, is := b.find(mapName, name); is {
		b.registers[i].name = mapName + "." + name
		b.words[i] = rv32.Word{Read: v, Write: v}
	}
}

// variable64 does so with one of two words.
func (b *bus) variable64(mapName, name string, v *uint64) {
	if i, is := b.find(mapName, name); is {
		half := func(shift int) register {
			return register{
				name:  mapName + "." + name,
				load:  func() (uint32, error) { return uint32(*v >> shift), nil },
				store: func(x uint32) error { *v = *v&^(0xFFFFFFFF<<shift) | uint64(x)<<shift; return nil },
			}
		}
		b.registers[i], b.registers[i+1] = half(0), half(32)
	}
}

// readOnly makes a register read only.
func (b *bus) readOnly64(mapName, name string, load func() uint64) {
	if i, is := b.find(mapName, name); is {
		at := b.registers[i:]
		at[0] = register{name: mapName + "." + name, load: func() (uint32, error) { return uint32(load()), nil }}
		at[1] = register{name: mapName + "." + name, load: func() (uint32, error) { return uint32(load() >> 32), nil }}
	}
}

// shows shows words in a memory that can be read.
func (b *bus) shows(m *abi.Memory, words []uint32) {
	first := b.index(m.ProcessorBase)
	for i := range words {
		b.registers[first+uint32(i)].name = m.Name
		b.words[first+uint32(i)] = rv32.Word{Read: &words[i]}
	}
}

// check compares what the engine implements with what the generation
// describes: names and access.
func (b *bus) check() error {
	wrong := b.unknown
	for _, m := range processorMaps(b.g) {
		for _, r := range m.Registers {
			i := b.index(m.Base + r.At)
			at, word := b.registers[i], b.words[i]
			switch {
			case at.name == "":
				wrong = append(wrong, "an engine with the register "+m.Name+"."+r.Name)
			case (word.Read != nil || at.load != nil) != (r.Access != "wo"),
				(word.Write != nil || at.store != nil) != (r.Access != "ro"):
				wrong = append(wrong, "the register "+m.Name+"."+r.Name+" as the engine has it: its access is "+r.Access)
			}
		}
	}
	return (&resolver{g: b.g, missing: wrong}).err()
}
