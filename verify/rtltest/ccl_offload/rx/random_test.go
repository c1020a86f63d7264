package rx

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// rank is one of a communicator.
type rank struct {
	comm, rank, record, session, context uint32
	self                                 bool
}

// rig is a receive side beside its model.
type rig struct {
	t testing.TB
	*Side
	n       *numbers
	m       *model
	r       *rand.Rand
	ranks   []rank
	held    []mpacket
	lent    []uint32
	log     []string
	count   map[string]int
	buffers map[int]*mbuffer
	given   [channels]uint32  // messages for who waited
	tails   map[origin][]byte // of streams, that have not been offered
	calm    bool              // packets come as they were sent
}

const (
	pageNetwork, pageRx, pageRendezvous, pageNotice = 0, 1, 2, 3
	commA, commB                                    = 0x400, 0x600
	rxRecords                                       = 0x10
)

func newRig(t testing.TB, platform string, seed uint64) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	s, err := New(ctx, platform, seed)
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(s.Close)
	n := newNumbers(designtest.Load(t, platform, nil))
	r := &rig{t: t, Side: s, n: n, m: newModel(n), r: rand.New(rand.NewPCG(seed, 1)), count: map[string]int{},
		buffers: map[int]*mbuffer{}, tails: map[origin][]byte{}}
	t.Cleanup(func() {
		if t.Failed() {
			for _, line := range r.log[max(0, len(r.log)-25):] {
				t.Log(line)
			}
		}
	})
	add := func(comm, rank, session, context uint32, self bool) {
		r.ranks = append(r.ranks, rankOf(n, comm, rank, session, context, self))
	}
	for i := range uint32(4) {
		add(commA, i, []uint32{1, 2, 3, 9}[i], 0x11, i == 3)
	}
	for i := range uint32(3) {
		add(commB, i, []uint32{2, 1, 500}[i], 0x22, false)
	}
	for i, p := range r.ranks {
		s.PeerOK[i], s.PeerComm[i], s.PeerRank[i], s.PeerRecord[i], s.PeerSession[i] = 1, p.comm, p.rank, p.record, p.session
	}
	for i := range s.Exchange {
		s.Exchange[i] = r.r.Uint32()
		r.m.exchange[i] = s.Exchange[i]
	}
	for _, p := range r.ranks {
		first := uint32(1<<32 - 3) // numbers wrap around
		r.m.set(p.record+n.inbound, first)
		s.Exchange[(p.record+n.inbound)/4] = first
	}
	s.Latency, s.Stall = uint32(r.r.IntN(6)), uint32(r.r.IntN(3)*60)
	s.Step(5000) // tables are cleared
	r.enable()
	return r
}

func rankOf(n *numbers, comm, i, session, context uint32, self bool) rank {
	return rank{comm, i, n.exchangeBase + comm + 8 + 24*i, session, context, self}
}

func (r *rig) note(format string, a ...any) { r.log = append(r.log, fmt.Sprintf(format, a...)) }

func (r *rig) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) address(name string) uint32 {
	r.t.Helper()
	at, ok := r.n.at[name]
	if !ok {
		r.t.Fatalf("there is no register %s", name)
	}
	return at
}

func (r *rig) read(page uint32, name string) uint32 {
	r.t.Helper()
	v, ok, err := r.Access(page, r.address(name), false, 0)
	r.check(err)
	if !ok {
		r.t.Fatalf("%s cannot be read", name)
	}
	return v
}

func (r *rig) write(page uint32, name string, v uint32) (ok bool) {
	r.t.Helper()
	_, ok, err := r.Access(page, r.address(name), true, v)
	r.check(err)
	return ok
}

func (r *rig) enable() { r.write(pageNetwork, "network.control", 1) }

func (r *rig) same(what string, got, want uint32) {
	r.t.Helper()
	if got != want {
		r.t.Fatalf("%s: 0x%X, want 0x%X", what, got, want)
	}
}

func (r *rig) one(of ...uint32) uint32 { return of[r.r.IntN(len(of))] }

// tag is one that others have, too, or any.
func (r *rig) tag() uint32 { return r.one(1, 1, 1, 2, r.n.any) }

