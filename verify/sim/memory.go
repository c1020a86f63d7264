package sim

import (
	"fmt"

	"github.com/cclforge/cclforge/verify/engine"
	"github.com/cclforge/cclforge/verify/memory"
)

// space is an address space of simulated memory. It implements engine.Memory.
type space struct {
	e         *Engine
	number    int32
	allocator *memory.Allocator
}

var _ engine.Memory = (*space)(nil)

func (e *Engine) space(host bool) (*space, error) {
	if !host {
		return e.spaces[0], nil
	}
	if e.spaces[1] == nil {
		return nil, fmt.Errorf("%w: the platform %s does not reach host memory", memory.ErrNoMemory, e.d.Platform.Name)
	}
	return e.spaces[1], nil
}

// Memory implements engine.Engine. Host memory needs Options.SharedHost.
func (e *Engine) Memory(host bool) (engine.Memory, error) {
	s, err := e.space(host)
	if err != nil {
		return nil, err
	}
	if host && !e.o.SharedHost {
		return nil, fmt.Errorf("%w: clients do not choose addresses in host memory here", memory.ErrNoMemory)
	}
	return s, nil
}

func (s *space) check(addr, bytes uint64) error {
	if limit := s.e.o.MemoryBytes; addr > limit || bytes > limit-addr {
		return fmt.Errorf("%w: it ends at 0x%X, before %d bytes at 0x%X", memory.ErrFull, limit, bytes, addr)
	}
	return nil
}

// Reserve implements engine.Memory.
func (s *space) Reserve(addr, bytes uint64) error { return s.check(addr, bytes) }

// Write implements engine.Memory.
func (s *space) Write(b []byte, addr uint64) error {
	if err := s.check(addr, uint64(len(b))); err != nil || len(b) == 0 {
		return err
	}
	return s.e.do(func() { s.e.f.MemoryWrite(s.e.model, s.number, addr, &b[0], uint64(len(b))) })
}

// Read implements engine.Memory.
func (s *space) Read(b []byte, addr uint64) error {
	if s.check(addr, uint64(len(b))) != nil {
		return fmt.Errorf("%w 0x%X", memory.ErrNoMemory, addr)
	}
	if len(b) == 0 {
		return nil
	}
	return s.e.do(func() { s.e.f.MemoryRead(s.e.model, s.number, addr, &b[0], uint64(len(b))) })
}

// Fault is how a range of simulated memory answers.
type Fault uint32

// Faults.
const (
	Works Fault = iota
	SlaveError
	DecodeError
	Silent // no answer, until the fault is taken away
)

// SetFault says how device or host memory answers from an address up to another
// one; Works over all of it takes every fault away.
func (e *Engine) SetFault(host bool, from, to uint64, f Fault) error {
	s, err := e.space(host)
	if err != nil {
		return err
	}
	return e.do(func() { e.f.MemoryError(e.model, s.number, from, to, uint32(f)) })
}
