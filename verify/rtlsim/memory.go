package rtlsim

import (
	"fmt"

	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// space is an address space of simulated memory. It implements engine.Memory.
type space struct {
	e         *Engine
	number    int32
	allocator *memory.Allocator
	known     *memory.Known
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

// Reserve implements engine.Memory.
func (s *space) Reserve(addr, bytes uint64) error { return s.known.Add(addr, bytes) }

// Write implements engine.Memory.
func (s *space) Write(b []byte, addr uint64) error {
	if err := s.known.Add(addr, uint64(len(b))); err != nil {
		return err
	}
	return s.write(b, addr)
}

// Read implements engine.Memory.
func (s *space) Read(b []byte, addr uint64) error {
	var unknown error
	if err := s.e.do(func() { unknown = s.known.Check(addr, uint64(len(b)), s.written) }); err != nil {
		return err
	}
	if unknown != nil {
		return unknown
	}
	return s.read(b, addr)
}

// written is up to where the hardware has written near an address, 0 for not. The
// card's goroutine calls it.
func (s *space) written(addr uint64) (end uint64) {
	return s.e.f.MemoryWritten(s.e.model, s.number, addr)
}

// write writes where there is memory.
func (s *space) write(b []byte, addr uint64) error {
	if len(b) == 0 {
		return nil
	}
	return s.e.do(func() { s.e.f.MemoryWrite(s.e.model, s.number, addr, &b[0], uint64(len(b))) })
}

// read reads where there is memory.
func (s *space) read(b []byte, addr uint64) error {
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
