package rx

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// numbers are what the model needs of the interface.
type numbers struct {
	lossy, rdma, rendezvous bool
	any                     uint32
	stackValue              uint32
	putStream, putTDEST     uint32
	recordBytes             uint32
	tag, bytes, src, seq    uint32 // offsets in the record of an rx buffer
	status                  uint32
	enqueued, reserved, bad uint32
	inbound                 uint32 // offset in the record of a rank
	exchangeBase            uint32
	exchangeBytes           uint32

	eventNoBuffer, eventBad, eventStale, eventTooLarge, eventClosed, eventNoWindow, eventNoAnnouncement uint32

	fields map[string]abi.Field        // of a header
	named  [64]byte                    // bits of fields
	at     map[string]uint32           // "map.register", as offsets in the page
	maps   map[uint32]*abi.RegisterMap // by page
}

func newNumbers(d *design.Design) *numbers {
	g := d.ABI()
	n := &numbers{fields: map[string]abi.Field{}, at: map[string]uint32{}}
	constant := func(name string) uint32 { return uint32(g.Constant(name).Value) }
	n.any, n.putStream, n.putTDEST = constant("tag_any"), constant("put_stream_offset"), constant("put_tdest_offset")
	n.rendezvous = g.Features["rendezvous"]
	for _, f := range g.Layout(abi.HardwareID).Fields {
		if f.Name == "stack" {
			n.stackValue = d.HardwareID >> f.Low & (1<<f.Bits() - 1)
		}
	}
	stack := g.Enum(abi.Stacks)
	n.lossy, n.rdma = stack.Value("udp").Value == n.stackValue, stack.Value("rdma").Value == n.stackValue
	exchange := g.Memory(abi.Exchange)
	n.exchangeBase, n.exchangeBytes = exchange.Base, exchange.Size
	column := func(words []abi.RecordWord, name string) uint32 {
		return 4 * uint32(slices.IndexFunc(words, func(w abi.RecordWord) bool { return w.Name == name }))
	}
	rx, comm := exchange.Table(abi.RxBuffers), exchange.Table(abi.Communicators)
	n.recordBytes = rx.RecordBytes()
	n.tag, n.bytes, n.src = column(rx.Record, "rx_tag"), column(rx.Record, "rx_len"), column(rx.Record, "rx_src")
	n.seq, n.status = column(rx.Record, "seq"), column(rx.Record, "status")
	n.inbound = column(comm.Record, "inbound_seq")
	status := g.Enum("rx_status")
	n.enqueued, n.reserved, n.bad = status.Value("enqueued").Value, status.Value("reserved").Value,
		status.Value("error").Value
	event := func(name string) uint32 {
		for _, b := range g.BitSet("network_event").Bits {
			if b.Name == name {
				return 1 << b.At
			}
		}
		return 0
	}
	n.eventNoBuffer, n.eventBad, n.eventStale = event("no_buffer"), event("bad_packet"), event("stale")
	n.eventTooLarge, n.eventClosed = event("too_large"), event("closed")
	n.eventNoWindow, n.eventNoAnnouncement = event("no_window"), event("no_announcement")
	for _, f := range g.Layout(abi.MessageHeader).Fields {
		n.fields[f.Name] = f
		for bit := f.Low; bit <= f.High; bit++ {
			n.named[bit/8] |= 1 << (bit % 8)
		}
	}
	n.maps = map[uint32]*abi.RegisterMap{pageRx: g.RegisterMap("rx"), pageNotice: g.RegisterMap("notice")}
	for _, m := range g.Registers {
		for _, r := range m.Registers {
			n.at[m.Name+"."+r.Name] = (m.Base + r.At) & 0xFF
			if r.Width == 64 {
				n.at[m.Name+"."+r.Name+"_high"] = (m.Base + r.At + 4) & 0xFF
			}
		}
	}
	return n
}

// head is a header.
type head struct {
	count, tag, src, seq, strm, dst, context uint32
	kind, host                               uint32
	vaddr                                    uint64
	of                                       identity
	notice, filler                           uint32
}

// identity is which collective a message belongs to.
type identity struct{ shape, count, number uint32 }

// before tells whether ranks have agreed on numbers since.
func (i identity) before(o identity) bool { return int16(i.number>>16)-int16(o.number>>16) < 0 }

