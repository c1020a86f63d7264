package moves_test

import "slices"

// open checks a packet that is opened, and remembers it.
func (w *world) open() {
	m := w.moves[w.out[outHeaderTag]]
	if m == nil || m.opened >= len(m.packets) {
		w.fail("a packet is opened for %v, which has %d", m, m.opened)
		return
	}
	p := m.packets[m.opened]
	eager, data := m.messageType == "eager", m.messageType == "rendezvous_data"
	want := map[int]uint64{
		outOpenSession: w.sessionOf(m.destination), outOpenSelf: flag(m.destination == localRank),
		outOpenHeaded:   flag(p.headed),
		outOpenCounted:  flag(p.headed && eager && m.strm == 0),
		outOpenNumbered: flag(w.lossy && m.messageType == "rendezvous_announcement"),
		outOpenWritten:  flag(w.rdma && data && m.destination != localRank), outOpenRecord: record(m.destination),
		outOpenBytes:   p.bytes,
		outHeaderCount: p.count, outHeaderSrc: localRank, outHeaderSeq: p.seq, outHeaderStrm: m.strm,
		outHeaderDst:  w.sessionOf(m.destination),
		outHeaderKind: uint64(w.messageCode(m)), outHeaderContext: 3 * uint64(m.id), outHeaderNotice: 0,
	}
	want[outHeaderNumber], want[outHeaderElements], want[outHeaderShape] = m.collective()
	if !eager {
		want[outHeaderHost], want[outHeaderVaddr] = flag(m.remoteHost), p.vaddr
	}
	for i, v := range want {
		if w.out[i] != v {
			w.fail("%v: packet %d has 0x%X for %s, not 0x%X", m, m.opened, w.out[i], outputs.names[i], v)
		}
	}
	i := w.in[inOpenSlot]
	if w.slot[i] != nil {
		w.fail("slot %d is in use", i)
	}
	w.slot[i] = &slot{p: p, m: m, key: w.keyOf(m.destination)}
	m.opened++
	m.started = true
}

func (w *world) messageCode(m *move) uint32 { return w.n.code("message_type", m.messageType) }

// drivePackets frees what has been sent, and says what can be opened.
func (w *world) drivePackets() {
	var used [selfKey + 1]int
	free := -1
	for i, s := range w.slot {
		if s != nil && s.committed && s.freeAt <= w.now {
			w.slot[i] = nil
			s = nil
		}
		if s == nil {
			if free < 0 || w.chance(50) {
				free = i
			}
			continue
		}
		used[s.key]++
	}
	w.in[inOpenMask] = 0
	if free < 0 {
		return
	}
	w.in[inOpenSlot] = uint64(free)
	for key, n := range used {
		if n < sessionSlots && (w.promptly || w.chance(80)) {
			w.in[inOpenMask] |= 1 << key
		}
	}
}

// slice checks a slice that enters the data path.
func (w *world) slice() {
	q := int(w.out[outSliceQueue])
	w.slices++
	u := &underWay{queue: uint64(q), last: w.out[outSliceLast] != 0, slot: -1, readyAt: w.now + 1}
	if !w.promptly {
		u.readyAt += w.r.IntN(40)
	}
	w.path = append(w.path, u)
	commit, toNetwork := w.out[outSlotCommit] != 0, w.out[outToNetwork] != 0
	if commit && !toNetwork {
		u.slot, u.forgets = int(w.out[outSlot]), true
		s := w.slot[u.slot]
		if s == nil || s.committed || s.m.queue != q {
			w.fail("queue %d forgets slot %d, which is not its own", q, u.slot)
			return
		}
		u.m = s.m
		u.m.under++
		if u.last {
			w.fail("%v: a packet that is forgotten ends no move", u.m)
		}
		return
	}
	var m *move
	for _, c := range w.queue[q] {
		if !c.cut && (c.code != 0 || !c.empty || c.toNetwork()) {
			m = c
			break
		}
	}
	if m == nil {
		w.fail("queue %d has a slice and no move", q)
		return
	}
	u.m = m
	m.under++
	m.started = true
	if m.code != 0 {
		w.fail("%v has a slice and must fail", m)
	}
	if m.fence && w.queue[q][0] != m {
		w.fail("%v starts before those before it are complete: %v", m, w.queue[q][0])
	}
	if toNetwork != m.toNetwork() {
		w.fail("%v: the network is not where it goes", m)
	}
	if !m.empty {
		w.checkUnits(m, u)
	}
	if toNetwork {
		w.fill(m, u, commit)
	}
	if u.last != (m.empty || m.done == m.units) {
		w.fail("%v: last is %v after %d of %d units", m, u.last, m.done, m.units)
	}
	m.cut = u.last
}

