package zmq_test

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

func publisher(t *testing.T, lim zmq.Limits, queueBytes int) (*zmq.Publisher, string) {
	t.Helper()
	l := listen(t)
	p := zmq.NewPublisher(l, lim, queueBytes)
	t.Cleanup(func() {
		assert.Check(t, p.Close())
	})
	return p, l.Addr().String()
}

func subscribed(t *testing.T, p *zmq.Publisher, topic string) {
	t.Helper()
	eventually(t, fmt.Sprintf("subscription to %q", topic), func() bool { return p.SubscribedTo([]byte(topic)) })
}

func publish(t *testing.T, p *zmq.Publisher, frames ...string) {
	t.Helper()
	var b [][]byte
	for _, f := range frames {
		b = append(b, []byte(f))
	}
	assert.NilError(t, p.Publish(b...))
}

func TestSubscribersGetWhatStartsWithTheirTopics(t *testing.T) {
	noLeaks(t)
	p, address := publisher(t, zmq.Limits{}, 1<<20)
	publish(t, p, "1", "nobody gets this")
	one := join(t, address, "SUB")
	one.send(message("application"), message("\x02x"), message(""), message("\x01x", "y"), message("\x01two"),
		message("\x011"))
	subscribed(t, p, "1")
	two := join(t, address, "SUB")
	two.send(command("NONSENSE"), command("SUBSCRIBE", []byte("two")...), command("SUBSCRIBE", []byte("10")...))
	subscribed(t, p, "10")
	all := join(t, address, "XSUB")
	all.send(message("\x01"), message("\x01"))
	subscribed(t, p, "anything")
	for _, topic := range []string{"1", "10", "two", "3"} {
		publish(t, p, topic, "data")
	}
	for _, c := range []struct {
		p      peer
		topics []string
	}{{one, []string{"1", "10", "two"}}, {two, []string{"10", "two"}}, {all, []string{"1", "10", "two", "3"}}} {
		for _, topic := range c.topics {
			c.p.expect(topic, "data")
		}
	}
}

func TestSubscriptionsEnd(t *testing.T) {
	p, address := publisher(t, zmq.Limits{}, 1<<20)
	s := join(t, address, "SUB")
	s.send(message("\x01a"), message("\x01b"), message("\x01c"))
	subscribed(t, p, "c")
	if !p.Subscribed([]byte("abc")) || p.SubscribedTo([]byte("abc")) || p.Subscribed([]byte("d")) || p.Subscribed(nil) {
		t.Error("Subscribed takes a topic for another")
	}
	s.send(message("\x00a"), command("CANCEL", 'b'), message("\x00unknown"))
	eventually(t, "the end of subscriptions", func() bool {
		return !p.Subscribed([]byte("a")) &&
			!p.Subscribed([]byte("b"))
	})
	publish(t, p, "a")
	publish(t, p, "b")
	publish(t, p, "c")
	s.expect("c")
	s.Close()
	eventually(t, "the end of the subscriber", func() bool { return !p.Subscribed([]byte("c")) })
}

func TestAMessageLargerThanTheQueueGoesWhenItIsEmpty(t *testing.T) {
	p, address := publisher(t, zmq.Limits{MessageBytes: 1 << 20}, 0)
	s := join(t, address, "SUB")
	s.send(message("\x01"))
	subscribed(t, p, "")
	large := strings.Repeat("x", 1<<20-1)
	for range 20 {
		eventually(t, "room", func() bool { return !errors.Is(p.Publish([]byte("a"), []byte(large)), zmq.ErrBusy) })
		s.expect("a", large)
	}
	err := p.Publish([]byte("a"), []byte(large+"y"))
	assert.Check(t, errors.Is(err, zmq.ErrTooLarge), "a message beyond the limit: %v, want ErrTooLarge", err)
}

