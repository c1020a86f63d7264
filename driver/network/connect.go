package network

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
)

// connect opens the port and the sessions that this rank has to open, and returns all
// ranks with the sessions that lead to them.
func (s *Stack) connect(ctx context.Context, c *Config) ([]accl.Rank, error) {
	if s.sessions == nil { // the engine opens them
		return append([]accl.Rank(nil), c.Ranks...), nil
	}
	if c.Connections == OncePerPair {
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

// connectOnce connects to the lower ranks, the next one first, and only then listens.
// Rank n+1 reaches rank 0 before rank n+2 has reached rank n+1, so that stacks get
// connections of the higher ranks in order of rank, and number them so.
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

func (s *Stack) unconnected(ctx context.Context, c *Config, missing []int, attempts int, begin time.Time,
	busy error) error {
	after, cause := limit(ctx, begin)
	var errs []error
	for _, i := range missing {
		reason := fmt.Sprintf("no connection in %d attempts, %s: nobody listens there, or nobody answers", attempts, after)
		errs = append(errs, &Error{Kind: ErrConnect, Rank: i, Address: place(c.Ranks[i]), Instance: s.sessions.instance,
			Reason: reason, Cause: cause})
	}
	if attempts == 1 && errors.Is(busy, ErrBusy) { // later it is one of many attempts that is cut short
		errs = append(errs, busy)
	}
	return errors.Join(errs...)
}
