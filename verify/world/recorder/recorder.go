// Package recorder keeps all events of emulated ranks, and the packets at their ports, for package
// timeline: what the ring of an engine's trace has, without its limit, and with one clock.
package recorder

import (
	"fmt"
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
	ranks []*rank
	zero  time.Time
}

// rank is what one has done.
type rank struct {
	mu      sync.Mutex
	events  []emu.Event
	packets []packet
	calls   []timeline.Call
}

type packet struct {
	at      time.Time
	sent    bool
	session uint32
	bytes   int
	header  [64]byte
}

// Options adds the recorder to those of a world.
func (r *Recorder) Options(o world.Options) world.Options {
	inner := o.Port
	o.Port = func(number int, port fabric.Port) fabric.Port {
		if inner != nil {
			port = inner(number, port)
		}
		k := &rank{}
		r.ranks = append(r.ranks, k) // in the order of the ranks, before any of them runs
		return &recordedPort{port, k}
	}
	o.OnEvent = func(number int, e emu.Event) {
		k := r.ranks[number]
		k.mu.Lock()
		k.events = append(k.events, e)
		k.mu.Unlock()
	}
	return o
}

// Start forgets what was recorded so far: times count from now on.
func (r *Recorder) Start() {
	r.zero = time.Now()
	for _, k := range r.ranks {
		k.mu.Lock()
		k.events, k.packets, k.calls = k.events[:0], k.packets[:0], nil
		k.mu.Unlock()
	}
}

// Call notes that the host of a rank has called something.
func (r *Recorder) Call(number int, name string, begin, end time.Time, err error) {
	c := timeline.Call{Begin: int64(begin.Sub(r.zero)), End: int64(end.Sub(r.zero)), Name: name}
	if err != nil {
		c.Error = err.Error()
	}
	k := r.ranks[number]
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls = append(k.calls, c)
}

// recordedPort is the port of a rank. Emulated engines ask for no more than fabric.Port.
type recordedPort struct {
	fabric.Port
	k *rank
}

// Send implements fabric.Port.
func (p *recordedPort) Send(session uint32, q *fabric.Packet) error {
	// It is the receiver's once it is sent.
	is := packet{at: time.Now(), sent: true, session: session, bytes: len(q.Payload), header: q.Header}
	err := p.Port.Send(session, q)
	if err == nil {
		p.k.add(is)
	}
	return err
}

// Receive implements fabric.Port.
func (p *recordedPort) Receive() *fabric.Packet {
	q := p.Port.Receive()
	if q != nil {
		p.k.add(packet{at: time.Now(), session: q.Session, bytes: len(q.Payload), header: q.Header})
	}
	return q
}

func (k *rank) add(p packet) {
	k.mu.Lock()
	k.packets = append(k.packets, p)
	k.mu.Unlock()
}

// Ranks returns what was recorded, in nanoseconds since Start, of a platform and its interface
// version. Sessions of the world are ranks.
func (r *Recorder) Ranks(p *accl.Platform, g *abi.Generation) []timeline.Rank {
	out := make([]timeline.Rank, len(r.ranks))
	h := headerOf(g)
	sessions := map[uint32]int{}
	for i := range r.ranks {
		sessions[uint32(i)] = i
	}
	for i, k := range r.ranks {
		k.mu.Lock()
		own := timeline.Rank{Sessions: sessions, Packets: []timeline.Packet{}, Calls: slices.Clone(k.calls)}
		for _, e := range k.events {
			own.Events = append(own.Events, timeline.Event{At: int64(e.At.Sub(r.zero)), Event: p.Event(e.Argument, e.Kind)})
		}
		for _, q := range k.packets {
			own.Packets = append(own.Packets, h.packet(q, int64(q.at.Sub(r.zero))))
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

// kinds are what messages carry, by the enum message_type.
var kinds = map[string]string{
	"eager": timeline.Eager, "rendezvous_data": timeline.Data, "rendezvous_announcement": timeline.ClearToSend,
	"rendezvous_done": timeline.Done,
}

func (h *headers) packet(q packet, at int64) timeline.Packet {
	values := map[string]uint64{}
	for _, f := range h.fields {
		for bit := f.High; bit >= f.Low; bit-- {
			values[f.Name] = values[f.Name]<<1 | uint64(q.header[bit/8]>>(bit%8)&1)
		}
	}
	out := timeline.Packet{At: at, Sent: q.sent, Peer: int(q.session), Bytes: q.bytes, Key: string(q.header[:])}
	switch out.Kind = kinds[h.types[values["msg_type"]]]; {
	case values["notice"] != 0:
		out.Kind = timeline.Notice
	case values["filler"] != 0:
		out.Kind = timeline.Filler
	case out.Kind == "":
		out.Kind = timeline.SomePacket
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
