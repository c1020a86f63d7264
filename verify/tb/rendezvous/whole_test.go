package rendezvous

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/tb/block"
	"github.com/cclforge/cclforge/verify/tb/pins"
)

func TestRendezvous(t *testing.T)     { set.Check(t, "rendezvous", rendezvous) }
func TestRendezvousUDP(t *testing.T)  { set.Check(t, "rendezvous_udp", rendezvous) }
func TestRendezvousRDMA(t *testing.T) { set.Check(t, "rendezvous_rdma", rendezvous) }

// patience is how many cycles anything may take: sessions are counted one by one after a reset.
const patience = 6000

// whole is the module with all around it. Windows are asked for by many at the same time: the
// model does what each of them wants when it is done, except for registers, whose window is left
// alone by others while it is opened or shut.
type whole struct {
	table
	registers  map[string]uint64
	anyTag     uint64
	reg        *access
	plan       []access
	named      uint64 // registers: window, address, bytes
	address    uint64
	bytes      uint64
	wait       uint64 // until this cycle firmware does nothing
	packet     *packet
	enabled    uint64 // the network, in this cycle
	writes     []what // packets that were let in and whose data are on the way to memory
	writing    *what
	queries    [4]*what
	number     *what
	numbers    map[uint64]uint64 // of announcements that were sent, by session
	foreigners map[uint64]bool
	arrived    []*announcement // oldest first
	expected   map[uint64]uint64
	sought     *announcement
	busy       [32]int // of a window: who asks for it
	locked     int     // window that is opened or shut; -1: none
	resetting  int
	reset      uint64 // cycle in which one has ended
	changes    due
	events     due
	seen       map[string]int
}

// announcement is one of a remote rank's buffer.
type announcement struct{ session, src, context, tag, count, address, host, number uint64 }

// packet is one that inbound asks about.
type packet struct {
	what
	loop  bool
	kind  uint64
	at    int // window that it is meant for; -1: none
	since uint64
	news  announcement
}

// due is a pulse that must come.
type due struct {
	by   uint64 // this cycle; 0: none must
	last uint64 // cycle of the last one
}

const pulseCycles = 40

func (d *due) cause(now uint64) {
	if d.by == 0 {
		d.by = now + pulseCycles
	}
}

// pulse takes one; may tells whether something that is under way can have caused it.
func (d *due) pulse(name string, is, may bool, now uint64) error {
	switch {
	case is && d.by == 0 && !may:
		return fmt.Errorf("%s pulses for nothing", name)
	case is:
		d.by, d.last = 0, now
	case d.by != 0 && now > d.by:
		return fmt.Errorf("%s does not pulse", name)
	}
	return nil
}

func newWhole(b *block.Bench, r *rand.Rand) (*whole, error) {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return nil, err
	}
	x := &whole{table: table{b: b, r: r, lossy: b.Const("engine_pkg::LOSSY") != 0, rdma: b.Const("engine_pkg::STACK_RDMA") != 0},
		registers: map[string]uint64{}, seen: map[string]int{}, foreigners: map[uint64]bool{}}
	x.anyTag = uint64(d.ABI().Constant("tag_any").Value)
	for _, reg := range d.ABI().RegisterMap("rendezvous").Registers {
		x.registers[reg.Name] = uint64(reg.At)
	}
	for i := range x.windows {
		x.windows[i].epoch = unknown
	}
	x.forget()
	return x, nil
}

// forget is after a reset of messages.
func (x *whole) forget() {
	for i := range x.windows {
		x.windows[i].open, x.windows[i].complete = false, false
	}
	x.arrived, x.sought, x.expected, x.numbers = nil, nil, map[uint64]uint64{}, map[uint64]uint64{}
	x.changes, x.events = due{}, due{}
}

// restart is after a reset of everything around, too.
func (x *whole) restart() {
	x.b.Reset()
	x.enabled = x.b.Cycle + 1200
	x.forget()
	x.reg, x.plan, x.packet, x.writes, x.writing, x.number, x.locked, x.resetting = nil, nil, nil, nil, nil, nil, -1, 0
	x.queries, x.busy = [4]*what{}, [32]int{}
	clear(x.foreigners)
}

