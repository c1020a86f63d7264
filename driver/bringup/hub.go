package bringup

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
)

// hub is the part of rank 0 in the world. Rank 0 itself is one of its peers.
type hub struct {
	o    *Options
	size int
	at   string // its address, for others
	key  []byte

	listener net.Listener // nil for a world of one
	group    sync.WaitGroup

	mu        sync.Mutex
	step      Step   // StepJoin, StepConfigure, StepRun
	verdict   *Error // of all, nil so far
	closed    bool
	peers     []*peer // by rank, nil if it has not come
	missing   int
	everybody chan struct{}   // closed when all have come once
	told      *sync.WaitGroup // of whom the last decision has to be written to
	guests    guests
	points    map[Point][]*peer // to which these have come
}

// peer is a rank that has proved the secret.
type peer struct {
	rank    int
	address string
	link    *link
	member  *Member
	ready   bool
	gone    bool
	left    chan struct{} // closed when it is gone after it had come
	sharing bool          // it waits for what others give
	share   []byte        // what it has given
	asked   map[inquiry]struct{}
	why     string // it is gone
}

var errOver = errors.New("nothing more is expected")

func newHub(o *Options, listener net.Listener, at string) *hub {
	return &hub{
		o: o, size: o.Size, at: at, key: jobKey(o.Secret, o.Job), listener: listener, step: StepJoin,
		peers: make([]*peer, o.Size), missing: o.Size, everybody: make(chan struct{}),
		guests: guests{room: o.Size + spareGuests, notes: map[string]int{}}, told: new(sync.WaitGroup),
		points: map[Point][]*peer{},
	}
}

// admit adds a rank that has proved the secret. answer, if not empty, is the rest of the
// proof, for which it waits.
func (h *hub) admit(conn net.Conn, address string, rank, size uint32, k keys, answer []byte) {
	p := &peer{address: address, asked: map[inquiry]struct{}{}, left: make(chan struct{}),
		link: newLink(conn, k.fromRank0, k.toRank0, h.o.Silence)}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		conn.Close()
		return
	}
	refusal := h.place(p, rank, size)
	if refusal != nil {
		p.gone = true
		p.link.put(message{kind: frameFailed, payload: refusal.encode()})
	}
	h.group.Add(1) // for the end of the link
	h.mu.Unlock()
	if len(answer) > 0 {
		if _, err := conn.Write(answer); err != nil {
			conn.Close() // the reader says so
		}
	}
	p.link.start(func(kind byte, payload []byte) error { return h.hear(p, kind, payload) }, func(err error) {
		h.lost(p, err)
		go func() { // the link waits for this call to return
			defer h.group.Done()
			p.link.finish()
		}()
	})
	if refusal != nil {
		go p.link.finish()
	}
}

// place adds a peer at its rank. The error is why it cannot stay.
func (h *hub) place(p *peer, rank, size uint32) *Error {
	if size != uint32(h.size) || rank >= size {
		return h.refuse(&Error{ErrSize, StepJoin, int(min(rank, MaxSize-1)), p.address,
			fmt.Sprintf("it was started as one of %d ranks, rank 0 at %s as one of %d", size, h.at, h.size)})
	}
	p.rank = int(rank)
	if old := h.peers[rank]; old != nil {
		what := "the rank is there twice: the other one is at "
		if old.gone {
			what = "the rank has left, and cannot come again, from "
		}
		return h.refuse(&Error{ErrDuplicate, StepJoin, p.rank, old.address, what + p.address})
	}
	h.peers[rank] = p
	if h.missing--; h.missing == 0 {
		close(h.everybody)
	}
	return h.verdict
}

// refuse is the error of a peer that does not belong here. Until the world is complete,
// another rank may be the wrong one, so all are told.
func (h *hub) refuse(e *Error) *Error {
	if h.step == StepJoin {
		h.fail(e)
	}
	if h.verdict != nil {
		return h.verdict
	}
	return e
}

// fail ends the bring-up with an error for all, if it has not failed before.
func (h *hub) fail(e *Error) {
	if h.verdict != nil || h.step == StepRun {
		return
	}
	h.verdict = e
	h.told = h.tell(frameFailed, e.encode())
}

// tell queues a message to all connected ranks. The result is done when it was written to
// all.
func (h *hub) tell(kind byte, payload []byte) *sync.WaitGroup {
	written := new(sync.WaitGroup)
	for _, p := range h.peers {
		if p != nil && !p.gone {
			written.Add(1)
			p.link.put(message{kind, payload, written.Done})
		}
	}
	return written
}

// flush waits until the last decision has been written to all.
func (h *hub) flush() {
	h.mu.Lock()
	told := h.told
	h.mu.Unlock()
	told.Wait()
}

