package socket

import (
	"net"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fabric"
)

// A network that the system has no room for is not waited for.
func TestUDPSendWithoutRoom(t *testing.T) {
	peer, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	assert.NilError(t, err)
	defer peer.Close()
	at := peer.LocalAddr().(*net.UDPAddr).AddrPort()
	const window = 20000
	p, err := UDP(Options{Local: netip.AddrPortFrom(loopback, 0), WindowBytes: window, Unpaced: true})
	assert.NilError(t, err)
	defer p.Close()
	woken := make(chan struct{}, 1)
	p.Notify(func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	p.Route(1, word(at.Addr()), at.Port(), false)
	d := p.socket
	d.now = func(uintptr, []byte, syscall.Sockaddr) error { return syscall.EAGAIN }
	given, sent := 0, 0
	d.mu.Lock() // nothing can be written while this is held, as when there is no room
	d.writing, d.written = true, make(chan struct{})
	d.mu.Unlock()
	for {
		err := p.Send(1, &fabric.Packet{Header: [64]byte{byte(sent)}, Payload: make([]byte, 1000), Free: func() { given++ }})
		if err == fabric.ErrBusy {
			break
		}
		assert.Assert(t, err == nil && sent <= 100, "packet %d: %v", sent, err)
		sent++
	}
	assert.Check(t, sent >= window/1064 && given == 0, "%d packets taken, %d given back", sent, given)
	go d.drain()
	<-woken
	<-d.written
	if err := p.Send(1, &fabric.Packet{Header: [64]byte{byte(sent)}}); err != nil { // there is none again
		t.Error(err)
	}
	b := make([]byte, 5000)
	for i := range sent + 1 {
		_ = peer.SetReadDeadline(time.Now().Add(5 * time.Second))
		n, err := peer.Read(b)
		if err != nil || b[0] != byte(i) || n != 1064 && i < sent {
			t.Fatalf("datagram %d: number %d, %d bytes, %v", i, b[0], n, err)
		}
	}
	assert.Check(t, given == sent, "%d of %d packets given back", given, sent)
}

// No header of any generation has a bit where the hello has its own.
func TestHelloIsNoHeader(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "u280_2022", "u280_manual"} {
		layout := designtest.Load(t, name, nil).ABI().Layout(abi.MessageHeader)
		if layout == nil {
			continue
		}
		for _, f := range layout.Fields {
			assert.Check(t, f.High < 8*headerEnd && f.High < 8*helloMagic,
				"%s: the field %s of headers is where the hello is", name, f.Name)
		}
	}
	for _, at := range []netip.AddrPort{{}, netip.MustParseAddrPort("10.1.2.3:65535")} {
		b := newHello(at)
		for i, v := range b[:helloAddress] {
			assert.Check(t, v == 0, "byte %d of a hello is %d", i, v)
		}
	}
}

func TestBuffersHaveRoom(t *testing.T) {
	for _, n := range []int{0, 1, smallest - 1, smallest, smallest + 1, 4032, 4096, 65536, largest - 1, largest} {
		b := newBuffer(n)
		assert.Check(t, len(b.Payload) == n && cap(b.room) <= 2*max(n, smallest),
			"%d bytes of %d for %d", len(b.Payload), cap(b.room), n)
		b.Release()
		b.Release()
	}
}
