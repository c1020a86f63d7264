package emu

import (
	"fmt"
	"sync/atomic"

	"github.com/cclforge/cclforge/verify/emu/memory"
)

// Errors of memories.
var (
	ErrNoMemory = memory.ErrNoMemory
	ErrFull     = memory.ErrFull
	ErrTaken    = memory.ErrTaken
	ErrFreed    = memory.ErrFreed
)

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
	// blockBytes is how exactly a page knows what was written.
	blockBytes = 4096
	wordBlocks = 32
)

// page knows which of its blocks the engine has written to.
type page struct {
	data    [pageBytes]byte
	written [pageBytes / blockBytes / wordBlocks]atomic.Uint32
}

type pageTable [tablePages]atomic.Pointer[page]

// untouched is what memory that was never written reads as.
var untouched page

// pagedMemory is device memory: zeros until written.
type pagedMemory struct {
	limit     uint64 // bytes
	resident  int64  // pages that may exist
	directory []atomic.Pointer[pageTable]
	pages     atomic.Int64
}

// newPagedMemory makes a memory of limit bytes, of which at most resident take
// room at a time; 0 for no such limit.
func newPagedMemory(limit, resident uint64) (*pagedMemory, error) {
	if limit == 0 || limit > maxMemoryBytes {
		return nil, fmt.Errorf("emu: a memory of %d bytes: 1 to %d expected", limit, uint64(maxMemoryBytes))
	}
	if resident == 0 || resident > limit {
		resident = limit
	}
	return &pagedMemory{
		limit: limit, resident: int64((resident + pageBytes - 1) / pageBytes),
		directory: make([]atomic.Pointer[pageTable], (limit+tableBytes-1)/tableBytes),
	}, nil
}

func (m *pagedMemory) read(addr uint64, max int) []byte {
	if addr >= m.limit {
		return nil
	}
	p := m.at(addr)
	if p == nil {
		p = &untouched
	}
	return m.span(p, addr, max)
}

// at is the page of an address, nil if it has never been written to.
func (m *pagedMemory) at(addr uint64) *page {
	if t := m.directory[addr/tableBytes].Load(); t != nil {
		return t[addr/pageBytes%tablePages].Load()
	}
	return nil
}

func (m *pagedMemory) write(addr uint64, max int) []byte {
	p := m.touch(addr)
	if p == nil {
		return nil
	}
	b := m.span(p, addr, max)
	if len(b) > 0 {
		first := addr % pageBytes
		p.mark(first/blockBytes, (first+uint64(len(b))-1)/blockBytes)
	}
	return b
}

// fill writes for a client, which knows what it has written: nothing is marked.
// It returns how much found room.
func (m *pagedMemory) fill(addr uint64, b []byte) int {
	n := 0
	for n < len(b) {
		p := m.touch(addr + uint64(n))
		if p == nil {
			break
		}
		n += copy(m.span(p, addr+uint64(n), len(b)-n), b[n:])
	}
	return n
}

// touch is the page of an address, made if need be; nil if there is no room.
func (m *pagedMemory) touch(addr uint64) *page {
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
	if p := slot.Load(); p != nil {
		return p
	}
	if m.pages.Add(1) > m.resident {
		m.pages.Add(-1)
		return slot.Load()
	}
	if !slot.CompareAndSwap(nil, new(page)) {
		m.pages.Add(-1)
	}
	return slot.Load()
}

// mark notes that the engine has written to blocks.
func (p *page) mark(first, last uint64) {
	for i := first; i <= last; i++ {
		if w, bit := &p.written[i/wordBlocks], uint32(1)<<(i%wordBlocks); w.Load()&bit == 0 {
			w.Or(bit)
		}
	}
}

// marked reports whether the engine has written to the block of an address.
func (m *pagedMemory) marked(addr uint64) bool {
	if addr >= m.limit {
		return false
	}
	p := m.at(addr)
	block := addr % pageBytes / blockBytes
	return p != nil && p.written[block/wordBlocks].Load()>>(block%wordBlocks)&1 != 0
}

func (m *pagedMemory) span(p *page, addr uint64, max int) []byte {
	from := addr % pageBytes
	to := min(from+uint64(max), pageBytes, from+m.limit-addr)
	return p.data[from:to:to]
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
