package packets

import (
	"bytes"
	"errors"
	"strconv"
	"sync"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/verify/fabric"
)

// inbound is what has come from the other ranks.
type inbound struct {
	topic   []byte // first frame of messages for this rank
	mu      sync.Mutex
	sources []source              // by rank
	ready   fabric.Queue[*source] // that can be received from, in turn
}

// source is what has come from one rank. Its subscription waits while there is
// too much of it, which holds the publisher back.
type source struct {
	rank      int
	assembler assembler // of the goroutine that subscribes
	room      sync.Cond

	queue fabric.Queue[*fabric.Packet]
	bytes int
	held  bool
	ready bool // in the queue of those; it may be held nevertheless, until its turn comes
}

// subscribe receives from a rank until the port is closed.
func (p *Port) subscribe(rank int) {
	e := p.o.Endpoints
	e.Host = p.o.Peers(rank)
	s := &p.in.sources[rank]
	// It ends only with the port: a rank that is not there may come yet.
	_ = zmq.Subscribe(p.life, e.EthernetOut(rank), []string{string(p.in.topic)}, p.o.Limits, func(frames [][]byte) {
		p.hear(s, frames)
	})
}

// hear takes a message that a rank has published.
func (p *Port) hear(s *source, frames [][]byte) {
	if len(frames) == 0 { // a new connection: something may have been lost
		s.assembler.abandon()
		return
	}
	if !bytes.Equal(frames[0], p.in.topic) {
		return // for a rank whose number begins alike
	}
	b, err := s.open(frames)
	if err != nil {
		s.assembler.abandon()
		p.stats.malformed.Add(1)
		return
	}
	packet, err := s.assembler.add(b)
	switch {
	case errors.Is(err, errTooLarge):
		p.stats.tooLarge.Add(1)
		return
	case err != nil:
		p.stats.malformed.Add(1)
		return
	}
	if packet != nil || s.assembler.message != nil {
		p.stats.received.Add(1)
	}
	if packet != nil {
		packet.Session = uint32(s.rank)
		p.deliver(s, packet)
	}
}

// open returns the packet in a message.
func (s *source) open(frames [][]byte) ([]byte, error) {
	if len(frames) != 3 {
		return nil, errMalformed
	}
	if rank, err := strconv.ParseUint(string(frames[1]), 10, 32); err != nil || rank != uint64(s.rank) {
		return nil, errMalformed
	}
	return sim.ParseData(frames[2])
}

// deliver queues a packet when there is room.
func (p *Port) deliver(s *source, packet *fabric.Packet) {
	in := &p.in
	in.mu.Lock()
	for s.bytes > p.o.WindowBytes && p.life.Err() == nil {
		s.room.Wait()
	}
	s.queue.Push(packet)
	s.bytes += size(packet)
	wake := !s.held && !s.ready
	if wake {
		in.add(s)
	}
	in.mu.Unlock()
	if wake {
		p.tell()
	}
}

func size(p *fabric.Packet) int { return len(p.Header) + len(p.Payload) }

// add lets a source take its turn after all others.
func (in *inbound) add(s *source) {
	s.ready = true
	in.ready.Push(s)
}

func (in *inbound) any() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.ready.Len() > 0
}

// Receive returns the next packet of a rank that is not held, nil if there is
// none.
func (p *Port) Receive() *fabric.Packet {
	in := &p.in
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.ready.Len() > 0 {
		s := in.ready.Pop()
		s.ready = false
		if s.held || s.queue.Len() == 0 {
			continue
		}
		packet := s.queue.Pop()
		if s.queue.Len() > 0 {
			in.add(s)
		}
		s.bytes -= size(packet)
		s.room.Signal()
		return packet
	}
	return nil
}

// Hold keeps the packets of a rank in their queue, or ends that.
func (p *Port) Hold(session uint32, hold bool) {
	in := &p.in
	if int64(session) >= int64(len(in.sources)) {
		return
	}
	s := &in.sources[session]
	in.mu.Lock()
	s.held = hold
	wake := !hold && s.queue.Len() > 0
	if wake && !s.ready {
		in.add(s)
	}
	in.mu.Unlock()
	if wake {
		p.tell()
	}
}

// drain releases what was not received.
func (in *inbound) drain() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ready = fabric.Queue[*source]{}
	for i := range in.sources {
		s := &in.sources[i]
		s.queue, s.bytes, s.ready = fabric.Queue[*fabric.Packet]{}, 0, false
	}
}