func (w *world) checkUnits(m *move, u *underWay) {
	o := outOperand[0]
	units := w.out[o.bytes] >> m.log2[form(m.op[0].compressed)]
	if units == 0 || units > sliceBytes>>max(m.log2[0], m.log2[1]) || m.done+units > m.units {
		w.fail("%v: a slice of %d units after %d of %d", m, units, m.done, m.units)
	}
	size := func(compressed bool) uint64 { return units << m.log2[form(compressed)] }
	at := func(compressed bool) uint64 { return m.done << m.log2[form(compressed)] }
	check := func(i int, want uint64) {
		if w.out[i] != want {
			w.fail("%v: a slice with 0x%X for %s, not 0x%X", m, w.out[i], outputs.names[i], want)
		}
	}
	for i, op := range m.op {
		o := outOperand[i]
		from := map[string]uint64{none: 0, memory: 1, kernel: 2, message: 1, window: 1}[op.kind]
		check(o.from, from)
		if op.kind == none {
			check(o.bytes, 0)
			continue
		}
		check(o.bytes, size(op.compressed))
		check(o.convert, flag(op.compressed != m.inner))
		if op.compressed != m.inner {
			check(o.tdest, uint64(w.conversion(m, m.inner)))
		}
		if op.kind != message {
			check(o.release, 0)
		}
		switch op.kind {
		case memory:
			check(o.address, op.address+at(op.compressed))
			check(o.host, flag(op.host))
		case message:
			w.read(m, u, o, size(op.compressed))
		case window:
			check(o.address, op.address+at(op.compressed))
			check(o.host, flag(m.windowHost))
			if at(op.compressed)+size(op.compressed) > m.arrived[i] {
				w.fail("%v reads what has not arrived", m)
			}
		}
	}
	check(outApart, flag(m.result.kind == apart))
	check(outKeeps, flag(m.keeps))
	if m.keeps { // in the inner form
		check(outKeptAddress, m.kept+at(m.inner))
		w.keeps[form(m.inner)]++
	}
	check(outBeside, flag(m.result.kind == beside))
	if m.result.kind == beside {
		check(outBesideAddress, m.op2+at(false))
		check(outBesideBytes, size(false))
		check(outBesideConvert, flag(m.inner))
		if m.inner {
			check(outBesideTDEST, uint64(m.compressor))
		}
		w.besides[form(m.inner)]++
	}
	check(outReduce, flag(m.reduces()))
	if m.reduces() {
		check(outReduceTDEST, uint64(m.reduction))
	}
	check(outToMemory, flag(m.toMemory()))
	check(outToKernel, flag(m.toKernel()))
	if m.toMemory() || m.toKernel() {
		check(outResultBytes, size(m.result.compressed))
		check(outResultConvert, flag(m.result.compressed != m.inner))
		if m.result.compressed != m.inner {
			check(outConvertTDEST, uint64(w.conversion(m, !m.inner)))
		}
	}
	if m.toMemory() {
		check(outResultAddress, m.result.address+at(m.result.compressed))
		check(outResultHost, flag(m.result.host))
	}
	if m.toKernel() {
		check(outKernelTDEST, m.kernelTDEST)
	}
	if m.toNetwork() {
		check(outWireBytes, size(m.wire))
		check(outWireConvert, flag(m.wire != m.inner))
	}
	m.done += units
	w.kernelSlice(m, size, u.last)
}