// identity is mostly that of one collective.
func (r *rig) identity() identity {
	i := identity{3, 8, 5}
	switch r.r.IntN(10) {
	case 0, 1:
		i.number += r.one(1, 1<<16, 1<<32-1, 1<<32-1<<16)
	case 2:
		i.count = 9
	case 3:
		i.shape = 2
	}
	return i
}

func (r *rig) peer() rank { return r.ranks[r.r.IntN(len(r.ranks))] }

func (r *rig) payload(n uint32) []byte { return random(r.r, int(n)) }

func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// offer has a packet decided on, by both, and what is left of it. It returns what
// is held.
func (r *rig) offer(p mpacket) (held mpacket, holds bool) {
	r.t.Helper()
	for n := 0; ; n++ {
		if r.decide(p) == holdIt {
			return p, true
		}
		if r.m.rest == 0 {
			return mpacket{}, false
		}
		r.count["packets that hold more than a message"]++
		p.data = p.data[len(p.data)-r.m.rest:]
		r.check(r.Settle())
	}
}

// show offers a packet.
func (r *rig) show(p mpacket) {
	r.OfferSession, r.OfferLoop, r.OfferBytes, r.OfferValid = p.session, bit(p.loop), uint32(len(p.data)), 1
	clear(r.OfferData[:])
	copy(r.OfferData[:], p.data)
}

func bit(v bool) uint32 {
	if v {
		return 1
	}
	return 0
}

// decide has a packet decided on, by both.
func (r *rig) decide(p mpacket) (verdict int) {
	r.t.Helper()
	before := len(r.m.headers[p.origin])
	if part := r.m.partial[p.origin]; part != nil {
		if part.mode == modePut {
			before = len(r.m.putLeft) // taken with the packet
		}
		r.count[[]string{"drop", "message", "put", "window"}[part.mode]+" goes on"]++
	}
	r.show(p)
	r.check(r.until("a verdict", func() bool { return r.OfferValid == 0 }))
	verdict, take := r.m.receive(p)
	r.note("packet of %v, %d bytes: verdict %d, take %d", p.origin, len(p.data), r.Verdict, r.Take)
	gotTake := r.Take
	if r.Verdict == payloadOf && gotTake == 0 {
		r.Verdict = dropIt // the same
	}
	if verdict == payloadOf && take == 0 {
		verdict = dropIt
	}
	if verdict == allOf {
		take += uint32(before)
	}
	r.same("verdict", r.Verdict, uint32(verdict))
	r.same("bytes to take", gotTake, take)
	if verdict != holdIt {
		r.same("bytes that are left", r.Rest, uint32(r.m.rest))
		if n := len(r.m.headers[p.origin]); n > 0 {
			r.count["headers in part"]++
		} else {
			r.same("bytes before", r.Before, uint32(before))
		}
	}
	r.count[fmt.Sprintf("verdict %d", verdict)]++
	return verdict
}

// settle compares everything after a step.
func (r *rig) settle(retries uint32) {
	r.t.Helper()
	r.check(r.Settle())
	for again := true; again; {
		again = false
		pulsed := r.Retries != retries
		retries = r.Retries
		var still []mpacket
		for _, p := range r.held {
			if !pulsed {
				if r.m.welcomes(p) {
					r.t.Fatalf("a held packet of %v could be taken, but is not offered again", p.origin)
				}
				still = append(still, p)
				continue
			}
			if held, holds := r.offer(p); holds {
				still = append(still, held)
				continue
			}
			r.check(r.Settle())
			again = true
		}
		r.held = still
		again = again || pulsed
	}
	r.check(r.Settle())
	if r.Fault != 0 {
		r.t.Fatalf("fault %d of the surroundings", r.Fault)
	}
	r.same("events", r.read(pageNetwork, "network.events"), r.m.events)
	r.same("free buffers", r.read(pageRx, "rx.free"), uint32(len(r.m.free)))
	if d := r.m.differs(r.Side, false); d != "" {
		r.t.Fatal(d)
	}
	for _, g := range r.m.gifts {
		r.note("%d gets a message that is complete", g.channel)
		r.given[g.channel]++
		r.count["messages for who waits"]++
		r.gets(g.channel, g.mmessage)
	}
	r.m.gifts = nil
	for c, n := range r.given {
		r.same("messages that came without being asked for", r.MatchGiven[c], n)
	}
	if r.r.IntN(4) == 0 {
		r.same("notices", r.read(pageNotice, "notice.waiting"), uint32(len(r.m.notices)))
	}
	got := r.Puts()
	if fmt.Sprint(got) != fmt.Sprint(r.m.puts) {
		r.t.Fatalf("puts: %v\nwant %v", got, r.m.puts)
	}
	r.m.puts = nil
	if r.n.rendezvous {
		w := uint32(r.r.IntN(34))
		r.write(pageRendezvous, "rendezvous.window", w)
		var arrived, isDone uint32
		if w < 32 {
			if o := &r.m.windows[w]; o.open || o.done {
				arrived, isDone = r.m.readable(o), bit(o.done)
			}
		}
		r.same("arrived", r.read(pageRendezvous, "rendezvous.arrived"), arrived)
		r.same("done", r.read(pageRendezvous, "rendezvous.done"), isDone)
	}
}

