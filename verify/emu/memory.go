package emu

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrNoMemory says that there is no memory at an address.
var ErrNoMemory = errors.New("emu: no memory at the address")

// space is an address space of memory. It may be used by several goroutines
// as long as they use different bytes.
type space interface {
	// read returns bytes from addr on that lie together: at least one and at
	// most max; none if there is no memory. They must not be written to.
	read(addr uint64, max int) []byte
	// write returns such bytes to be written to.
	write(addr uint64, max int) []byte
}

const (
	pageBytes  = 1 << 20
	tablePages = 1 << 10
	tableBytes = pageBytes * tablePages
	// maxMemoryBytes bounds the directory to 8 MiB.
	maxMemoryBytes = 1 << 50
)

type page [pageBytes]byte

type pageTable [tablePages]atomic.Pointer[page]

// untouched is what memory that was never written reads as.
var untouched page

// pagedMemory is device memory: zeros until written.
type pagedMemory struct {
	limit     uint64 // bytes
	directory []atomic.Pointer[pageTable]
	pages     atomic.Int64
}

func newPagedMemory(limit uint64) (*pagedMemory, error) {
	if limit == 0 || limit > maxMemoryBytes {
		return nil, fmt.Errorf("emu: a memory of %d bytes: 1 to %d expected", limit, uint64(maxMemoryBytes))
	}
	return &pagedMemory{limit: limit, directory: make([]atomic.Pointer[pageTable], (limit+tableBytes-1)/tableBytes)}, nil
}

func (m *pagedMemory) read(addr uint64, max int) []byte {
	if addr >= m.limit {
		return nil
	}
	p := &untouched
	if t := m.directory[addr/tableBytes].Load(); t != nil {
		if q := t[addr/pageBytes%tablePages].Load(); q != nil {
			p = q
		}
	}
	return m.span(p, addr, max)
}

func (m *pagedMemory) write(addr uint64, max int) []byte {
	if addr >= m.limit {
		return nil
	}
	entry := &m.directory[addr/tableBytes]
	t := entry.Load()
	if t == nil {
		entry.CompareAndSwap(nil, new(pageTable))
		t = entry.Load()
	}
	slot := &t[addr/pageBytes%tablePages]
	p := slot.Load()
	if p == nil {
		if slot.CompareAndSwap(nil, new(page)) {
			m.pages.Add(1)
		}
		p = slot.Load()
	}
	return m.span(p, addr, max)
}

func (m *pagedMemory) span(p *page, addr uint64, max int) []byte {
	from := addr % pageBytes
	to := min(from+uint64(max), pageBytes, from+m.limit-addr)
	return p[from:to:to]
}

// copyIn writes all of b, which may lie in several spans.
func copyIn(m space, addr uint64, b []byte) error {
	for len(b) > 0 {
		to := m.write(addr, len(b))
		if len(to) == 0 {
			return fmt.Errorf("%w 0x%X", ErrNoMemory, addr)
		}
		n := copy(to, b)
		b, addr = b[n:], addr+uint64(n)
	}
	return nil
}

// copyOut fills all of b.
func copyOut(b []byte, m space, addr uint64) error {
	for len(b) > 0 {
		from := m.read(addr, len(b))
		if len(from) == 0 {
			return fmt.Errorf("%w 0x%X", ErrNoMemory, addr)
		}
		n := copy(b, from)
		b, addr = b[n:], addr+uint64(n)
	}
	return nil
}
