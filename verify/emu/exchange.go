package emu

import (
	"fmt"
	"sync/atomic"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// ErrAddress says that an offset lies outside the exchange memory, or is not
// that of a word.
var ErrAddress = engine.ErrAddress

// exchange is the exchange memory, which host and engine share. Its offsets are
// those of the host, in bytes; its words are read and written atomically.
type exchange struct {
	Base  uint32
	words []atomic.Uint32
}

// newExchange makes an exchange memory of zeros.
func newExchange(m *abi.Memory) *exchange {
	return &exchange{Base: m.Base, words: make([]atomic.Uint32, m.Size/wordBytes)}
}

// Bytes is its size.
func (x *exchange) Bytes() uint32 { return uint32(len(x.words)) * wordBytes }

// End is the offset behind the last word.
func (x *exchange) End() uint32 { return x.Base + x.Bytes() }

// Has tells whether bytes from offset at lie in the memory, at being a word's.
func (x *exchange) Has(at, bytes uint32) bool {
	return at%wordBytes == 0 && at >= x.Base && uint64(at)+uint64(bytes) <= uint64(x.End())
}

// Word must only be called with an offset that the memory has, as Get and Set.
func (x *exchange) Word(at uint32) *atomic.Uint32 { return &x.words[(at-x.Base)/wordBytes] }

// Get reads a word.
func (x *exchange) Get(at uint32) uint32 { return x.Word(at).Load() }

// Set writes a word.
func (x *exchange) Set(at, v uint32) { x.Word(at).Store(v) }

// check returns an error for an offset that is not that of a word.
func (x *exchange) check(at uint32) error {
	if x.Has(at, wordBytes) {
		return nil
	}
	return fmt.Errorf("%w: offset 0x%X is not a multiple of %d from 0x%X to 0x%X", ErrAddress, at, wordBytes,
		x.Base, x.End()-wordBytes)
}

// load reads a part of a word; at is the offset of its lowest byte.
func (x *exchange) load(at uint32, size int) uint32 {
	return x.Get(at&^(wordBytes-1)) >> (at % wordBytes * 8) & sizeMask(size)
}

// store writes a part of a word and leaves the rest to whoever writes it at
// the same time.
func (x *exchange) store(at uint32, size int, v uint32) {
	w := x.Word(at &^ (wordBytes - 1))
	if size == wordBytes {
		w.Store(v)
		return
	}
	shift := at % wordBytes * 8
	mask := sizeMask(size) << shift
	for {
		old := w.Load()
		if w.CompareAndSwap(old, old&^mask|v<<shift&mask) {
			return
		}
	}
}

func sizeMask(bytes int) uint32 { return ^uint32(0) >> (32 - 8*bytes) }

// peer looks a rank up. It is false for what is no communicator or no rank of
// it.
func (e *Engine) peer(comm, rank uint32) (peer, bool) {
	return e.n.comm.Peer(e.exchange, comm, rank)
}
