// Package memory manages address spaces: allocations, the parts that clients use, and
// copies on the host.
package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Errors of memories.
var (
	ErrNoMemory = errors.New("no memory at the address")
	ErrFull     = errors.New("the memory is full")
	ErrTaken    = errors.New("the address is taken")
	ErrFreed    = errors.New("the memory was freed")
)

// allocationBytes is what every allocation is rounded up to.
const allocationBytes = 4096

// Allocator gives out ranges of an address space, first fit from 0 upward.
type Allocator struct {
	limit uint64

	mu   sync.Mutex
	used []Extent // sorted, disjoint
}

// NewAllocator gives out the addresses below a limit.
func NewAllocator(limit uint64) *Allocator { return &Allocator{limit: limit} }

// Extent is a range of addresses.
type Extent struct{ From, To uint64 }

// Take allocates bytes, at an address if at is not nil. The extent is rounded to whole
// steps.
func (a *Allocator) Take(bytes uint64, at *uint64) (addr uint64, e Extent, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if bytes == 0 || bytes > a.limit {
		return 0, e, fmt.Errorf("%w: %d bytes asked for, it has %d", ErrFull, bytes, a.limit)
	}
	if at != nil {
		return a.takeAt(bytes, *at)
	}
	size := roundUp(bytes)
	var from uint64
	i := 0
	for ; i < len(a.used) && a.used[i].From-from < size; i++ {
		from = a.used[i].To
	}
	if i == len(a.used) && (from > a.limit || a.limit-from < bytes) {
		return 0, e, fmt.Errorf("%w: no room for %d bytes", ErrFull, bytes)
	}
	e = Extent{from, from + size}
	a.used = slices.Insert(a.used, i, e)
	return from, e, nil
}

func (a *Allocator) takeAt(bytes, at uint64) (uint64, Extent, error) {
	if at > a.limit || a.limit-at < bytes {
		return 0, Extent{}, fmt.Errorf("%w: it ends at 0x%X, before %d bytes at 0x%X", ErrFull, a.limit, bytes, at)
	}
	e := Extent{at &^ (allocationBytes - 1), roundUp(at + bytes)}
	i, exact := slices.BinarySearchFunc(a.used, e.From,
		func(u Extent, from uint64) int { return cmp.Compare(u.From, from) })
	if exact || i > 0 && a.used[i-1].To > e.From || i < len(a.used) && a.used[i].From < e.To {
		return 0, Extent{}, fmt.Errorf("%w: %d bytes at 0x%X", ErrTaken, bytes, at)
	}
	a.used = slices.Insert(a.used, i, e)
	return at, e, nil
}

// Find returns the allocation that contains an address.
func (a *Allocator) Find(addr uint64) (e Extent, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i, exact := slices.BinarySearchFunc(a.used, addr, func(u Extent, addr uint64) int { return cmp.Compare(u.From, addr) })
	if !exact {
		i--
	}
	if i < 0 || addr >= a.used[i].To {
		return Extent{}, false
	}
	return a.used[i], true
}

// Give frees an extent. The error is ErrFreed if it is not allocated.
func (a *Allocator) Give(e Extent) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.Index(a.used, e)
	if i < 0 {
		return ErrFreed
	}
	a.used = slices.Delete(a.used, i, i+1)
	return nil
}

func roundUp(bytes uint64) uint64 {
	return (bytes + allocationBytes - 1) &^ (allocationBytes - 1)
}