// read takes bytes of the message that was handed out last.
func (w *world) read(m *move, u *underWay, o operandWires, bytes uint64) {
	i := slices.IndexFunc(m.incoming, func(in *incoming) bool { return in.taken < in.bytes })
	if i < 0 {
		w.fail("%v reads a message that it does not have", m)
		return
	}
	in := m.incoming[i]
	if in.taken+bytes > in.bytes || w.out[o.address] != in.address+in.taken || w.out[o.host] != 0 {
		w.fail("%v reads %d bytes at 0x%X, its message is %v", m, bytes, w.out[o.address], in)
		return
	}
	in.taken += bytes
	if release := in.stored && in.taken == in.bytes; w.out[o.release] != flag(release) || release &&
		w.out[o.buffer] != in.buffer {
		w.fail("%v: gives buffer %d back: %d, its message is %v", m, w.out[o.buffer], w.out[o.release], in)
	} else if release {
		u.releases = append(u.releases, in.buffer)
	}
}

// conversion is the TDEST of what leads to a form.
func (w *world) conversion(m *move, compressed bool) uint32 {
	if compressed {
		return m.compressor
	}
	return m.decompressor
}

// fill puts a slice into its packet.
func (w *world) fill(m *move, u *underWay, commit bool) {
	i := int(w.out[outSlot])
	s := w.slot[i]
	if s == nil || s.m != m || s.committed {
		w.fail("%v fills slot %d, which is not its own", m, i)
		return
	}
	if w.out[outSlotOffset] != s.filled || w.out[outSlotHeaded] != flag(s.p.headed) {
		w.fail("%v fills slot %d at %d, not %d", m, i, w.out[outSlotOffset], s.filled)
	}
	s.filled += w.out[outWireBytes]
	if s.filled > s.p.bytes || commit != (s.filled == s.p.bytes) {
		w.fail("%v: a packet with %d of %d bytes, complete %v", m, s.filled, s.p.bytes, commit)
	}
	if commit {
		u.slot = i
	}
}

// send hands a packet over: all of a message goes in one piece.
func (w *world) send(s *slot) {
	at := &w.sessions[s.key]
	switch {
	case s.p.headed && at.rest != 0:
		w.fail("%v sends a message within one of %v", s.m, at.m)
	case !s.p.headed && (at.m != s.m || at.rest < s.p.bytes):
		w.fail("%v goes on with a message that is not under way", s.m)
	case !s.p.headed:
		at.rest -= s.p.bytes
	case !s.p.last:
		*at = session{s.p.count - s.p.bytes, s.m}
	}
}

// retire ends the oldest slice.
func (w *world) retire() {
	w.in[inRetireValid], w.in[inRetireCode] = 0, 0
	if len(w.path) == 0 || w.path[0].readyAt > w.now || !w.promptly && w.chance(20) {
		return
	}
	u := w.path[0]
	w.path = w.path[1:]
	q := u.queue
	w.in[inRetireValid], w.in[inRetireQueue], w.in[inRetireLast] = 1, q, flag(u.last)
	if w.mode.faults && w.r.IntN(200) == 0 && !u.forgets {
		code := w.n.bit("DMA_DECODE")
		if w.chance(30) {
			code |= w.n.bit("DMA_SLAVE")
		}
		w.in[inRetireCode] = uint64(code)
		w.poisoned[q] = true
		u.m.allowed |= code
		u.m.must = true
	}
	if w.in[inFlushing] != 0 && !u.forgets {
		w.in[inRetireCode] |= uint64(w.n.bit("DMA_TIMEOUT"))
		w.poisoned[q] = true
		u.m.must = true
	}
	for _, b := range u.releases {
		w.release(b)
	}
	if u.slot >= 0 {
		s := w.slot[u.slot]
		if u.forgets || w.poisoned[q] {
			w.slot[u.slot] = nil
		} else {
			w.send(s)
			s.committed, s.freeAt = true, w.now
			if !w.promptly {
				s.freeAt += w.r.IntN(150)
			}
		}
	}
	u.m.under--
	if u.last {
		u.m.retired = true
	}
}
