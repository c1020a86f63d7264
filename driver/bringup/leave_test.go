package bringup

import (
	"context"
	"errors"
	"net"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// drop ends a rank's connection as its death does.
func drop(w *World) {
	w.mu.Lock()
	w.closed = true // what it hears itself is of no interest
	w.mu.Unlock()
	w.link.conn.Close()
}

func TestARankThatLeavesIsNoticed(t *testing.T) {
	worlds := up(t, options(t, 4))
	assert.NilError(t, errors.Join(ready(t.Context(), worlds, nil)...))
	ctx, cancel := worlds[1].Context(t.Context())
	defer cancel()
	worlds[3].Close() // in order: nobody minds
	drop(worlds[2])
	var errs []error
	for _, w := range worlds[:2] {
		errs = append(errs, <-w.Left())
	}
	alike(t, errs, ErrLeft, StepRun, 2, "rank 2 at 127.0.0.1:", "killed")
	<-ctx.Done()
	cause := context.Cause(ctx)
	assert.Check(t, cause.Error() == errs[0].Error(), "%v", cause)
	assert.Check(t, worlds[0].Ready(t.Context(), nil), "what has been is no more")
	worlds[0].Close()
	err, open := <-worlds[1].Left()
	assert.Check(t, !open, "after all have left in order: %v", err)
}

func TestRanksThatLeaveBeforeAllAreReady(t *testing.T) {
	for _, test := range []struct {
		name  string
		leave func(w *World)
		step  Step
		text  string
	}{
		{"killed while it configures", drop, StepConfigure, "killed"},
		{"closed while it configures", func(w *World) { w.Close() }, StepConfigure, "closed its world before all were ready"},
		{"killed when it is ready", func(w *World) {
			// The others do not say it yet: it waits until it is lost.
			done := make(chan error)
			w.o.Progress = func(s Step) {
				if s == StepReady {
					close(done)
				}
			}
			go w.Ready(context.Background(), nil)
			<-done
			w.link.put(message{kind: frameGoodbye}) // behind what it has said
		}, StepReady, "closed its world"},
	} {
		t.Run(test.name, func(t *testing.T) {
			worlds := up(t, options(t, 3))
			test.leave(worlds[1])
			first := <-worlds[2].Left() // before it says anything itself
			errs := append(ready(t.Context(), []*World{worlds[0], worlds[2]}, nil), first)
			alike(t, errs, ErrLeft, test.step, 1, test.text)
		})
	}
}

func TestRank0Leaves(t *testing.T) {
	worlds := up(t, options(t, 3))
	worlds[0].Close()
	alike(t, ready(t.Context(), worlds[1:], nil), ErrLeft, StepConfigure, 0, "closed its world before all were ready")

	worlds = up(t, options(t, 3))
	kill(worlds[0].hub)
	alike(t, ready(t.Context(), worlds[1:], nil), ErrLeft, StepReady, 0, worlds[0].meet, "killed")

	worlds = up(t, options(t, 3))
	assert.NilError(t, errors.Join(ready(t.Context(), worlds, nil)...))
	kill(worlds[0].hub)
	var errs []error
	for _, w := range worlds[1:] {
		errs = append(errs, <-w.Left())
		_, open := <-w.Left()
		assert.Check(t, !open, "there is more")
	}
	alike(t, errs, ErrLeft, StepRun, 0, worlds[0].meet, "killed")
}

// kill ends the connections of rank 0 as its death does.
func kill(h *hub) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, p := range h.peers[1:] {
		p.link.conn.Close()
	}
}

// frozen is a connection that swallows what is written from some point on.
type frozen struct {
	net.Conn
	from chan struct{}
}

func (f *frozen) Write(b []byte) (int, error) {
	select {
	case <-f.from:
		return len(b), nil
	default:
		return f.Conn.Write(b)
	}
}

func TestASilentRankIsGivenUp(t *testing.T) {
	all := options(t, 2)
	for i := range all {
		all[i].Silence = MinSilence
	}
	o := all[1]
	self, err := o.complete()
	assert.NilError(t, err)
	done := make(chan error, 1)
	go func() { _, err := Join(t.Context(), all[0]); done <- err }()
	// Rank 1, whose host dies.
	w := newWorld(&o)
	c, err := net.Dial("tcp", o.Meet)
	assert.NilError(t, err)
	w.meet = o.Meet
	k, err := w.prove(c)
	assert.NilError(t, err)
	dead := &frozen{c, make(chan struct{})}
	close(dead.from)
	w.begin(dead, k)
	t.Cleanup(func() { w.Close() })
	w.link.put(message{kind: frameMember, payload: self})
	alike(t, []error{<-done}, ErrLeft, StepJoin, 1, "it has said nothing for 3s")
	assert.Check(t, is.ErrorContains(<-w.Left(), "it has left"))
}
