package block

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/gen/abi"
)

// Offsets are those of registers, by name.
func Offsets(m *abi.RegisterMap) map[string]uint32 {
	at := map[string]uint32{}
	for _, r := range m.Registers {
		at[r.Name] = r.At
	}
	return at
}

// Masks are those of the bits of a set, by name.
func Masks(s *abi.BitSet) map[string]uint32 {
	masks := map[string]uint32{}
	for _, b := range s.Bits {
		masks[b.Name] = 1 << b.At
	}
	return masks
}

// Page is a register page: the ports of its request and response.
type Page struct{ Request, Response string }

// ErrRegister says that there is no such register, or not this way.
var ErrRegister = errors.New("no such register")

// Start begins an access; the offset is that in the page.
func (b *Bench) Start(p Page, write bool, offset, data uint32) {
	b.Set(p.Request+".valid", 1)
	b.Put(p.Request+".write", write)
	b.Set(p.Request+".address", uint64(offset))
	b.Set(p.Request+".wdata", uint64(data))
}

// Ended tells whether the access has ended in the last cycle, and ends it.
func (b *Bench) Ended(p Page) (data uint32, ended bool, err error) {
	if !b.Is(p.Response + ".ready") {
		return 0, false, nil
	}
	b.Set(p.Request, 0)
	if b.Is(p.Response + ".error") {
		err = ErrRegister
	}
	return uint32(b.Get(p.Response + ".rdata")), true, err
}

// Access makes an access and runs step, which runs a cycle, until its end.
func (b *Bench) Access(p Page, step func(), write bool, offset, data uint32) (uint32, error) {
	b.Start(p, write, offset, data)
	for range 10000 {
		step()
		if v, ended, err := b.Ended(p); ended {
			return v, err
		}
	}
	return 0, fmt.Errorf("an access to offset 0x%X does not end", offset)
}

// Undefined reads and writes every offset of a page that has no register, or not this
// way: each access must be refused, and read nothing.
func (b *Bench) Undefined(p Page, step func(), r *rand.Rand, m *abi.RegisterMap) error {
	return Undefined(r, m, func(write bool, at, data uint32) (uint32, error) { return b.Access(p, step, write, at, data) })
}

// Undefined is for accesses of any kind.
func Undefined(r *rand.Rand, m *abi.RegisterMap, access func(write bool, at, data uint32) (uint32, error)) error {
	defined := map[int]bool{} // twice the offset, and one for a write
	for _, x := range m.Registers {
		for at := 2 * int(x.At); at < 2*int(x.At)+x.Width/4; at += 8 {
			defined[at], defined[at+1] = x.Access != "wo", x.Access != "ro"
		}
	}
	refused := 0
	for _, i := range r.Perm(2 * 256) {
		if defined[i] {
			continue
		}
		v, err := access(i&1 != 0, uint32(i>>1), r.Uint32())
		if !errors.Is(err, ErrRegister) || v != 0 {
			return fmt.Errorf("an access that is not defined (write: %t) at 0x%X reads %08X: %v", i&1 != 0, i>>1, v, err)
		}
		refused++
	}
	if refused == 0 {
		return errors.New("all accesses are defined")
	}
	return nil
}