// some is a window that nobody opens or shuts just now.
func (x *whole) some() (int, *window) {
	n := x.r.IntN(6)
	if n == x.locked {
		n = (n + 1) % 6
	}
	return n, &x.windows[n]
}

// drive goes before a step.
func (x *whole) drive() {
	b, r := x.b, x.r
	b.Put("reset_messages", x.resetting > 0)
	b.Put("quiet", x.resetting > 2 || x.resetting == 0 && r.IntN(20) == 0)
	x.drivePacket()
	x.driveWritten()
	x.driveQueries()
	x.driveNumber()
	x.driveRegister()
	b.Set("foreign_valid", 0)
	b.Scramble(r, "foreign_session")
	if r.IntN(500) == 0 {
		s := r.Uint64N(4)
		b.Set("foreign_valid", 1)
		b.Set("foreign_session", s)
		x.foreigners[s] = true
	}
}

func (x *whole) drivePacket() {
	b, r := x.b, x.r
	if x.packet != nil {
		return
	}
	b.Set("packet_valid", 0)
	b.Scramble(r, "packet_loop", "packet_session", "packet_header")
	if x.resetting > 1 || b.Cycle < x.enabled || r.IntN(6) > 0 {
		return
	}
	p := x.somePacket()
	if p == nil {
		return
	}
	p.since = b.Cycle
	x.packet = p
	b.Set("packet_valid", 1)
	b.Put("packet_loop", p.loop)
	b.Set("packet_session", p.session)
	for name, v := range map[string]uint64{"kind": p.kind, "src": p.src, "context_": p.context, "tag": p.tag, "vaddr": p.address,
		"count": p.bytes, "host": p.host * (1 + r.Uint64N(255)), "seq": p.index} {
		b.Set("packet_header."+name, v)
	}
	if p.at >= 0 {
		x.busy[p.at]++
	}
}

func (x *whole) somePacket() *packet {
	b, r := x.b, x.r
	if r.IntN(4) == 0 {
		return x.someAnnouncement()
	}
	n, w := x.some()
	if w.packets == nil {
		return nil
	}
	p := &packet{at: n, what: what{session: w.session, src: w.src, context: w.context, tag: w.transfer, host: w.host}}
	if w.arrived < w.bytes && r.IntN(6) > 0 || r.IntN(3) == 0 {
		p.kind, p.operation, p.loop = b.Const("engine_pkg::TYPE_DATA"), doData, x.rdma || r.IntN(8) == 0
		p.index = w.next + []uint64{0, 0, 0, 1, 2, 64}[r.IntN(6)]
		if r.IntN(10) == 0 {
			p.index = r.Uint64N(uint64(len(w.packets)))
		}
		at := min(p.index, uint64(len(w.packets))-1)
		p.address, p.bytes = w.address+4032*at, w.packets[at]
	} else {
		if w.ended {
			return nil
		}
		p.kind, p.operation, p.address, p.bytes = b.Const("engine_pkg::TYPE_DONE"), doFinished, w.address, w.bytes
		p.loop = r.IntN(3) == 0
		p.good = block.Bit(x.rdma && !p.loop)
	}
	switch r.IntN(24) { // one that is not meant
	case 0:
		p.session ^= 1
	case 1:
		p.src ^= 1
	case 2:
		p.tag ^= 1
	case 3:
		p.host ^= 1
	}
	return p
}

func (x *whole) someAnnouncement() *packet {
	b, r := x.b, x.r
	room := int(b.Const("engine_pkg::ANNOUNCEMENTS"))
	if len(x.arrived) >= room-1 && r.IntN(30) > 0 || x.reg != nil && x.reg.name == "take" {
		return nil
	}
	a := announcement{r.Uint64N(3), r.Uint64N(2), r.Uint64N(2), []uint64{0, 1, x.anyTag}[r.IntN(3)], uint64(r.Uint32()), r.Uint64(), r.Uint64N(2), uint64(r.Uint32())}
	if x.lossy {
		a.number = x.expected[a.session]
		if a.number > 0 && r.IntN(8) == 0 {
			a.number-- // again
		}
	}
	return &packet{at: -1, kind: b.Const("engine_pkg::TYPE_ANNOUNCEMENT"), loop: r.IntN(2) == 0, news: a,
		what: what{session: a.session, src: a.src, context: a.context, tag: a.tag, bytes: a.count, address: a.address, host: a.host, index: a.number}}
}

