package memory

import (
	"bytes"
	"errors"
	"fmt"
	"unsafe"
)

// ErrOutside reports a write outside of the memory.
var ErrOutside = errors.New("written outside of the memory")

const (
	// marginBytes stand before and behind a mirrored allocation, to see whether
	// they are written to.
	marginBytes = 4096
	marginByte  = 0xA5
	// mirrorAlignment is that of allocations in the engine's memory.
	mirrorAlignment = 4096
	// compareBytes are compared at once.
	compareBytes = 4096
)

// Mirror lets code on the host, such as a kernel in C++ in a simulation, use allocations of
// an engine's memory by pointers. It copies an allocation as a whole when Map first needs
// it. One goroutine at a time may use it.
type Mirror struct {
	find        func(addr uint64) (Extent, bool)
	read, write func(b []byte, addr uint64) error
	copies      []*mirrored
}

// mirrored is the copy of an allocation.
type mirrored struct {
	Extent
	all, data []byte // with margins, and without
	known     []byte // what the engine's memory has, as far as is known here
}

// NewMirror mirrors memory in which find says what is allocated, and which read
// and write access.
func NewMirror(find func(addr uint64) (Extent, bool), read, write func(b []byte, addr uint64) error) *Mirror {
	return &Mirror{find: find, read: read, write: write}
}

// Map returns the place of an address's copy, as a pointer in this process. It stays valid
// as long as the mirror is used. The error is ErrNoMemory for an address in no allocation.
func (m *Mirror) Map(addr uint64) (pointer uint64, err error) {
	for _, c := range m.copies {
		if addr >= c.From && addr < c.To {
			return c.pointer(addr), nil
		}
	}
	e, ok := m.find(addr)
	if !ok {
		return 0, fmt.Errorf("%w 0x%X: it is in no allocation", ErrNoMemory, addr)
	}
	c := &mirrored{Extent: e, all: make([]byte, e.To-e.From+2*marginBytes+mirrorAlignment),
		known: make([]byte, e.To-e.From)}
	for i := range c.all {
		c.all[i] = marginByte
	}
	at := marginBytes
	if over := (address(c.all) + marginBytes) % mirrorAlignment; over != 0 {
		at += int(mirrorAlignment - over)
	}
	c.data = c.all[at : at+len(c.known) : at+len(c.known)]
	if err := m.read(c.known, e.From); err != nil {
		return 0, err
	}
	copy(c.data, c.known)
	m.copies = append(m.copies, c)
	return c.pointer(addr), nil
}

// address is where a slice lies. The collector does not move it.
func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

func (c *mirrored) pointer(addr uint64) uint64 { return address(c.data) + addr - c.From }

// WriteBack writes changes of the copies to the engine's memory. The error is ErrOutside if
// something was written beyond the allocations.
func (m *Mirror) WriteBack() error {
	for _, c := range m.copies {
		if err := c.whole(); err != nil {
			return err
		}
		for at := 0; at < len(c.data); at += compareBytes {
			end := min(at+compareBytes, len(c.data))
			if err := m.changes(c, at, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes writes the bytes that differ, and no others: the engine may be writing
// to those beside them.
func (m *Mirror) changes(c *mirrored, at, end int) error {
	if bytes.Equal(c.data[at:end], c.known[at:end]) {
		return nil
	}
	for at < end {
		if c.data[at] == c.known[at] {
			at++
			continue
		}
		to := at + 1
		for to < end && c.data[to] != c.known[to] {
			to++
		}
		copy(c.known[at:to], c.data[at:to])
		if err := m.write(c.known[at:to], c.From+uint64(at)); err != nil {
			return err
		}
		at = to
	}
	return nil
}

// whole checks the margins.
func (c *mirrored) whole() error {
	before := int(address(c.data) - address(c.all))
	behind := c.all[before+len(c.data):]
	for i, b := range c.all[:before] {
		if b != marginByte {
			return fmt.Errorf("%w: %d bytes before 0x%X, where the allocation begins", ErrOutside, before-i, c.From)
		}
	}
	for i, b := range behind {
		if b != marginByte {
			return fmt.Errorf("%w: %d bytes behind 0x%X, where the allocation ends", ErrOutside, i, c.To)
		}
	}
	return nil
}

// Refresh writes changes back, and then copies the engine's memory again.
func (m *Mirror) Refresh() error {
	if err := m.WriteBack(); err != nil {
		return err
	}
	for _, c := range m.copies {
		if err := m.read(c.known, c.From); err != nil {
			return err
		}
		copy(c.data, c.known)
	}
	return nil
}
