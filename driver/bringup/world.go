package bringup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// World is the ranks of a program, as one of them sees them. Its methods may be called
// concurrently.
type World struct {
	o    *Options
	meet string
	hub  *hub // of rank 0, nil on others
	link *link

	joined  chan struct{} // closed when all are there, or it has failed
	decided chan struct{} // closed when all are ready, or it has failed
	trouble chan struct{} // closed at the first error
	ended   chan struct{} // closed when the link has nothing more to say

	mu      sync.Mutex
	step    Step
	members []Member
	err     *Error // the first
	said    bool   // this rank has said whether it is ready
	closed  bool
	left    chan error
	deaf    bool // left is closed
	close   sync.Once

	turn     chan struct{} // held by who exchanges
	apart    chan struct{} // closed when ranks no longer agree on how often they have
	sharing  bool          // an exchange is under way
	shares   [][]byte      // what has come of it
	exchange chan [][]byte // what came of it

	arrived []arrival     // points to which all have come
	news    chan struct{} // there are some

	asked     uint32                 // questions of this rank
	open      map[uint32]chan answer // those without an answer
	answers   map[string]Answers     // by subject
	questions []letter               // of others
	answering bool
	life      context.Context // ends with Close
	end       context.CancelFunc
}

func newWorld(o *Options) *World {
	life, end := context.WithCancel(context.Background())
	return &World{
		life: life, end: end, open: map[uint32]chan answer{}, answers: map[string]Answers{},
		o: o, step: StepJoin, joined: make(chan struct{}), decided: make(chan struct{}), trouble: make(chan struct{}),
		ended: make(chan struct{}),
		left:  make(chan error, o.Size+1), turn: make(chan struct{}, 1), apart: make(chan struct{}),
		exchange: make(chan [][]byte, 1), news: make(chan struct{}, 1),
	}
}

// begin starts the link to rank 0.
func (w *World) begin(c net.Conn, k keys) {
	w.link = newLink(c, k.toRank0, k.fromRank0, w.o.Silence)
	w.link.start(w.hear, func(err error) {
		w.over(err)
		go func() { // the link waits for this call to return
			defer close(w.ended)
			w.link.finish()
		}()
	})
}

func (w *World) hear(kind byte, payload []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case kind == frameMember && w.step == StepJoin && len(w.members) < w.o.Size:
		m, err := decodeMember(payload, w.o.Size)
		if err != nil {
			return fmt.Errorf("%w: the description of rank %d: %w", errProtocol, len(w.members), err)
		}
		if m.Rank != len(w.members) {
			return fmt.Errorf("%w: the description of rank %d comes in the place of rank %d", errProtocol,
				m.Rank, len(w.members))
		}
		w.members = append(w.members, m)
	case kind == frameJoined && w.step == StepJoin && len(w.members) == w.o.Size:
		w.step = StepConfigure
		close(w.joined)
	case kind == frameReady && w.step == StepConfigure && w.said:
		w.step = StepRun
		close(w.decided)
	case kind == frameShare && w.sharing:
		if w.shares = append(w.shares, payload); len(w.shares) == w.o.Size {
			w.exchange <- w.shares
			w.sharing, w.shares = false, nil
		}
	case kind == frameArrive && w.step == StepRun:
		return w.together(payload)
	case kind == frameAsk && w.step == StepRun:
		return w.question(payload)
	case (kind == frameAnswer || kind == frameNoAnswer) && w.step == StepRun:
		return w.answered(kind, payload)
	case kind == frameFailed || kind == frameLeft && w.step == StepRun:
		e, err := decodeError(payload)
		if err != nil {
			return fmt.Errorf("%w: %w", errProtocol, err)
		}
		w.note(e)
		if kind == frameFailed {
			return errOver
		}
	case kind == frameGoodbye:
		return errOver
	default:
		return fmt.Errorf("%w: message %d in step %s", errProtocol, kind, w.step)
	}
	return nil
}

// note keeps an error, and reports it.
func (w *World) note(e *Error) {
	if w.err == nil {
		w.err = e
		close(w.trouble)
		switch w.step {
		case StepJoin:
			close(w.joined)
			close(w.decided)
		case StepConfigure:
			close(w.decided)
		}
	}
	if !w.deaf {
		select {
		case w.left <- e:
		default: // there is room for one of each rank
		}
	}
}

