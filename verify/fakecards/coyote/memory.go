package coyote

import (
	"bytes"
	"os"
	"syscall"
	"unsafe"

	"github.com/cclforge/cclforge/verify/world/engine"
)

// mapping is memory of a process that the shell knows.
type mapping struct {
	owner       *file
	addr, bytes uint64
	thread      uint64
	pages       []byte
	unshare     func() error // of host memory; nil if the engine does not reach it
}

// mapMemory has the shell know memory; c.mu is held.
func (c *Card) mapMemory(f *file, addr, size, thread uint64) (int, error) {
	t, data := f.p.find(addr, size)
	switch {
	case c.threads[thread] == nil:
		c.h.fault("map: there is no thread %d", thread)
		return 0, syscall.EFAULT
	case size == 0 || t == nil:
		c.h.fault("map: %d bytes at 0x%X are not in pages of the process", size, addr)
		return 0, syscall.EFAULT
	case thread != 0:
		c.h.fault("map: the application's transfers are those of thread 0, not of %d", thread)
	}
	for _, m := range c.mappings {
		if m.thread == thread && addr < m.addr+m.bytes && m.addr < addr+size {
			c.h.fault("map: 0x%X is known", addr)
			return 0, nil
		}
	}
	m := &mapping{owner: f, addr: addr, bytes: size, thread: thread, pages: data}
	if err := c.memory.Reserve(addr, size); err != nil {
		c.h.fault("map: %w", err)
		return 0, syscall.ENOMEM
	}
	if sharer, ok := c.engine.(engine.HostSharer); ok && c.h.design.Platform.HostMemory {
		var err error
		if m.unshare, err = sharer.ShareHost(addr, data); err != nil {
			c.h.fault("map: %w", err)
			return 0, syscall.ENOMEM
		}
		t.shared = true
	}
	c.mappings[addr] = m
	return 0, nil
}

// drop forgets memory; c.mu is held.
func (c *Card) drop(m *mapping) {
	delete(c.mappings, m.addr)
	if m.unshare != nil {
		if err := m.unshare(); err != nil {
			c.h.fault("unmap: %w", err)
		}
	}
}

// unmapMemory forgets memory, and with it what ends where that begins, which the shell's
// driver takes for it if both are in the same bucket of its table; c.mu is held.
func (c *Card) unmapMemory(f *file, addr, thread uint64) (int, error) {
	m := c.mappings[addr]
	if m == nil || m.thread != thread || m.owner.p != f.p {
		return 0, nil // the driver does not say so
	}
	c.drop(m)
	for _, other := range c.mappings {
		if other.thread == thread && other.addr+other.bytes == addr {
			c.h.fault("unmap: what is at 0x%X ends at 0x%X, and may be forgotten, too", other.addr, addr)
			c.drop(other)
		}
	}
	return 0, nil
}

// moveBytes are compared at a time.
const moveBytes = 64 << 10

// zeros is as much as is compared.
var zeros = make([]byte, moveBytes)

// untouched reports whether nobody has read or written memory since it was mapped: to look at it would make the
// system provide it. The file is /proc/self/pagemap; without it nothing is known.
func untouched(pagemap *os.File, memory []byte) bool {
	const entry, thereOrSwapped = 8, 0xC0 // bytes of a page, bits of the last one
	page := os.Getpagesize()
	entries := make([]byte, (len(memory)+page-1)/page*entry)
	at := int64(uintptr(unsafe.Pointer(&memory[0]))) / int64(page) * entry
	if _, err := pagemap.ReadAt(entries, at); err != nil {
		return false
	}
	for i := entry - 1; i < len(entries); i += entry {
		if entries[i]&thereOrSwapped != 0 {
			return false
		}
	}
	return true
}

// move moves all of a mapping from the host to the card, or back; c.mu is held.
func (c *Card) move(addr, size, thread uint64, toCard bool) (int, error) {
	m := c.mappings[addr]
	if m == nil || m.thread != thread || size == 0 || size > m.bytes {
		c.h.fault("move: the driver looks for %d bytes at 0x%X for ever", size, addr)
		return 0, syscall.EIO
	}
	pagemap, _ := os.Open("/proc/self/pagemap")
	defer pagemap.Close()
	buffer := make([]byte, moveBytes)
	for at := 0; at < len(m.pages); at += len(buffer) {
		here := m.pages[at:min(at+len(buffer), len(m.pages))]
		there := buffer[:len(here)]
		err := c.memory.Read(there, m.addr+uint64(at))
		if err == nil && (bytes.Equal(there, zeros[:len(there)]) && untouched(pagemap, here) || bytes.Equal(here, there)) {
			continue
		}
		if toCard && err == nil {
			err = c.memory.Write(here, m.addr+uint64(at))
		} else if err == nil {
			copy(here, there)
		}
		if err != nil {
			c.h.fault("move: %w", err)
			return 0, syscall.EIO
		}
	}
	return 0, nil
}
