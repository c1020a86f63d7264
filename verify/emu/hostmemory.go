package emu

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// hostMemory is memory of the host that the engine reaches: the allocations
// themselves, and nothing between them.
type hostMemory struct {
	mu      sync.Mutex
	regions atomic.Pointer[[]region] // sorted; replaced as a whole
}

type region struct {
	from uint64
	data []byte
}

func newHostMemory() *hostMemory {
	m := &hostMemory{}
	m.regions.Store(&[]region{})
	return m
}

func (m *hostMemory) read(addr uint64, max int) []byte {
	regions := *m.regions.Load()
	i, exact := slices.BinarySearchFunc(regions, addr, func(r region, a uint64) int { return cmp.Compare(r.from, a) })
	if !exact {
		i--
	}
	if i < 0 || addr-regions[i].from >= uint64(len(regions[i].data)) {
		return nil
	}
	rest := regions[i].data[addr-regions[i].from:]
	n := min(len(rest), max)
	return rest[:n:n]
}

func (m *hostMemory) write(addr uint64, max int) []byte { return m.read(addr, max) }

// add puts a slice at an address that no other takes.
func (m *hostMemory) add(from uint64, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	regions := append(slices.Clone(*m.regions.Load()), region{from, data})
	slices.SortFunc(regions, func(a, b region) int { return cmp.Compare(a.from, b.from) })
	m.regions.Store(&regions)
}

func (m *hostMemory) remove(from uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	regions := slices.DeleteFunc(slices.Clone(*m.regions.Load()), func(r region) bool { return r.from == from })
	m.regions.Store(&regions)
}

// noMemory is host memory of a platform that does not reach it.
type noMemory struct{}

func (noMemory) read(uint64, int) []byte  { return nil }
func (noMemory) write(uint64, int) []byte { return nil }