const (
	eager, data, kindCTS, done = 0, 1, 2, 3
)

func (n *numbers) set(b []byte, name string, v uint64) {
	f, ok := n.fields[name]
	if !ok {
		return
	}
	for i := 0; i < f.Bits() && i < 64; i++ {
		if v>>i&1 != 0 {
			b[(f.Low+i)/8] |= 1 << ((f.Low + i) % 8)
		}
	}
}

func (n *numbers) get(b []byte, name string) (v uint64) {
	f, ok := n.fields[name]
	if !ok {
		return 0
	}
	for i := 0; i < f.Bits() && i < 64; i++ {
		v |= uint64(b[(f.Low+i)/8]>>((f.Low+i)%8)&1) << i
	}
	return v
}

func (n *numbers) pack(h head) []byte {
	b := make([]byte, 64)
	for name, v := range map[string]uint64{
		"count": uint64(h.count), "tag": uint64(h.tag), "src": uint64(h.src), "seq": uint64(h.seq), "strm": uint64(h.strm),
		"dst": uint64(h.dst), "comm_context": uint64(h.context), "msg_type": uint64(h.kind), "host": uint64(h.host),
		"vaddr":             h.vaddr,
		"collective_number": uint64(h.of.number), "collective_count": uint64(h.of.count),
		"collective_shape": uint64(h.of.shape), "notice": uint64(h.notice), "filler": uint64(h.filler),
	} {
		n.set(b, name, v)
	}
	return b
}

func (n *numbers) unpack(b []byte) (h head, clean bool) {
	u := func(name string) uint32 { return uint32(n.get(b, name)) }
	h = head{u("count"), u("tag"), u("src"), u("seq"), u("strm"), u("dst"), u("comm_context"), u("msg_type"),
		u("host"), n.get(b, "vaddr"),
		identity{u("collective_shape"), u("collective_count"), u("collective_number")}, u("notice"), u("filler")}
	clean = h.notice <= 1 && h.filler <= 1
	for i, named := range n.named {
		clean = clean && b[i]&^named == 0
	}
	return h, clean
}

// key is where packets come from.
type origin struct {
	loop    bool
	session uint32
}

type mpacket struct {
	origin
	data []byte
}

type mbuffer struct {
	record uint32
	addr   uint64
	bytes  uint32
	number int // as the hardware counts them
}

type mkey struct{ session, src, seq uint32 }

type mmessage struct {
	mkey
	context, tag, bytes uint32
	buffer              *mbuffer
	complete, failed    bool
	of                  identity
}

type msender struct{ session, src, context uint32 }

type want struct {
	record, session, rank, context, tag uint32
	of                                  identity // not of what is noted as wanted
}

type mpartial struct {
	mode    int // drop, buffer, put, window
	left    uint32
	msg     *mmessage
	addr    uint64
	window  int
	opened  int // which window it was
	index   uint32
	bytes   uint32 // of the packet
	spoiled bool
}

const (
	modeDrop = iota
	modeBuffer
	modePut
	modeWindow
)

type mwindow struct {
	open, done, host, ended bool
	from                    msender
	addr                    uint64
	bytes                   uint32
	next                    uint32
	arrived, total          uint32
	ahead                   map[uint32]uint32
	coming                  map[uint32]bool // of which a part is there
	transfer                uint32
	opened                  int // there have been so many windows
	number                  uint32
}

type mannouncement struct {
	from       msender
	tag, count uint32
	addr       uint64
	host       bool
	transfer   uint32
	of         identity
}

const (
	dropIt = iota
	holdIt
	payloadOf
	allOf
)

// model is what the receive side does, one thing after another.
type model struct {
	n        *numbers
	exchange []uint32
	memory   [2][]byte // device, host
	events   uint32

	given   int
	free    []*mbuffer
	waiting []*mmessage // the newest first
	alone   int
	known   map[msender][]uint32
	wants   []want
	partial map[origin]*mpartial
	headers map[origin][]byte // of which a part is there
	rest    int               // bytes that were not for the message

	sought     *mmessage
	soughtFrom want
	parked     *mmessage // that is not complete, for who was told of none at last
	parkedFor  want
	parkedBy   int    // channel; -1: nobody waits
	gifts      []gift // that nobody has looked at

	puts     []Put
	putRoom  int
	putOwner *origin
	putTo    uint32
	putLeft  []byte // within a beat

	windows  [32]mwindow
	opens    int
	last     int
	numbers  map[uint32]uint32
	expected map[uint32]uint32
	early    []mannouncement
	posted   []mannouncement
	soughtA  int
	apart    bool // what was sought is of another collective
	notices  []head
	other    *mmessage      // that ended a request last
	dropped  map[string]int // of older collectives
	foreign  map[uint32]bool
	owns     map[uint32]bool // sessions that lead to engines of this make
}

