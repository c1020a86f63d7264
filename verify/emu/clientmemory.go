package emu

import (
	"fmt"

	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Memory is device or host memory for clients that choose addresses themselves. Its methods
// may be called concurrently.
type Memory struct {
	pages *pagedMemory
	known *memory.Known
}

func newMemory(pages *pagedMemory) *Memory {
	return &Memory{pages: pages, known: memory.NewKnown(pages.limit)}
}

// Memory returns the engine's device memory or, with Options.SharedHost, its host memory.
// The error is ErrNoMemory if the engine has none.
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

// Reserve marks bytes from addr on as used by a client. Their contents stay; initially they
// are zeros. The error is ErrFull beyond the address space.
func (m *Memory) Reserve(addr, bytes uint64) error { return m.known.Add(addr, bytes) }

// Write writes bytes from addr on, reserved or not. The error is ErrFull beyond the address
// space and Options.ResidentBytes: bytes that found room are written then, but Read returns
// none that it did not return before.
func (m *Memory) Write(b []byte, addr uint64) error {
	if err := m.Reserve(addr, uint64(len(b))); err != nil {
		return err
	}
	if n := m.pages.fill(addr, b); n < len(b) {
		return fmt.Errorf("%w: all %d MiB that it may take are in use", ErrFull, m.pages.resident*pageBytes>>20)
	}
	return nil
}

// Read fills b with the bytes from addr on. The error is ErrNoMemory if no client has
// reserved or written one of them, and the engine has written nothing near it.
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
