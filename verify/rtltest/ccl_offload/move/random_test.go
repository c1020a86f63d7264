package moves_test

// random is a move that may be issued.
func (w *world) random() *move {
	m := &move{id: w.nextID, queue: w.r.IntN(queues), messageType: "eager"}
	w.nextID++
	if w.mode.overflows {
		m.queue /= 2
	}
	at := func(i uint64) uint64 { return i<<60 | uint64(m.id)<<36 | w.r.Uint64N(1<<33) }
	operands := []string{memory, memory, kernel, message, message, window}
	pick := func(from []string) string { return from[w.r.IntN(len(from))] }
	m.op[0] = operand{kind: pick(operands), address: at(1), host: w.chance(20)}
	m.op[1] = operand{kind: none, address: at(2), host: w.chance(20)}
	if w.chance(45) {
		m.op[1].kind = pick(operands)
	}
	for m.op[0].kind == m.op[1].kind && (m.op[0].kind == message || m.op[0].kind == kernel) {
		m.op[1].kind = pick(operands)
	}
	m.result = operand{kind: pick([]string{none, memory, memory, kernel, network, network, twoPlaces, twoWays, apart,
		apart, beside, beside}), address: at(3), host: w.chance(20)}
	m.op2, m.kept = at(5), at(6)
	m.keeps = m.result.kind == apart && w.chance(70)
	if m.result.kind == apart && m.op[1].kind == none && w.chance(90) {
		m.op[1].kind = memory
	}
	means := m.result.kind == beside && w.chance(90)
	if means {
		for i := range m.op {
			if kind := &m.op[i].kind; *kind == kernel || *kind == none {
				*kind = memory
			}
		}
	}
	if w.chance(12) { // a receive alone
		m.op[0].kind, m.op[1].kind, m.result.kind, means = message, none, memory, false
	}
	w.randomForms(m)
	if means {
		m.wire, m.op[1].compressed = m.inner, m.op[1].compressed || m.inner
	}
	if m.result.kind == apart && w.chance(90) {
		m.result.compressed = m.inner
	}
	m.kernelTDEST = w.r.Uint64N(256)
	m.source, m.destination = w.r.Uint64N(ranks), w.r.Uint64N(ranks)
	m.fence = w.chance(20)
	m.remote, m.remoteHost = at(4), w.chance(30)
	m.packetIndex, m.headerCount = uint64(w.r.IntN(1000)), uint64(w.r.Uint32())
	if w.chance(30) {
		m.messageType = "rendezvous_data"
	}
	unit := uint64(8)
	if pairs := w.n.pairs(); len(pairs) > 1 {
		unit = 64 // as large as units may be: none is cut
	}
	if w.chance(60) {
		m.segment = (1 + w.r.Uint64N(1500)) * unit
	}
	if w.chance(60) {
		m.chunk = (1 + w.r.Uint64N(2500)) * unit
	}
	if w.lossy && !w.mode.odd {
		m.segment = (1 + w.r.Uint64N(500)) * unit
	}
	if w.chance(20) {
		m.strm = uint64(9 + w.r.IntN(5))
	}
	if w.chance(12) {
		w.randomEmpty(m)
	}
	if w.mode.odd && w.chance(25) {
		w.spoil(m)
	}
	m.settle(w.n, !w.mode.disabled, w.known, w.lossy, w.payload)
	w.randomWindows(m)
	if w.mode.flushes {
		m.allowed |= w.n.bit("DMA_TIMEOUT")
	}
	if w.mode.stalls {
		if m.takes(message) || m.takes(window) {
			m.allowed |= w.n.bit("RECEIVE_TIMEOUT")
			m.silent = w.chance(6)
			m.must = m.must || m.silent && m.takes(message)
		}
		if m.takes(kernel) || m.toKernel() {
			m.allowed |= w.n.bit("KRNL_TIMEOUT_STS")
		}
		if m.toNetwork() {
			m.allowed |= w.n.bit("PACK_TIMEOUT_STS")
		}
	}
	return m
}

// randomForms makes forms and sizes that fit together.
func (w *world) randomForms(m *move) {
	elements := w.r.Uint64N(20) + 1
	if w.chance(50) {
		elements = w.r.Uint64N(6000) + 1
	}
	if w.mode.overflows && w.chance(30) {
		elements = 30000 // queues are full then
	}
	pairs := w.n.pairs()
	pair := pairs[w.r.IntN(len(pairs))]
	m.compressor, m.decompressor = pair[0], pair[1]
	wide, narrow, ok := w.n.conversion(0, m.compressor)
	if !ok {
		panic("a pair of conversions that there are not")
	}
	if w.mode.odd && w.chance(40) { // the conversion that is not used may be anything
		*[]*uint32{&m.compressor, &m.decompressor}[w.r.IntN(2)] = uint32(w.r.IntN(16))
	}
	packed := w.chance(35) || m.keeps && w.chance(40)
	for _, c := range []*bool{&m.op[0].compressed, &m.op[1].compressed, &m.result.compressed, &m.inner, &m.wire} {
		*c = packed && w.chance(50)
	}
	for {
		m.reduction = uint32(w.r.IntN(10))
		log2, ok := w.n.reduction(m.reduction)
		if !ok {
			continue
		}
		if packed {
			if inner := [2]int{wide, narrow}[form(m.inner)]; m.op[1].kind != none && log2 > inner {
				if 1<<inner == 1 {
					m.op[1].kind = none // nothing is reduced that is as small
				}
				continue
			}
			most := elements << min(wide, 4) >> wide // of large units
			m.bytes = [2]uint64{max(most, 1) << wide, max(most, 1) << narrow}
			return
		}
		plain := log2
		if m.op[1].kind == none {
			plain = 0
		}
		m.bytes = [2]uint64{elements << plain, elements << max(plain-1, 0)}
		return
	}
}