// gift is a message that a channel gets as soon as it is complete.
type gift struct {
	channel int
	*mmessage
}

func newModel(n *numbers) *model {
	m := &model{n: n, exchange: make([]uint32, exchangeWords), foreign: map[uint32]bool{}, owns: map[uint32]bool{},
		putRoom: putBeats, other: &mmessage{}, dropped: map[string]int{}, partial: map[origin]*mpartial{},
		headers: map[origin][]byte{}}
	m.memory[0], m.memory[1] = make([]byte, memoryBytes), make([]byte, memoryBytes)
	m.resetMessages()
	return m
}

func (m *model) resetMessages() {
	m.given, m.free, m.waiting, m.alone, m.known, m.wants = 0, nil, nil, 0, map[msender][]uint32{}, nil
	m.sought, m.putOwner, m.parked = nil, nil, nil
	for k, p := range m.partial {
		if !m.cut(k) {
			delete(m.partial, k)
		} else { // what is left of it comes nevertheless
			m.partial[k] = &mpartial{mode: modeDrop, left: p.left}
		}
	}
	clear(m.windows[:])
	m.numbers, m.expected, m.early, m.posted, m.soughtA, m.notices = map[uint32]uint32{}, map[uint32]uint32{},
		nil, nil, -1, nil
}

func (m *model) resetNetwork() {
	m.events, m.headers = 0, map[origin][]byte{}
	keys := slices.SortedFunc(maps.Keys(m.partial), func(a, b origin) int {
		if a.loop != b.loop {
			return map[bool]int{false: -1, true: 1}[a.loop]
		}
		return int(a.session) - int(b.session)
	})
	for _, k := range keys {
		m.abandon(k)
	}
}

// abandon forgets the rest of a message.
func (m *model) abandon(k origin) {
	p := m.partial[k]
	delete(m.partial, k)
	delete(m.headers, k)
	if p == nil {
		return
	}
	if p.mode == modePut {
		m.putOwner = nil
	}
	if w := &m.windows[p.window]; p.mode == modeWindow && w.opened == p.opened {
		delete(w.coming, p.index)
	}
	if p.mode == modeBuffer {
		m.drop(p.msg)
		if p.msg.failed {
			m.lose(p.msg)
		} else {
			m.post(p.msg.buffer)
		}
	}
}

func (m *model) lose(msg *mmessage) { m.record(msg, m.n.bad) }

func (m *model) get(at uint32) uint32    { return m.exchange[at/4] }
func (m *model) set(at uint32, v uint32) { m.exchange[at/4] = v }

func (m *model) enqueue(record uint32, addr uint64, size uint32) bool {
	if record%4 != 0 || record < m.n.exchangeBase || record+m.n.recordBytes > m.n.exchangeBase+m.n.exchangeBytes {
		return false
	}
	if m.given < 256 {
		m.post(&mbuffer{record, addr, size, m.given})
		m.given++
	}
	return true
}

func (m *model) post(b *mbuffer) {
	m.set(b.record+m.n.status, m.n.enqueued)
	m.free = append(m.free, b)
}

func (m *model) record(msg *mmessage, status uint32) {
	at := msg.buffer.record
	m.set(at+m.n.tag, msg.tag)
	m.set(at+m.n.bytes, msg.bytes)
	m.set(at+m.n.src, msg.src)
	m.set(at+m.n.seq, msg.seq)
	m.set(at+m.n.status, status)
}

func (m *model) drop(msg *mmessage) {
	m.parked = nil
	m.waiting = slices.DeleteFunc(m.waiting, func(o *mmessage) bool { return o == msg })
}

func (m *model) meet(a, b uint32) bool { return a == b || a == m.n.any || b == m.n.any }

