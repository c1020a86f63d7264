package emu

import "math"

// segmentBytes is about how much a move moves before others get their turn.
const segmentBytes = 64 << 10

type jobState uint8

const (
	jobWaits jobState = iota
	jobRuns
	jobEnded
)

// job runs one move. What it is made of is kept for the next move.
type job struct {
	e    *Engine
	m    move
	code uint32 // bits of the return code that it failed with

	operands  [3]operand
	inputs    int // of the operands
	outlets   [3]outlet
	outputs   int // of the outlets
	memory    memorySink
	kept      memorySink
	stream    streamSink
	network   networkSink
	lender    lender
	forms     forms
	reduce    *reduction
	innerUnit int    // bytes
	units     uint64 // left
	block     int    // most units at a time
	message   bool   // takes one message without payload, first
	header    bool   // sends one header alone, at last

	waits wait
	since int64 // when it began to wait
}

func newJob(e *Engine) *job { return &job{e: e} }

// begin sets its move up, which fails at the first turn if that is not possible.
func (j *job) begin() {
	j.waits = waitNone
	j.inputs, j.outputs, j.units = 0, 0, 0
	j.message, j.header = false, false
	j.lender, j.network, j.reduce = lender{}, networkSink{}, nil
	j.code = j.setUp()
}

// turn moves about a segment.
func (j *job) turn() jobState {
	if j.code != 0 {
		return jobEnded
	}
	units, sent := j.units, j.network.sent
	w, code := j.advance()
	if code != 0 {
		j.code = code
		return jobEnded
	}
	if w == waitNone && j.units == 0 {
		return jobEnded
	}
	moved := j.units != units || j.network.sent != sent
	if moved || j.waits != w {
		j.waits, j.since = w, j.e.now
	}
	switch {
	case j.e.now >= j.deadline():
		j.code = j.timeoutCode()
		return jobEnded
	case moved:
		return jobRuns
	}
	return jobWaits
}

// advance moves units until the turn is over. After the last one, it ends the
// move when it has nothing to wait for.
func (j *job) advance() (wait, uint32) {
	if j.message {
		if w, code := j.operands[j.messageOperand()].message.empty(); w != waitNone || code != 0 {
			return w, code
		}
		j.message = false
	}
	for budget := segmentBytes; j.units > 0; {
		if budget <= 0 {
			return waitNone, 0
		}
		n, w, code := j.move()
		budget -= n * j.innerUnit
		j.units -= uint64(n)
		if w == waitNone && code == 0 {
			w, code = j.lender.pump()
		}
		if w != waitNone || code != 0 {
			return w, code
		}
	}
	return j.finish()
}

// finish brings everything to where it belongs.
func (j *job) finish() (wait, uint32) {
	if j.header {
		j.header = false
		j.e.traces(&j.e.n.trace.sliceBegun, uint32(j.m.queue), 1, 1) // which has no bytes
		j.network.alone()
	}
	for i := range j.outputs {
		if w, code := j.outlets[i].finish(); w != waitNone || code != 0 {
			return w, code
		}
	}
	if w, code := j.network.flush(); w != waitNone || code != 0 {
		return w, code
	}
	return j.lender.finish()
}

// release gives back what the move still holds.
func (j *job) release() {
	for i := range j.inputs {
		j.operands[i].src.end()
	}
	j.network.end()
	j.inputs, j.outputs = 0, 0
	j.waits = waitNone
	j.lender = lender{}
}

func (j *job) messageOperand() int {
	if j.m.kind[0] == operandMessage {
		return 0
	}
	return 1
}

// waitsForOthers tells whether the move waits for a remote rank.
func (j *job) waitsForOthers() bool {
	return j.waits == waitMessage || j.waits == waitWindow || j.waits == waitRemote
}

// deadline is when the present wait ends, in nanoseconds since power-up.
func (j *job) deadline() int64 {
	switch j.waits {
	case waitNone:
		return math.MaxInt64
	case waitStream:
		return j.since + max(j.e.clock.cycles(j.e.timers.limitCycles), int64(j.e.o.Patience))
	default:
		return j.since + j.e.timers.remote()
	}
}

func (j *job) timeoutCode() uint32 {
	switch j.waits {
	case waitStream:
		return j.e.n.code.streamTimeout
	case waitRemote:
		return j.e.n.code.sendTimeout
	default:
		return j.e.n.code.receiveTimeout
	}
}
