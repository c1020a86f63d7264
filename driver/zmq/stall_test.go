package zmq

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// piped is a connection whose peer takes and gives single bytes as it likes,
// without buffers between, in the time of synctest.
func piped(t *testing.T, as Kind, peerKind string) (*Conn, net.Conn) {
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	go func() {
		_, _ = io.CopyN(io.Discard, there, 64)
		hello := append([]byte{0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0}, append([]byte("NULL"), make([]byte, 48)...)...)
		_, _ = there.Write(hello)
		b := make([]byte, 2)
		_, _ = io.ReadFull(there, b)
		_, _ = io.CopyN(io.Discard, there, int64(b[1]))
		body := append([]byte("\x05READY\x0bSocket-Type\x00\x00\x00"), byte(len(peerKind)))
		body = append(body, peerKind...)
		_, _ = there.Write(append([]byte{4, byte(len(body))}, body...))
	}()
	c, err := handshake(t.Context(), here, as, Limits{}.withDefaults(), false)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return c, there
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
		if !errors.Is(err, ErrClosed) || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Send: %v, want ErrClosed and a deadline", err)
		}
		if took := time.Since(start); took < slow+30*time.Second || took > slow+40*time.Second {
			t.Errorf("Send ended after %v, want 30 to 40 s after the last progress at %v", took, slow)
		}
		if _, err := peer.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the peer reads %v, want the end", err)
		}
	})
}

func TestSendWaitsForAPeerThatIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, peer := piped(t, Req, "REP")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for _, err := peer.Read(make([]byte, 50)); err == nil; _, err = peer.Read(make([]byte, 50)) {
				time.Sleep(25 * time.Second)
			}
		}()
		start := time.Now()
		if err := c.Send(nil, make([]byte, 5_000)); err != nil {
			t.Errorf("Send: %v", err)
		}
		if took := time.Since(start); took < 2000*time.Second {
			t.Errorf("Send took %v, the peer cannot have read so fast", took)
		}
		c.Close()
		<-ended
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
				if !errors.Is(err, ErrClosed) || !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("Recv: %v, want ErrClosed and a deadline", err)
				}
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
		if frames, err := c.Recv(); err != nil || string(frames[0]) != "abc" {
			t.Fatalf("Recv: %q, %v", frames, err)
		}
		if _, err := c.Recv(); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Hour {
			t.Errorf("Recv: %v after %v, want the deadline after an hour", err, time.Since(start))
		}
	})
}
