package xrt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// backing is the memory of a buffer on the device's side.
type backing interface {
	write(ctx context.Context, b []byte, offset uint64) error
	read(ctx context.Context, b []byte, offset uint64) error
	// shares tells whether an engine uses the memory of the process itself.
	shares() bool
	release() error
}

// roles of instances whose memory an engine's model has.
func reaches(role string) bool { return role != "poe" && role != "mac" && role != "session_handler" }

// memoryAt makes the memory of a buffer, which several engines may reach.
func (c *slot) memoryAt(b *buffer, host bool) (backing, error) {
	var engines []engine.Engine
	seen := map[int]bool{}
	if c.Design != nil {
		for _, m := range c.Design.Memories {
			in := m.Port.Instance
			n := max(in.Scope, 0)
			if !reaches(in.Role) || seen[n] || n >= len(c.Engines) || !c.overlaps(m.Memory, m.First, m.Last, b) {
				continue
			}
			seen[n] = true
			engines = append(engines, c.Engines[n])
		}
	}
	if len(engines) == 0 {
		return &plain{data: make([]byte, b.room)}, nil
	}
	all := &several{}
	for _, e := range engines {
		part, err := partOf(c.s.life, e, b, host)
		if err != nil {
			return nil, errors.Join(err, all.release())
		}
		all.parts = append(all.parts, part)
	}
	if len(all.parts) == 1 {
		return all.parts[0], nil
	}
	all.known = make([]byte, b.room)
	return all, nil
}

// overlaps tells whether a buffer lies in banks of a memory.
func (c *slot) overlaps(name string, first, last int, b *buffer) bool {
	for _, bank := range c.layout.Banks {
		memory, number, _ := strings.Cut(strings.TrimSuffix(bank.Tag, "]"), "[")
		n, err := strconv.Atoi(number)
		if err == nil && memory == name && n >= first && n <= last && b.addr < bank.Base+bank.KiB<<10 &&
			bank.Base < b.addr+b.room {
			return true
		}
	}
	return false
}

// partOf allocates the memory of a buffer in an engine.
func partOf(ctx context.Context, e engine.Engine, b *buffer, host bool) (backing, error) {
	if sharer, ok := e.(engine.HostSharer); ok && host {
		release, err := sharer.ShareHost(b.addr, b.shared)
		if err != nil {
			return nil, fmt.Errorf("share host memory: %w", err)
		}
		return &common{release}, nil
	}
	m, err := e.Device().Alloc(ctx, accl.MemSpec{Bytes: int(b.room), Host: host, At: &b.addr})
	if err != nil {
		return nil, err
	}
	if host {
		return &mirrored{m: m}, nil
	}
	space, err := e.Memory(false)
	if err == nil {
		err = space.Reserve(b.addr, b.room)
	}
	if err != nil {
		return nil, errors.Join(err, m.Free())
	}
	return &own{m, space}, nil
}

// plain is memory that no engine reaches.
type plain struct {
	mu   sync.Mutex
	data []byte
}

func (m *plain) write(_ context.Context, b []byte, offset uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(m.data[offset:], b)
	return nil
}

func (m *plain) read(_ context.Context, b []byte, offset uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(b, m.data[offset:])
	return nil
}

func (m *plain) shares() bool   { return false }
func (m *plain) release() error { return nil }

// common is memory of the process that the engine uses itself.
type common struct{ end func() error }

func (m *common) write(context.Context, []byte, uint64) error { return nil }
func (m *common) read(context.Context, []byte, uint64) error  { return nil }
func (m *common) shares() bool                                { return true }
func (m *common) release() error                              { return m.end() }

// own is device memory.
type own struct {
	taken accl.Memory // its addresses
	space engine.Memory
}

func (m *own) write(_ context.Context, b []byte, offset uint64) error {
	return m.space.Write(b, m.taken.Addr()+offset)
}

func (m *own) read(_ context.Context, b []byte, offset uint64) error {
	return m.space.Read(b, m.taken.Addr()+offset)
}

func (m *own) shares() bool   { return false }
func (m *own) release() error { return m.taken.Free() }

// mirrored is host memory of which the engine has a copy.
type mirrored struct {
	mu sync.Mutex
	m  accl.Memory
}

func (m *mirrored) write(ctx context.Context, b []byte, offset uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(m.m.Bytes()[offset:], b)
	return m.m.SyncTo(ctx, int(offset), len(b))
}

func (m *mirrored) read(ctx context.Context, b []byte, offset uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.m.SyncFrom(ctx, int(offset), len(b)); err != nil {
		return err
	}
	copy(b, m.m.Bytes()[offset:])
	return nil
}

func (m *mirrored) shares() bool   { return false }
func (m *mirrored) release() error { return m.m.Free() }

// several is memory of a bank that several engines reach, each of which has its own:
// what one of them has changed is found by comparing.
type several struct {
	mu    sync.Mutex
	parts []backing
	known []byte // what all of them had
}

func (m *several) write(ctx context.Context, b []byte, offset uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(m.known[offset:], b)
	for _, p := range m.parts {
		if err := p.write(ctx, b, offset); err != nil {
			return err
		}
	}
	return nil
}

func (m *several) read(ctx context.Context, b []byte, offset uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shares() {
		return nil // all of them see the same bytes
	}
	known := m.known[offset:][:len(b)]
	merged := bytes.Clone(known)
	for _, p := range m.parts {
		if err := p.read(ctx, b, offset); err != nil {
			return err
		}
		for i := range b {
			if b[i] != known[i] {
				merged[i] = b[i]
			}
		}
	}
	copy(b, merged)
	copy(known, merged)
	for _, p := range m.parts {
		if err := p.write(ctx, merged, offset); err != nil {
			return err
		}
	}
	return nil
}

func (m *several) shares() bool {
	for _, p := range m.parts {
		if p.shares() {
			return true
		}
	}
	return false
}

func (m *several) release() error {
	var errs []error
	for _, p := range m.parts {
		errs = append(errs, p.release())
	}
	return errors.Join(errs...)
}
