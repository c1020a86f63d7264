package emu

// setUp connects what a move is made of. It returns why that is not possible,
// in bits of the return code.
func (j *job) setUp() uint32 {
	m, code := &j.m, &j.e.n.code
	if !j.meaningful() {
		return code.config
	}
	if m.toNetwork() && (!j.e.inbound.enabled() || !j.network.start(j.e, m)) {
		return code.config
	}
	for i, kind := range m.kind {
		if kind == operandNone {
			break
		}
		j.inputs++
		if !j.setUpOperand(i, kind) {
			j.inputs = i
			return code.config
		}
	}
	if j.empty() {
		j.header = m.toNetwork()
		j.message = j.takes(operandMessage)
		return 0
	}
	if m.notice || j.inputs == 0 || m.toNetwork() && m.messageType != j.e.n.message.eager && !j.network.data {
		return code.config // nothing to move, or a message that has no payload
	}
	f, failed := j.setUpLanes()
	if failed != 0 {
		return failed
	}
	if failed := j.setUpUnits(f); failed != 0 {
		return failed
	}
	j.setUpOutlets(f)
	return 0
}

// meaningful tells whether the control word is one that the engine can do.
func (j *job) meaningful() bool {
	m := &j.m
	switch {
	case m.kind[0] == operandUnknown, m.kind[1] == operandUnknown, m.resultKind == resultUnknown:
		return false
	case m.kind[0] == operandNone && m.kind[1] != operandNone:
		return false
	case m.kind[0] == m.kind[1] && (m.kind[0] == operandMessage || m.kind[0] == operandStream):
		return false // there is one of each
	case m.apart() && (m.kind[1] == operandNone || m.result.compressed != m.inner):
		return false // what becomes of operand 1 is its inner form
	case m.keeps && !m.apart():
		return false
	case m.notice && (m.resultKind != resultNetwork || m.messageType != j.e.n.message.eager):
		return false // it is a header alone
	case m.beside() && (m.kind[1] == operandNone || m.wire != m.inner || m.inner && !m.op[1].compressed ||
		j.takes(operandStream)):
		return false // there is one lane for operands 1 and 2
	case m.toStream() || j.takes(operandStream):
		return j.e.hasStreams
	}
	return true
}

func (j *job) takes(kind operandKind) bool { return j.m.kind[0] == kind || j.m.kind[1] == kind }

// empty tells whether the move has no bytes in any form that comes or goes.
func (j *job) empty() bool {
	m := &j.m
	var bytes uint64
	for i := range j.inputs {
		bytes = max(bytes, m.form(m.op[i].compressed))
	}
	if m.toNetwork() {
		bytes = max(bytes, m.form(m.wire))
	}
	if m.resultKind != resultNone && m.resultKind != resultNetwork {
		bytes = max(bytes, m.form(m.result.compressed))
	}
	return bytes == 0
}

func (j *job) setUpOperand(i int, kind operandKind) bool {
	e, m, o, at := j.e, &j.m, &j.operands[i], j.m.op[i]
	o.carried = 0
	switch kind {
	case operandMemory:
		o.memory = memorySource{e, e.space(at.host), at.addr}
		o.src = &o.memory
	case operandWindow:
		mem, ok := e.rendezvous.space(m.windowN)
		if !ok {
			return false
		}
		o.window = windowSource{memorySource{e, mem, at.addr}, m.windowN}
		o.src = &o.window
	case operandStream:
		o.stream = streamSource{s: e.fromKernel, left: m.form(at.compressed)}
		o.src = &o.stream
	case operandMessage:
		from, ok := e.peer(m.comm, m.source)
		if !ok {
			return false
		}
		e.routes.Use(from)
		e.rx.know(from, m.context)
		o.message = messageSource{e: e, from: from, request: m.request(), left: m.form(at.compressed)}
		o.src = &o.message
	}
	return true
}

// setUpOutlets connects the result.
func (j *job) setUpOutlets(f *forms) {
	e, m := j.e, &j.m
	switch {
	case m.toMemory():
		j.memory = memorySink{e, e.space(m.result.host), m.result.addr}
		j.outlet(&j.memory, f, m.result.compressed, f.result)
	case m.toStream():
		j.stream = streamSink{e: e, tdest: e.n.tdest.kernel.get(m.tdest), left: m.form(m.result.compressed)}
		j.outlet(&j.stream, f, m.result.compressed, f.result)
	}
	if m.keeps {
		j.kept = memorySink{e, e.space(m.kept.host), m.kept.addr}
		j.outlet(&j.kept, f, m.inner, lane{})
	}
	if m.toNetwork() && !j.lend(f) {
		j.outlet(&j.network, f, m.wire, f.wire)
	}
}

func (j *job) outlet(s sink, f *forms, compressed bool, l lane) {
	o := &j.outlets[j.outputs]
	j.outputs++
	o.sink, o.unit, o.convert = s, f.unit(compressed), l.fn
	o.pending = false
}

// lend readies the lender for rendezvous data that lie in memory as they are
// sent: those of an operand, or those of the result as it is computed.
func (j *job) lend(f *forms) bool {
	e, m := j.e, &j.m
	if !j.network.data || f.wire.fn != nil {
		return false
	}
	var mem space
	var addr uint64
	alone := j.inputs == 1 || m.apart()
	switch from := &j.operands[0]; {
	case m.beside() && j.operands[2].convert == nil:
		mem, addr = j.operands[2].memory.mem, j.operands[2].memory.addr
	case alone && from.convert == nil && m.kind[0] == operandMemory:
		mem, addr = from.memory.mem, from.memory.addr
	case alone && from.convert == nil && m.kind[0] == operandWindow:
		mem, addr = from.window.mem, from.window.addr
	case m.toMemory() && !m.apart() && !m.beside() && f.result.fn == nil:
		mem, addr = j.memory.mem, j.memory.addr
	default:
		return false
	}
	j.lender = lender{net: &j.network, mem: mem, addr: addr, lease: &lease{waker: e.waker}}
	return true
}
