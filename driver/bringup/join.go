package bringup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Waits between attempts to connect.
const (
	shortestPause = 10 * time.Millisecond
	longestPause  = 500 * time.Millisecond
	connectLimit  = 5 * time.Second // of one attempt
)

// Join meets the other ranks, and returns when all have come and fit together. The error
// is an *Error, or ErrOption for wrong options.
func Join(ctx context.Context, o Options) (*World, error) {
	self, err := o.complete()
	if err != nil {
		if o.Listener != nil {
			o.Listener.Close()
		}
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	w := newWorld(&o)
	o.Progress(StepMeet)
	if o.Rank == 0 {
		err = w.host(ctx)
	} else {
		err = w.connect(ctx)
	}
	if err != nil {
		w.end()
		return nil, err
	}
	o.Progress(StepJoin)
	w.link.put(message{kind: frameMember, payload: self})
	if err := w.wait(ctx, w.joined); err != nil {
		w.linger(ctx)
		w.Close()
		return nil, err
	}
	o.Progress(StepConfigure)
	return w, nil
}

// host begins the world at rank 0.
func (w *World) host(ctx context.Context) error {
	o := w.o
	listener := o.Listener
	if listener == nil && o.Size > 1 {
		var err error
		if listener, err = new(net.ListenConfig).Listen(ctx, "tcp", listenAddress(o.Meet)); err != nil {
			return &Error{ErrListen, StepMeet, 0, o.Meet,
				fmt.Sprintf("it cannot listen there, where perhaps another rank 0 or job does: %v", err)}
		}
	}
	w.meet = o.Meet
	if o.Listener != nil || w.meet == "" {
		w.meet = "its own process"
		if listener != nil {
			w.meet = listener.Addr().String()
		}
	}
	w.hub = newHub(o, listener, w.meet)
	mine, its := net.Pipe()
	// Both ends are of this process.
	k := keys{[]byte("to rank 0"), []byte("from rank 0")}
	w.begin(mine, k)
	w.hub.admit(its, w.meet, 0, uint32(o.Size), k, nil)
	if listener != nil {
		w.hub.group.Go(w.hub.serve)
	}
	return nil
}

// connect finds rank 0 and proves that this is a rank, until it has or the context
// ends.
func (w *World) connect(ctx context.Context) error {
	w.meet = w.o.Meet
	var last error
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		err := w.attempt(ctx)
		if err == nil {
			return nil
		}
		var other versionError
		switch {
		case errors.Is(err, errWrong):
			return &Error{ErrSecret, StepProve, 0, w.meet,
				fmt.Sprintf("it does not have the secret and job of rank %d, or is rank 0 of another job", w.o.Rank)}
		case errors.Is(err, errRubbish):
			return &Error{ErrListen, StepProve, 0, w.meet,
				fmt.Sprintf("%v; end that program, or set another port in %s", err, EnvMeet)}
		case errors.As(err, &other):
			return &Error{ErrVersion, StepProve, 0, w.meet,
				fmt.Sprintf("it speaks version %d of the protocol, rank %d speaks %d", uint16(other), w.o.Rank, version)}
		case ctx.Err() == nil && (last == nil || !timedOut(err)): // which says less
			last = err
		case last == nil:
			last = errors.New("there was no answer so far")
		}
		select {
		case <-ctx.Done():
			return &Error{ErrMissing, StepMeet, 0, w.meet,
				fmt.Sprintf("it does not answer rank %d, which waits no longer (%s): %v", w.o.Rank, why(ctx, w.o.Timeout), last)}
		case <-time.After(pause):
		}
	}
}

func (w *World) attempt(ctx context.Context) error {
	// The time of one attempt is not that of all.
	short, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	c, err := new(net.Dialer).DialContext(short, "tcp", w.meet)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	w.o.Progress(StepProve)
	k, err := w.prove(c)
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.Close()
		return fmt.Errorf("what listens there does not answer as rank 0 does: %w", err)
	}
	w.begin(c, k)
	return nil
}

func (w *World) prove(c net.Conn) (keys, error) {
	p := prover{key: jobKey(w.o.Secret, w.o.Job), rank: w.o.Rank, size: w.o.Size}
	if err := c.SetDeadline(time.Now().Add(proveLimit)); err != nil {
		return keys{}, err
	}
	if err := p.claim(c); err != nil {
		return keys{}, err
	}
	// From here on rank 0 may count this rank as there: to try again would make it come
	// twice. Rank 0 answers, or ends the connection within its own limit.
	if err := c.SetDeadline(time.Now().Add(2 * proveLimit)); err != nil {
		return keys{}, err
	}
	return p.hear(c)
}

// linger waits until rank 0 has told late ranks why the world has failed.
func (w *World) linger(ctx context.Context) {
	if w.hub == nil {
		return
	}
	limit := time.NewTimer(w.o.Silence)
	defer limit.Stop()
	select {
	case <-w.hub.everybody:
	case <-ctx.Done():
	case <-limit.C:
	}
}

// why describes the end of a context.
func why(ctx context.Context, timeout time.Duration) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Sprintf("its limit is %v or less", timeout)
	}
	return fmt.Sprintf("it was told so: %v", context.Cause(ctx))
}

func timedOut(err error) bool {
	slow, is := errors.AsType[net.Error](err)
	return is && slow.Timeout()
}
