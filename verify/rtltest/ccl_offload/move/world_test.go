package moves_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

const (
	slots        = 32
	sessionSlots = 4
	kernelBeats  = 128
	sliceBytes   = 4096
	localRank    = 3
	ranks        = 8
	millisecond  = 40 // cycles
	communicator = 0x2000
	selfKey      = 16
)

// mode is what happens in a run beside good moves.
type mode struct {
	faults, stalls, aborts, resets, bad, overflows, odd, disabled, flushes bool
}

// world is everything around the move engine. It checks what the engine does
// against the moves that it was given.
type world struct {
	n       *numbers
	r       *rand.Rand
	mode    mode
	lossy   bool
	rdma    bool
	payload uint64
	cycle   func(in, out []uint64)
	in, out []uint64
	now     int
	failure error

	moves    map[uint64]*move // by id
	nextID   int
	queue    [queues][]*move // accepted and not counted
	counted  [queues]uint32
	errors   [queues]uint32
	failing  [queues][3]uint64 // source, tag and bytes of the move that failed last
	aborting [queues]bool      // its first move may be given up
	issuing  *move

	peer    pending
	match   [queues]pending
	window  [queues]pending
	posts   [queues]*move   // whose messages go straight to their results
	buffers map[uint64]bool // in use

	slot     [slots]*slot
	sessions [selfKey + 1]session

	path     []*underWay
	poisoned [queues]bool

	inBeats, inPart, outRoom, outPart, outFull uint64
	flushed                                    int // cycle in which the last flush began
	kernelStopped                              int

	event                bool // moves were counted in the cycle before
	rest                 bool // nothing was left in the cycle before
	deciding             bool // a move was not accepted, dropped or refused yet
	met                  int  // aborts in the cycle in which a move is completed
	refuses              bool // the registers that are accessed are not there
	promptly             bool // the data path takes every slice, packets are opened at once
	slices, done, failed int
	landed, cancelled    int    // posts that have ended by themselves, and otherwise
	apart                int    // requests that have met a message of another collective
	besides              [2]int // slices with something beside: as it is, and converted
	keeps                [2]int // slices that keep what they send: as it is, and compressed
}

type pending struct {
	busy bool
	at   int
}

// slot holds a packet that is being filled or sent.
type slot struct {
	p         packet
	m         *move
	key       int
	filled    uint64
	committed bool
	freeAt    int
}

// session is what was handed over of a message that is not complete.
type session struct {
	rest uint64
	m    *move
}

// underWay is a slice in the data path.
type underWay struct {
	m        *move
	queue    uint64
	last     bool
	slot     int // or -1
	forgets  bool
	releases []uint64
	readyAt  int
}

func newWorld(n *numbers, seed uint64, md mode, cycle func(in, out []uint64)) *world {
	w := &world{
		n: n, r: rand.New(rand.NewPCG(seed, 7)), mode: md, cycle: cycle,
		in: make([]uint64, len(inputs.names)), out: make([]uint64, len(outputs.names)),
		moves: map[uint64]*move{}, buffers: map[uint64]bool{}, outRoom: kernelBeats,
		payload: uint64(n.constant("max_packet_bytes") - n.constant("header_bytes")),
		nextID:  1,
	}
	w.lossy, w.rdma = n.stack("udp"), n.stack("rdma")
	w.in[inNetworkEnable] = 1
	if md.disabled {
		w.in[inNetworkEnable] = 0
	}
	w.in[inRemoteLimit], w.in[inLimitCycles] = 1<<20, 1<<30
	if md.stalls {
		w.in[inRemoteLimit], w.in[inLimitCycles] = 60, 2500
	}
	w.in[inReset] = 1
	for range 3 {
		w.tick()
	}
	w.in[inReset] = 0
	return w
}

func (w *world) fail(format string, a ...any) {
	if w.failure == nil {
		w.failure = fmt.Errorf("cycle %d: "+format, append([]any{w.now}, a...)...)
	}
}

func (w *world) chance(percent int) bool { return w.r.IntN(100) < percent }

func (w *world) known(rank uint64) bool { return rank < ranks }

func (w *world) sessionOf(rank uint64) uint64 { return rank % 5 } // some share one

func record(rank uint64) uint64 { return 0x1000 + 24*rank }

func (w *world) keyOf(rank uint64) int {
	if rank == localRank {
		return selfKey
	}
	return int(w.sessionOf(rank))
}