// over handles the end of the link.
func (w *World) over(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !errors.Is(err, errOver) && !w.closed {
		// All that hear this alone should say the same.
		e := &Error{ErrLeft, w.step, 0, w.meet, "it has left: " + w.link.why(err)}
		if w.step == StepConfigure {
			e.Step = StepReady
		}
		if len(w.members) > 0 {
			e.Address = w.members[0].Address
		}
		w.note(e)
	}
	if !w.deaf {
		w.deaf = true
		close(w.left)
	}
}

// wait waits for a step that all ranks take together. If the time is over, it tells rank
// 0, and waits for the common outcome.
func (w *World) wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return w.outcome()
	case <-ctx.Done():
	}
	reason := why(ctx, w.o.Timeout)
	w.link.put(message{kind: frameLimit, payload: []byte(clean(reason))})
	limit := time.NewTimer(w.o.Silence)
	defer limit.Stop()
	select {
	case <-done:
		return w.outcome()
	case <-limit.C:
	}
	e := &Error{ErrMissing, StepJoin, 0, w.meet,
		fmt.Sprintf("it does not say what becomes of the world, and rank %d waits no longer (%s)", w.o.Rank, reason)}
	if done == w.decided {
		e.Kind, e.Step = ErrNotReady, StepReady
	}
	return e
}

// outcome is the error of a step that is done. What has come after all were ready is
// none of that.
func (w *World) outcome() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || w.step == StepRun {
		return nil
	}
	return w.err
}

// Ready reports whether this rank has configured its engine, err being the reason if not,
// and waits for the reports of all. It returns nil if all have succeeded, or the same
// *Error on all. Only the first call counts; later calls return the same result.
func (w *World) Ready(ctx context.Context, err error) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return &Error{ErrClosed, StepReady, w.o.Rank, "", "it has closed its world"}
	}
	first := !w.said
	w.said = true
	written := make(chan struct{})
	if first {
		m := message{kind: frameReady, written: func() { close(written) }}
		if err != nil {
			m.kind, m.payload = frameFailed, []byte(clean(err.Error()))
		}
		w.link.put(m)
	}
	w.mu.Unlock()
	if first {
		select { // the step begins when it is said
		case <-written:
		case <-ctx.Done():
		}
		w.o.Progress(StepReady)
	}
	ctx, cancel := context.WithTimeout(ctx, w.o.Timeout)
	defer cancel()
	err = w.wait(ctx, w.decided)
	if w.hub != nil {
		w.hub.flush() // the process may end now
	}
	if err == nil && first {
		w.o.Progress(StepRun)
	}
	return err
}

// Rank is the rank of this process.
func (w *World) Rank() int { return w.o.Rank }

// Size is the number of ranks.
func (w *World) Size() int { return w.o.Size }

// Members returns the descriptions of all ranks, by rank.
func (w *World) Members() []Member {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.members)
}

// Ranks returns the engines of all ranks, for accl.Open on this one.
func (w *World) Ranks() []accl.Rank {
	var ranks []accl.Rank
	for _, m := range w.Members() {
		r := m.Engine
		if len(m.Sessions) > 0 {
			r.Session = m.Sessions[w.o.Rank]
		}
		ranks = append(ranks, r)
	}
	return ranks
}

// Left returns a channel with an *Error for each rank that leaves without Close, and,
// before all are ready, for the reason why they will not be. It is closed when nobody
// watches any more: after an error before all were ready, after the loss of rank 0, and
// after Close on this rank or on rank 0.
func (w *World) Left() <-chan error { return w.left }

// Err is the first error of Left, or nil.
func (w *World) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		return nil
	}
	return w.err
}

// Context returns a context that also ends at the first error of Left, with it as its
// cause. Its cancel function must be called.
func (w *World) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-w.trouble:
			cancel(w.Err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Close leaves the world in order, so that the others do not report a loss. Before all
// ranks are ready, it ends the bring-up with ErrLeft. It waits briefly for answers of the
// others, at rank 0 longer after a failed call (Reports), and always returns nil.
func (w *World) Close() error {
	w.close.Do(func() {
		w.stay()
		w.mu.Lock()
		w.closed = true
		w.mu.Unlock()
		w.end()
		if w.hub != nil {
			w.hub.close()
		} else {
			w.link.put(message{kind: frameGoodbye})
		}
		w.link.finish()
		<-w.ended
	})
	return nil
}