func (m *model) know(w want, context uint32) {
	k := msender{w.session, w.rank, context}
	if !slices.Contains(m.known[k], w.record) {
		m.known[k] = append(m.known[k], w.record)
	}
}

// match finds the next message of a sender, or one of another collective; take also takes
// it. Messages of older collectives are dropped on the way.
func (m *model) match(w want, take bool) (found, other *mmessage) {
	seq := m.get(w.record + m.n.inbound)
	m.parked, m.parkedFor, m.parkedBy = nil, w, -1
	odd := w.context%2 == 1
	for _, msg := range slices.Clone(m.waiting) {
		switch {
		case msg.mkey != (mkey{w.session, w.rank, seq}) || msg.context != w.context && (msg.context != 0 || odd):
		case odd && msg.complete && msg.of.before(w.of):
			m.outdated(msg)
		case odd && msg.complete && msg.of != w.of:
			if m.parked = nil; take {
				m.other = msg
			}
			return nil, msg
		case odd && msg.of != w.of, !m.meet(msg.tag, w.tag):
		case msg.complete:
			m.parked = nil
			if take {
				m.consume(msg, w)
			}
			return msg, nil
		case take && m.parked == nil:
			m.parked = msg
		}
	}
	// A message that is on its way needs no buffer any more.
	w.of = identity{}
	if !m.n.lossy && m.parked == nil && !slices.Contains(m.wants, w) {
		if len(m.wants) == 64 {
			m.wants = m.wants[1:]
		}
		m.wants = append(m.wants, w)
	}
	return nil, nil
}

// outdated drops a message of an older collective, which is not counted.
func (m *model) outdated(msg *mmessage) {
	m.waiting = slices.DeleteFunc(m.waiting, func(o *mmessage) bool { return o == msg })
	m.dropped["messages"]++
	if m.sought == msg {
		m.sought = nil
	}
	if msg.buffer == nil {
		m.alone--
	} else {
		m.post(msg.buffer)
	}
}

func (m *model) consume(msg *mmessage, w want) {
	m.know(w, msg.context)
	m.set(w.record+m.n.inbound, m.get(w.record+m.n.inbound)+1)
	m.wants = slices.DeleteFunc(m.wants, func(o want) bool { return o.record == w.record && m.meet(o.tag, msg.tag) })
	m.drop(msg)
	if msg.buffer == nil {
		m.alone--
	}
	if m.sought == msg {
		m.sought = nil
	}
}

func (m *model) seek(w want, ok bool) *mmessage {
	m.sought, m.parked = nil, nil
	if !ok {
		return nil
	}
	m.know(w, w.context)
	m.sought, _ = m.match(w, false)
	m.soughtFrom = w
	return m.sought
}

func (m *model) discard() {
	m.parked = nil
	if msg := m.sought; msg != nil {
		m.consume(msg, m.soughtFrom)
		if msg.buffer != nil {
			m.post(msg.buffer)
		}
	}
}

func (m *model) stale(k mkey, context, number uint32) bool {
	for _, msg := range m.waiting {
		if msg.mkey == k && msg.context == context && msg.of.number == number {
			return true
		}
	}
	records := m.known[msender{k.session, k.src, context}]
	for _, record := range records {
		if int32(k.seq-m.get(record+m.n.inbound)) >= 0 {
			return false
		}
	}
	return len(records) > 0
}

// event notes that a packet is dropped.
func (m *model) event(e uint32) (int, uint32) {
	m.events |= e
	return dropIt, 0
}

func (m *model) refuse(k origin, e, left uint32) (int, uint32) {
	if left > 0 {
		m.partial[k] = &mpartial{mode: modeDrop, left: left}
	}
	return m.event(e)
}

// cut tells whether messages begin and end anywhere in what comes from somewhere.
func (m *model) cut(k origin) bool { return !m.n.lossy && !m.n.rdma && !k.loop }