// tick is one cycle: what goes in was decided before, what comes out is checked
// and decides what goes in next.
func (w *world) tick() {
	w.in[inTick] = flag(w.now%millisecond == 0)
	w.cycle(w.in, w.out)
	if w.in[inReset] == 0 {
		w.look()
	}
	w.now++
	w.drive()
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// look takes what happened in the cycle. Slices and packets come before what
// became of moves.
func (w *world) look() {
	if w.out[outOpenValid] != 0 && w.out[outOpenReady] != 0 {
		w.open()
	}
	if w.out[outSliceValid] != 0 && w.in[inSliceReady] != 0 {
		w.slice()
	}
	if w.out[outReleaseValid] != 0 && w.in[inReleaseReady] != 0 {
		w.release(w.out[outReleaseBuffer])
	}
	if w.out[outAbandonValid] != 0 && w.in[inAbandonReady] != 0 {
		key := int(w.out[outAbandonSession])
		if w.out[outAbandonSelf] != 0 {
			key = selfKey
		}
		w.sessions[key] = session{}
	}
	if w.out[outIssueValid] != 0 && w.out[outIssueTag] != uint64(w.issuing.id) && w.issuing.id != 0 {
		w.fail("the move with tag %d was issued, not %v", w.out[outIssueTag], w.issuing)
	}
	if (w.out[outEvent] != 0) != w.event {
		w.fail("there is an event: %d, but moves were counted: %v", w.out[outEvent], w.event)
	}
	if (w.out[outAtRest] != 0) != w.rest {
		w.fail("nothing is left: %d, it says", w.out[outAtRest])
	}
	w.rest = w.out[outDeciding]|w.out[outRefuses] == 0 && len(slices.Concat(w.queue[:]...)) == 0
	decided := bits.OnesCount64(w.out[outAccepted]) + bits.OnesCount64(w.out[outDropped]) +
		bits.OnesCount64(w.out[outOverflowed])
	if decided > 1 || w.deciding && w.out[outDeciding] == 0 {
		w.fail("%v has %d fates", w.issuing, decided)
	}
	w.deciding = w.out[outDeciding] != 0 && decided == 0
	before := w.counted
	for q := range queues {
		w.fate(q)
	}
	w.event = w.counted != before
	w.requests()
	w.kernelEnd()
}

// fate is what becomes of the moves of a queue.
func (w *world) fate(q int) {
	bit := func(i int) bool { return w.out[i]>>q&1 != 0 }
	if bit(outRestart) {
		w.poisoned[q] = false
	}
	if (bit(outAccepted) || bit(outDropped) || bit(outOverflowed)) && q != w.issuing.queue {
		w.fail("queue %d decides on %v", q, w.issuing)
	}
	if bit(outAccepted) {
		if w.errors[q] != 0 || len(w.queue[q]) >= w.n.constant("move_queue_depth") {
			w.fail("a move was accepted by queue %d, which has %d and the errors 0x%X", q, len(w.queue[q]), w.errors[q])
		}
		w.queue[q] = append(w.queue[q], w.issuing)
	}
	if waiting := int(w.out[outWaiting[q]]); waiting > len(w.queue[q]) {
		w.fail("%d moves of queue %d wait, and it has %d", waiting, q, len(w.queue[q]))
	}
	if bit(outDropped) {
		if w.errors[q] == 0 && w.in[inResetMoves] == 0 {
			w.fail("a move was dropped by queue %d, which has no errors", q)
		}
		w.counted[q]++
	}
	if bit(outOverflowed) {
		if len(w.queue[q]) < w.n.constant("move_queue_depth") {
			w.fail("a move was refused by queue %d, which has %d", q, len(w.queue[q]))
		}
		w.counted[q]++
		w.errors[q] |= w.n.bit("CONFIG_SWITCH")
	}
	if bit(outCompleted) {
		w.complete(q)
	}
	switch waiting := int(w.out[outWaiting[q]]); {
	case bit(outFailed):
		w.drop(q)
	case bit(outAbort):
		if bit(outCompleted) && waiting > 0 {
			w.met++
		}
		for _, m := range w.queue[q][len(w.queue[q])-waiting:] {
			if m.started {
				w.fail("an abort dropped %v, which has started", m)
			}
		}
		w.queue[q] = w.queue[q][:len(w.queue[q])-waiting]
		w.counted[q] += uint32(waiting)
		w.aborting[q] = len(w.queue[q]) > 0
	}
	if w.in[inResetMoves] != 0 {
		w.errors[q] = 0
	}
}

func (w *world) complete(q int) {
	if len(w.queue[q]) == 0 {
		w.fail("queue %d has completed a move that it does not have", q)
		return
	}
	m := w.queue[q][0]
	w.queue[q] = w.queue[q][1:]
	w.counted[q]++
	switch {
	case w.aborting[q] && !m.cut:
		w.aborting[q] = false
	case m.code != 0 || m.must:
		w.fail("%v has completed and must fail", m)
	case m.empty && !m.toNetwork():
		if m.takes(message) && len(m.incoming) == 0 {
			w.fail("%v has completed without its message", m)
		}
	case !m.cut || !m.retired:
		w.fail("%v has completed with %d of %d units, retired %v", m, m.done, m.units, m.retired)
	}
	if w.posts[q] != nil {
		w.fail("%v has completed while messages go to its result", m)
	}
	if m.under != 0 {
		w.fail("%v has completed with slices under way", m)
	}
	w.done++
}

func (w *world) drop(q int) {
	if w.posts[q] != nil {
		w.fail("queue %d has failed while messages go to the result of %v", q, w.posts[q])
	}
	code := uint32(w.out[outFailure[q]])
	w.failed++
	allowed := uint32(0)
	exact := true
	for _, m := range w.queue[q] {
		if m.under != 0 {
			w.fail("%v was dropped with slices under way", m)
		}
		if m.allowed != 0 {
			exact = false
		}
		allowed |= m.allowed
		if m.code != 0 && !m.started {
			allowed |= m.code
		}
	}
	if code != 0 {
		w.failing[q] = [3]uint64{w.out[outFailing[q]] >> 32, w.out[outFailing[q]] & 0xFFFFFFFF, w.out[outFailBytes[q]]}
	}
	if w.in[inResetMoves] == 0 {
		source, tag := w.out[outFailing[q]]>>32, w.out[outFailing[q]]&0xFFFFFFFF
		if m := w.moves[tag]; len(w.moves) > 0 && (m == nil || m.queue != q || m.source != source) {
			w.fail("queue %d has failed with a move from %d with tag %d, it says", q, source, tag)
		}
		if code == 0 || code&^allowed != 0 {
			w.fail("queue %d has failed with 0x%X and may with 0x%X; its first move is %v", q, code, allowed, w.queue[q])
		}
		if exact {
			i := slices.IndexFunc(w.queue[q], func(m *move) bool { return m.code != 0 })
			if i >= 0 && w.queue[q][i].code != code {
				w.fail("queue %d has failed with 0x%X, but %v comes first", q, code, w.queue[q][i])
			}
		}
		w.errors[q] |= code
	} else if code != 0 && code&^allowed != 0 {
		w.fail("queue %d has failed with 0x%X in a reset", q, code)
	}
	w.counted[q] += uint32(len(w.queue[q]))
	w.queue[q] = nil
	w.aborting[q] = false
}

// release gives a buffer back.
func (w *world) release(buffer uint64) {
	if !w.buffers[buffer] {
		w.fail("buffer %d was given back, but is not in use", buffer)
	}
	delete(w.buffers, buffer)
}

// drive decides what goes in.
func (w *world) drive() {
	w.in[inMessagesChanged] = flag(w.chance(8))
	w.in[inWindowsChanged] = flag(w.chance(8))
	w.in[inReleaseReady] = flag(w.chance(60))
	w.in[inAbandonReady] = flag(w.chance(50))
	w.in[inSliceReady] = flag(w.promptly || w.chance(70) && len(w.path) < 12)
	w.retire()
	w.drivePackets()
	w.answerPeer()
	for q := range queues {
		w.land(q)
		w.answerMatch(q)
		w.answerWindow(q)
	}
	w.flush()
	w.in[inKernelPushed] = flag(w.in[inFlushing] == 0 && w.inBeats < kernelBeats-1 && w.kernelStopped < w.now &&
		w.chance(60))
	if w.mode.stalls && w.chance(1) && w.r.IntN(40) == 0 {
		w.kernelStopped = w.now + 4000
	}
	if w.chance(2) { // until smaller slices go, of which some wait when there is more again
		w.kernelStopped = max(w.kernelStopped, w.now+w.r.IntN(60))
	}
	w.in[inKernelPopped] = flag(w.in[inFlushing] == 0 && w.outFull > 0 && w.kernelStopped < w.now && w.chance(60))
}

// requests notes those that are new.
func (w *world) requests() {
	note := func(p *pending, valid uint64) {
		if valid != 0 && !p.busy {
			*p = pending{true, w.now + w.r.IntN(8)}
		}
	}
	note(&w.peer, w.out[outPeerValid])
	for q := range queues {
		note(&w.match[q], w.out[outMatchValid[q]])
		note(&w.window[q], w.out[outWindowValid[q]])
	}
	w.finish(&w.peer, inPeerDone)
	for q := range queues {
		w.finish(&w.match[q], inMatchDone[q])
		w.finish(&w.window[q], inWindowDone[q])
	}
}

func (w *world) finish(p *pending, done int) {
	if w.in[done] != 0 {
		*p = pending{}
	}
}

func (w *world) answerPeer() {
	w.in[inPeerDone] = 0
	if !w.peer.busy || w.now < w.peer.at {
		return
	}
	rank := w.out[outPeerRank]
	if w.out[outPeerComm] != communicator && w.issuing.id != 0 {
		w.fail("a rank of communicator 0x%X is looked up", w.out[outPeerComm])
	}
	w.in[inPeerDone] = 1
	w.in[inPeerOK] = flag(w.known(rank))
	w.in[inPeerRecord] = record(rank)
	w.in[inPeerLocal] = localRank
	w.in[inPeerSession] = w.sessionOf(rank)
	w.in[inPeerSelf] = flag(rank == localRank)
}

func (w *world) answerMatch(q int) {
	w.in[inMatchDone[q]] = 0
	if !w.match[q].busy || w.now < w.match[q].at {
		return
	}
	w.in[inMatchDone[q]], w.in[inMatchFound[q]], w.in[inMatchMismatch[q]] = 1, 0, 0
	m := w.moves[w.out[outMatchTag[q]]]
	if m == nil || m.queue != q || !m.takes(message) || !m.empty && m.received == m.size(m.messageForm()) {
		w.fail("queue %d asks for a message that it does not need: %v", q, m)
		return
	}
	if w.out[outMatchRank[q]] != m.source || w.out[outMatchRecord[q]] != record(m.source) ||
		w.out[outMatchSession[q]] != w.sessionOf(m.source) ||
		w.out[outMatchContext[q]] != uint64(m.id)*3 {
		w.fail("%v asks for another message", m)
	}
	if number, count, shape := m.collective(); w.out[outMatchNumber[q]] != number || w.out[outMatchCount[q]] != count ||
		w.out[outMatchShape[q]] != shape {
		w.fail("%v asks for a message of another collective", m)
	}
	if w.mode.bad && w.r.IntN(60) == 0 {
		w.in[inMatchMismatch[q]] = 1
		m.allowed |= w.n.bit("COLLECTIVE_MISMATCH")
		m.must = true
		w.apart++
		return
	}
	if m.silent || w.chance(40) {
		w.post(q, m)
		return
	}
	in := w.newMessage(m)
	m.incoming = append(m.incoming, in)
	m.received += in.bytes
	w.in[inMatchFound[q]] = 1
	w.in[inMatchBytes[q]], w.in[inMatchAddress[q]] = in.bytes, in.address
	w.in[inMatchStored[q]], w.in[inMatchBuffer[q]] = flag(in.stored), in.buffer
}

// post lets the messages of a move go to its result, if it offers that.
func (w *world) post(q int, m *move) {
	if w.out[outOffered[q]] == 0 || w.posts[q] != nil {
		return
	}
	log2 := m.log2[form(m.op[0].compressed)]
	if m.op[0].kind != message || m.op[1].kind != none || m.result.kind != memory ||
		m.op[0].compressed != m.result.compressed || m.inner != m.result.compressed {
		w.fail("%v offers its result to messages", m)
	}
	if w.out[outPostHost[q]] != flag(m.result.host) ||
		w.out[outPostAddress[q]] != m.result.address+m.done<<log2 || w.out[outPostBytes[q]] != (m.units-m.done)<<log2 {
		w.fail("%v offers 0x%X bytes at 0x%X after %d units", m, w.out[outPostBytes[q]], w.out[outPostAddress[q]], m.done)
	}
	if w.chance(70) {
		if w.mode.stalls && w.chance(60) {
			m.silent, m.must = true, true
		}
		w.posts[q] = m
		w.in[inPosted[q]] = 1
	}
}

// land ends a post, when some messages have come, or when it is cancelled.
func (w *world) land(q int) {
	m := w.posts[q]
	w.in[inLanded[q]] = 0
	w.in[inPosted[q]] = flag(m != nil)
	w.in[inLands[q]] = flag(m != nil && !m.silent && w.chance(5))
	if m == nil {
		return
	}
	cancels := w.out[outCancels[q]] != 0
	if !(cancels && w.chance(20) || !cancels && !m.silent && w.chance(4)) {
		return
	}
	w.posts[q] = nil
	w.in[inLanded[q]] = 1
	if cancels {
		w.cancelled++
		return
	}
	w.landed++
	log2 := m.log2[form(m.op[0].compressed)]
	units := m.units - m.done
	if w.chance(50) {
		units = w.r.Uint64N(units)
	}
	w.in[inLandedBytes[q]], w.in[inLandedCode[q]] = units<<log2, 0
	if w.mode.faults && w.chance(10) {
		code := w.n.bit("DMA_DECODE")
		w.in[inLandedCode[q]] = uint64(code)
		m.allowed |= code
		m.must = true
	}
	m.received += units << log2
	m.done += units
	m.started = true
	m.cut = m.done == m.units
	m.retired = m.cut
}

func (w *world) newMessage(m *move) *incoming {
	left, log2 := m.size(m.messageForm())-m.received, m.log2[form(m.messageForm())]
	in := &incoming{address: uint64(w.r.Uint32())<<8 + uint64(w.r.IntN(256))}
	switch most := min(left>>log2, 5000); {
	case w.mode.bad && w.chance(3):
		in.bytes = left + 1 + uint64(w.r.IntN(5))
	case w.mode.bad && log2 > 0 && left > 0 && w.chance(3):
		in.bytes = min(left, uint64(w.r.IntN(100))<<log2+1)
	case m.empty || w.chance(6):
	case w.chance(15):
		in.bytes = min(left, 40000)
	default:
		in.bytes = (1 + w.r.Uint64N(most)) << log2
	}
	if in.bytes > left || in.bytes%(1<<log2) != 0 {
		m.allowed |= w.n.bit("SEGMENTER_EXPECTED_BTT")
		m.must = true
	}
	if in.stored = in.bytes > 0 || w.chance(20); in.stored {
		for in.buffer = w.r.Uint64N(256); w.buffers[in.buffer]; in.buffer = w.r.Uint64N(256) {
		}
		w.buffers[in.buffer] = true
	}
	return in
}

func (w *world) answerWindow(q int) {
	w.in[inWindowDone[q]] = 0
	if !w.window[q].busy || w.now < w.window[q].at {
		return
	}
	w.in[inWindowDone[q]] = 1
	m := w.moves[w.out[outWindow[q]]]
	if m == nil || m.queue != q || !m.takes(window) {
		w.fail("queue %d asks for a window that it does not need: %v", q, m)
		return
	}
	i := slices.IndexFunc(m.op[:], func(o operand) bool {
		return o.kind == window && w.out[outWindowAddress[q]]-o.address <= m.size(o.compressed)
	})
	if i < 0 {
		w.fail("%v reads the window at 0x%X", m, w.out[outWindowAddress[q]])
		return
	}
	w.in[inWindowOK[q]] = 1
	if w.mode.bad && w.chance(1) {
		w.in[inWindowOK[q]] = 0
		m.allowed |= w.n.bit("CONFIG_SWITCH")
		m.must = true
	}
	at := w.out[outWindowAddress[q]] - m.op[i].address
	if !m.silent && w.chance(70) {
		m.arrived[i] = min(m.windowEnd[i], m.arrived[i]+w.r.Uint64N(9000))
	}
	if m.arrived[i] < at {
		m.arrived[i] = at
	}
	w.in[inWindowBytes[q]] = m.arrived[i] - at
	w.in[inWindowMore[q]] = flag(m.arrived[i] < m.windowEnd[i] || m.silent)
	w.in[inWindowHost[q]] = flag(m.windowHost)
	if m.windowEnd[i] < m.size(m.op[i].compressed) && !m.silent {
		m.allowed |= w.n.bit("SEGMENTER_EXPECTED_BTT")
		m.must = true
	}
}
