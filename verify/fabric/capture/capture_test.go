package capture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/fabric"
)

// start is a capture of ranks on a network in process, at a clock that ticks when it is read.
func start(t *testing.T, kind fabric.Kind, n int, o fabric.Options, w io.Writer) (*Capture, []fabric.Port) {
	t.Helper()
	ranks, net, ticks := accl.LocalRanks(n), fabric.NewNet(kind, o), int64(0)
	c, err := New(w, kind, ranks, func() int64 { ticks++; return ticks })
	assert.NilError(t, err)
	ports := make([]fabric.Port, n)
	for i, r := range ranks {
		p, _, err := net.Port(binary.BigEndian.Uint32(r.IP.AsSlice()), r.Port)
		assert.NilError(t, err)
		ports[i] = c.Port(i, p)
		assert.NilError(t, ports[i].Listen(r.Port))
	}
	return c, ports
}

// traffic is what a file says of one way between two ranks.
type traffic [][]byte

func (t traffic) bytes() []byte { return bytes.Join(t, nil) }

// read is what a file holds, by sender and receiver. Connections must begin with a handshake, and
// have no gaps.
func read(t *testing.T, file io.Reader, ranks int) map[[2]int]traffic {
	t.Helper()
	r, err := pcapgo.NewNgReader(file, pcapgo.NgReaderOptions{})
	assert.NilError(t, err)
	assert.Equal(t, r.NInterfaces(), 1) // the first; the others are met on the way
	found, next, last := map[[2]int]traffic{}, map[layers.TCPPort]uint32{}, int64(0)
	for {
		data, info, err := r.ReadPacketData()
		if err == io.EOF {
			break
		}
		assert.NilError(t, err)
		assert.Assert(t, info.Timestamp.UnixNano() >= last, "time goes back")
		last = info.Timestamp.UnixNano()
		about, err := r.Interface(info.InterfaceIndex)
		assert.NilError(t, err)
		assert.Equal(t, about.Name, fmt.Sprintf("rank %d", info.InterfaceIndex))
		packet := gopacket.NewPacket(data, layers.LinkTypeEthernet, gopacket.Default)
		assert.Assert(t, packet.ErrorLayer() == nil, "%v", packet)
		var from, to int
		switch l := packet.TransportLayer().(type) {
		case *layers.UDP:
			from, to = int(l.SrcPort)-5500, int(l.DstPort)-5500
		case *layers.TCP:
			if int(l.SrcPort) < 5500+ranks { // of the receiver
				assert.Check(t, int(l.SrcPort)-5500 == info.InterfaceIndex && len(l.Payload) == 0 && l.Ack == next[l.DstPort])
				continue
			}
			from, to = info.InterfaceIndex, int(l.DstPort)-5500
			assert.Check(t, is.Equal(l.Seq, next[l.SrcPort]), "a gap")
			next[l.SrcPort] += uint32(len(l.Payload))
			if l.SYN {
				next[l.SrcPort]++
			}
			if len(l.Payload) == 0 {
				continue
			}
		}
		assert.Check(t, is.Equal(from, info.InterfaceIndex))
		way := [2]int{from, to}
		found[way] = append(found[way], packet.ApplicationLayer().Payload())
	}
	assert.Check(t, is.Equal(r.NInterfaces(), ranks))
	return found
}

// What ports took is in the file, in order, and nothing that they refused.
func TestFileHoldsWhatPortsTook(t *testing.T) {
	for _, kind := range []fabric.Kind{fabric.UDP, fabric.TCP, fabric.RDMA} {
		t.Run(kind.String(), func(t *testing.T) {
			const ranks = 3
			var file bytes.Buffer
			c, ports := start(t, kind, ranks, fabric.Options{WindowBytes: 50_000}, &file)
			c.segment = 1460
			r := rand.New(rand.NewPCG(1, 2))
			want, busy := map[[2]int]traffic{}, 0
			for range 500 {
				from, to := r.IntN(ranks), r.IntN(ranks)
				if from == to {
					ports[to].Receive()
					continue
				}
				p := &fabric.Packet{Payload: make([]byte, r.IntN(5000)), Segment: kind == fabric.TCP && r.IntN(4) == 0}
				for _, b := range [][]byte{p.Header[:], p.Payload} {
					for i := range b {
						b[i] = byte(r.Uint32())
					}
				}
				message := p.Payload
				if !p.Segment {
					message = append(p.Header[:], p.Payload...)
				}
				p.Free = func() { clear(p.Payload) }
				message = bytes.Clone(message)
				switch err := ports[from].Send(uint32(to), p); {
				case errors.Is(err, fabric.ErrBusy):
					busy++
					continue
				default:
					assert.NilError(t, err)
				}
				way := [2]int{from, to}
				want[way] = append(want[way], message)
			}
			assert.Assert(t, busy > 0, "no port was busy")
			assert.NilError(t, c.Close())
			got := read(t, &file, ranks)
			assert.Equal(t, len(got), len(want))
			for way, w := range want {
				if kind != fabric.TCP {
					assert.Check(t, is.Equal(len(got[way]), len(w)), "%v", way)
				}
				assert.Check(t, bytes.Equal(got[way].bytes(), w.bytes()), "%v", way)
			}
		})
	}
}

