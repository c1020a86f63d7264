package shm

import (
	"fmt"
	"sync/atomic"
)

// RingBytes is the room of a ring, a power of two. More of it would leave the cache.
const RingBytes = 256 << 10

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

// ring is one side of a ring. It trusts its own index, never that in the memory.
type ring struct {
	*control
	data []byte
	own  uint64 // tail of a writer, head of a reader
}

// unread is how many bytes there are for the reader.
func (r *ring) unread() (int, error) { return r.between(r.tail.Load(), r.own) }

// room is how many bytes the writer can write.
func (r *ring) room() (int, error) {
	n, err := r.between(r.own, r.head.Load())
	return len(r.data) - n, err
}

func (r *ring) between(tail, head uint64) (int, error) {
	if tail-head > uint64(len(r.data)) {
		return 0, fmt.Errorf("%w: %d bytes are written and %d read in a ring of %d", ErrCorrupt, tail, head, len(r.data))
	}
	return int(tail - head), nil
}

// get copies bytes that are there; give shows the room.
func (r *ring) get(b []byte) {
	at := int(r.own) & (len(r.data) - 1)
	n := copy(b, r.data[at:])
	copy(b[n:], r.data)
	r.own += uint64(len(b))
}

// put copies bytes for which there is room; publish shows them to the reader.
func (r *ring) put(b []byte) {
	at := int(r.own) & (len(r.data) - 1)
	n := copy(r.data[at:], b)
	copy(r.data, b[n:])
	r.own += uint64(len(b))
}

// give shows the room to the writer, and reports whether that must be woken.
func (r *ring) give() bool {
	r.head.Store(r.own)
	return r.full.Load() != 0 && r.full.Swap(0) != 0
}

func (r *ring) publish() bool {
	r.tail.Store(r.own)
	return r.dry.Load() != 0 && r.dry.Swap(0) != 0
}