// isHeld tells whether packets from somewhere wait for one that is held.
func (r *rig) isHeld(k origin) bool {
	for _, p := range r.held {
		if p.origin == k || p.loop && k.loop {
			return true
		}
	}
	return false
}

// packet makes one at random, mostly one that makes sense.
func (r *rig) packet() (mpacket, bool) {
	p := r.peer()
	k := origin{session: p.session}
	if p.self {
		k = origin{loop: true}
	}
	if r.isHeld(k) {
		return mpacket{}, false
	}
	if r.m.parkedBy >= 0 && r.r.IntN(4) > 0 {
		for other, part := range r.m.partial { // somebody waits for it
			if part.msg != nil && part.msg == r.m.parked && !r.isHeld(other) {
				k = other
			}
		}
	}
	joined := len(r.tails[k]) > 0 // with what has not been offered yet
	if part := r.m.partial[k]; part != nil && !joined {
		n := min(part.left, uint32(r.r.IntN(maxPacket))+1)
		if part.left > n {
			n = max(n&^63, 64)
		}
		switch r.r.IntN(20) {
		case 0:
			n = min(part.left+1+uint32(r.r.IntN(100)), maxPacket)
		case 1:
			n = uint32(r.r.IntN(200)) + 1
		}
		r.count["further packets"]++
		return mpacket{k, r.payload(n)}, true
	}
	h := head{
		tag: r.tag(), src: p.rank, dst: p.session, context: r.one(p.context, p.context, p.context, 0, 0x33),
		seq: r.m.get(p.record+r.n.inbound) + r.one(0, 0, 0, 0, 1, 1, 2, 3, 1<<32-1, r.r.Uint32()),
		of:  r.identity(),
	}
	h.count = r.one(0, 1, 63, 64, 65, 128, uint32(r.r.IntN(300)), uint32(r.r.IntN(4000)), 4032)
	size := h.count
	if !r.n.lossy && r.r.IntN(5) == 0 && !joined {
		h.count = uint32(r.r.IntN(9000))
		size = min(h.count, uint32(r.r.IntN(4033)))
		if r.r.IntN(4) > 0 {
			size &^= 63
		}
	}
	pad := r.n.lossy && r.r.IntN(2) == 0
	switch r.r.IntN(12) {
	case 0, 1:
		h.strm = r.n.putStream + uint32(r.r.IntN(20))
	case 2, 3, 4, 5:
		if !r.n.rendezvous {
			break
		}
		h.kind, h.host = uint32(1+r.r.IntN(3)), r.one(0, 1)
		r.aim(&h, p)
		if size = h.count; h.kind != data {
			size = 0
		}
	case 6:
		h.kind = r.one(0, 4, 0xFF)
		if !r.n.rendezvous {
			h.kind = 0
		}
		size = uint32(r.r.IntN(4033))
	case 7:
		h.notice = 1
		h.strm = r.r.Uint32()
		if r.r.IntN(4) > 0 {
			h.count, size = 0, r.one(0, 0, 0, 64)
		}
	case 8:
		h.filler = 1
		r.count["fillers"]++
	}
	if r.r.IntN(60) == 0 {
		h.notice = 1
	}
	if r.r.IntN(60) == 0 {
		h.filler = 1
	}
	if pad && h.kind < kindCTS {
		size = (size + 63) &^ 63
	}
	size = min(size, 4032)
	b := append(r.n.pack(h), r.payload(size)...)
	switch r.r.IntN(40) {
	case 0:
		b = b[:r.r.IntN(len(b))+1]
	case 1:
		b[r.r.IntN(64)] ^= byte(1 << r.r.IntN(8))
	}
	if !k.loop && r.r.IntN(60) == 0 {
		k.session += msessions // of which no engine knows
		r.count["sessions without a number"]++
	}
	return mpacket{k, b}, true
}

