package emu

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// mover is the move engine: the queues, and the registers by which the
// processor sees them.
type mover struct {
	e      *Engine
	regs   moveRegisters
	queues []queue
	lent   []*lease // of moves that were dropped or have failed before receivers took all their packets
	issued uint64
}

// queue runs moves strictly one after another.
type queue struct {
	waiting   []move // issued, not started; at most the depth
	job       *job   // the one that runs
	running   bool
	completed uint32
	most      int                                 // moves at a time
	errors    uint32                              // bits of the return code
	failed    struct{ source, tag, bytes uint32 } // registers of the move that failed last
}

func queueNames(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(prefix, i)
	}
	return names
}

func newMover(e *Engine) *mover {
	m := &mover{e: e, queues: make([]queue, e.n.moveQueues)}
	for i := range m.queues {
		m.queues[i].waiting = make([]move, 0, e.n.moveQueueDepth)
		m.queues[i].job = newJob(e)
	}
	m.attach(e.bus)
	return m
}

func (m *mover) attach(b *bus) {
	r := &m.regs
	b.on("move", "control", nil, func(v uint32) error { m.issue(v); return nil })
	for name, v := range map[string]*uint32{
		"bytes": &r.bytes, "compressed_bytes": &r.compressedBytes, "tdest": &r.tdest,
		"comm": &r.comm, "source": &r.source, "destination": &r.destination,
		"comm_context": &r.context, "tag": &r.tag,
		"collective_number": &r.collective.number, "collective_count": &r.collective.count,
		"collective_shape": &r.collective.shape,
		"chunk_bytes":      &r.chunkBytes, "segment_bytes": &r.segmentBytes, "strm": &r.strm,
	} {
		b.variable("move", name, v)
	}
	for name, v := range map[string]*uint64{
		"op0_address": &r.op0Address, "op1_address": &r.op1Address, "op2_address": &r.op2Address,
		"kept_address": &r.keptAddress, "result_address": &r.resultAddress,
		"op0_stride": &r.op0Stride, "op1_stride": &r.op1Stride, "result_stride": &r.resultStride,
	} {
		b.variable64("move", name, v)
	}
	if m.e.n.rendezvous {
		b.variable64("move", "remote_address", &r.remoteAddress)
		b.variable("move", "packet_index", &r.packetIndex)
		b.variable("move", "header_count", &r.headerCount)
		b.variable("move", "window", &r.windowN)
	}
	b.on("move_status", "room", m.room, nil)
	b.on("move_status", "state", m.state, nil)
	b.on("move_status", "abort", nil, func(v uint32) error { m.abort(v); return nil })
	for i, name := range queueNames("completed_", len(m.queues)) {
		b.on("move_status", name, func() uint32 { return m.queues[i].completed }, nil)
	}
	for i, name := range queueNames("error_", len(m.queues)) {
		q := &m.queues[i]
		b.on("move_status", name, func() uint32 { return q.errors }, func(uint32) error { q.errors = 0; return nil })
		b.on("move_status", fmt.Sprint("failed_source_", i), func() uint32 { return q.failed.source }, nil)
		b.on("move_status", fmt.Sprint("failed_tag_", i), func() uint32 { return q.failed.tag }, nil)
		b.on("move_status", fmt.Sprint("failed_bytes_", i), func() uint32 { return q.failed.bytes }, nil)
	}
}

// issue puts a move with the present registers into its queue.
func (m *mover) issue(control uint32) {
	e := m.e
	mv := e.n.decode(&m.regs, control)
	m.regs.step(e.n, &mv, e.packets(&mv))
	m.issued++
	c := &e.n.control
	e.traces(&e.n.trace.moveIssued, c.op0.get(control), c.op1.get(control), c.result.get(control), uint32(mv.queue),
		mv.source, mv.destination)
	if e.o.OnMove != nil {
		e.o.OnMove(mv.public())
	}
	if mv.queue >= len(m.queues) {
		return // more codes than queues
	}
	q := &m.queues[mv.queue]
	switch {
	case q.errors != 0:
		m.count(q, 1)
	case q.depth() >= e.n.moveQueueDepth:
		q.errors |= e.n.code.config
		m.count(q, 1)
	default:
		q.waiting = append(q.waiting, mv)
		q.most = max(q.most, q.depth())
	}
}

