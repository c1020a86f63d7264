package zmq_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

const patience = 20 * time.Second // that a test waits for what should come at once

// greeting is that of ZMTP 3.1, NULL mechanism, as the specification has it.
func greeting() []byte {
	b := make([]byte, 64)
	b[0], b[9], b[10], b[11] = 0xff, 0x7f, 3, 1
	copy(b[12:], "NULL")
	return b
}

func command(name string, body ...byte) []byte {
	content := append([]byte{byte(len(name))}, name...)
	return frame(4, append(content, body...))
}

func ready(kind string) []byte {
	name := "Socket-Type"
	body := append([]byte{byte(len(name))}, name...)
	body = binary.BigEndian.AppendUint32(body, uint32(len(kind)))
	return command("READY", append(body, kind...)...)
}

// frame has the flags given; 2 is added for a long one.
func frame(flags byte, body []byte) []byte {
	if len(body) < 256 {
		return append([]byte{flags, byte(len(body))}, body...)
	}
	return append(binary.BigEndian.AppendUint64([]byte{flags | 2}, uint64(len(body))), body...)
}

func message(frames ...string) []byte {
	var b []byte
	for i, f := range frames {
		flags := byte(1)
		if i == len(frames)-1 {
			flags = 0
		}
		b = append(b, frame(flags, []byte(f))...)
	}
	return b
}

// peer is a socket of which a test decides every byte.
type peer struct {
	t *testing.T
	net.Conn
}

func connect(t *testing.T, address string) peer {
	t.Helper()
	c, err := net.DialTimeout("tcp", address, patience)
	assert.NilError(t, err)
	t.Cleanup(func() { c.Close() })
	assert.NilError(t, c.SetDeadline(time.Now().Add(2*patience)))
	return peer{t, c}
}

// join is connect with a handshake.
func join(t *testing.T, address, kind string) peer {
	t.Helper()
	p := connect(t, address)
	p.shake(kind)
	return p
}

func (p peer) shake(kind string) {
	p.t.Helper()
	p.send(greeting(), ready(kind))
	p.bytes(64)
	if flags, body := p.frame(); flags != 4 || !bytes.HasPrefix(body, []byte("\x05READY")) {
		p.t.Fatalf("handshake: frame with flags %d, %q", flags, body)
	}
}

func (p peer) send(parts ...[]byte) {
	p.t.Helper()
	if _, err := p.Write(slices.Concat(parts...)); err != nil {
		p.t.Fatal(err)
	}
}

func (p peer) bytes(n int) []byte {
	p.t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(p, b); err != nil {
		p.t.Fatalf("%d bytes: %v", n, err)
	}
	return b
}

func (p peer) frame() (flags byte, body []byte) {
	p.t.Helper()
	b := p.bytes(2)
	if b[0]&2 == 0 {
		return b[0], p.bytes(int(b[1]))
	}
	return b[0] &^ 2, p.bytes(int(binary.BigEndian.Uint64(append(b[1:], p.bytes(7)...))))
}

func (p peer) message() []string {
	p.t.Helper()
	for frames := []string(nil); ; {
		flags, body := p.frame()
		frames = append(frames, string(body))
		if flags&1 == 0 {
			return frames
		}
	}
}

func (p peer) expect(want ...string) {
	p.t.Helper()
	if got := p.message(); !slices.Equal(got, want) {
		p.t.Fatalf("message is %.200q, want %.200q", got, want)
	}
}

// ends checks that the other side closes the connection soon.
func (p peer) ends(within time.Duration) {
	p.t.Helper()
	start := time.Now()
	_, err := io.Copy(io.Discard, p)
	var timeout net.Error
	assert.Assert(p.t, !errors.As(err, &timeout) || !timeout.Timeout(), "the connection is still open")
	if took := time.Since(start); took > within {
		p.t.Errorf("the connection ended after %v, want %v at most", took, within)
	}
}

// noLeaks checks that all goroutines that are started from now on have ended
// when the test has.
func noLeaks(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				b := make([]byte, 1<<20)
				t.Fatalf("%d goroutines, there were %d:\n%s", runtime.NumGoroutine(), before, b[:runtime.Stack(b, true)])
			}
		}
	})
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func wait(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("timed out: ", what)
	}
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("timed out: ", what)
		}
	}
}
