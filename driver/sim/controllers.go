package sim

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
)

// Call waits are sent at least so far apart; the distance grows as long as no call
// ends.
const (
	shortestPoll = 20 * time.Microsecond
	longestPoll  = time.Millisecond
)

// controllers place calls with ctrl_id, and ask for their end.
type controllers [lastClient + 1]*controller

func newControllers(d *Device) *controllers {
	c := &controllers{}
	for i := range c {
		c[i] = &controller{
			d: d, id: int64(i), placing: make(chan struct{}, 1), placed: make(chan struct{}, 1),
			place: line{address: d.address}, ask: line{address: d.address},
		}
	}
	return c
}

func (c *controllers) start(ctx context.Context, client int, call accl.Call) (*engine.Answer, error) {
	return c[client].start(ctx, call)
}

func (c *controllers) close() {
	for _, k := range c {
		k.place.close()
		k.ask.close()
	}
}

// controller has one value of ctrl_id. Each successful call wait takes one completion, in
// the order of the calls, so none may be lost: replies are waited for until the device is
// closed, even if the caller has given up.
type controller struct {
	d       *Device
	id      int64
	placing chan struct{} // held while a call is placed
	placed  chan struct{} // a call was placed
	place   line          // of who holds placing
	ask     line          // of the goroutine that polls

	mu      sync.Mutex
	open    []*engine.Answer // in order
	polling bool
	lost    error // why there can be no more calls
}

func (c *controller) start(ctx context.Context, call accl.Call) (*engine.Answer, error) {
	select {
	case c.placing <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("sim: the server at %s has not taken the call before: %w", c.d.address, context.Cause(ctx))
	}
	type outcome struct {
		t   *engine.Answer
		err error
	}
	done := make(chan outcome, 1)
	err := c.d.spawn(func() {
		t, err := c.send(call)
		<-c.placing
		done <- outcome{t, err}
	})
	if err != nil {
		<-c.placing
		return nil, err
	}
	select {
	case o := <-done:
		return o.t, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("sim: the server at %s does not take the call: %w", c.d.address, context.Cause(ctx))
	}
}

func (c *controller) send(call accl.Call) (*engine.Answer, error) {
	c.mu.Lock()
	lost := c.lost
	c.mu.Unlock()
	if lost != nil {
		return nil, lost
	}
	r := Request{Type: Call, Controlled: true, CtrlID: c.id, Call: call}
	reply, sent, err := c.place.do(c.d.life, &r)
	if err != nil {
		if sent {
			c.fail(err)
		}
		return nil, err
	}
	if err := c.d.refused(&r, reply); err != nil {
		return nil, err
	}
	t := engine.NewAnswer()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost != nil {
		return nil, c.lost
	}
	c.open = append(c.open, t)
	if !c.polling {
		c.polling = true
		c.d.tasks.Go(c.poll) // this is a task, too: Close waits already
	}
	select {
	case c.placed <- struct{}{}:
	default:
	}
	return t, nil
}

// fail answers all calls with an error. Completions that the server still has can no
// longer be assigned.
func (c *controller) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost == nil {
		c.lost = fmt.Errorf("%w: %w", ErrLost, err)
	}
	for _, t := range c.open {
		t.Give(0, err)
	}
	c.open = nil
}

// poll asks for completions until all calls have theirs.
func (c *controller) poll() {
	r := Request{Type: CallWait, CtrlID: c.id}
	timer := time.NewTimer(longestPoll)
	defer timer.Stop()
	distance := shortestPoll
	for {
		asked := time.Now()
		reply, _, err := c.ask.do(c.d.life, &r)
		if err == nil && reply.Status == StatusNotYet {
			timer.Reset(distance - time.Since(asked))
			distance = min(2*distance, longestPoll)
			select {
			case <-timer.C:
			case <-c.placed:
				distance = shortestPoll
			case <-c.d.life.Done():
			}
			continue
		}
		if err == nil {
			err = c.d.refused(&r, reply)
		}
		if err != nil {
			c.fail(err)
		} else {
			c.complete(reply)
			distance = shortestPoll
		}
		c.mu.Lock()
		if len(c.open) == 0 {
			c.polling = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
	}
}

// complete gives a completion to the oldest call.
func (c *controller) complete(reply Reply) {
	code, err := c.d.code(reply)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) == 0 {
		return // placing another call has failed meanwhile
	}
	c.open[0].Give(code, err)
	c.open = c.open[1:]
}
