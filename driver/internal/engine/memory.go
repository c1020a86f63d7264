package engine

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
)

// Memory is an allocation of a card; how bytes are moved depends on the card.
type Memory struct {
	Use    func() (done func(), err error) // of its card
	Host   []byte                          // the host's copy
	Direct bool                            // the engine sees the same bytes

	mu    sync.RWMutex
	freed bool
}

// Bytes is the host's copy.
func (m *Memory) Bytes() []byte { return m.Host }

// Transfer checks a range and calls move, while the card is in use, unless there is
// nothing to move. Transfers may run concurrently, but not with Return.
func (m *Memory) Transfer(ctx context.Context, offset, bytes int, move func() error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch {
	case m.freed:
		return ErrFreed
	case offset < 0 || bytes < 0 || offset > len(m.Host) || bytes > len(m.Host)-offset:
		return fmt.Errorf("%d bytes from %d on are not within a memory of %d", bytes, offset, len(m.Host))
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case m.Direct || bytes == 0:
		return nil
	}
	done, err := m.Use()
	if err != nil {
		return err
	}
	defer done()
	return move()
}

// Return calls back to free the memory, while the card is in use, and then gone. If back
// fails, the memory is not freed, and the card frees it when it is closed.
func (m *Memory) Return(back, gone func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed {
		return ErrFreed
	}
	done, err := m.Use()
	if err != nil {
		return err
	}
	defer done()
	if err := back(); err != nil {
		return err
	}
	m.freed = true
	return gone()
}

// Holds reports whether an address lies in one of several memories.
func Holds[M accl.Memory](memories iter.Seq[M], address uint64) bool {
	for m := range memories {
		if address >= m.Addr() && address-m.Addr() < uint64(len(m.Bytes())) {
			return true
		}
	}
	return false
}