// recut cuts and joins what comes, where sessions are streams.
func (r *rig) recut(p mpacket) mpacket {
	if !r.m.cut(p.origin) || p.session >= msessions || r.calm && len(r.tails[p.origin]) == 0 {
		return p
	}
	b := append(r.tails[p.origin], p.data...)
	n := r.r.IntN(len(b)) + 1
	switch r.r.IntN(4) {
	case 0:
		n = min(len(b), r.r.IntN(70)+1)
	case 1, 2:
		n = len(b)
	}
	n = min(n, maxPacket)
	r.tails[p.origin] = b[n:]
	return mpacket{p.origin, b[:n:n]}
}

// aim makes a header of rendezvous that is for some window.
func (r *rig) aim(h *head, p rank) {
	w := &r.m.windows[r.r.IntN(4)]
	for range 10 {
		if w.open {
			break
		}
		w = &r.m.windows[r.r.IntN(4)]
	}
	if !w.open || r.r.IntN(10) == 0 {
		h.vaddr, h.seq = uint64(r.r.IntN(1<<20)), uint32(r.r.IntN(6))
		if h.kind == kindCTS {
			h.seq = r.m.expected[p.session] + r.one(0, 0, 1, 2, 5, 1<<32-1)
		}
		return
	}
	h.src, h.tag, h.host = w.from.src, w.transfer, bit(w.host)
	if r.r.IntN(8) > 0 {
		h.of.number = w.number
	}
	switch h.kind {
	case data:
		h.seq = w.next + r.one(0, 0, 0, 1, 2, 3, 1<<32-1, 63, 64, uint32(r.r.IntN(80)))
		h.count = min(h.count, w.bytes)
		h.vaddr = w.addr + uint64(r.r.IntN(int(w.bytes-h.count)+1))
		if r.r.IntN(20) == 0 {
			h.vaddr = w.addr - 1 + uint64(r.r.IntN(int(w.bytes)+2))
		}
	case kindCTS:
		h.seq = r.m.expected[p.session] + r.one(0, 0, 1, 2, 5, 1<<32-1)
	case done:
		h.count = r.one(w.arrived, w.arrived, w.arrived+h.count)
		h.vaddr = w.addr
		if r.r.IntN(2) == 0 {
			h.vaddr += uint64(h.count)
		}
	}
}

func (r *rig) pick() (want, rank) {
	p := r.peer()
	return want{p.record, p.session, p.rank, r.one(p.context, p.context, p.context, 0), r.tag(), r.identity()}, p
}

// next is one for the next message of somebody, if there is one, or of a later collective.
func (r *rig) next() (w want, p rank) {
	w, p = r.pick()
	for _, i := range r.r.Perm(len(r.m.waiting)) {
		msg := r.m.waiting[i]
		if msg.session == p.session && msg.src == p.rank && msg.seq == r.m.get(p.record+r.n.inbound) && r.r.IntN(3) > 0 {
			w.context, w.tag, w.of = msg.context, msg.tag, msg.of
			w.of.number += r.one(0, 0, 0, 1<<16)
			break
		}
	}
	return w, p
}

func (r *rig) select_(w want, p rank) {
	r.Comm, r.Source, r.Destination, r.Context, r.Tag = p.comm, p.rank, p.rank, w.context, w.tag
	r.Collective = [3]uint32{w.of.shape, w.of.count, w.of.number}
	if r.r.IntN(15) == 0 {
		r.Source, r.Destination = 77, 77
	}
}