// receive decides on a packet, and does what follows. What is left of it was not for
// the message.
func (m *model) receive(p mpacket) (verdict int, take uint32) {
	m.rest = 0
	if p.session >= msessions {
		return m.event(m.n.eventBad)
	}
	if part := m.partial[p.origin]; part != nil {
		return m.proceed(part, p)
	}
	if !m.cut(p.origin) {
		return m.begin(p)
	}
	known := m.headers[p.origin]
	p.data = append(slices.Clip(known), p.data...)
	delete(m.headers, p.origin)
	if len(p.data) < 64 {
		m.headers[p.origin] = p.data
		return dropIt, 0
	}
	h, clean := m.n.unpack(p.data)
	if clean && h.context != 0 {
		m.owns[p.session] = true
	}
	switch {
	case !clean:
	case h.kind == eager, h.kind == data && m.n.rendezvous:
		m.rest = max(0, len(p.data)-64-int(h.count))
	case h.kind <= done && m.n.rendezvous && h.notice == 0 && h.filler == 0:
		m.rest = len(p.data) - 64
	}
	p.data = p.data[:len(p.data)-m.rest]
	if verdict, take = m.begin(p); verdict == holdIt && len(known) > 0 {
		m.headers[p.origin] = known
	}
	return verdict, take
}

// begin decides on a packet that begins with a header.
func (m *model) begin(p mpacket) (verdict int, take uint32) {
	if len(p.data) < 64 {
		return m.event(m.n.eventBad)
	}
	h, clean := m.n.unpack(p.data)
	if !clean {
		return m.event(m.n.eventBad)
	}
	size, session := uint32(len(p.data)-64), p.session
	if p.loop {
		session = h.dst
	}
	padded := m.n.lossy && size > h.count && uint64(size) <= (uint64(h.count)+63)/64*64
	payload := p.data[64:]
	if padded {
		payload, size = payload[:h.count], h.count
	}
	switch {
	case h.notice != 0 && h.kind == eager && h.count == 0 && len(p.data) == 64:
		return m.noted(p.origin, h)
	case h.filler != 0 && h.notice == 0 && h.kind == eager && m.cut(p.origin):
		return m.refuse(p.origin, 0, h.count-size)
	case (h.notice != 0 || h.filler != 0) && m.cut(p.origin) && (h.kind == eager || h.kind == data && m.n.rendezvous):
		return m.refuse(p.origin, m.n.eventBad, h.count-size)
	case h.notice != 0, h.filler != 0:
	case h.kind == eager && size != h.count && (m.n.lossy || size > h.count):
	case h.kind == eager && h.strm != 0:
		return m.put(p.origin, h, payload)
	case h.kind == eager:
		return m.eager(p.origin, session, h, payload)
	case !m.n.rendezvous:
	case h.kind == data && m.cut(p.origin) && h.count > maxPacket-64:
		return m.refuse(p.origin, m.n.eventBad, h.count-size)
	case h.kind == data && (size == h.count || m.cut(p.origin)):
		return m.data(p.origin, msender{session, h.src, h.context}, h, payload)
	case h.kind == kindCTS && len(p.data) == 64:
		return m.announced(msender{session, h.src, h.context}, h)
	case h.kind == done && len(p.data) == 64:
		return m.finished(msender{session, h.src, h.context}, h, p.loop)
	}
	return m.event(m.n.eventBad)
}

// noted keeps a notice.
func (m *model) noted(k origin, h head) (int, uint32) {
	switch {
	case len(m.notices) < 64:
		m.notices = append(m.notices, h)
		return dropIt, 0
	case k.loop || !m.n.lossy:
		return holdIt, 0
	}
	return m.event(m.n.eventNoBuffer)
}

// welcomes tells whether a held packet could be taken now, after which the model
// is of no use any more. One that has become stale meanwhile can wait.
func (m *model) welcomes(p mpacket) bool {
	events, part, parked, header := m.events, m.partial[p.origin], m.parked, m.headers[p.origin]
	m.events = 0
	v, _ := m.receive(p)
	m.parked = parked // nobody has really asked
	stale := m.events == m.n.eventStale
	m.events = events
	if stale {
		if m.partial[p.origin] = part; part == nil {
			delete(m.partial, p.origin)
		}
		if m.headers[p.origin] = header; header == nil {
			delete(m.headers, p.origin)
		}
	}
	return v != holdIt && !stale
}

// store is whether memory takes bytes.
func (m *model) store(host int, addr uint64, b []byte) bool {
	if addr+uint64(len(b)) > memoryBytes {
		return false
	}
	copy(m.memory[host][addr:], b)
	return true
}

