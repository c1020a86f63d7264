package ranks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// hostCalls are the last calls that clients have made of a rank, for a trace: an accl.Caller.
type hostCalls struct {
	accl.Caller
	p *accl.Platform

	mu   sync.Mutex
	all  []*hostCall // in the order in which they were placed
	open map[accl.Ticket]*hostCall
}

type hostCall struct {
	call       accl.Call
	name       string // of the call, with its arguments
	client     int
	begin, end time.Time // end is zero until the answer was taken
	err        error
}

func newHostCalls(p *accl.Platform, inner accl.Caller) *hostCalls {
	return &hostCalls{Caller: inner, p: p, open: map[accl.Ticket]*hostCall{}}
}

// Start implements accl.Caller.
func (h *hostCalls) Start(ctx context.Context, client int, call accl.Call) (accl.Ticket, error) {
	c := &hostCall{call: call, client: client, begin: time.Now()}
	h.mu.Lock()
	if len(h.all) == 2*keptEvents {
		h.all = slices.Clone(h.all[keptEvents:])
	}
	h.all = append(h.all, c)
	h.mu.Unlock()
	t, err := h.Caller.Start(ctx, client, call)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		h.all = slices.DeleteFunc(h.all, func(other *hostCall) bool { return other == c }) // the engine has not got it
	} else {
		h.open[t] = c
	}
	return t, err
}

// Wait implements accl.Caller.
func (h *hostCalls) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	code, err := h.Caller.Wait(ctx, t)
	if err != nil && ctx.Err() != nil {
		return code, err // the call goes on
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.open[t]; c != nil {
		delete(h.open, t)
		if c.end, c.err = time.Now(), err; err == nil && code != 0 {
			var names []string
			for _, b := range h.p.Describe(code) {
				names = append(names, b.Name)
			}
			c.err = fmt.Errorf("it has failed with %s", strings.Join(names, ", "))
		}
	}
	return code, err
}

// each does something with all calls that are kept; those without an answer end now.
func (h *hostCalls) each(do func(c *hostCall)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.all {
		call := *c
		if call.name = h.p.Called(&c.call); call.end.IsZero() {
			call.end, call.err = time.Now(), errNotTaken
		}
		do(&call)
	}
}

// names are all calls that are kept, in their order; nil if that is not known, as several clients have called at a
// time.
func (h *hostCalls) names() (names []string) {
	atOnce, ends := false, map[int]time.Time{} // of the last call of a client
	h.each(func(c *hostCall) {
		for client, end := range ends {
			atOnce = atOnce || client != c.client && end.After(c.begin)
		}
		if c.end.After(ends[c.client]) {
			ends[c.client] = c.end
		}
		names = append(names, c.name)
	})
	if atOnce {
		return nil
	}
	return names
}

var errNotTaken = errors.New("its answer was not taken")
