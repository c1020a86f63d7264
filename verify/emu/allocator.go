package emu

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Errors of allocations.
var (
	ErrFull  = errors.New("emu: the memory is full")
	ErrTaken = errors.New("emu: the address is taken")
	ErrFreed = errors.New("emu: the memory was freed")
)

// allocationBytes is what every allocation is rounded up to.
const allocationBytes = 4096

// allocator gives out ranges of an address space, first fit from 0 upward.
type allocator struct {
	mu    sync.Mutex
	limit uint64
	used  []extent // sorted, disjoint
}

type extent struct{ from, to uint64 }

// take gives out bytes, at an address if at is not nil. The extent is that of
// whole steps around them.
func (a *allocator) take(bytes uint64, at *uint64) (addr uint64, e extent, err error) {
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
	for ; i < len(a.used) && a.used[i].from-from < size; i++ {
		from = a.used[i].to
	}
	if i == len(a.used) && (from > a.limit || a.limit-from < bytes) {
		return 0, e, fmt.Errorf("%w: no room for %d bytes", ErrFull, bytes)
	}
	e = extent{from, from + size}
	a.used = slices.Insert(a.used, i, e)
	return from, e, nil
}

func (a *allocator) takeAt(bytes, at uint64) (uint64, extent, error) {
	if at > a.limit || a.limit-at < bytes {
		return 0, extent{}, fmt.Errorf("%w: it ends at 0x%X, before %d bytes at 0x%X", ErrFull, a.limit, bytes, at)
	}
	e := extent{at &^ (allocationBytes - 1), roundUp(at + bytes)}
	i, exact := slices.BinarySearchFunc(a.used, e.from, func(u extent, from uint64) int { return cmp.Compare(u.from, from) })
	if exact || i > 0 && a.used[i-1].to > e.from || i < len(a.used) && a.used[i].from < e.to {
		return 0, extent{}, fmt.Errorf("%w: %d bytes at 0x%X", ErrTaken, bytes, at)
	}
	a.used = slices.Insert(a.used, i, e)
	return at, e, nil
}

func (a *allocator) give(e extent) error {
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