func (m *model) eager(k origin, session uint32, h head, payload []byte) (int, uint32) {
	msg := &mmessage{mkey: mkey{session, h.src, h.seq}, context: h.context, tag: h.tag, bytes: h.count, of: h.of}
	m.parked = nil
	left := h.count - uint32(len(payload))
	if h.context == 0 {
		m.foreign[session] = true
	}
	switch {
	case m.stale(msg.mkey, msg.context, msg.of.number):
		return m.refuse(k, m.n.eventStale, left)
	case h.count == 0 && m.alone < 64:
		m.alone++
		msg.complete = true
		m.waiting = slices.Insert(m.waiting, 0, msg)
		return dropIt, 0
	case h.count > 0 && len(m.free) > 0 && h.count > m.free[0].bytes:
		return m.refuse(k, m.n.eventTooLarge, left)
	case h.count == 0 || !m.welcome(msg):
		if k.loop || !m.n.lossy {
			return holdIt, 0
		}
		return m.refuse(k, m.n.eventNoBuffer, left)
	}
	msg.buffer, m.free = m.free[0], m.free[1:]
	m.waiting = slices.Insert(m.waiting, 0, msg)
	part := &mpartial{mode: modeBuffer, left: h.count, msg: msg, addr: msg.buffer.addr}
	m.partial[k] = part
	m.fill(part, k, payload)
	return payloadOf, uint32(len(payload))
}

func (m *model) welcome(msg *mmessage) bool {
	if len(m.free) != 1 || m.n.lossy {
		return len(m.free) > 0
	}
	return slices.ContainsFunc(m.wants, func(w want) bool {
		return w.session == msg.session && w.rank == msg.src && (w.context == msg.context || msg.context == 0) &&
			m.meet(w.tag, msg.tag) && m.get(w.record+m.n.inbound) == msg.seq
	})
}

// fill takes bytes of a message to its buffer.
func (m *model) fill(part *mpartial, k origin, b []byte) {
	msg := part.msg
	if len(b) > 0 && !m.store(0, part.addr, b) {
		msg.failed = true
	}
	part.addr += uint64(len(b))
	part.left -= uint32(len(b))
	if part.left > 0 {
		return
	}
	delete(m.partial, k)
	if msg.failed {
		m.drop(msg)
		m.lose(msg)
		m.events |= m.n.eventNoBuffer
		return
	}
	msg.complete = true
	m.record(msg, m.n.reserved)
	if m.parked == msg && m.parkedBy >= 0 {
		m.gifts = append(m.gifts, gift{m.parkedBy, msg})
		m.consume(msg, m.parkedFor)
	}
	m.parked = nil // others may answer the request, too
}

func beats(n int) int { return (n + 63) / 64 }

func (m *model) put(k origin, h head, payload []byte) (int, uint32) {
	left := h.count - uint32(len(payload))
	switch {
	case left > 0 && len(payload)%64 != 0 && !m.cut(k):
		return m.refuse(k, m.n.eventBad, left)
	case m.putOwner != nil || m.putBeats(nil, payload, left == 0) > m.putRoom:
		if k.loop || !m.n.lossy {
			return holdIt, 0
		}
		return m.refuse(k, m.n.eventNoBuffer, left)
	}
	to := (h.strm - m.n.putStream + m.n.putTDEST) & 0xFF
	if left > 0 {
		m.partial[k] = &mpartial{mode: modePut, left: left}
		m.putOwner, m.putTo = &k, to
	}
	m.putLeft = nil
	m.emit(to, payload, left == 0)
	return payloadOf, uint32(len(payload))
}

// putBeats are those that the kernel gets of a packet, behind what the put has left.
func (m *model) putBeats(left, b []byte, ends bool) int {
	if n := len(left) + len(b); !ends {
		return n / 64
	} else {
		return beats(n)
	}
}

func (m *model) emit(to uint32, b []byte, ends bool) {
	b = append(slices.Clip(m.putLeft), b...)
	m.putLeft = nil
	for len(b) > 0 {
		n := min(len(b), 64)
		if n < 64 && !ends {
			m.putLeft = b
			return
		}
		p := Put{TDEST: to, Last: n == len(b), Keep: ^uint64(0) >> (64 - n)}
		copy(p.Data[:], b[:n])
		m.puts = append(m.puts, p)
		m.putRoom--
		b = b[n:]
	}
}

