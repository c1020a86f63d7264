package emu

import (
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/verify/engine"
	"github.com/cclforge/cclforge/verify/memory"
)

// maxExtents bounds what clients can make the engine remember about a memory.
const maxExtents = 1 << 20

// Memory is device or host memory as clients see it that choose addresses
// themselves. Its methods may be called concurrently.
type Memory struct {
	pages *pagedMemory

	mu    sync.RWMutex
	known memory.Extents // reserved or written by clients
}

// Memory is the engine's device memory, or the host memory that it reaches:
// that needs Options.SharedHost. The error is ErrNoMemory where there is none.
func (e *Engine) Memory(host bool) (engine.Memory, error) {
	if !host {
		return e.clients[0], nil
	}
	if e.clients[1] == nil {
		return nil, fmt.Errorf("%w: the platform %s does not reach host memory that clients choose the addresses of", ErrNoMemory, e.d.Platform.Name)
	}
	return e.clients[1], nil
}

// Reserve says that a client uses bytes from addr on. They keep what they hold,
// zeros at first. The error is ErrFull beyond the address space.
func (m *Memory) Reserve(addr, bytes uint64) error {
	if addr > m.pages.limit || bytes > m.pages.limit-addr {
		return fmt.Errorf("%w: it ends at 0x%X, before %d bytes at 0x%X", ErrFull, m.pages.limit, bytes, addr)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= maxExtents {
		return fmt.Errorf("%w: it is in more than %d pieces", ErrFull, maxExtents)
	}
	m.known.Add(memory.Extent{From: addr, To: addr + bytes})
	return nil
}

// Write writes bytes from addr on, reserved or not. The error is ErrFull beyond
// the address space and Options.ResidentBytes; nothing is read back then that was
// not there before, but what found room is written.
func (m *Memory) Write(b []byte, addr uint64) error {
	if err := m.Reserve(addr, uint64(len(b))); err != nil {
		return err
	}
	if n := m.pages.fill(addr, b); n < len(b) {
		return fmt.Errorf("%w: all %d MiB that it may take are in use", ErrFull, m.pages.resident*pageBytes>>20)
	}
	return nil
}

// Read fills b with the bytes from addr on. The error is ErrNoMemory if a client
// has neither reserved nor written one of them, nor the engine written near it.
func (m *Memory) Read(b []byte, addr uint64) error {
	if err := m.there(addr, uint64(len(b))); err != nil {
		return err
	}
	return copyOut(b, m.pages, addr)
}

// there is the error if some bytes were never reserved or written.
func (m *Memory) there(addr, bytes uint64) error {
	if addr > m.pages.limit || bytes > m.pages.limit-addr {
		return fmt.Errorf("%w 0x%X", ErrNoMemory, max(addr, m.pages.limit))
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	rest := memory.Extent{From: addr, To: addr + bytes}
	for {
		at, lacks := m.known.Missing(rest)
		if !lacks {
			return nil
		}
		if !m.pages.marked(at) {
			return fmt.Errorf("%w 0x%X: it was never allocated or written", ErrNoMemory, at)
		}
		rest.From = min(at/blockBytes*blockBytes+blockBytes, rest.To)
	}
}
