package emu

import (
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
)

// routeWords says where communicators have what tells ranks apart.
type routeWords struct {
	// Offsets in bytes in a communicator, and the size of a rank's record.
	Size, LocalRank, Records, RecordBytes uint32
	// Offsets in bytes in the record of a rank.
	Session, IP, Port uint32

	// The first communicator follows the rx buffers: the offset of their count, of
	// the first one, and the size of each.
	buffers, firstBuffer, bufferBytes uint32
}

// routeWordsOf finds them in an interface generation.
func routeWordsOf(g *abi.Generation) (w routeWords, err error) {
	word := func(words []abi.RecordWord, table, name string) uint32 {
		for i, v := range words {
			if v.Name == name {
				return uint32(wordBytes * i)
			}
		}
		err = errors.Join(err, fmt.Errorf("%w: %s lacks the word %s of %s", ErrMissing, g.Name, name, table))
		return 0
	}
	table := func(name string) *abi.Table {
		if m := g.Memory(abi.Exchange); m != nil && m.Table(name) != nil {
			return m.Table(name)
		}
		err = errors.Join(err, fmt.Errorf("%w: %s lacks the table %s", ErrMissing, g.Name, name))
		return &abi.Table{}
	}
	t := table(abi.Communicators)
	w.Size, w.LocalRank = word(t.Header, t.Name, "size"), word(t.Header, t.Name, "local_rank")
	w.Records, w.RecordBytes = t.HeaderBytes(), t.RecordBytes()
	w.Session, w.IP, w.Port = word(t.Record, t.Name, "session"), word(t.Record, t.Name, "ip"), word(t.Record,
		t.Name, "port")
	t = table(abi.RxBuffers)
	w.buffers, w.firstBuffer, w.bufferBytes = t.At+word(t.Header, t.Name, "count"), t.At+t.HeaderBytes(), t.RecordBytes()
	return w, err
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
