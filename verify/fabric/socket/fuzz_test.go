package socket_test

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric/socket"
)

// FuzzStream gives a port any bytes as the stream of a peer. What comes out is
// what this test finds in the bytes by the documentation.
func FuzzStream(f *testing.F) {
	const largest = 5000
	f.Add([]byte{}, uint16(0))
	f.Add(message(1, nil), uint16(3))
	f.Add(append(message(1, []byte("one")), message(2, make([]byte, 700))...), uint16(66))
	f.Add(append(greeting(netip.AddrPortFrom(local(4), 5000)), message(1, []byte("two"))...), uint16(64))
	f.Add(append(greeting(netip.AddrPortFrom(local(4), 5000)), greeting(netip.AddrPortFrom(local(4), 5000))...),
		uint16(65))
	f.Add(append(message(1, nil), 0xFF, 0xFF, 0xFF, 0xFF), uint16(1))
	f.Add(append(message(1, make([]byte, largest)), message(1, make([]byte, largest+1))...), uint16(100))
	x := newTCP(f, socket.Options{MaxMessage: largest, WindowBytes: 2000, FirstBeat: time.Second,
		Log: func(string, ...any) {}})
	x.Receive()
	peer := 0
	f.Fuzz(func(t *testing.T, stream []byte, cutAt uint16) {
		x.t = t
		peer++ // the ports of one address do not last for long
		conn := rawFrom(t, netip.AddrFrom4([4]byte{127, 1, byte(peer >> 8), byte(peer) | 1}), x)
		want := packetsIn(stream, largest)
		go func() {
			at := min(int(cutAt), len(stream))
			_, _ = conn.Write(stream[:at])
			_, _ = conn.Write(stream[at:])
			_ = conn.CloseWrite()
		}()
		for i, w := range want {
			p := x.next()
			assert.Assert(t, bytes.Equal(append(p.Header[:], p.Payload...), w),
				"packet %d: %d bytes, not %d, or others", i, 64+len(p.Payload), len(w))
			p.Release()
		}
		cut(t, conn)
		if len(want) > 0 {
			x.end()
		}
		if p := x.Receive(); p != nil {
			t.Fatalf("a packet of %d bytes that nobody has sent", len(p.Payload))
		}
		s := x.tcp().Stats()
		assert.Assert(t, s.Sessions <= 1, "%d sessions are left", s.Sessions)
	})
}

// packetsIn is what a stream holds.
func packetsIn(b []byte, largest int) (packets [][]byte) {
	if len(b) < 64 {
		return nil
	}
	if string(b[56:64]) == "cclhello" {
		hello := greeting(netip.AddrPortFrom(netip.AddrFrom4([4]byte{b[43], b[42], b[41], b[40]}),
			binary.LittleEndian.Uint16(b[44:])))
		if !bytes.Equal(hello, b[:64]) {
			return nil
		}
		b = b[64:]
	} else if !bytes.Equal(b[40:64], make([]byte, 24)) {
		return nil
	}
	for len(b) >= 64 {
		n := int(int32(binary.LittleEndian.Uint32(b)))
		if n < 0 || n > largest || len(b) < 64+n {
			return packets
		}
		packets = append(packets, b[:64+n])
		b = b[64+n:]
	}
	return packets
}
