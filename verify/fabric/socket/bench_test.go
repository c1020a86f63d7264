package socket_test

import (
	"io"
	"net"
	"testing"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
)

// BenchmarkStream is a session on loopback next to a plain TCP stream.
func BenchmarkStream(b *testing.B) {
	const size = 64 << 10
	b.Run("plain", func(b *testing.B) {
		there, here := plain(b)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{there}, make([]byte, size))
		}()
		data := make([]byte, size)
		b.SetBytes(size)
		for b.Loop() {
			if _, err := here.Write(data); err != nil {
				b.Fatal(err)
			}
		}
		_ = here.Close()
		<-done
	})
	b.Run("session", func(b *testing.B) {
		x, y := newTCP(b, socket.Options{}), newTCP(b, socket.Options{})
		session := connect(x, y)
		data := make([]byte, size)
		b.SetBytes(size)
		received := make(chan struct{})
		count := make(chan int, 1)
		go func() {
			defer close(received)
			n, total := 0, -1
			for n != total {
				select {
				case total = <-count:
					continue
				default:
				}
				p := y.Receive()
				if p == nil {
					select {
					case <-y.wake:
					case total = <-count:
					}
					continue
				}
				n++
				p.Release()
			}
		}()
		n := 0
		for b.Loop() {
			send(x, session, numbered(n, data))
			n++
		}
		count <- n
		<-received
	})
}

// plain is a pair of connected streams.
func plain(t testing.TB) (there, here net.Conn) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if here, err = net.Dial("tcp4", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if there, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = here.Close(); _ = there.Close() })
	return there, here
}

// BenchmarkPingPong takes 64 bytes of payload there and back.
func BenchmarkPingPong(b *testing.B) {
	const size = 64
	b.Run("plain", func(b *testing.B) {
		there, here := plain(b)
		go func() {
			data := make([]byte, header+size)
			for {
				if _, err := io.ReadFull(there, data); err != nil {
					return
				}
				if _, err := there.Write(data); err != nil {
					return
				}
			}
		}()
		data := make([]byte, header+size)
		for b.Loop() {
			if _, err := here.Write(data); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(here, data); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, kind := range []string{"TCP", "UDP"} {
		b.Run(kind, func(b *testing.B) {
			open := newTCP
			if kind == "UDP" {
				open = newUDP
			}
			x, y := open(b, socket.Options{}), open(b, socket.Options{})
			route(x, y)
			if kind == "TCP" {
				connect(x, y)
				connect(y, x)
			}
			x.Receive()
			y.Receive()
			stop := make(chan struct{})
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					p := y.Receive()
					if p == nil {
						select {
						case <-y.wake:
						case <-stop:
							return
						}
						continue
					}
					payload := p.Payload
					packet := &fabric.Packet{Header: p.Header, Payload: append([]byte(nil), payload...)}
					p.Release()
					_ = y.Send(0, packet)
				}
			}()
			data := make([]byte, size)
			for b.Loop() {
				send(x, 1, numbered(1, data))
				x.next().Release()
			}
			close(stop)
			<-done
		})
	}
}

// BenchmarkDatagrams is full packets on UDP, as fast as they are received.
func BenchmarkDatagrams(b *testing.B) {
	const size, ahead = 4032, 64
	x, y := newUDP(b, socket.Options{}), newUDP(b, socket.Options{})
	route(x, y)
	y.Receive()
	data := make([]byte, size)
	b.SetBytes(size)
	sent, received := 0, 0
	for b.Loop() {
		send(x, 1, numbered(sent, data))
		sent++
		for sent-received >= ahead {
			y.next().Release()
			received++
		}
	}
}