// hear handles a message of a rank.
func (h *hub) hear(p *peer, kind byte, payload []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.gone {
		return nil // it has been told why
	}
	over := h.verdict != nil || h.closed
	switch {
	case kind == frameGoodbye:
		if !over && h.step != StepRun {
			h.leave(p, "it has closed its world before all were ready")
		}
		h.depart(p, "it has closed its world")
		h.exchange()
		return errOver
	case over:
		return nil
	case kind == frameLimit:
		h.limit(p, clean(string(payload)))
	case kind == frameMember && h.step == StepJoin && p.member == nil:
		m, err := decodeMember(payload, h.size)
		if err != nil {
			return fmt.Errorf("%w: its description: %w", errProtocol, err)
		}
		m.Rank, m.Address = p.rank, p.address
		p.member = &m
		h.joined()
	case kind == frameReady && h.step == StepConfigure && !p.ready:
		p.ready = true
		if len(h.who(func(p *peer) bool { return !p.ready })) == 0 {
			h.step = StepRun
			h.told = h.tell(frameReady, nil)
		}
	case kind == frameShare && h.step == StepRun && !p.sharing:
		p.sharing, p.share = true, payload
		h.exchange()
	case kind == frameArrive && h.step == StepRun:
		return h.arrive(p, payload)
	case (kind == frameAsk || kind == frameAnswer || kind == frameNoAnswer) && h.step == StepRun:
		return h.pass(p, kind, payload)
	case kind == frameFailed && h.step == StepConfigure && !p.ready:
		h.fail(&Error{ErrNotReady, StepConfigure, p.rank, p.address, "it cannot configure its engine: " +
			clean(string(payload))})
	default:
		return fmt.Errorf("%w: message %d in step %s", errProtocol, kind, h.step)
	}
	return nil
}

// who lists the ranks that have not come, and those for which is returns true.
func (h *hub) who(is func(*peer) bool) (ranks []int) {
	for rank, p := range h.peers {
		if p == nil || is(p) {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}

// joined starts the world if all descriptions have come.
func (h *hub) joined() {
	if len(h.who(func(p *peer) bool { return p.member == nil })) > 0 {
		return
	}
	members := make([]Member, h.size)
	texts := make([][]byte, h.size)
	for i, p := range h.peers {
		members[i] = *p.member
		var err error
		if texts[i], err = json.Marshal(p.member); err != nil {
			h.fail(&Error{errUnexpected, StepJoin, i, p.address, err.Error()})
			return
		}
	}
	if e := fit(members); e != nil {
		h.fail(e)
		return
	}
	h.step = StepConfigure
	for _, text := range texts {
		h.tell(frameMember, text)
	}
	h.tell(frameJoined, nil)
}

// limit ends the bring-up because the time of a rank is over.
func (h *hub) limit(p *peer, why string) {
	by := fmt.Sprintf("rank %d at %s waits no longer (%s)", p.rank, p.address, why)
	switch h.step {
	case StepJoin:
		ranks := h.who(func(p *peer) bool { return p.member == nil })
		verb := "have"
		if len(ranks) == 1 {
			verb = "has"
		}
		h.fail(&Error{ErrMissing, StepMeet, ranks[0], "", fmt.Sprintf("%s of %d %s not come to %s, and %s%s", list(ranks),
			h.size, verb, h.at, by, h.guests.refused())})
	case StepConfigure:
		ranks := h.who(func(p *peer) bool { return !p.ready })
		h.fail(&Error{ErrNotReady, StepConfigure, ranks[0], h.peers[ranks[0]].address,
			fmt.Sprintf("no word of %s whether the engine is configured, and %s", list(ranks), by)})
	}
}

// lost handles the end of a rank's connection.
func (h *hub) lost(p *peer, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.gone || h.closed || errors.Is(err, errOver) {
		return
	}
	h.leave(p, p.link.why(err))
}

// leave tells the others that a rank has left.
func (h *hub) leave(p *peer, why string) {
	h.depart(p, "it has left: "+why)
	e := &Error{ErrLeft, h.step, p.rank, p.address, p.why}
	if h.step == StepRun {
		h.tell(frameLeft, e.encode())
		return
	}
	if p.ready {
		e.Step = StepReady
	}
	h.fail(e)
}

// close ends the hub, in order if all were ready, and waits until the others have
// received it, or a limit has passed.
func (h *hub) close() {
	h.mu.Lock()
	if h.step != StepRun {
		h.fail(&Error{ErrLeft, h.step, 0, h.at, "it has left: it has closed its world before all were ready"})
	}
	if h.verdict == nil {
		h.tell(frameGoodbye, nil)
	}
	h.closed = true
	peers := h.peers
	h.mu.Unlock()
	if h.listener != nil {
		h.listener.Close()
	}
	h.guests.close()
	var links sync.WaitGroup
	for _, p := range peers {
		if p != nil {
			links.Go(func() { p.link.finish() })
		}
	}
	links.Wait()
	h.group.Wait()
}
