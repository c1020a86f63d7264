package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
)

// stepBytes is the alignment of allocated addresses.
const stepBytes = 4096

// space allocates addresses of a memory, first fit from base upward.
type space struct {
	base uint64
	mu   sync.Mutex
	used []extent // sorted, disjoint
}

type extent struct{ from, to uint64 }

// take gives out bytes, at an address if at is not nil. The extent is that of
// whole steps around them.
func (s *space) take(bytes uint64, at *uint64) (addr uint64, e extent, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at != nil {
		return s.takeAt(bytes, *at)
	}
	const end = math.MaxUint64 &^ (stepBytes - 1)
	from, i := s.base, 0
	for ; i < len(s.used); i++ {
		if u := s.used[i]; u.from >= from && u.from-from >= bytes {
			break
		}
		from = max(from, s.used[i].to)
	}
	if from > end || end-from < bytes {
		return 0, e, fmt.Errorf("%w: for %d bytes", ErrFull, bytes)
	}
	e = extent{from, roundUp(from + bytes)}
	s.used = slices.Insert(s.used, i, e)
	return from, e, nil
}

func (s *space) takeAt(bytes, at uint64) (uint64, extent, error) {
	if at > math.MaxUint64-stepBytes || math.MaxUint64-stepBytes-at < bytes {
		return 0, extent{}, fmt.Errorf("%w: for %d bytes at 0x%X", ErrFull, bytes, at)
	}
	e := extent{at &^ (stepBytes - 1), roundUp(at + bytes)}
	i, exact := slices.BinarySearchFunc(s.used, e.from,
		func(u extent, from uint64) int { return cmp.Compare(u.from, from) })
	if exact || i > 0 && s.used[i-1].to > e.from || i < len(s.used) && s.used[i].from < e.to {
		return 0, extent{}, fmt.Errorf("%w: %d bytes at 0x%X", ErrTaken, bytes, at)
	}
	s.used = slices.Insert(s.used, i, e)
	return at, e, nil
}

// give takes an extent back.
func (s *space) give(e extent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.used, e); i >= 0 {
		s.used = slices.Delete(s.used, i, i+1)
	}
}

func roundUp(bytes uint64) uint64 { return (bytes + stepBytes - 1) &^ (stepBytes - 1) }