// routed is a port that wants to be told routes, and notes what it was told.
type routed struct {
	fabric.Port
	routes int
}

func (r *routed) Route(uint32, uint32, uint16, bool) { r.routes++ }

// What the inner port offers is still offered, and addresses come from what it is told.
func TestInnerPortAndAddresses(t *testing.T) {
	var file bytes.Buffer
	c, ports := start(t, fabric.TCP, 2, fabric.Options{MaxPayload: 5000}, &file)
	ports[1].(fabric.Segmented).TakeSegments()
	assert.Check(t, ports[0].(fabric.Segmented).Segments(1))
	assert.Check(t, is.Equal(ports[0].MaxPayload(), 5000))
	assert.Check(t, ports[0].(fabric.Polled).Doze() && !ports[0].(fabric.Polled).Near())

	inner := &routed{Port: ports[0].(*port).Port}
	p := c.Port(0, inner)
	p.(fabric.Router).Route(1, 0x0A000002, 7000, false)
	p.(fabric.Router).Route(0, 0x0A000001, 7001, true)
	assert.Check(t, is.Equal(inner.routes, 2))
	assert.NilError(t, p.Send(1, &fabric.Packet{}))
	session, err := p.Connect(context.Background(), 0x7F000001, 5501) // elsewhere: another connection
	assert.NilError(t, err)
	assert.Equal(t, session, uint32(1))
	assert.NilError(t, p.Send(1, &fabric.Packet{}))
	assert.NilError(t, c.Close())
	assert.NilError(t, p.Send(1, &fabric.Packet{})) // after Close: sent, and not written
	r, err := pcapgo.NewNgReader(&file, pcapgo.NgReaderOptions{})
	assert.NilError(t, err)
	var ways []string
	for {
		data, _, err := r.ReadPacketData()
		if err == io.EOF {
			break
		}
		assert.NilError(t, err)
		packet := gopacket.NewPacket(data, layers.LinkTypeEthernet, gopacket.Default)
		ip, tcp := packet.NetworkLayer().(*layers.IPv4), packet.TransportLayer().(*layers.TCP)
		if len(tcp.Payload) > 0 {
			ways = append(ways, fmt.Sprintf("%v:%d %v:%d %d", ip.SrcIP, tcp.SrcPort, ip.DstIP, tcp.DstPort, tcp.Seq))
		}
	}
	assert.Check(t, is.DeepEqual(ways, []string{
		"10.0.0.1:32768 10.0.0.2:7000 1", "10.0.0.1:32769 127.0.0.1:5501 1"}))
}

type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// Errors do not stop ranks, and are told by Close.
// TestKeep: the file has the last packets that fit.
func TestKeep(t *testing.T) {
	var file bytes.Buffer
	c, ports := start(t, fabric.UDP, 2, fabric.Options{}, &file)
	const size = 14 + ipBytes + udpBytes + headerBytes + 100
	c.Keep(4*size - 1)
	for i := range 10 {
		assert.NilError(t, ports[0].Send(1, &fabric.Packet{Payload: bytes.Repeat([]byte{byte(i)}, 100)}))
	}
	assert.NilError(t, c.Close())
	assert.Equal(t, c.Gone(), 7)
	kept := read(t, &file, 2)[[2]int{0, 1}]
	assert.Equal(t, len(kept), 3)
	for i, m := range kept {
		assert.Equal(t, m[len(m)-1], byte(7+i))
	}
}

func TestErrors(t *testing.T) {
	_, err := New(io.Discard, fabric.TCP, nil, nil)
	assert.ErrorIs(t, err, ErrRank)

	c, ports := start(t, fabric.TCP, 2, fabric.Options{}, &full{left: 9000})
	for range 100 {
		assert.NilError(t, ports[0].Send(1, &fabric.Packet{Payload: make([]byte, 1000)}))
	}
	assert.ErrorIs(t, c.Close(), errFull)

	c, ports = start(t, fabric.UDP, 2, fabric.Options{}, io.Discard)
	assert.Check(t, is.Equal(ports[0].MaxPayload(), 4032))
	assert.NilError(t, ports[0].Send(1, &fabric.Packet{Payload: make([]byte, 65507-64)}))
	assert.NilError(t, c.Close())

	c, ports = start(t, fabric.UDP, 2, fabric.Options{}, io.Discard)
	assert.NilError(t, ports[0].Send(1, &fabric.Packet{Payload: make([]byte, 65507-63)}))
	assert.Check(t, c.Port(2, ports[0]) == ports[0])
	assert.ErrorIs(t, c.Close(), ErrTooLarge)
	assert.ErrorContains(t, c.Close(), "rank 0: 65508 bytes to 127.0.0.1:5501")
}
