// Package recorder keeps all events of emulated ranks, and the packets at their ports, for package
// timeline: what the ring of an engine's trace has, without its limit or with a larger one, and with one clock.
package recorder

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/timeline"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
)

// Recorder records the ranks of a world. Its zero value is ready, and of use to one world.
type Recorder struct {
	// Last is how many events and packets of a rank are kept, the last ones; 0 for all.
	Last int
	// RankOf is the rank at an address, where a port is told whereto its sessions lead; nil if
	// sessions are ranks.
	RankOf func(netip.AddrPort) (rank int, known bool)

	ranks map[int]*rank
	made  time.Time // by Options
	zero  int64     // nanoseconds since then, of Start
}

// rank is what one has done.
type rank struct {
	mu       sync.Mutex
	events   tail[event]
	packets  tail[packet]
	last     int64 // of the packets: events have the time of the engine's turn, which may have begun before
	calls    []timeline.Call
	sessions map[uint32]int
}

// event and packet have their time in nanoseconds since Options.
type event struct {
	at             int64
	argument, kind uint32
}

type packet struct {
	at      int64
	bytes   int
	session uint32
	sent    bool
	header  [64]byte
}

// tail is the end of a list: a ring once it has as many as are kept.
type tail[T any] struct {
	items []T
	gone  uint64
}

// add returns the place of a new one, in which anything may stand.
func (t *tail[T]) add(most int) *T {
	if most > 0 && len(t.items) == most {
		t.gone++
		return &t.items[(t.gone-1)%uint64(most)]
	}
	if len(t.items) == cap(t.items) {
		t.items = slices.Grow(t.items, 1)
	}
	t.items = t.items[:len(t.items)+1]
	return &t.items[len(t.items)-1]
}

// kept are those of the ring, in their order.
func (t *tail[T]) kept() []T {
	oldest := t.gone % uint64(max(len(t.items), 1))
	return slices.Concat(t.items[oldest:], t.items[:oldest])
}

// forget keeps the memory.
func (t *tail[T]) forget() { t.items, t.gone = t.items[:0], 0 }

func (r *Recorder) now() int64 { return int64(time.Since(r.made)) }

// Options adds the recorder to those of a world.
func (r *Recorder) Options(o world.Options) world.Options {
	inner := o.Port
	r.made, r.zero, r.ranks = time.Now(), 0, map[int]*rank{}
	o.Port = func(number int, port fabric.Port) fabric.Port { // of all ranks, before any of them runs
		if inner != nil {
			port = inner(number, port)
		}
		k := &rank{sessions: map[uint32]int{}}
		r.ranks[number] = k
		p := &recordedPort{Port: port, InnerPolled: fabric.PolledOf(port), InnerSegmented: fabric.SegmentedOf(port),
			k: k, r: r}
		p.router, _ = port.(fabric.Router)
		return p
	}
	o.OnEvent = func(number int) func(emu.Event) {
		k := r.ranks[number]
		return func(e emu.Event) {
			k.mu.Lock()
			*k.events.add(r.Last) = event{max(int64(e.At.Sub(r.made)), k.last), e.Argument, e.Kind}
			k.mu.Unlock()
		}
	}
	return o
}

// Start forgets what was recorded so far: times count from now on.
func (r *Recorder) Start() {
	r.zero = r.now()
	for _, k := range r.ranks {
		k.mu.Lock()
		k.events.forget()
		k.packets.forget()
		k.calls = nil
		k.mu.Unlock()
	}
}

// Call notes that the host of a rank has called something.
func (r *Recorder) Call(number int, name string, begin, end time.Time, err error) {
	c := timeline.Call{Begin: int64(begin.Sub(r.made)) - r.zero, End: int64(end.Sub(r.made)) - r.zero, Name: name}
	if err != nil {
		c.Error = err.Error()
	}
	k := r.ranks[number]
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls = append(k.calls, c)
}

// recordedPort is the port of a rank.
type recordedPort struct {
	fabric.Port
	fabric.InnerPolled
	fabric.InnerSegmented
	router fabric.Router
	k      *rank
	r      *Recorder
}

// Send implements fabric.Port.
func (p *recordedPort) Send(session uint32, q *fabric.Packet) error {
	// It is the receiver's once it is sent.
	at, bytes, header, whole := p.r.now(), len(q.Payload), q.Header, !q.Segment
	err := p.Port.Send(session, q)
	if err == nil && whole {
		p.add(at, true, session, bytes, &header)
	}
	return err
}

// Receive implements fabric.Port.
func (p *recordedPort) Receive() *fabric.Packet {
	q := p.Port.Receive()
	if q != nil && !q.Segment {
		p.add(p.r.now(), false, q.Session, len(q.Payload), &q.Header)
	}
	return q
}