// randomEmpty makes a move without bytes.
func (w *world) randomEmpty(m *move) {
	m.bytes = [2]uint64{}
	m.op[1].kind = none
	m.op[0].kind = []string{none, memory, message, message}[w.r.IntN(4)]
	m.messageType = []string{"eager", "rendezvous_data", "rendezvous_announcement", "rendezvous_done"}[w.r.IntN(4)]
}

// spoil makes a move that is mostly not possible.
func (w *world) spoil(m *move) {
	switch w.r.IntN(9) {
	case 0:
		m.junk = []uint32{
			w.n.put("move_control", "op0", 6), w.n.put("move_control", "op1", 7),
		}[w.r.IntN(2)]
	case 1:
		m.op[1].kind = m.op[0].kind
	case 2:
		m.source, m.destination = ranks+w.r.Uint64N(3), ranks+w.r.Uint64N(3)
	case 3:
		m.reduction = uint32(w.r.IntN(256))
	case 4:
		m.compressor, m.decompressor = uint32(w.r.IntN(16)), uint32(w.r.IntN(16))
	case 5:
		m.bytes[w.r.IntN(2)] += []uint64{1, 4, 8}[w.r.IntN(3)]
	case 6:
		m.op[0].kind = none
	case 7:
		m.messageType = []string{"rendezvous_announcement", "rendezvous_done"}[w.r.IntN(2)]
	case 8:
		m.keeps = true
	}
}

func (w *world) randomWindows(m *move) {
	m.windowHost = w.chance(50)
	for i, op := range m.op {
		if op.kind != window {
			continue
		}
		m.windowEnd[i] = m.size(op.compressed)
		if w.mode.bad && w.chance(8) && m.windowEnd[i] > 0 {
			m.windowEnd[i] -= 1 + w.r.Uint64N(m.windowEnd[i])
		}
	}
}

// issue writes the registers of a move, and its control word.
func (w *world) issue(m *move) {
	w.moves[uint64(m.id)] = m
	if !w.mode.overflows {
		for limit := w.now + 200000; w.failure == nil; w.tick() {
			if w.status(false, w.n.offset("move_status", "room"), 0)>>(8*m.queue)&0xFF > 0 {
				break
			}
			if w.now > limit {
				w.fail("queue %d has no room for %v", m.queue, w.queue[m.queue])
			}
		}
	}
	set := func(name string, v uint64) { w.register(true, w.n.offset("move", name), v&0xFFFFFFFF) }
	long := func(name string, v uint64) {
		set(name, v)
		w.register(true, w.n.offset("move", name)+4, v>>32)
	}
	set("bytes", m.bytes[0])
	set("compressed_bytes", m.bytes[1])
	set("tdest", uint64(w.n.put("move_tdest", "compressor", m.compressor)|w.n.put("move_tdest", "decompressor",
		m.decompressor)|
		w.n.put("move_tdest", "reduction", m.reduction)|w.n.put("move_tdest", "kernel", uint32(m.kernelTDEST))))
	long("op0_address", m.op[0].address)
	long("op1_address", m.op[1].address)
	long("op2_address", m.op2)
	long("kept_address", m.kept)
	long("result_address", m.result.address)
	set("comm", communicator)
	set("source", m.source)
	set("destination", m.destination)
	set("comm_context", uint64(3*m.id))
	set("tag", uint64(m.id))
	set("collective_number", 5*uint64(m.id))
	set("collective_count", 7*uint64(m.id))
	set("collective_shape", 11*uint64(m.id))
	set("chunk_bytes", m.chunk)
	set("segment_bytes", m.segment)
	set("strm", m.strm)
	long("remote_address", m.remote)
	set("packet_index", m.packetIndex)
	set("header_count", m.headerCount)
	set("window", uint64(m.id))
	w.issuing = m
	set("control", uint64(m.control(w.n)|uint32(w.r.IntN(64))<<9)) // any steps
}

// collective is the one of its registers, where its context is odd: number, count and shape.
func (m *move) collective() (number, count, shape uint64) {
	if m.id%2 == 0 {
		return 0, 0, 0
	}
	return 5 * uint64(m.id), 7 * uint64(m.id), 11 * uint64(m.id)
}

func (m *move) control(n *numbers) uint32 {
	f := func(name string, v uint32) uint32 { return n.put("move_control", name, v) }
	b := func(name string, v bool) uint32 { return f(name, uint32(flag(v))) }
	return f("op0", n.code("move_operand", m.op[0].kind)) | f("op1", n.code("move_operand", m.op[1].kind)) |
		f("result", n.code("move_result", m.result.kind)) | b("op0_compressed", m.op[0].compressed) |
		b("op1_compressed", m.op[1].compressed) |
		b("inner_compressed", m.inner) | b("result_compressed", m.result.compressed) | b("network_compressed", m.wire) |
		b("op0_host", m.op[0].host) | b("op1_host", m.op[1].host) | b("result_host", m.result.host) | b("fence", m.fence) |
		b("keeps", m.keeps) |
		f("queue", uint32(m.queue)) | f("message_type", n.code("message_type", m.messageType)) |
		b("remote_host", m.remoteHost) | m.junk
}
