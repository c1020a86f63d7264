package memory

import (
	"fmt"
	"sync"
)

// maxExtents bounds what clients can make an engine remember about a memory.
const maxExtents = 1 << 20

// Known is the part of an address space that clients with addresses of their own choice
// have reserved or written. Its methods may be called concurrently.
type Known struct {
	limit uint64

	mu      sync.RWMutex
	extents Extents
}

// NewKnown makes a Known for a space of limit bytes.
func NewKnown(limit uint64) *Known { return &Known{limit: limit} }

// Add marks bytes from an address on as used by a client. The error is ErrFull beyond the
// space.
func (k *Known) Add(addr, bytes uint64) error {
	if addr > k.limit || bytes > k.limit-addr {
		return fmt.Errorf("%w: it ends at 0x%X, before %d bytes at 0x%X", ErrFull, k.limit, bytes, addr)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.extents) >= maxExtents {
		return fmt.Errorf("%w: it is in more than %d pieces", ErrFull, maxExtents)
	}
	k.extents.Add(Extent{From: addr, To: addr + bytes})
	return nil
}

// Check returns ErrNoMemory if some bytes were never reserved or written. Written returns
// the end of what the engine has written around an address, or 0.
func (k *Known) Check(addr, bytes uint64, written func(addr uint64) (end uint64)) error {
	if addr > k.limit || bytes > k.limit-addr {
		return fmt.Errorf("%w 0x%X", ErrNoMemory, max(addr, k.limit))
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	rest := Extent{From: addr, To: addr + bytes}
	for {
		at, lacks := k.extents.Missing(rest)
		if !lacks {
			return nil
		}
		end := written(at)
		if end == 0 {
			return fmt.Errorf("%w 0x%X: it was never allocated or written", ErrNoMemory, at)
		}
		rest.From = min(end, rest.To)
	}
}
