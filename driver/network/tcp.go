package network

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// tcp is the TCP stack.
type tcp struct{ *block }

var tcpNeeds = []string{"control.start", "control.done", "control.idle", "ip_addr", "board_number", "arp", "axi00_ptr0", "axi01_ptr0"}

// start gives the stack its addresses. They are taken over by a start, which takes a
// second.
func (t tcp) start(ctx context.Context, c *Config) error {
	k := called(t)
	if err := k.idle(ctx); err != nil {
		return err
	}
	board := c.Local % boards
	if c.Board != nil {
		board = *c.Board
	}
	// The stack looks this address up at once, which saves the first packet to it.
	next := number(c.hop(c.Ranks[(c.Local+1)%len(c.Ranks)].IP.Unmap()))
	for _, r := range []struct {
		name  string
		value uint64
	}{
		{"ip_addr", uint64(number(c.own().Addr()))}, {"board_number", uint64(board)}, {"axi00_ptr0", c.Send}, {"axi01_ptr0", c.Receive},
	} {
		if err := t.keep(ctx, r.name, 0, r.value); err != nil {
			return err
		}
	}
	// Some revisions keep it as packets have it.
	if err := t.keep(ctx, "arp", 0, uint64(next), uint64(bits.ReverseBytes32(next))); err != nil {
		return err
	}
	if err := k.start(ctx); err != nil {
		return err
	}
	return k.done(ctx)
}

// called is a kernel that is started and says when it is done.
type called struct{ *block }

func (k called) idle(ctx context.Context) error {
	return k.wait(ctx, "it has been running from before", func(v uint32) bool {
		return v&k.mask("control", "start") == 0 && v&k.mask("control", "idle") != 0
	})
}

func (k called) start(ctx context.Context) error {
	return k.put(ctx, "control", 0, uint64(k.mask("control", "start")))
}

// done waits for the end. The bit that says so is gone once it was read.
func (k called) done(ctx context.Context) error {
	return k.wait(ctx, "it was started and does not end", func(v uint32) bool {
		return v&k.mask("control", "done") != 0 || v&k.mask("control", "start", "idle") == k.mask("control", "idle")
	})
}

func (k called) wait(ctx context.Context, what string, is func(control uint32) bool) error {
	begin := time.Now()
	err := until(ctx, func() (bool, error) {
		v, err := k.word(ctx, "control")
		return is(v), err
	})
	if err != nil && ended(ctx, err) {
		after, cause := limit(ctx, begin)
		return &Error{Kind: ErrBusy, Rank: -1, Instance: k.instance, Reason: what + ", " + after, Cause: cause}
	}
	return err
}

// connect opens the port and the sessions that this rank has to open, and returns all
// ranks with the sessions that lead to them.
func (s *Stack) connect(ctx context.Context, c *Config) ([]accl.Rank, error) {
	if s.sessions == nil { // the engine opens them
		return append([]accl.Rank(nil), c.Ranks...), nil
	}
	if c.Sessions == OncePerPair {
		return s.connectOnce(ctx, c)
	}
	if err := s.listen(ctx, c); err != nil {
		return nil, err
	}
	c.Progress(StepConnect)
	var peers []int // this rank's next one first, so that not all begin with the same
	for i := 1; i < len(c.Ranks); i++ {
		peers = append(peers, (c.Local+i)%len(c.Ranks))
	}
	return s.open(ctx, c, peers)
}

// connectOnce connects to the lower ranks, the next one first, and listens only then.
// Rank n+1 reaches rank 0 before rank n+2 has reached rank n+1, so that stacks hear of the
// higher ranks in their order, and number them so.
func (s *Stack) connectOnce(ctx context.Context, c *Config) ([]accl.Rank, error) {
	c.Progress(StepConnect)
	ranks := append([]accl.Rank(nil), c.Ranks...)
	next := c.FirstSession
	for peer := c.Local - 1; peer >= 0; peer-- {
		connected, err := s.open(ctx, c, []int{peer})
		if err != nil {
			return nil, err
		}
		ranks[peer].Session = connected[peer].Session
		next = ranks[peer].Session + 1
	}
	for peer := c.Local + 1; peer < len(ranks); peer++ {
		ranks[peer].Session = next
		next++
	}
	return ranks, s.listen(ctx, c)
}

func (s *Stack) listen(ctx context.Context, c *Config) error {
	if c.Listening {
		return nil
	}
	c.Progress(StepListen)
	return s.OpenPort(ctx, c.own().Port())
}

// Waits between attempts to connect.
const (
	shortestRetry = 5 * time.Millisecond
	longestRetry  = 200 * time.Millisecond
)

// open connects to peers, one after the other, and again to those that refuse, until all
// are connected. A peer that is connected is not asked again.
func (s *Stack) open(ctx context.Context, c *Config, peers []int) ([]accl.Rank, error) {
	ranks := append([]accl.Rank(nil), c.Ranks...)
	begin := time.Now()
	for attempts, pause := 1, shortestRetry; ; attempts, pause = attempts+1, min(2*pause, longestRetry) {
		var missing []int
		var busy error
		for _, i := range peers {
			if busy != nil {
				missing = append(missing, i)
				continue
			}
			session, err := s.connection(ctx, place(ranks[i]))
			switch {
			case err == nil:
				ranks[i].Session = session
			case errors.Is(err, ErrConnect):
				missing = append(missing, i)
			case errors.Is(err, ErrBusy), ended(ctx, err):
				missing, busy = append(missing, i), err
			default:
				return nil, err
			}
		}
		if len(missing) == 0 {
			return ranks, nil
		}
		peers = missing
		if busy == nil {
			busy = sleep(ctx, pause)
		}
		if busy != nil {
			return nil, s.unconnected(ctx, c, missing, attempts, begin, busy)
		}
	}
}

func (s *Stack) unconnected(ctx context.Context, c *Config, missing []int, attempts int, begin time.Time, busy error) error {
	after, cause := limit(ctx, begin)
	var errs []error
	for _, i := range missing {
		reason := fmt.Sprintf("no connection in %d attempts, %s: nobody listens there, or nobody answers", attempts, after)
		errs = append(errs, &Error{Kind: ErrConnect, Rank: i, Address: place(c.Ranks[i]), Instance: s.sessions.instance, Reason: reason, Cause: cause})
	}
	if attempts == 1 && errors.Is(busy, ErrBusy) { // later it is one of many attempts that is cut short
		errs = append(errs, busy)
	}
	return errors.Join(errs...)
}