func (p *recordedPort) add(at int64, sent bool, session uint32, bytes int, header *[64]byte) {
	p.k.mu.Lock()
	defer p.k.mu.Unlock()
	p.k.last = at
	q := p.k.packets.add(p.r.Last)
	q.at, q.bytes, q.session, q.sent, q.header = at, bytes, session, sent, *header
}

// Route implements fabric.Router.
func (p *recordedPort) Route(session uint32, ip uint32, port uint16, local bool) {
	if p.router != nil {
		p.router.Route(session, ip, port, local)
	}
	if !local {
		p.leads(session, fabric.AddrPort(ip, port))
	}
}

// Connect implements fabric.Port.
func (p *recordedPort) Connect(ctx context.Context, ip uint32, port uint16) (uint32, error) {
	session, err := p.Port.Connect(ctx, ip, port)
	if err == nil {
		p.leads(session, fabric.AddrPort(ip, port))
	}
	return session, err
}

func (p *recordedPort) leads(session uint32, to netip.AddrPort) {
	if p.r.RankOf == nil {
		return
	}
	if rank, known := p.r.RankOf(to); known {
		p.k.mu.Lock()
		p.k.sessions[session] = rank
		p.k.mu.Unlock()
	}
}

// Sessions are ranks by the sessions of a rank that is recorded.
func (r *Recorder) Sessions(number int) map[uint32]int {
	k := r.ranks[number]
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.RankOf != nil {
		return maps.Clone(k.sessions)
	}
	sessions := map[uint32]int{}
	for rank := range r.ranks {
		sessions[uint32(rank)] = rank
	}
	return sessions
}

// Ranks returns what was recorded, by rank, in nanoseconds since Start or Options, of a platform
// and its interface version. Ranks that are not recorded have nothing.
func (r *Recorder) Ranks(p *accl.Platform, g *abi.Generation) []timeline.Rank {
	if len(r.ranks) == 0 {
		return nil
	}
	out := make([]timeline.Rank, slices.Max(slices.Collect(maps.Keys(r.ranks)))+1)
	h := headerOf(g)
	for i, k := range r.ranks {
		own := timeline.Rank{Sessions: r.Sessions(i), Packets: []timeline.Packet{}}
		k.mu.Lock()
		own.Calls = slices.Clone(k.calls)
		own.Missing, own.MissingPackets = k.events.gone, k.packets.gone
		for _, e := range k.events.kept() {
			own.Events = append(own.Events, timeline.Event{At: e.at - r.zero, Event: p.Event(e.argument, e.kind)})
		}
		for _, q := range k.packets.kept() {
			is := h.packet(q, q.at-r.zero)
			if is.Peer = -1; r.RankOf == nil {
				is.Peer = int(q.session)
			} else if rank, known := own.Sessions[q.session]; known {
				is.Peer = rank
			}
			own.Packets = append(own.Packets, is)
		}
		k.mu.Unlock()
		out[i] = own
	}
	return out
}

// headers reads message headers.
type headers struct {
	fields []abi.Field
	types  map[uint64]string
}

func headerOf(g *abi.Generation) headers {
	h := headers{fields: g.Layout(abi.MessageHeader).Fields, types: map[uint64]string{}}
	if types := g.Enum("message_type"); types != nil {
		for _, v := range types.Values {
			h.types[uint64(v.Value)] = v.Name
		}
	}
	return h
}

func (h *headers) packet(q packet, at int64) timeline.Packet {
	values := map[string]uint64{}
	for _, f := range h.fields {
		for bit := f.High; bit >= f.Low; bit-- {
			values[f.Name] = values[f.Name]<<1 | uint64(q.header[bit/8]>>(bit%8)&1)
		}
	}
	out := timeline.Packet{At: at, Sent: q.sent, Bytes: q.bytes, Key: string(q.header[:])}
	switch out.Kind = timeline.KindOf(h.types[values["msg_type"]]); {
	case values["notice"] != 0:
		out.Kind = timeline.Notice
	case values["filler"] != 0:
		out.Kind = timeline.Filler
	}
	switch out.Kind {
	case timeline.Eager:
		out.Text = fmt.Sprintf("message %d of the sender, tag %d, %d bytes", values["seq"], values["tag"], q.bytes)
	case timeline.Data:
		out.Text = fmt.Sprintf("rendezvous data, packet %d, %d bytes to 0x%X", values["seq"], q.bytes, values["vaddr"])
	case timeline.ClearToSend:
		out.Text = fmt.Sprintf("clear-to-send for %d elements at 0x%X, tag %d", values["count"], values["vaddr"],
			values["tag"])
	case timeline.Done:
		out.Text = fmt.Sprintf("done message: %d bytes at 0x%X were written", values["count"], values["vaddr"])
	default:
		out.Text = fmt.Sprintf("%s of %d bytes", out.Kind, q.bytes)
	}
	return out
}