// coming are those that could have a message that is on its way.
func (r *rig) coming() (wants []want) {
	for _, p := range r.ranks {
		for _, part := range r.m.partial {
			if msg := part.msg; part.mode == modeBuffer && msg.session == p.session && msg.src == p.rank &&
				msg.seq == r.m.get(p.record+r.n.inbound) {
				wants = append(wants, want{p.record, p.session, p.rank, msg.context, msg.tag, msg.of})
			}
		}
	}
	return wants
}

func (r *rig) match() {
	w, _ := r.next()
	if coming := r.coming(); len(coming) > 0 && r.r.IntN(2) == 0 {
		w = coming[r.r.IntN(len(coming))]
	}
	c := r.r.IntN(channels)
	r.MatchRecord[c], r.MatchSession[c], r.MatchRank[c], r.MatchContext[c], r.MatchTag[c] = w.record, w.session,
		w.rank, w.context, w.tag
	r.MatchCollective[c] = [3]uint32{w.of.shape, w.of.count, w.of.number}
	r.MatchValid[c], r.MatchWaits[c] = 1, 0
	r.check(r.until("a match", func() bool { return r.MatchValid[c] == 0 }))
	msg, other := r.m.match(w, true)
	r.note("match %+v by %d: found %d, of another collective %d", w, c, r.MatchFound[c], r.MatchMismatch[c])
	if other != nil {
		r.count["matches with another collective"]++
		r.same("found", r.MatchFound[c], 0)
		r.same("of another collective", r.MatchMismatch[c], 1)
		return
	}
	r.same("of another collective", r.MatchMismatch[c], 0)
	if msg == nil {
		r.same("found", r.MatchFound[c], 0)
		if r.r.IntN(4) > 0 {
			r.MatchWaits[c], r.m.parkedBy = 1, c
		}
		return
	}
	r.gets(c, msg)
}

// gets compares the message that a channel gets.
func (r *rig) gets(c int, msg *mmessage) {
	r.t.Helper()
	r.Step(300) // then what was wanted is no longer noted, which nobody sees
	r.count["matches"]++
	r.same("found", r.MatchFound[c], 1)
	r.same("bytes", r.MatchBytes[c], msg.bytes)
	if msg.buffer == nil {
		r.same("stored", r.MatchStored[c], 0)
		return
	}
	r.same("stored", r.MatchStored[c], 1)
	r.same("buffer", r.MatchBuffer[c], uint32(msg.buffer.number))
	if r.MatchAddress[c] != msg.buffer.addr {
		r.t.Fatalf("address 0x%X, want 0x%X", r.MatchAddress[c], msg.buffer.addr)
	}
	r.lent = append(r.lent, uint32(msg.buffer.number))
	r.buffers[msg.buffer.number] = msg.buffer
}

func (r *rig) giveBack() {
	if len(r.lent) == 0 {
		return
	}
	i := r.r.IntN(len(r.lent))
	b := r.lent[i]
	r.lent = append(r.lent[:i], r.lent[i+1:]...)
	r.m.post(r.buffers[int(b)])
	r.release(b)
	if r.r.IntN(4) == 0 { // nothing comes of it a second time
		r.check(r.Settle())
		r.release(b)
	}
}

func (r *rig) release(b uint32) {
	r.note("release %d", b)
	if r.r.IntN(2) == 0 {
		r.ReleaseBuffer, r.ReleaseValid = b, 1
	} else {
		r.ChannelReleaseBuffer, r.ChannelReleaseValid = b, 1
	}
}

func (r *rig) seek() {
	w, p := r.next()
	r.select_(w, p)
	msg := r.m.seek(w, r.Source == p.rank)
	var size, record uint32
	if msg != nil {
		r.count["seeks"]++
		if size = msg.bytes + 1; msg.buffer != nil {
			record = msg.buffer.record
		}
	}
	r.note("seek %+v: want %d", w, size)
	r.same("seek", r.read(pageRx, "rx.seek"), size)
	r.same("found", r.read(pageRx, "rx.found"), record)
	if r.r.IntN(2) == 0 {
		r.write(pageRx, "rx.discard", 1)
		r.m.discard()
		r.same("found after discard", r.read(pageRx, "rx.found"), 0)
	}
}

