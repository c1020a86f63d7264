package datapath_test

// newMove makes one; only says what it must be, nil for anything.
func (w *world) newMove(only func(*move)) *move {
	m := &move{slices: 1 + w.r.IntN(5), packetBytes: 64 + w.r.IntN(slotBytes-128)}
	t := &m.template
	one := func() bool { return w.r.IntN(2) == 0 }
	m.unit = w.r.IntN(3)
	for i := range m.ops {
		o := &m.ops[i]
		o.from, o.host, o.bytes = fromMemory, w.r.IntN(2), 1<<m.unit
		if i == 1 && one() {
			o.from = fromNone
			continue
		}
		if m.unit > 0 && w.r.IntN(3) == 0 {
			o.convert = true
			if m.unit == 1 {
				o.tdest, o.bytes = narrow, 4
			} else {
				o.tdest, o.bytes = widen, 2
			}
		}
		if w.r.IntN(4) == 0 && m.ops[0].from != fromKernel {
			o.from, o.host = fromKernel, 0
		}
	}
	t.reduce, t.reduceTDEST = m.ops[1].from != fromNone, uint64(w.r.IntN(200))
	switch w.r.IntN(11) {
	case 0, 1:
		t.toMemory = true
	case 2:
		t.toKernel = true
	case 3, 4:
		t.toNetwork = true
	case 5:
		t.toMemory, t.toNetwork = true, true
	case 6:
		t.toKernel, t.toNetwork = true, true
	case 7:
		t.toMemory, t.toNetwork = true, true
		t.apart = t.reduce
		t.reduce, t.keeps = false, t.reduce && one()
	case 8, 9:
		t.toMemory, t.toNetwork = true, true
		m.besides(w)
	}
	t.resultHost, t.kernelTDEST = w.r.IntN(2), uint64(w.r.IntN(256))
	if m.unit > 0 {
		t.resultConvert, t.wireConvert = w.r.IntN(3) == 0 && (t.toMemory && !t.apart || t.toKernel), w.r.IntN(3) == 0 &&
			t.toNetwork && m.beside.from == fromNone
		t.convertTDEST = widen
		if m.unit == 2 {
			t.convertTDEST = narrow
		}
	}
	if only != nil {
		only(m)
		t.apart = t.apart && !t.reduce && m.ops[1].from != fromNone
		t.keeps = t.keeps && t.apart
		if !t.reduce || m.fromKernel() || !t.toMemory || !t.toNetwork {
			m.beside = operand{}
		}
	}
	m.toKernel = t.toKernel
	return m
}

// besides adds what goes to the network beside a reduction: converted only where
// operand 1 is not.
func (m *move) besides(w *world) {
	if m.fromKernel() {
		return
	}
	if m.ops[1].from == fromNone {
		m.ops[1] = operand{from: fromMemory, host: w.r.IntN(2), bytes: 1 << m.unit}
		m.template.reduce = true
	}
	o := operand{from: fromMemory, bytes: 1 << m.unit}
	if m.unit > 0 && w.r.IntN(2) == 0 {
		m.ops[1].convert, m.ops[1].bytes = false, 1<<m.unit
		o.convert = true
		if o.tdest, o.bytes = narrow, 4; m.unit == 2 {
			o.tdest, o.bytes = widen, 2
		}
	}
	m.beside = o
}

// unitsOf is how many units the next slice has.
func (w *world) unitsOf(m *move) int {
	if m.size != 0 {
		return m.size
	}
	largest := max(1<<m.unit, m.ops[0].bytes, m.ops[1].bytes, m.beside.bytes, 2<<m.unit)
	limit := sliceBytes / largest
	switch w.r.IntN(4) {
	case 0:
		return min(limit, max(1, w.r.IntN(200)>>m.unit))
	case 1:
		return min(limit, 64*(1+w.r.IntN(4)))
	case 2:
		return limit
	}
	return 1 + w.r.IntN(limit)
}