func (m *model) proceed(part *mpartial, p mpacket) (int, uint32) {
	n := uint32(len(p.data))
	if m.cut(p.origin) && n > part.left {
		m.rest = int(n - part.left)
		n, p.data = part.left, p.data[:part.left]
	}
	if n > part.left {
		m.abandon(p.origin)
		return m.event(m.n.eventBad)
	}
	switch part.mode {
	case modeBuffer:
		m.fill(part, p.origin, p.data)
		return allOf, n
	case modePut:
		if n < part.left && n%64 != 0 && !m.cut(p.origin) {
			part.mode, m.putOwner = modeDrop, nil
			part.left -= n
			return m.event(m.n.eventBad)
		}
		if m.putBeats(m.putLeft, p.data, n == part.left) > m.putRoom {
			return holdIt, 0
		}
		m.emit(m.putTo, p.data, n == part.left)
		if part.left -= n; part.left == 0 {
			delete(m.partial, p.origin)
			m.putOwner = nil
		}
		return allOf, n
	case modeWindow:
		w := &m.windows[part.window]
		if !w.open || w.opened != part.opened {
			m.events |= m.n.eventNoWindow
			part.mode = modeDrop
			break
		}
		m.land(w, part, p.data)
		if part.left -= n; part.left == 0 {
			delete(m.partial, p.origin)
			m.landed(w, part)
		}
		return allOf, n
	}
	if part.left -= n; part.left == 0 {
		delete(m.partial, p.origin)
	}
	return dropIt, 0
}

func (s msender) by(from msender) bool {
	return s.session == from.session && s.src == from.src && (s.context == from.context || from.context == 0)
}

// by tells whether data are of the window's collective.
func (w *mwindow) by(h head) bool { return w.from.context%2 == 0 || w.number == h.of.number }

func (m *model) answers(w *mwindow, tag uint32) bool { return !m.n.lossy || w.transfer == tag }

func (m *model) data(k origin, from msender, h head, payload []byte) (int, uint32) {
	fits := func(i int) bool {
		w := &m.windows[i]
		return w.open && w.from.by(from) && w.by(h) && m.answers(w, h.tag) && w.host == (h.host != 0) && h.vaddr >= w.addr &&
			h.vaddr-w.addr+uint64(h.count) <= uint64(w.bytes)
	}
	if !fits(m.last) {
		i := 0
		for i < len(m.windows) && !fits(i) {
			i++
		}
		if i == len(m.windows) {
			return m.refuse(k, m.n.eventNoWindow, h.count-uint32(len(payload)))
		}
		m.last = i
	}
	return m.arrive(k, &m.windows[m.last], h, payload)
}

func (m *model) arrive(k origin, w *mwindow, h head, payload []byte) (int, uint32) {
	ahead := h.seq - w.next
	left := h.count - uint32(len(payload))
	if _, twice := w.ahead[h.seq]; twice || w.coming[h.seq] || int32(ahead) < 0 {
		return m.refuse(k, 0, left)
	}
	if ahead >= 64 {
		return m.refuse(k, m.n.eventNoWindow, left)
	}
	if w.ahead == nil {
		w.ahead, w.coming = map[uint32]uint32{}, map[uint32]bool{}
	}
	part := &mpartial{mode: modeWindow, left: left, addr: h.vaddr, window: m.last, opened: w.opened,
		index: h.seq, bytes: h.count}
	m.land(w, part, payload)
	if w.coming[h.seq] = true; left > 0 {
		m.partial[k] = part
	} else {
		m.landed(w, part)
	}
	return payloadOf, uint32(len(payload))
}

// land takes bytes of a packet to its window.
func (m *model) land(w *mwindow, part *mpartial, b []byte) {
	if len(b) == 0 {
		return
	}
	if !m.store(int(bit(w.host)), part.addr, b) {
		part.spoiled = true
	}
	if part.spoiled {
		m.events |= m.n.eventNoWindow
	}
	part.addr += uint64(len(b))
}

// landed counts a packet whose bytes are all there.
func (m *model) landed(w *mwindow, part *mpartial) {
	if delete(w.coming, part.index); part.spoiled {
		return
	}
	w.ahead[part.index] = part.bytes
	for {
		n, there := w.ahead[w.next]
		if !there {
			break
		}
		delete(w.ahead, w.next)
		w.next++
		w.arrived += n
	}
	m.progress(w)
}