func (x *whole) driveWritten() {
	b, r := x.b, x.r
	if x.writing != nil {
		return
	}
	b.Set("written_valid", 0)
	b.Scramble(r, "written_window", "written_epoch", "written_index", "written_bytes", "written_good")
	if len(x.writes) == 0 || r.IntN(8) > 0 {
		return
	}
	i := r.IntN(min(len(x.writes), 3))
	w := x.writes[i]
	if int(w.window) == x.locked {
		return
	}
	x.writes = slices.Delete(x.writes, i, i+1)
	w.good = block.Bit(r.IntN(10) > 0)
	x.writing = &w
	x.busy[w.window]++
	b.Set("written_valid", 1)
	b.Set("written_window", w.window)
	b.Set("written_epoch", w.epoch)
	b.Set("written_index", w.index&63)
	b.Set("written_bytes", w.bytes)
	b.Set("written_good", w.good)
}

func (x *whole) driveQueries() {
	b, r := x.b, x.r
	for c := range x.queries {
		if x.queries[c] != nil {
			continue
		}
		name := fmt.Sprintf("window_request_%d", c)
		b.Scramble(r, name)
		b.Set(name+".valid", 0)
		if r.IntN(30) > 0 {
			continue
		}
		n, w := x.some()
		q := what{operation: doQuery, window: uint64(n), address: w.address + r.Uint64N(w.bytes+100) - 40, index: b.Cycle}
		x.queries[c] = &q
		x.busy[n]++
		b.Set(name+".valid", 1)
		b.Set(name+".address", q.address)
		if r.IntN(20) == 0 {
			q.good = 1 // there is no such window
			b.Set(name+".window", uint64(n)+32<<r.IntN(20))
		} else {
			b.Set(name+".window", q.window)
		}
	}
}

func (x *whole) driveNumber() {
	b, r := x.b, x.r
	if x.number != nil {
		return
	}
	b.Set("number_valid", 0)
	b.Scramble(r, "number_session", "number_vaddr", "number_host")
	if r.IntN(60) > 0 {
		return
	}
	n, w := x.some()
	x.number = &what{window: uint64(n), session: w.session, address: w.address, host: w.host, index: b.Cycle}
	switch r.IntN(6) {
	case 0:
		x.number.host ^= 1
	case 1:
		x.number.address += 64
	}
	x.busy[n]++
	b.Set("number_valid", 1)
	b.Set("number_session", x.number.session)
	b.Set("number_vaddr", x.number.address)
	b.Set("number_host", x.number.host*(1+r.Uint64N(255)))
}

// observe goes after a step.
func (x *whole) observe() error {
	b := x.b
	news := x.packet != nil && x.packet.kind == b.Const("engine_pkg::TYPE_ANNOUNCEMENT")
	return errors.Join(
		x.changes.pulse("windows_changed", b.Is("windows_changed"), x.locked >= 0, b.Cycle), // for what was done before
		x.events.pulse("event_rendezvous", b.Is("event_rendezvous"), news, b.Cycle),
		x.decided(), x.written(), x.answered(), x.numbered(), x.accessed(),
	)
}

