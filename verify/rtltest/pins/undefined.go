package pins

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/gen/abi"
)

// Undefined reads and writes every offset of a page that has no register, or not this
// way: each access must be refused, and read nothing.
func (b *Bench) Undefined(p Page, step func(), r *rand.Rand, m *abi.RegisterMap) error {
	type access struct {
		write bool
		at    uint32
	}
	defined := map[access]bool{}
	for _, x := range m.Registers {
		for word := range uint32(x.Width / 32) {
			defined[access{false, x.At + 4*word}] = x.Access != "wo"
			defined[access{true, x.At + 4*word}] = x.Access != "ro"
		}
	}
	refused := 0
	for _, i := range r.Perm(2 * 256) {
		a := access{i&1 != 0, uint32(i >> 1)}
		if defined[a] {
			continue
		}
		v, err := b.Access(p, step, a.write, a.at, r.Uint32())
		if !errors.Is(err, ErrRegister) || v != 0 {
			return fmt.Errorf("an access that is not defined (write: %t) at 0x%X reads %08X: %v", a.write, a.at, v, err)
		}
		refused++
	}
	if refused == 0 {
		return errors.New("all accesses are defined")
	}
	return nil
}
