package zmq

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
)

// piped is a connection whose peer takes and gives single bytes as it likes,
// without buffers between, in the time of synctest.
func piped(t *testing.T, as Kind, peerKind string) (*Conn, net.Conn) {
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	go greet(there, peerKind)
	c, err := handshake(t.Context(), here, as, Limits{}.withDefaults(), false)
	assert.NilError(t, err)
	synctest.Wait()
	return c, there
}

// greet takes greeting and handshake, and then gives its own.
func greet(peer net.Conn, kind string) {
	_, _ = io.CopyN(io.Discard, peer, 64)
	hello := append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0}, append([]byte("NULL"), make([]byte, 48)...)...)
	_, _ = peer.Write(hello)
	b := make([]byte, 2)
	_, _ = io.ReadFull(peer, b)
	_, _ = io.CopyN(io.Discard, peer, int64(b[1]))
	body := append([]byte("\x05READY\x0bSocket-Type\x00\x00\x00"), byte(len(kind)))
	body = append(body, kind...)
	_, _ = peer.Write(append([]byte{4, byte(len(body))}, body...))
}

// pipes is a listener for connections without buffers.
type pipes struct {
	peers chan net.Conn
	once  sync.Once
	ended chan struct{}
}

func (l *pipes) Addr() net.Addr { return &net.TCPAddr{} }
func (l *pipes) Close() error   { l.once.Do(func() { close(l.ended) }); return nil }

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.peers:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

func TestTheQueueOfASubscriberIsCountedExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{peers: make(chan net.Conn), ended: make(chan struct{})}
		p := NewPublisher(l, Limits{}, 1000)
		here, there := net.Pipe()
		l.peers <- here
		greet(there, "SUB")
		room := 0
		_, _ = there.Write([]byte("\x00\x02\x01a"))
		synctest.Wait()
		p.OnRoom(func() { room++ })
		publish := func() error {
			defer synctest.Wait()
			return p.Publish([]byte("a"), make([]byte, 99))
		}
		for i := range 7 { // 64 and 100 bytes each: more than 1000 at the seventh
			assert.NilError(t, publish(), "message %d", i)
		}
		err := publish()
		assert.Assert(t, errors.Is(err, ErrBusy), "after 7 messages: %v, want ErrBusy", err)
		assert.Check(t, p.Publish([]byte("b")), "another topic")
		read := func(messages, rooms int) {
			t.Helper()
			for range messages {
				b := make([]byte, 2+1+2+99)
				if _, err := io.ReadFull(there, b); err != nil || string(b[:5]) != "\x01\x01a\x00\x63" {
					t.Fatalf("%q, %v", b, err)
				}
			}
			synctest.Wait()
			assert.Check(t, room == rooms, "OnRoom was called %d times, want %d", room, rooms)
		}
		read(1, 0)
		assert.NilError(t, publish())
		read(6, 1)
		read(1, 1)
		there.Close()
		assert.Check(t, p.Close())
	})
}

func TestAPingDuringSendIsAnsweredAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := piped(t, Dealer, "ROUTER")
		go func() { _, _ = c.Recv() }()
		go func() { _ = c.Send(make([]byte, 200)) }()
		synctest.Wait()
		_, _ = peer.Write([]byte("\x04\x09\x04PING\x00\x01ab"))
		synctest.Wait()
		b := make([]byte, 202+9)
		want := append(append([]byte{0, 200}, make([]byte, 200)...), "\x04\x07\x04PONGab"...)
		_, err := io.ReadFull(peer, b)
		assert.Check(t, err == nil && bytes.Equal(b, want), "the peer reads %q, %v, want %q", b, err, want)
		c.Close()
	})
}

func TestSendEndsWhenThePeerTakesNothingForThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := piped(t, Req, "REP")
		slow := 100 * time.Second
		go func() { // takes a byte every 20 seconds, five times, then nothing
			for range 5 {
				time.Sleep(slow / 5)
				_, _ = io.ReadFull(peer, make([]byte, 1))
			}
		}()
		start := time.Now()
		err := c.Send(nil, make([]byte, 10_000))
		assert.Check(t, errors.Is(err, ErrClosed) && errors.Is(err, os.ErrDeadlineExceeded),
			"Send: %v, want ErrClosed and a deadline", err)
		if took := time.Since(start); took < slow+30*time.Second || took > slow+40*time.Second {
			t.Errorf("Send ended after %v, want 30 to 40 s after the last progress at %v", took, slow)
		}
		_, err = peer.Read(make([]byte, 1))
		assert.Check(t, err == io.EOF, "the peer reads %v, want the end", err)
	})
}

func TestRecvEndsWhenThePeerStopsWithinAMessage(t *testing.T) {
	for name, part := range map[string][]byte{
		"in a body":           append([]byte{0, 100}, make([]byte, 50)...),
		"between two frames":  {1, 1, 'x'},
		"in the second frame": {1, 1, 'x', 0},
		"in a long header":    append([]byte{1, 0}, 2, 0, 0),
		"in a skipped frame":  binary.BigEndian.AppendUint64([]byte{2}, 65<<20),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, peer := piped(t, Req, "REP")
				go func() {
					time.Sleep(time.Hour) // waiting for the start of a message may last
					for _, b := range part {
						time.Sleep(20 * time.Second)
						_, _ = peer.Write([]byte{b})
					}
				}()
				_, err := c.Recv()
				if errors.Is(err, ErrTooLarge) {
					_, err = c.Recv()
				}
				assert.Check(t, errors.Is(err, ErrClosed) && errors.Is(err, os.ErrDeadlineExceeded),
					"Recv: %v, want ErrClosed and a deadline", err)
			})
		})
	}
}

func TestTheDeadlineOfRecvHoldsAfterAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := piped(t, Req, "REP")
		start := time.Now()
		_ = c.SetReadDeadline(start.Add(time.Hour))
		go func() {
			for _, b := range []byte{0, 3, 'a', 'b', 'c'} {
				_, _ = peer.Write([]byte{b})
				time.Sleep(time.Second)
			}
		}()
		frames, err := c.Recv()
		assert.Assert(t, err == nil && string(frames[0]) == "abc", "Recv: %q, %v", frames, err)
		if _, err := c.Recv(); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Hour {
			t.Errorf("Recv: %v after %v, want the deadline after an hour", err, time.Since(start))
		}
	})
}