// decided is what was said of a packet.
func (x *whole) decided() error {
	b, p := x.b, x.packet
	switch {
	case p == nil && b.Is("packet_done"):
		return errors.New("it decides on a packet that nobody asks about")
	case p == nil:
		return nil
	case !b.Is("packet_done"):
		if b.Cycle > p.since+patience {
			return fmt.Errorf("it does not decide on %+v", p)
		}
		return nil
	}
	x.packet = nil
	if p.at >= 0 {
		x.busy[p.at]--
	}
	found, wanted, event := true, false, uint64(0)
	switch {
	case p.at < 0:
		event = x.announced(p.news, p.since)
	case p.operation == doFinished:
		found = x.finished(p)
	default:
		var m *window
		m, found, wanted = x.data(p.what)
		if wanted && b.Is("packet_wanted") {
			if at := b.Get("packet_window"); &x.windows[at] != m {
				return fmt.Errorf("%+v is for window %d, it says", p, at)
			}
			epoch := b.Get("packet_epoch")
			if m.epoch == unknown {
				m.epoch = epoch
			}
			if epoch != m.epoch || epoch == m.before {
				return fmt.Errorf("the epoch of %+v is %d, not %d; before it was %d", p, epoch, m.epoch, m.before)
			}
			note := p.what
			note.operation, note.window, note.epoch, note.good = doWritten, uint64(p.at), epoch, m.opens
			x.writes = append(x.writes, note)
			x.seen["let in"]++
		}
	}
	if !found {
		event = b.Const("engine_pkg::EVENT_NO_WINDOW")
		x.seen["without a window"]++
	}
	if b.Is("packet_wanted") != wanted || b.Get("packet_event") != event {
		return fmt.Errorf("%+v: wanted %t, event %b; not %t, %b", p, b.Is("packet_wanted"), b.Get("packet_event"), wanted, event)
	}
	return nil
}

// announced keeps an announcement, or says why not. Where it may have waited for others, the
// processor can have been told before they are done with.
func (x *whole) announced(a announcement, since uint64) uint64 {
	switch {
	case len(x.arrived) == int(x.b.Const("engine_pkg::ANNOUNCEMENTS")):
		x.seen["announcements without room"]++
		return x.b.Const("engine_pkg::EVENT_NO_ANNOUNCEMENT")
	case x.lossy && a.number != x.expected[a.session]:
		return x.b.Const("engine_pkg::EVENT_STALE")
	}
	if x.lossy {
		x.expected[a.session]++
	} else {
		a.number = 0
	}
	x.arrived = append(x.arrived, &a)
	if !x.lossy || x.events.last < since {
		x.events.cause(x.b.Cycle)
	}
	return 0
}

func (x *whole) data(w what) (m *window, found, wanted bool) {
	m = x.match(w, func(o *window) bool {
		return w.address >= o.address && w.address-o.address <= o.bytes && w.bytes <= o.bytes-(w.address-o.address)
	})
	if m == nil {
		return nil, false, false
	}
	inside := w.index >= m.next && w.index < m.next+64
	if wanted = inside && !m.seen[w.index]; wanted {
		m.seen[w.index] = true
	}
	return m, inside || w.index < m.next, wanted
}

func (x *whole) finished(p *packet) bool {
	m := x.match(p.what, func(o *window) bool { return !o.ended && o.address == p.address && p.bytes <= o.bytes })
	if m == nil {
		return false
	}
	m.ended, m.total = true, p.bytes
	if p.good != 0 {
		m.arrived = p.bytes
		clear(m.there)
	}
	x.complete(m)
	return true
}

func (x *whole) complete(m *window) {
	if m.full() {
		m.open, m.complete = false, true
		x.seen["complete"]++
		x.changes.cause(x.b.Cycle)
		x.events.cause(x.b.Cycle)
	}
}

// written is after data that were let in: memory has them, or they are lost.
func (x *whole) written() error {
	b, w := x.b, x.writing
	switch {
	case w == nil && b.Is("written_ready"):
		return errors.New("it has heard of data that nobody has told of")
	case w == nil || !b.Is("written_ready"):
		return nil
	}
	x.writing = nil
	x.busy[w.window]--
	o := &x.windows[w.window]
	if !o.open || o.epoch != w.epoch {
		return nil
	}
	if w.good == 0 {
		delete(o.seen, w.index)
		return nil
	}
	o.there[w.index] = w.bytes
	for bytes, ok := o.there[o.next]; ok; bytes, ok = o.there[o.next] {
		delete(o.there, o.next)
		delete(o.seen, o.next)
		o.next++
		o.arrived += bytes
		x.changes.cause(b.Cycle)
	}
	x.complete(o)
	return nil
}