func (q *queue) depth() int {
	if q.running {
		return len(q.waiting) + 1
	}
	return len(q.waiting)
}

// count notes that moves have ended.
func (m *mover) count(q *queue, n int) {
	if n > 0 {
		q.completed += uint32(n)
		m.e.raise(m.e.n.wake.move)
	}
}

// state is the layout move_state.
func (m *mover) state() uint32 {
	var busy, failed uint32
	for i := range m.queues {
		if m.queues[i].depth() > 0 {
			busy |= 1 << i
		}
		if m.queues[i].errors != 0 {
			failed |= 1 << i
		}
	}
	f := &m.e.n.state
	return f.busy.put(busy) | f.failed.put(failed)
}

func (m *mover) room() uint32 {
	var v uint32
	for i := range m.queues {
		f := m.e.n.room[i]
		v |= f.put(min(uint32(m.e.n.moveQueueDepth-m.queues[i].depth()), f.mask))
	}
	return v
}

// progress gives each queue a turn, and tells whether anything moved.
func (m *mover) progress() bool {
	busy := false
	for i := range m.queues {
		q := &m.queues[i]
		if !q.running {
			if len(q.waiting) == 0 {
				continue
			}
			q.job.m = q.waiting[0]
			q.waiting = q.waiting[:copy(q.waiting, q.waiting[1:])]
			q.running = true
			m.e.looksAtClock()
			q.job.begin()
			busy = true
		}
		switch q.job.turn() {
		case jobRuns:
			busy = true
		case jobEnded:
			m.end(i)
			busy = true
		}
	}
	return busy
}

// end takes the job's outcome.
func (m *mover) end(i int) {
	q := &m.queues[i]
	q.running = false
	m.e.looksAtClock()
	n := 1
	if f := &q.job.m; q.job.code != 0 {
		q.errors |= q.job.code
		q.failed.source, q.failed.tag, q.failed.bytes = f.source, f.tag, f.bytes
		n += len(q.waiting)
		q.waiting = q.waiting[:0]
		m.e.traces(&m.e.n.trace.movesFailed, 1<<i)
	} else {
		m.e.traces(&m.e.n.trace.movesCompleted, 1<<i, uint32(m.e.rx.used))
	}
	m.release(q.job)
	m.count(q, n)
}

// deadline is when the next wait of a move ends, in nanoseconds since
// power-up.
func (m *mover) deadline() int64 {
	d := int64(math.MaxInt64)
	for i := range m.queues {
		if q := &m.queues[i]; q.running {
			d = min(d, q.job.deadline())
		}
	}
	return d
}

// abort drops the moves of queues that have not started, and one that waits
// for others.
func (m *mover) abort(queues uint32) {
	for ; queues != 0; queues &= queues - 1 {
		i := bits.TrailingZeros32(queues)
		if i >= len(m.queues) {
			return
		}
		q := &m.queues[i]
		m.drop(q, q.running && q.job.waitsForOthers())
	}
}

// reset drops all moves.
func (m *mover) reset() {
	for i := range m.queues {
		q := &m.queues[i]
		m.drop(q, q.running)
		q.errors = 0
	}
}

func (m *mover) drop(q *queue, running bool) {
	n := len(q.waiting)
	q.waiting = q.waiting[:0]
	if running {
		q.running = false
		m.release(q.job)
		n++
	}
	m.count(q, n)
}

// release gives back what a move still holds, and remembers memory that receivers have yet to take.
func (m *mover) release(j *job) {
	if l := j.lender.lease; l != nil && l.out.Load() > 0 && j.code&m.e.n.code.sendTimeout == 0 {
		l.until = m.e.now + m.e.timers.remote()
		m.lent = append(m.lent, l)
	}
	j.release()
}

// lending tells whether receivers may still read memory of moves that were dropped or have failed. A receiver
// that takes nothing is given up after the remote limit.
func (m *mover) lending() bool {
	m.lent = slices.DeleteFunc(m.lent, func(l *lease) bool { return l.out.Load() == 0 || m.e.now >= l.until })
	return len(m.lent) > 0
}
