package emu

import (
	"fmt"
	"sync/atomic"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/engine"
)

// ErrAddress says that an offset lies outside the exchange memory, or is not
// that of a word.
var ErrAddress = engine.ErrAddress

// exchange is the memory that host and engine share. Its offsets are those
// of the host, in bytes; its words are read and written atomically.
type exchange struct {
	base  uint32
	words []atomic.Uint32
}

func newExchange(m *abi.Memory) *exchange {
	return &exchange{base: m.Base, words: make([]atomic.Uint32, m.Size/wordBytes)}
}

func (x *exchange) end() uint32 { return x.base + uint32(len(x.words))*wordBytes }

// has tells whether bytes from offset at lie in the memory, at being a word's.
func (x *exchange) has(at, bytes uint32) bool {
	return at%wordBytes == 0 && at >= x.base && uint64(at)+uint64(bytes) <= uint64(x.end())
}

// word must only be called with an offset that the memory has.
func (x *exchange) word(at uint32) *atomic.Uint32 { return &x.words[(at-x.base)/wordBytes] }

func (x *exchange) get(at uint32) uint32 { return x.word(at).Load() }

func (x *exchange) set(at, v uint32) { x.word(at).Store(v) }

// check is the error for an offset that is no word's.
func (x *exchange) check(at uint32) error {
	if x.has(at, wordBytes) {
		return nil
	}
	return fmt.Errorf("%w: offset 0x%X is not a multiple of %d from 0x%X to 0x%X", ErrAddress, at, wordBytes, x.base, x.end()-wordBytes)
}

// load reads a part of a word; at is the offset of its lowest byte.
func (x *exchange) load(at uint32, size int) uint32 {
	return x.get(at&^(wordBytes-1)) >> (at % wordBytes * 8) & sizeMask(size)
}

// store writes a part of a word and leaves the rest to whoever writes it at
// the same time.
func (x *exchange) store(at uint32, size int, v uint32) {
	w := x.word(at &^ (wordBytes - 1))
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

// peer is a rank of a communicator, as moves name it.
type peer struct {
	record  uint32 // offset of its record in the exchange memory
	rank    uint32
	local   uint32 // the engine's own rank
	session uint32
}

// self tells whether the peer is the engine itself.
func (p peer) self() bool { return p.rank == p.local }

// peer looks a rank up. It is false for what is no communicator or no rank of
// it.
func (e *Engine) peer(comm, rank uint32) (peer, bool) {
	w, x := &e.n.comm, e.exchange
	if !x.has(comm, w.records) || rank >= x.get(comm+w.size) {
		return peer{}, false
	}
	at := uint64(comm) + uint64(w.records) + uint64(rank)*uint64(w.recordBytes)
	if at > uint64(x.end()) || !x.has(uint32(at), w.recordBytes) {
		return peer{}, false
	}
	p := peer{record: uint32(at), rank: rank, local: x.get(comm + w.localRank)}
	p.session = x.get(p.record + w.session)
	return p, true
}
