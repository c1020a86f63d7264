package emu

import "github.com/cclforge/cclforge/gen/abi"

// routeWords are the offsets of those words of the exchange memory from which routes are
// read.
type routeWords struct {
	// Offsets in bytes in a communicator, and the size of a rank's record.
	Size, LocalRank, Records, RecordBytes uint32
	// Offsets in bytes in the record of a rank.
	Session, IP, Port uint32

	// The first communicator follows the rx buffers: the offset of their count, of
	// the first one, and the size of each.
	buffers, firstBuffer, bufferBytes uint32
}

func (r *resolver) routeWords() (w routeWords) {
	m := r.memory(abi.Exchange)
	t := r.table(m, abi.Communicators)
	w.Size, w.LocalRank = r.word(t, t.Header, "size"), r.word(t, t.Header, "local_rank")
	w.Records, w.RecordBytes = t.HeaderBytes(), t.RecordBytes()
	w.Session, w.IP, w.Port = r.column(t, "session"), r.column(t, "ip"), r.column(t, "port")
	t = r.table(m, abi.RxBuffers)
	w.buffers, w.firstBuffer, w.bufferBytes = t.At+r.word(t, t.Header, "count"), t.At+t.HeaderBytes(), t.RecordBytes()
	return w
}

// peer is a rank of a communicator.
type peer struct {
	Record  uint32 // offset of its record in the exchange memory
	Rank    uint32
	Local   uint32 // the engine's own rank
	Session uint32
}

// Self tells whether the peer is the engine itself.
func (p peer) Self() bool { return p.Rank == p.Local }

// Peer looks a rank up. It is false for what is no communicator or no rank of
// it.
func (w *routeWords) Peer(m *exchange, comm, rank uint32) (peer, bool) {
	if !m.Has(comm, w.Records) || rank >= m.Get(comm+w.Size) {
		return peer{}, false
	}
	at := uint64(comm) + uint64(w.Records) + uint64(rank)*uint64(w.RecordBytes)
	if at > uint64(m.End()) || !m.Has(uint32(at), w.RecordBytes) {
		return peer{}, false
	}
	p := peer{Record: uint32(at), Rank: rank, Local: m.Get(comm + w.LocalRank)}
	p.Session = m.Get(p.Record + w.Session)
	return p, true
}

// first is the communicator that follows the rx buffers; false if there are none
// of them.
func (w *routeWords) first(m *exchange) (comm uint32, ok bool) {
	if !m.Has(w.buffers, wordBytes) {
		return 0, false
	}
	count := uint64(m.Get(w.buffers))
	at := uint64(w.firstBuffer) + count*uint64(w.bufferBytes)
	if count == 0 || at >= uint64(m.End()) || !m.Has(uint32(at), w.Records) {
		return 0, false
	}
	return uint32(at), true
}