// readable is what lies in memory from an offset on.
func (x *whole) readable(o *window, offset uint64) uint64 {
	if offset >= o.arrived || x.rdma && !o.complete {
		return 0
	}
	return o.arrived - offset
}

// answered are channels.
func (x *whole) answered() error {
	b := x.b
	for c, q := range x.queries {
		name := fmt.Sprintf("window_response_%d", c)
		done := b.Is(name + ".done")
		if q == nil {
			if done {
				return fmt.Errorf("channel %d has not asked", c)
			}
			continue
		}
		if !done {
			if b.Cycle > q.index+patience {
				return fmt.Errorf("channel %d gets no answer", c)
			}
			continue
		}
		x.queries[c] = nil
		x.busy[q.window]--
		o := &x.windows[q.window]
		ok := q.good == 0 && (o.open || o.complete) && q.address >= o.address && q.address-o.address <= o.bytes
		bytes := uint64(0)
		if ok {
			bytes = x.readable(o, q.address-o.address)
			x.seen["answers"]++
		}
		got := []uint64{b.Get(name + ".ok"), b.Get(name + ".bytes"), b.Get(name + ".more")}
		if want := []uint64{block.Bit(ok), bytes, block.Bit(ok && o.open)}; !slices.Equal(got, want) || ok && b.Get(name+".host") != o.host {
			return fmt.Errorf("channel %d asks for %d of window %d: %v, not %v", c, q.address-o.address, q.window, got, want)
		}
	}
	return nil
}

// numbered is an announcement that is sent.
func (x *whole) numbered() error {
	b, n := x.b, x.number
	switch {
	case n == nil && b.Is("number_done"):
		return errors.New("it counts an announcement that nobody sends")
	case n == nil:
		return nil
	case !b.Is("number_done"):
		if b.Cycle > n.index+patience {
			return errors.New("an announcement gets no number")
		}
		return nil
	}
	x.number = nil
	x.busy[n.window]--
	want := x.numbers[n.session]
	if got := b.Get("number_value"); got != want {
		return fmt.Errorf("session %d: announcement %d, not %d", n.session, got, want)
	}
	x.numbers[n.session]++
	for i := range x.windows {
		if o := &x.windows[i]; o.open && o.session == n.session && o.address == n.address && o.host == n.host {
			o.transfer = want
		}
	}
	x.seen["numbers"]++
	return nil
}

func rendezvous(b *block.Bench, r *rand.Rand) error {
	x, err := newWhole(b, r)
	if err != nil {
		return err
	}
	x.restart()
	for range 60000 {
		if r.IntN(15000) == 0 {
			x.restart()
		}
		x.proceed()
		x.drive()
		b.Step()
		if err := x.observe(); err != nil {
			return err
		}
		switch idle := b.Is("messages_idle"); {
		case idle && x.resetting < 3 && b.Cycle > x.reset+1:
			return errors.New("it is idle, it says, and is not being reset")
		case idle && x.resetting > 2:
			x.forget()
			x.resetting, x.reset = 0, b.Cycle
			x.seen["resets"]++
		case x.resetting > patience:
			return errors.New("a reset does not end")
		}
	}
	for what, n := range map[string]int{"let in": 100, "complete": 10, "answers": 100, "numbers": 50, "found": 20, "taken": 10, "resets": 2, "foreign": 1, "without a window": 10} {
		if x.rdma && what == "foreign" {
			continue
		}
		if x.seen[what] < n {
			return fmt.Errorf("only %v", x.seen)
		}
	}
	return nil
}

// proceed takes a reset of messages a step further: firmware waits for it, and what comes in stops.
func (x *whole) proceed() {
	switch x.resetting {
	case 0:
		if x.reg == nil && len(x.plan) == 0 && x.r.IntN(3000) == 0 {
			x.resetting = 1
		}
	case 1:
		if x.r.IntN(50) == 0 {
			x.resetting = 2
		}
	case 2:
		if x.packet == nil && x.writing == nil {
			x.writes = nil
			x.resetting = 3
		}
	default:
		x.resetting++
	}
}