func (r *rig) enqueue() {
	record := r.n.exchangeBase + rxRecords + r.n.recordBytes*uint32(r.m.given%24)
	addr := uint64(r.r.IntN(memoryBytes - 10000))
	if r.r.IntN(12) == 0 {
		addr = memoryBytes - uint64(r.r.IntN(3000)) // a part of it, at least, is no memory
	}
	size := r.one(4032, 4032, 10000, uint32(r.r.IntN(5000)))
	if r.r.IntN(20) == 0 {
		record = r.one(record+1, r.n.exchangeBase+r.n.exchangeBytes-r.n.recordBytes+4, 1<<31)
	}
	ok := r.m.enqueue(record, addr, size)
	if got := r.give(record, addr, size); got != ok {
		r.t.Fatalf("a buffer with its record at 0x%X: taken %v, want %v", record, got, ok)
	}
	r.note("enqueue 0x%X at 0x%X, %d bytes: %v", record, addr, size, ok)
}

// give gives a buffer, and tells whether it is taken.
func (r *rig) give(record uint32, addr uint64, size uint32) bool {
	low, high := uint32(addr), uint32(addr>>32)
	for i, v := range []uint32{^low, low, ^high, high, ^size, size} {
		name := []string{"rx.address", "rx.address_high", "rx.bytes"}[i/2]
		r.write(pageRx, name, v)
		r.same(name, r.read(pageRx, name), v)
	}
	return r.write(pageRx, "rx.enqueue", record)
}

func (r *rig) open() {
	w, p := r.pick()
	r.select_(w, p)
	i, host := uint32(r.r.IntN(4)), r.one(0, 1)
	size := uint32(r.r.IntN(20000))
	addr := uint64(r.r.IntN(memoryBytes - 20000))
	if r.r.IntN(15) == 0 {
		addr = memoryBytes - 1000
	}
	r.openWindow(i, addr, size, host)
	r.m.windows[i] = mwindow{}
	if r.Source == p.rank {
		r.m.opens++
		r.m.windows[i] = mwindow{opened: r.m.opens, open: true, host: host == 1, from: msender{w.session, w.rank, w.context},
			addr: addr, bytes: size, number: w.of.number}
	}
	r.note("open %d for %+v at 0x%X, %d bytes", i, w, addr, size)
	if r.n.lossy { // it is announced
		r.number(p.session, addr, host == 1)
	}
}

func (r *rig) number(session uint32, addr uint64, host bool) {
	r.NumberSession, r.NumberAddress, r.NumberHost, r.NumberValid = session, addr, bit(host), 1
	r.check(r.until("a number", func() bool { return r.NumberValid == 0 }))
	r.same("number of an announcement", r.NumberValue, r.m.number(session, addr, host))
}

func (r *rig) query() {
	i, c := uint32(r.r.IntN(5)), r.r.IntN(channels)
	if i == 4 {
		i = 32 + uint32(r.r.IntN(100))
	}
	var w mwindow
	if i < 32 {
		w = r.m.windows[i]
	}
	addr := w.addr + uint64(r.r.IntN(int(w.bytes)+3)) - 1
	r.QueryWindow[c], r.QueryAddress[c], r.QueryValid[c] = i, addr, 1
	r.check(r.until("a window", func() bool { return r.QueryValid[c] == 0 }))
	if !w.open && !w.done || addr < w.addr || addr-w.addr > uint64(w.bytes) {
		r.same("ok", r.QueryOK[c], 0)
		return
	}
	r.same("ok", r.QueryOK[c], 1)
	var left uint32
	if a := r.m.readable(&w); uint64(a) > addr-w.addr {
		left = a - uint32(addr-w.addr)
	}
	r.same("bytes that can be read", r.QueryBytes[c], left)
	r.same("more", r.QueryMore[c], bit(w.open))
	r.count["queries"]++
}

func (r *rig) shut() {
	i := uint32(r.r.IntN(4))
	r.write(pageRendezvous, "rendezvous.window", i)
	r.write(pageRendezvous, "rendezvous.shut", 1)
	r.m.windows[i] = mwindow{}
	r.note("shut %d", i)
}

