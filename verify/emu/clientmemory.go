package emu

import (
	"fmt"

	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Memory is device or host memory as clients see it that choose addresses
// themselves. Its methods may be called concurrently.
type Memory struct {
	pages *pagedMemory
	known *memory.Known
}

func newMemory(pages *pagedMemory) *Memory {
	return &Memory{pages: pages, known: memory.NewKnown(pages.limit)}
}

// Memory is the engine's device memory, or the host memory that it reaches:
// that needs Options.SharedHost. The error is ErrNoMemory where there is none.
func (e *Engine) Memory(host bool) (engine.Memory, error) {
	if !host {
		return e.clients[0], nil
	}
	if e.clients[1] == nil {
		return nil, fmt.Errorf("%w: the platform %s does not reach host memory that clients choose the addresses of",
			ErrNoMemory, e.d.Platform.Name)
	}
	return e.clients[1], nil
}

// Reserve says that a client uses bytes from addr on. They keep what they hold,
// zeros at first. The error is ErrFull beyond the address space.
func (m *Memory) Reserve(addr, bytes uint64) error { return m.known.Add(addr, bytes) }

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
	if err := m.known.Check(addr, uint64(len(b)), m.written); err != nil {
		return err
	}
	return copyOut(b, m.pages, addr)
}

// written is up to where the engine has written near an address, 0 for not.
func (m *Memory) written(addr uint64) (end uint64) {
	if !m.pages.marked(addr) {
		return 0
	}
	return addr/blockBytes*blockBytes + blockBytes
}
