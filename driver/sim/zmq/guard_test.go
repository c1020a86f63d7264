package zmq

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// tape is a connection on which everything has been said.
type tape struct {
	net.Conn // nil: what is not below is not called
	in       io.Reader
	out      bytes.Buffer
}

func (c *tape) Read(p []byte) (int, error)       { return c.in.Read(p) }
func (c *tape) Write(p []byte) (int, error)      { return c.out.Write(p) }
func (c *tape) Close() error                     { return nil }
func (c *tape) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *tape) SetDeadline(time.Time) error      { return nil }
func (c *tape) SetReadDeadline(time.Time) error  { return nil }
func (c *tape) SetWriteDeadline(time.Time) error { return nil }

// small limits, so that random bytes reach them.
var small = Limits{MessageBytes: 40, Frames: 3}.withDefaults()

// event is what Recv should return.
type event struct {
	frames [][]byte
	large  bool
}

// events reads a stream as ZMTP says, message by message, up to where it ends
// or makes no sense. The pongs are those that it asks for.
func events(b []byte) (list []event, pongs []byte) {
	var now event
	total, skipped, within := 0, 0, false
	for len(b) >= 2 {
		flags, length, rest := b[0], uint64(b[1]), b[2:]
		if flags > 7 {
			return list, pongs
		}
		if flags&2 != 0 {
			if len(b) < 9 {
				return list, pongs
			}
			length, rest = binary.BigEndian.Uint64(b[1:]), b[9:]
		}
		if flags&4 != 0 {
			if flags&1 != 0 || within || length > uint64(len(rest)) || length > 16<<10 {
				return list, pongs
			}
			body := rest[:length]
			if len(body) == 0 || int(body[0]) >= len(body) {
				return list, pongs
			}
			name, body := string(body[1:1+body[0]]), body[1+body[0]:]
			if name == "PING" {
				if len(body) < 2 {
					return list, pongs
				}
				body = body[2:min(len(body), 18)]
				pongs = append(append(pongs, 4, byte(5+len(body))), append([]byte("\x04PONG"), body...)...)
			}
			b = rest[length:]
			continue
		}
		within = flags&1 != 0
		if !now.large && (len(now.frames) == small.Frames || length > uint64(small.MessageBytes-total)) {
			now.large = true
			list = append(list, now)
		}
		if now.large {
			if skipped++; skipped > 2 || length > 100 {
				return list, pongs // further than the tests look
			}
		}
		if length > uint64(len(rest)) {
			return list, pongs
		}
		total += int(length)
		now.frames = append(now.frames, rest[:length])
		b = rest[length:]
		if !within {
			if !now.large {
				list = append(list, now)
			}
			now, total, skipped = event{}, 0, 0
		}
	}
	return list, pongs
}

func hello() []byte {
	b := make([]byte, 64)
	b[0], b[9], b[10] = 0xff, 0x7f, 3
	copy(b[12:], "NULL")
	return append(b, "\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"[:2+0x1c]...)
}

// FuzzGuard reads streams with a greeting and a handshake before them, and bare
// ones, which may only fail.
func FuzzGuard(f *testing.F) {
	f.Add([]byte{}, true, 1)
	f.Add([]byte{0, 3, 'a', 'b', 'c', 1, 0, 0, 1, 'x'}, true, 2)
	f.Add([]byte("\x04\x09\x04PING\x00\x09ab\x04\x09\x04PING\x00\x09ef\x00\x02cd"), true, 3)
	f.Add([]byte("\x00\x29"+string(make([]byte, 0x29))+"\x00\x01x"), true, 7)
	f.Add([]byte{1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 'x'}, true, 64)
	f.Add([]byte{2, 0, 0, 0, 0, 0, 0, 0, 2, 'a', 'b', 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, true, 5)
	f.Add(append(hello(), 0, 1, 'x'), false, 5)
	f.Fuzz(func(t *testing.T, stream []byte, greeted bool, chunk int) {
		want, pongs := []event(nil), []byte(nil)
		if greeted {
			want, pongs = events(stream)
			stream = append(hello(), stream...)
		}
		raw := &tape{in: &chunks{stream, max(chunk, 1)}}
		c, err := handshake(context.Background(), raw, Router, small, true)
		if err != nil {
			assert.Assert(t, !greeted, "%v", err)
			return
		}
		raw.out.Reset()
		for i := 0; ; i++ {
			frames, err := c.Recv()
			large := errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrClosed)
			if size(frames) > small.MessageBytes || len(frames) > small.Frames {
				t.Fatalf("frames beyond the limits: %q", frames)
			}
			if greeted && i < len(want) {
				equal := slices.EqualFunc(frames, want[i].frames, bytes.Equal)
				if !equal || large != want[i].large || !large && err != nil {
					t.Fatalf("message %d is %q, %v, want %+v", i, frames, err, want[i])
				}
			}
			if err != nil && !large {
				if !errors.Is(err, ErrClosed) {
					t.Fatalf("the end is %v, want ErrClosed", err)
				}
				if i < len(want) {
					t.Fatalf("%d messages, want %d", i, len(want))
				}
				break
			}
		}
		if greeted && !bytes.HasPrefix(raw.out.Bytes(), pongs) {
			t.Fatalf("answers are %q, want %q", raw.out.Bytes(), pongs)
		}
	})
}

// chunks gives a stream in pieces.
type chunks struct {
	left []byte
	size int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.left)
	c.left = c.left[n:]
	return n, nil
}

func TestAHandshakeMayTakeSixtyFourKiB(t *testing.T) {
	ready := "\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
	property := func(bytes int) string {
		return "\x01X" + string(binary.BigEndian.AppendUint32(nil, uint32(bytes))) + string(make([]byte, bytes))
	}
	for _, c := range []struct {
		bytes int
		ok    bool
	}{{100, true}, {64<<10 - 9, true}, {64<<10 - 8, false}, {1 << 20, false}} {
		command := ready + property(c.bytes-len(ready)-6)
		frame := append(binary.BigEndian.AppendUint64([]byte{6}, uint64(len(command))), command...)
		_, err := handshake(t.Context(), &tape{in: bytes.NewReader(append(hello()[:64], frame...))}, Router, small, true)
		if c.ok && err != nil || !c.ok && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d bytes of metadata: %v", c.bytes, err)
		}
	}
}