func (r *rig) seekAnnouncement() {
	w, p := r.pick()
	if n := len(r.m.posted); n > 0 && r.r.IntN(3) == 0 {
		w.of = r.m.posted[r.r.IntN(n)].of
		w.of.number += r.one(0, 1<<16)
	}
	r.select_(w, p)
	r.m.seekAnnouncement(w, r.Destination == p.rank)
	var found mannouncement
	var there uint32
	if r.m.soughtA >= 0 {
		found, there = r.m.posted[r.m.soughtA], 1
		r.count["announcements"]++
		if r.m.apart {
			there = 2
			r.count["announcements of another collective"]++
		}
	}
	r.same("announcement", r.read(pageRendezvous, "rendezvous.seek"), there)
	r.same("its count", r.read(pageRendezvous, "rendezvous.announced_count"), found.count)
	r.same("its address", r.read(pageRendezvous, "rendezvous.announced_address"), uint32(found.addr))
	r.same("its memory", r.read(pageRendezvous, "rendezvous.announced_host"), bit(found.host))
	r.same("its number", r.read(pageRendezvous, "rendezvous.announced_transfer"), found.transfer)
	r.same("its collective", r.read(pageRendezvous, "rendezvous.announced_number"), found.of.number)
	r.same("its collective's count", r.read(pageRendezvous, "rendezvous.announced_collective_count"), found.of.count)
	r.same("its collective's shape", r.read(pageRendezvous, "rendezvous.announced_shape"), found.of.shape)
	if r.r.IntN(3) > 0 {
		r.write(pageRendezvous, "rendezvous.take", 1)
		r.m.take()
	}
	r.Source = p.rank
	r.same("foreign", r.read(pageRendezvous, "rendezvous.foreign"), bit(r.m.foreign[p.session] && !r.n.rdma))
	for session, own := range r.Owns {
		r.same(fmt.Sprintf("whether session %d is own", session), own, bit(r.m.owns[uint32(session)]))
	}
}

func (r *rig) reset() {
	parts := 1 + r.r.IntN(3)
	r.note("reset %d", parts)
	stale := r.lent
	if parts&1 != 0 {
		r.ResetMessages, r.MatchWaits = 1, [channels]uint32{}
		r.lent = nil
	}
	if parts&2 != 0 {
		r.ResetNetwork = 1
		r.held = nil
		clear(r.tails)
	}
	r.Step(1)
	r.untilReset()
	if parts&1 != 0 {
		r.m.resetMessages()
		if len(stale) > 0 { // nothing comes of it any more
			r.release(stale[0])
		}
	}
	if parts&2 != 0 {
		r.m.resetNetwork()
		r.enable()
	}
}

// untilReset runs until a reset has ended.
func (r *rig) untilReset() {
	r.t.Helper()
	for n := 0; r.ResetMessages != 0 || r.ResetNetwork != 0; n++ {
		if n > 30000 {
			r.t.Fatal("a reset does not end")
		}
		r.Step(1)
		if n > 4 && r.MessagesIdle != 0 {
			r.ResetMessages = 0
		}
		if n > 4 && r.NetworkIdle != 0 {
			r.ResetNetwork = 0
		}
	}
}

// notice reads the oldest one and the message that ended a request last, and may forget the notice.
func (r *rig) notice() {
	r.t.Helper()
	var h head
	if len(r.m.notices) > 0 {
		h = r.m.notices[0]
		r.count["notices"]++
	}
	r.same("notices", r.read(pageNotice, "notice.waiting"), uint32(len(r.m.notices)))
	for name, want := range map[string]uint32{"comm_context": h.context, "source": h.src, "tag": h.tag, "strm": h.strm,
		"number": h.of.number, "count": h.of.count, "shape": h.of.shape} {
		r.same("its "+name, r.read(pageNotice, "notice."+name), want)
	}
	if r.r.IntN(2) == 0 {
		r.write(pageNotice, "notice.take", 1)
		r.m.notices = r.m.notices[min(1, len(r.m.notices)):]
	}
	o := r.m.other
	for name, want := range map[string]uint32{"source": o.src, "number": o.of.number, "count": o.of.count,
		"shape": o.of.shape} {
		r.same("the other message's "+name, r.read(pageRx, "rx.other_"+name), want)
	}
}

