package shm

import (
	"fmt"
	"sync/atomic"
)

// RingBytes is the room of a ring, a power of two. With a quarter of it messages of 1 MiB took twice the time.
const RingBytes = 1 << 20

// control is what the two sides of a ring tell each other, each value in a cache line of
// its own. It lies in the shared memory.
type control struct {
	tail atomic.Uint64 // bytes that have been written, of the writer
	_    [56]byte
	head atomic.Uint64 // bytes that have been read, of the reader
	_    [56]byte
	dry  atomic.Uint32 // the reader sleeps until there is something
	_    [60]byte
	full atomic.Uint32 // the writer sleeps until there is room
	_    [60]byte

	ended atomic.Uint32 // nothing more comes from the writer
	_     [60]byte
}

// ring is one side of a ring. It trusts its own index, never that in the memory. The data are mapped twice, one behind
// the other, so that what begins in the first lies in one piece.
type ring struct {
	*control
	data []byte
	own  uint64        // tail of a writer, head of a reader with what is lent
	back atomic.Uint64 // head of a reader
}

// unread is how many bytes there are for the reader.
func (r *ring) unread() (int, error) {
	tail := r.tail.Load() // before back: it does not get by what was given back
	return r.between(tail, r.own, r.own-r.back.Load())
}

// room is how many bytes the writer can write.
func (r *ring) room() (int, error) {
	n, err := r.between(r.own, r.head.Load(), 0)
	return RingBytes - n, err
}

// between is how many bytes there are from head to tail, where some are lent.
func (r *ring) between(tail, head, lent uint64) (int, error) {
	if tail-head > RingBytes-lent {
		return 0, fmt.Errorf("%w: %d bytes are written and %d read in a ring of %d", ErrCorrupt, tail, head, RingBytes)
	}
	return int(tail - head), nil
}

// next are the next bytes of the ring.
func (r *ring) next(n int) []byte {
	at := int(r.own) & (RingBytes - 1)
	return r.data[at : at+n : at+n]
}

// put copies bytes for which there is room; publish shows them to the reader.
func (r *ring) put(b []byte) {
	copy(r.next(len(b)), b)
	r.own += uint64(len(b))
}

// give shows the room before a place to the writer, and reports whether that must be woken.
func (r *ring) give(to uint64) bool {
	r.back.Store(to)
	r.head.Store(to)
	return r.full.Load() != 0 && r.full.Swap(0) != 0
}

func (r *ring) publish() bool {
	r.tail.Store(r.own)
	return r.dry.Load() != 0 && r.dry.Swap(0) != 0
}
