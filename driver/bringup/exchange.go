package bringup

import (
	"context"
	"fmt"
)

// MaxExchange is the largest size of a rank's data in an Exchange, in bytes.
const MaxExchange = maxPayload

// Exchange sends data to all ranks and returns the data of each of them, by rank. All
// ranks must call it equally often; it waits for the last of them. It is meant for little
// data, such as results or decisions to go on, and not for speed.
//
// The error is an *Error if a rank has left, and ErrOption for too much data or before
// all ranks are ready. After an error, including that of its context, ranks no longer
// agree on the number of calls, and each further call returns an error.
func (w *World) Exchange(ctx context.Context, data []byte) ([][]byte, error) {
	if len(data) > MaxExchange {
		return nil, fmt.Errorf("%w: %d bytes for an exchange, which has at most %d", ErrOption, len(data), MaxExchange)
	}
	ctx, cancel := context.WithTimeout(ctx, w.o.Timeout)
	defer cancel()
	over := func() error {
		return &Error{ErrMissing, StepRun, -1, "",
			fmt.Sprintf("ranks are missing at an exchange, and rank %d waits no longer (%s)", w.o.Rank, why(ctx, w.o.Timeout))}
	}
	select {
	case w.turn <- struct{}{}:
	case <-w.apart:
		return nil, &Error{ErrMissing, StepRun, -1, "",
			fmt.Sprintf("ranks were missing at an exchange, so that they do not agree any more, and rank %d begins none",
				w.o.Rank)}
	case <-ctx.Done():
		return nil, over()
	}
	again := true
	defer func() {
		if again {
			<-w.turn
		}
	}()
	if err := w.offer(data); err != nil {
		return nil, err
	}
	select {
	case all := <-w.exchange:
		return all, nil
	case <-ctx.Done():
		again = false
		close(w.apart)
		return nil, over()
	case <-w.trouble:
	case <-w.ended:
	}
	select { // what came before that counts
	case all := <-w.exchange:
		return all, nil
	default:
	}
	if err := w.Err(); err != nil {
		return nil, err
	}
	return nil, w.mute()
}

// running is why ranks cannot do something together.
func (w *World) running(what string) error {
	switch {
	case w.closed:
		return &Error{ErrClosed, StepRun, w.o.Rank, "", "it has closed its world"}
	case w.err != nil:
		return w.err
	case w.step != StepRun:
		return fmt.Errorf("%w: %s before all ranks are ready", ErrOption, what)
	}
	return nil
}

// offer begins an exchange.
func (w *World) offer(data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.running("an exchange"); err != nil {
		return err
	}
	w.sharing = true
	w.link.put(message{kind: frameShare, payload: append([]byte(nil), data...)})
	return nil
}

// exchange sends the data of all ranks to all, once it has come; or an error to those
// that wait, if a rank has left.
func (h *hub) exchange() {
	if h.step != StepRun {
		return
	}
	var gone *peer
	waits := 0
	for _, p := range h.peers {
		if p.gone {
			gone = p
		} else if p.sharing {
			waits++
		}
	}
	switch {
	case waits == 0:
		return
	case gone != nil:
		e := &Error{ErrLeft, StepRun, gone.rank, gone.address, "it has left, and others wait for it at an exchange"}
		for _, p := range h.peers {
			if p.sharing && !p.gone {
				p.link.put(message{kind: frameLeft, payload: e.encode()})
				p.sharing, p.share = false, nil
			}
		}
		return
	case waits < h.size:
		return
	}
	for _, p := range h.peers {
		h.tell(frameShare, p.share)
	}
	for _, p := range h.peers {
		p.sharing, p.share = false, nil
	}
}
