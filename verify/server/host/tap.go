package host

import (
	"fmt"
	"net"
	"sync"

	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/packets"
	"github.com/cclforge/cclforge/verify/server"
)

// tapBytes wait for each program that listens; what it is too slow for is not
// shown to it.
const tapBytes = 16 << 20

// tap shows the packets that a rank sends to whoever has subscribed to its packet
// socket, on networks that use others.
type tap struct {
	fabric.Port
	fabric.InnerPolled
	router    fabric.Router
	publisher *zmq.Publisher
	rank      int
	book      *book
	format    packets.Format
	topics    [][]byte // by rank

	mu    sync.Mutex
	known map[uint32]int // ranks of sessions, by their addresses
}

var _ fabric.Router = (*tap)(nil)

func newTap(port fabric.Port, l net.Listener, lim zmq.Limits, rank int, b *book, f packets.Format) *tap {
	t := &tap{Port: port, InnerPolled: fabric.PolledOf(port), publisher: zmq.NewPublisher(l, lim, tapBytes),
		rank: rank, book: b, format: f, known: map[uint32]int{}}
	t.router, _ = port.(fabric.Router)
	for to := range b.hosts {
		for message := range packets.Encode(rank, to, new([64]byte), nil, f) {
			t.topics = append(t.topics, message[0])
		}
	}
	return t
}

// Route implements fabric.Router.
func (t *tap) Route(session uint32, ip uint32, port uint16, local bool) {
	if rank, ok := t.book.rank(fabric.AddrPort(ip, port)); ok && !local {
		t.mu.Lock()
		if len(t.known) < maxNames {
			t.known[session] = rank
		}
		t.mu.Unlock()
	}
	if t.router != nil {
		t.router.Route(session, ip, port, local)
	}
}

func (t *tap) to(session uint32) (rank int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if rank, ok = t.known[session]; !ok {
		rank, ok = int(session), uint64(session) < uint64(len(t.topics))
	}
	return rank, ok
}

// Send implements fabric.Port.
func (t *tap) Send(session uint32, p *fabric.Packet) error {
	to, ok := t.to(session)
	if !ok || !t.publisher.Subscribed(t.topics[to]) {
		return t.Port.Send(session, p)
	}
	var messages [][][]byte // now: the packet is no longer ours when it has been sent
	for message := range packets.Encode(t.rank, to, &p.Header, p.Payload, t.format) {
		messages = append(messages, message)
	}
	err := t.Port.Send(session, p)
	for i := 0; err == nil && i < len(messages); i++ {
		if t.publisher.Publish(messages[i]...) != nil {
			break // who listens is behind
		}
	}
	return err
}

// tapped lets others listen to what a rank sends.
func (h *Host) tapped(rank int, port fabric.Port, f packets.Format) (fabric.Port, error) {
	e := h.o.Endpoints
	e.Host = h.o.Listen.String()
	l, err := net.Listen("tcp", e.EthernetOut(rank))
	if err != nil {
		return nil, explain(fmt.Errorf("rank %d: bind its packet socket: %w", rank, err))
	}
	limits := h.o.Limits
	limits.OnRefused = server.LogRefused(h.logOf(rank))
	t := newTap(port, l, limits, rank, h.book, f)
	h.taps = append(h.taps, t)
	return t, nil
}
