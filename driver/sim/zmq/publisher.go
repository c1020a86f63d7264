package zmq

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// Publisher is a PUB socket that never drops a message. Every subscriber has a queue.
// While the queue of a subscriber that does not read is full, Publish returns ErrBusy;
// the subscriber is disconnected after Limits.Stall. All methods may be called
// concurrently.
type Publisher struct {
	limits Limits
	room   int
	cancel context.CancelFunc
	ended  chan struct{} // Serve has returned
	err    error         // of Serve

	mu          sync.Mutex
	subscribers []*subscriber
	onRoom      func()
	closed      bool
	empty       chan struct{} // closed when nothing is queued any more, after closed
}

// NewPublisher serves subscribers on l; Close closes it. The queue of a subscriber is
// full when it holds more than queueBytes.
func NewPublisher(l net.Listener, lim Limits, queueBytes int) *Publisher {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Publisher{
		limits: lim.withDefaults(), room: max(queueBytes, 0), cancel: cancel,
		ended: make(chan struct{}), empty: make(chan struct{}),
	}
	go func() {
		defer close(p.ended)
		p.err = Serve(ctx, l, Pub, p.limits, p.handle)
	}()
	return p
}

// Publish queues a message for every subscriber to its topic, which is the first frame.
// Without subscribers, the message is discarded. The frames are shared and must not
// change afterwards. Publish never blocks. The error matches ErrBusy, ErrTooLarge or
// ErrClosed, and nobody gets the message then.
func (p *Publisher) Publish(frames ...[]byte) error {
	if err := p.limits.check(frames); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("publish: %w", ErrClosed)
	}
	var busy error
	matched := false
	for _, s := range p.subscribers {
		if !s.wants(frames[0]) {
			continue
		}
		matched = true
		if s.queued > p.room {
			s.busy = true
			busy = fmt.Errorf("publish to %v: %w: %d bytes queued", s.conn.RemoteAddr(), ErrBusy, s.queued)
		}
	}
	if busy != nil || !matched {
		return busy
	}
	frames = slices.Clone(frames)
	for _, s := range p.subscribers {
		if s.wants(frames[0]) {
			s.push(frames)
		}
	}
	return nil
}

// Subscribed reports whether a message of the topic would be sent to a subscriber now.
func (p *Publisher) Subscribed(topic []byte) bool {
	return p.any(func(s *subscriber) bool { return s.wants(topic) })
}

// SubscribedTo reports whether a subscriber has subscribed to exactly this topic, or to
// all.
func (p *Publisher) SubscribedTo(topic []byte) bool {
	return p.any(func(s *subscriber) bool { return s.has(topic) })
}

func (p *Publisher) any(is func(s *subscriber) bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.subscribers, is)
}

// OnRoom sets a function that is called when Publish is worth another try after ErrBusy
// (half of the queue is free, or the subscriber is gone), and at each new subscription. f
// must neither block nor close the Publisher.
func (p *Publisher) OnRoom(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onRoom = f
}

// change changes the state under the lock, and then calls the function of OnRoom if f
// returns true.
func (p *Publisher) change(f func() bool) {
	p.mu.Lock()
	call := p.onRoom
	if room := f(); !room || p.closed {
		call = nil
	}
	if p.closed {
		p.checkEmpty()
	}
	p.mu.Unlock()
	if call != nil {
		call()
	}
}

func (p *Publisher) checkEmpty() {
	if slices.ContainsFunc(p.subscribers, func(s *subscriber) bool { return s.queued > 0 }) {
		return
	}
	select {
	case <-p.empty:
	default:
		close(p.empty)
	}
}

// Close ends the publisher. It waits, at most Limits.Linger, until subscribers have received
// their queues. The error is that of the listener, if it has failed.
func (p *Publisher) Close() error {
	p.mu.Lock()
	p.closed = true
	p.checkEmpty()
	p.mu.Unlock()
	late := time.NewTimer(p.limits.Linger)
	defer late.Stop()
	select {
	case <-p.empty:
	case <-p.ended:
	case <-late.C:
	}
	p.cancel()
	<-p.ended
	return p.err
}

// handle serves one subscriber: this goroutine reads subscriptions, another one writes.
func (p *Publisher) handle(_ context.Context, c *Conn) {
	s := newSubscriber(c)
	c.guard.limits.MessageBytes = topicBytes + 1
	c.subscribe = func(topic []byte, cancel bool) error { return p.subscribe(s, topic, cancel) }
	p.change(func() bool {
		p.subscribers = append(p.subscribers, s)
		return false
	})
	var writer sync.WaitGroup
	writer.Go(func() {
		p.feed(s)
		_ = c.Close()
	})
	_ = p.read(s)
	p.change(func() bool {
		p.subscribers = slices.DeleteFunc(p.subscribers, func(other *subscriber) bool { return other == s })
		close(s.gone)
		return s.busy
	})
	_ = c.Close()
	writer.Wait()
}

func (p *Publisher) read(s *subscriber) error {
	for {
		frames, err := s.conn.Recv()
		if err != nil {
			return err
		}
		if len(frames) != 1 || len(frames[0]) == 0 || frames[0][0] > 1 {
			continue // a message for the application, which a publisher ignores
		}
		if err := p.subscribe(s, frames[0][1:], frames[0][0] == 0); err != nil {
			return err
		}
	}
}

var errTopics = errors.New("too many topics")

func (p *Publisher) subscribe(s *subscriber, topic []byte, cancel bool) (err error) {
	p.change(func() bool {
		if cancel {
			s.remove(topic)
			return s.busy
		}
		if !s.add(topic) {
			err = fmt.Errorf("subscriber %v: %w", s.conn.RemoteAddr(), errTopics)
		}
		return err == nil
	})
	return err
}

// feed writes queued messages until the subscriber is gone.
func (p *Publisher) feed(s *subscriber) {
	for {
		select {
		case <-s.gone:
			return
		case <-s.wake:
		}
		for {
			p.mu.Lock()
			batch, cost := s.pull()
			p.mu.Unlock()
			if len(batch) == 0 {
				break
			}
			if err := s.conn.send(batch...); err != nil {
				return
			}
			p.change(func() bool { return s.sent(cost, p.room/2) })
		}
	}
}