func (r *rig) close() {
	k := origin{session: r.one(1, 2, 3, 500)}
	if r.isHeld(k) {
		return
	}
	r.note("session %d is closed", k.session)
	delete(r.tails, k)
	r.ClosedSession, r.ClosedValid = k.session, 1
	r.m.abandon(k)
	r.m.events |= r.n.eventClosed
	r.check(r.Settle())
	r.same("closed session", r.read(pageNetwork, "network.closed_session"), k.session)
}

func (r *rig) step() {
	if r.r.IntN(40) == 0 {
		r.calm = !r.calm
	}
	rendezvous := func(do func()) {
		if r.n.rendezvous {
			do()
		}
	}
	switch n := r.r.IntN(100); {
	case n < 45:
		if p, ok := r.packet(); ok {
			if held, holds := r.offer(r.recut(p)); holds {
				r.held = append(r.held, held)
			}
		}
	case n < 65:
		r.match()
	case n < 72:
		r.giveBack()
	case n < 77:
		r.seek()
	case n < 81:
		if len(r.m.free) < 4 && r.m.given < 250 {
			r.enqueue()
		}
	case n < 85:
		rendezvous(r.open)
	case n < 90:
		rendezvous(r.query)
	case n < 91:
		rendezvous(r.shut)
	case n < 94:
		rendezvous(r.seekAnnouncement)
	case n < 97:
		drain := r.r.IntN(putBeats - r.m.putRoom + 1)
		r.PutDrain = uint32(drain)
		r.m.putRoom += drain
		r.note("the kernel takes %d beats", drain)
		r.check(r.until("the kernel", func() bool { return r.PutDrain == 0 }))
	case n < 98 && r.r.IntN(2) == 0:
		r.notice()
	case n < 98:
		v := r.r.Uint32() & 0x7F
		r.write(pageNetwork, "network.events", v)
		r.m.events &^= v
	case n < 99:
		r.close()
	default:
		if r.r.IntN(3) == 0 {
			r.reset()
		}
	}
}

// random takes steps at random, beside the model.
func (r *rig) random(steps int) {
	r.t.Helper()
	for _, page := range []uint32{pageRx, pageNotice} {
		r.check(block.Undefined(r.r, r.n.maps[page], func(write bool, at, v uint32) (uint32, error) {
			got, ok, err := r.Access(page, at, write, v)
			if err == nil && !ok {
				err = block.ErrRegister
			}
			return got, err
		}))
		r.read(pageRx, "rx.address") // the one behind it is not refused
	}
	for i := range steps {
		retries := r.Retries
		r.step()
		r.settle(retries)
		if i%100 == 0 || i == steps-1 {
			if d := r.m.differs(r.Side, true); d != "" {
				r.t.Fatal(d)
			}
		}
	}
	for k, v := range r.m.dropped {
		r.count["older "+k] = v
	}
}

func TestTheReceiveSideDoesWhatItsModelDoes(t *testing.T) {
	all, seeds, steps := []string{"u55c_tcp", "u55c_udp", "u55c_rdma"}, nightly.Of[uint64](2, 4), 3000
	if nightly.Enabled() {
		all = append(all, "u280_2022")
	}
	if testing.Short() {
		all, seeds, steps = all[:2], 1, 1500
	}
	for _, platform := range all {
		t.Run(platform, func(t *testing.T) {
			total := map[string]int{}
			for seed := range seeds {
				t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
					r := newRig(t, platform, seed)
					r.random(steps)
					for k, v := range r.count {
						total[k] += v
					}
				})
			}
			t.Log(total)
			assert.Check(t, platform == "u55c_udp" || total["messages for who waits"] != 0,
				"nobody waits for a message that is on its way")
			for _, what := range []string{"older messages", "matches with another collective", "notices", "older announcements",
				"announcements of another collective"} {
				if least := 2; !testing.Short() && total[what] < least &&
					(platform != "u280_2022" || !strings.Contains(what, "announcement")) {
					t.Errorf("only %d %s", total[what], what)
				}
			}
			assert.Check(t, total["sessions without a number"] != 0, "no packet comes by a session that has no number")
			if cut := platform == "u55c_tcp" || platform == "u280_2022"; cut && (total["headers in part"] < 20 ||
				total["packets that hold more than a message"] < 50 || total["put goes on"] < 10) {
				t.Error("messages are hardly cut or joined")
			}
		})
	}
}