func TestASubscriberThatStopsIsDroppedAfterAWhile(t *testing.T) {
	noLeaks(t)
	const stall = 300 * time.Millisecond
	p, address := publisher(t, zmq.Limits{Stall: stall}, 1<<20)
	room := make(chan struct{}, 1000)
	p.OnRoom(func() { room <- struct{}{} })
	good, bad := join(t, address, "SUB"), join(t, address, "SUB")
	good.send(message("\x01a"))
	bad.send(message("\x01a"))
	wait(t, "subscription", room)
	wait(t, "subscription", room)
	taken := make(chan int, 1)
	go func() {
		n := 0
		defer func() { taken <- n }()
		for good.message()[1] != "end" {
			n++
		}
	}()
	published := 0
	try := func(last []byte) {
		for {
			err := p.Publish([]byte("a"), last, make([]byte, 10_000))
			if err == nil {
				return
			}
			assert.ErrorIs(t, err, zmq.ErrBusy)
			wait(t, "OnRoom", room)
		}
	}
	start := time.Now()
	for ; published < 5000; published++ {
		try(nil)
	}
	took := time.Since(start)
	assert.Check(t, took >= stall, "50 MB were published in %v, the bad subscriber cannot have been waited for", took)
	try([]byte("end"))
	n := <-taken
	assert.Check(t, n == published, "the good subscriber got %d of %d messages", n, published)
	bad.ends(patience)
}

func TestASubscriberCannotHoldTopicsWithoutLimit(t *testing.T) {
	noLeaks(t)
	_, address := publisher(t, zmq.Limits{}, 1<<20)
	for name, subscription := range map[string]func(i int) []byte{
		"many":     func(i int) []byte { return message(fmt.Sprintf("\x01%d", i)) },
		"long":     func(i int) []byte { return message(fmt.Sprintf("\x01%d%s", i, strings.Repeat("x", 60_000))) },
		"commands": func(i int) []byte { return command("SUBSCRIBE", fmt.Append(nil, i)...) },
		"a giant":  func(int) []byte { return []byte{2, 0, 0, 0, 0, 1, 0, 0, 0} },
	} {
		t.Run(name, func(t *testing.T) {
			s := join(t, address, "SUB")
			for i, bytes := 0, 0; i < 2000 && bytes < 200_000; i++ {
				n, err := s.Write(subscription(i))
				if bytes += n; err != nil {
					break
				}
			}
			s.ends(patience)
		})
	}
}

func TestCloseLetsSubscribersHaveWhatIsQueued(t *testing.T) {
	noLeaks(t)
	l := listen(t)
	p := zmq.NewPublisher(l, zmq.Limits{Linger: time.Minute}, 64<<20)
	s := join(t, l.Addr().String(), "SUB")
	s.send(message("\x01"))
	subscribed(t, p, "")
	const messages = 120
	for i := range messages {
		publish(t, p, fmt.Sprint(i), strings.Repeat("x", 100_000))
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		assert.Check(t, p.Close())
		assert.Check(t, p.Close())
	}()
	for i := range messages {
		s.expect(fmt.Sprint(i), strings.Repeat("x", 100_000))
	}
	wait(t, "Close", closed)
	err := p.Publish([]byte("x"))
	assert.Check(t, errors.Is(err, zmq.ErrClosed), "Publish after Close: %v, want ErrClosed", err)
	s.ends(patience)
}

func TestCloseDoesNotWaitLongForASubscriberThatDoesNotRead(t *testing.T) {
	noLeaks(t)
	l := listen(t)
	p := zmq.NewPublisher(l, zmq.Limits{}, 64<<20)
	s := join(t, l.Addr().String(), "SUB")
	s.send(message("\x01"))
	subscribed(t, p, "")
	for range 60 {
		publish(t, p, "a", strings.Repeat("x", 1_000_000))
	}
	start := time.Now()
	p.Close()
	took := time.Since(start)
	assert.Check(t, took <= patience, "Close took %v", took)
}

func TestClosingTheListenerIsReported(t *testing.T) {
	l := listen(t)
	p := zmq.NewPublisher(l, zmq.Limits{}, 1)
	l.Close()
	time.Sleep(5 * time.Millisecond)
	err := p.Close()
	assert.Check(t, errors.Is(err, net.ErrClosed), "Close: %v, want that of the listener", err)
}
