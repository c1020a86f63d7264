// Package routes tells ports that have to know where sessions lead what the
// communicators in the exchange memory of an engine say.
package routes

import (
	"sync/atomic"

	"github.com/cclforge/cclforge/gen/abi"
)

const wordBytes = 4

// Memory is the exchange memory, which host and engine share. Its offsets are
// those of the host, in bytes; its words are read and written atomically.
type Memory struct {
	Base  uint32
	words []atomic.Uint32
}

// NewMemory is an exchange memory of zeros.
func NewMemory(m *abi.Memory) Memory {
	return Memory{Base: m.Base, words: make([]atomic.Uint32, m.Size/wordBytes)}
}

// Bytes is its size.
func (m *Memory) Bytes() uint32 { return uint32(len(m.words)) * wordBytes }

// End is the offset behind the last word.
func (m *Memory) End() uint32 { return m.Base + m.Bytes() }

// Has tells whether bytes from offset at lie in the memory, at being a word's.
func (m *Memory) Has(at, bytes uint32) bool {
	return at%wordBytes == 0 && at >= m.Base && uint64(at)+uint64(bytes) <= uint64(m.End())
}

// Word must only be called with an offset that the memory has, as Get and Set.
func (m *Memory) Word(at uint32) *atomic.Uint32 { return &m.words[(at-m.Base)/wordBytes] }

// Get reads a word.
func (m *Memory) Get(at uint32) uint32 { return m.Word(at).Load() }

// Set writes a word.
func (m *Memory) Set(at, v uint32) { m.Word(at).Store(v) }