func (m *model) progress(w *mwindow) {
	if w.ended && w.arrived == w.total && len(w.ahead) == 0 {
		w.open, w.done = false, true
	}
}

func (m *model) finished(from msender, h head, loop bool) (int, uint32) {
	var w *mwindow
	for i := range m.windows {
		c := &m.windows[i]
		if !c.open || c.ended || !c.from.by(from) || !c.by(h) || !m.answers(c, h.tag) || h.count > c.bytes ||
			c.host != (h.host != 0) {
			continue
		}
		if c.addr == h.vaddr {
			w = c
			break
		}
		if c.addr+uint64(h.count) == h.vaddr {
			w = c
		}
	}
	if w == nil {
		return m.event(m.n.eventNoWindow)
	}
	w.ended, w.total = true, h.count
	if m.n.rdma && !loop {
		w.arrived, w.ahead = w.total, nil
	}
	m.progress(w)
	return dropIt, 0
}

func (m *model) readable(w *mwindow) uint32 {
	if m.n.rdma && !w.done {
		return 0
	}
	return w.arrived
}

func (m *model) number(session uint32, vaddr uint64, host bool) uint32 {
	n := m.numbers[session]
	m.numbers[session]++
	for i := range m.windows {
		if w := &m.windows[i]; w.open && w.from.session == session && w.addr == vaddr && w.host == host {
			w.transfer = n
		}
	}
	return n
}

func (m *model) announced(from msender, h head) (int, uint32) {
	a := mannouncement{from: from, tag: h.tag, count: h.count, addr: h.vaddr, host: h.host != 0, of: h.of}
	if len(m.posted)+len(m.early) >= 64 {
		return m.event(m.n.eventNoAnnouncement)
	}
	if !m.n.lossy {
		m.posted = append(m.posted, a)
		return dropIt, 0
	}
	a.transfer = h.seq
	of := func(number uint32) int {
		return slices.IndexFunc(m.early, func(b mannouncement) bool {
			return b.from.session == from.session &&
				b.transfer == number
		})
	}
	if int32(a.transfer-m.expected[from.session]) < 0 || of(a.transfer) >= 0 {
		return m.event(m.n.eventStale)
	}
	m.early = append(m.early, a)
	for i := of(m.expected[from.session]); i >= 0; i = of(m.expected[from.session]) {
		m.posted = append(m.posted, m.early[i])
		m.early = slices.Delete(m.early, i, i+1)
		m.expected[from.session]++
	}
	return dropIt, 0
}

func (m *model) seekAnnouncement(w want, ok bool) {
	m.soughtA, m.apart = -1, false
	if !ok {
		return
	}
	odd := w.context%2 == 1
	for i := 0; i < len(m.posted); i++ {
		a := m.posted[i]
		switch from := (msender{w.session, w.rank, w.context}); {
		case a.from != from && (odd || a.from != msender{w.session, w.rank, 0}):
		case odd && a.of.before(w.of):
			m.posted = slices.Delete(m.posted, i, i+1)
			m.dropped["announcements"]++
			i--
		case odd && a.of != w.of:
			m.soughtA, m.apart = i, true
			return
		case m.meet(a.tag, w.tag):
			m.soughtA = i
			return
		}
	}
}

func (m *model) take() {
	if m.soughtA >= 0 && !m.apart {
		m.posted = slices.Delete(m.posted, m.soughtA, m.soughtA+1)
	}
	if m.soughtA >= 0 {
		m.soughtA = -1
	}
}

// differs names what hardware has otherwise; "" for nothing.
func (m *model) differs(s *Side, memory bool) string {
	if !slices.Equal(m.exchange, s.Exchange[:]) {
		for i, v := range m.exchange {
			if v != s.Exchange[i] {
				return "exchange memory at " + hex(uint32(4*i)) + ": " + hex(s.Exchange[i]) + ", want " + hex(v)
			}
		}
	}
	if memory && !bytes.Equal(m.memory[0], s.Device[:]) {
		return "device memory"
	}
	if memory && !bytes.Equal(m.memory[1], s.Host[:]) {
		return "host memory"
	}
	return ""
}

func hex(v uint32) string { return fmt.Sprintf("0x%X", v) }
