// Package regs checks registers and buses: those of kernels that a host calls, the pages
// that the control processor sees, and the memory that host, processor and engine share.
package regs

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// access is one to a register.
type access struct {
	write                 bool
	address, data, strobe uint64
}

// kernel is a model of the registers of a kernel.
type kernel struct {
	bits                    map[string]int // of the control register
	first                   uint64         // offset of the words
	arguments               []uint64
	writable, results       uint64 // sets of words
	start, auto, ended, was bool
}

func newKernel(first uint64, words int, writable, results uint64) (*kernel, error) {
	g, err := generation("u55c_tcp")
	if err != nil {
		return nil, err
	}
	k := &kernel{bits: map[string]int{}, first: first, arguments: make([]uint64, words), writable: writable,
		results: results}
	for _, b := range g.BitSet("hostctrl_control").Bits {
		k.bits[b.Name] = b.At
	}
	return k, nil
}

// word is that of an address.
func (k *kernel) word(address uint64) (int, bool) {
	i := int(address/4) - int(k.first/4)
	return i, i >= 0 && i < len(k.arguments)
}

// read is what stands at an address.
func (k *kernel) read(address uint64, idle bool, results []uint64) (v uint64) {
	if address/4 == 0 {
		for name, is := range map[string]bool{"start": k.start, "done": k.ended, "idle": idle && !k.start, "ready": k.was,
			"auto_restart": k.auto} {
			if is {
				v |= 1 << k.bits[name]
			}
		}
		return v
	}
	i, ok := k.word(address)
	switch {
	case ok && k.results>>i&1 != 0:
		return results[i]
	case ok && k.writable>>i&1 != 0:
		return k.arguments[i]
	}
	return 0
}

// cycle is one with an access, or without.
func (k *kernel) cycle(a *access, taken, done bool) {
	auto := k.auto
	if taken {
		k.start = auto
	}
	switch {
	case a == nil:
	case a.address/4 == 0 && !a.write:
		k.ended, k.was = false, false
	case a.address/4 == 0 && a.strobe&1 != 0:
		k.auto = a.data>>k.bits["auto_restart"]&1 != 0
		k.start = k.start || a.data>>k.bits["start"]&1 != 0
	case a.write:
		if i, ok := k.word(a.address); ok && k.writable>>i&1 != 0 {
			for b := range 4 {
				if mask := uint64(0xFF) << (8 * b); a.strobe>>b&1 != 0 {
					k.arguments[i] = k.arguments[i]&^mask | a.data&mask
				}
			}
		}
	}
	k.ended, k.was = k.ended || done, k.was || taken
}

// compare compares what the module shows.
func (k *kernel) compare(b *block.Bench) error {
	if b.Is("start") != k.start {
		return fmt.Errorf("start is %t, not %t", b.Is("start"), k.start)
	}
	if !b.Has("arguments") {
		return nil
	}
	for i, v := range b.Bytes("arguments") {
		if want := byte(k.arguments[i/4] >> (8 * (i % 4))); v != want && k.writable>>(i/4)&1 != 0 {
			return fmt.Errorf("byte %d of the arguments is %02X, not %02X", i, v, want)
		}
	}
	return nil
}

// somewhere is an address: mostly of a word or of the control register.
func (k *kernel) somewhere(r *rand.Rand) uint64 {
	switch r.IntN(8) {
	case 0, 1:
		return uint64(r.IntN(4))
	case 2:
		return uint64(r.IntN(1 << 12))
	case 3: // around them
		return k.first - 4 + uint64(r.IntN(4*len(k.arguments)+8))
	}
	return k.first + uint64(r.IntN(4*len(k.arguments)))
}

// some is an access; of the control register, half of what is written starts.
func (k *kernel) some(r *rand.Rand) access {
	a := access{r.IntN(2) == 0, k.somewhere(r), uint64(r.Uint32()), r.Uint64N(16)}
	if r.IntN(2) == 0 {
		a.strobe = 15
	}
	return a
}

var generations sync.Map // of platforms, *abi.Generation

// generation is a shipped platform's ABI.
func generation(platform string) (*abi.Generation, error) {
	if g, ok := generations.Load(platform); ok {
		return g.(*abi.Generation), nil
	}
	d, err := block.Design(platform)
	if err != nil {
		return nil, err
	}
	generations.Store(platform, d.ABI())
	return d.ABI(), nil
}
