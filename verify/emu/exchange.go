package emu

import (
	"fmt"

	"github.com/cclforge/cclforge/verify/fabric/routes"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// ErrAddress says that an offset lies outside the exchange memory, or is not
// that of a word.
var ErrAddress = engine.ErrAddress

// exchange is the exchange memory as host and processor reach it.
type exchange struct{ routes.Memory }

// check is the error for an offset that is no word's.
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

// peer is a rank of a communicator, as moves name it.
type peer = routes.Peer

// peer looks a rank up. It is false for what is no communicator or no rank of
// it.
func (e *Engine) peer(comm, rank uint32) (peer, bool) {
	return e.n.comm.Peer(&e.exchange.Memory, comm, rank)
}

// learn has the port told where sessions lead, before the host opens some.
func (e *Engine) learn() {
	if e.routes.Asked() {
		e.do(e.routes.Survey)
	}
}
