// Package capture writes what ranks send to the network as a pcapng file, which Wireshark reads.
// The dissector ccl.lua in the docs of a platform names every field.
//
// Each rank is an interface of the file. A packet is written when the port has taken it, in the
// order in which ports did, with the time in nanoseconds, Ethernet and IPv4 around it, and right
// checksums:
//
//   - UDP: a datagram from the rank's address to the other's.
//   - TCP: the next bytes of a connection from a port of its own to the address of the other
//     rank, cut only where an IPv4 packet is full. What the other rank sends goes on another
//     connection, as between cards. Each begins with its handshake, before the first bytes.
//     Stacks' acknowledgements, repetitions and ends of connections are not seen by ports, and
//     not in the file.
//   - RDMA: a datagram of UDP for each message, which the file says of its interfaces. Of verbs,
//     queue pairs and acknowledgements of RoCE the ports know nothing, and none are made up.
//
// MAC addresses are 02:00 and the IPv4 address. A session whose address nobody has told leads to
// 0.0.0.0 and its number as the port.
package capture

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/fabric"
)

var (
	// ErrTooLarge says that a packet does not fit into a datagram.
	ErrTooLarge = errors.New("packet does not fit into a datagram")
	// ErrRank says that there is no rank of a number, or no rank at all.
	ErrRank = errors.New("no such rank")
)

const (
	headerBytes = len(fabric.Packet{}.Header)
	ipBytes     = 20 // of an IPv4 header; TCP's has as many
	udpBytes    = 8
	maxSegment  = 65535 - 2*ipBytes
	maxDatagram = 65535 - ipBytes - udpBytes
	// cardDatagram is what a datagram between cards has at most.
	cardDatagram = 4096
	// firstPort is the first of those from which connections are made.
	firstPort = 32768
	// windowShift makes windows that nothing fills.
	windowShift = 14
)

const notRoCE = "RDMA: each message is shown as a UDP datagram; the headers of RoCE are not known here"

// Capture is a file that is being written.
type Capture struct {
	kind    fabric.Kind
	now     func() int64
	segment int // bytes of TCP in a packet at most

	mu     sync.Mutex // held while a port takes a packet: the file is in the order of causes
	ranks  []netip.AddrPort
	w      *pcapgo.NgWriter
	opened uint16 // connections
	keep   int    // bytes; 0 for all
	kept   []sent // with so many bytes
	bytes  int
	gone   int // packets that were not kept
	closed bool
	err    error // the first one
}

// New begins a file for ranks on a network of a kind. The time is in nanoseconds since 1970, or
// since any other moment, and need not go on after Close. The error is ErrRank without ranks, or
// of the writer.
func New(w io.Writer, kind fabric.Kind, ranks []accl.Rank, now func() int64) (*Capture, error) {
	if len(ranks) == 0 {
		return nil, fmt.Errorf("begin a capture: %w", ErrRank)
	}
	c := &Capture{kind: kind, now: now, segment: maxSegment}
	for i, rank := range ranks {
		c.ranks = append(c.ranks, netip.AddrPortFrom(rank.IP.Unmap(), rank.Port))
		about := pcapgo.NgInterface{Name: fmt.Sprintf("rank %d", i), LinkType: layers.LinkTypeEthernet,
			Description: fmt.Sprintf("sent by rank %d at %v", i, rank)}
		if kind == fabric.RDMA {
			about.Comment = notRoCE
		}
		var err error
		if i == 0 {
			c.w, err = pcapgo.NewNgWriterInterface(w, about, pcapgo.NgWriterOptions{
				SectionInfo: pcapgo.NgSectionInfo{Application: "cclforge"}})
		} else {
			_, err = c.w.AddInterface(about)
		}
		if err != nil {
			return nil, fmt.Errorf("begin a capture: %w", err)
		}
	}
	return c, nil
}

// Keep makes the file have only the last packets, with so many bytes together, once it is closed.
// Nothing has been sent yet.
func (c *Capture) Keep(bytes int) { c.keep = bytes }

// Gone is how many packets the file does not have because of Keep.
func (c *Capture) Gone() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// Port returns the port through which a rank sends, so that the capture sees it. It offers what
// the inner one does, except that datagrams of rendezvous data are not larger than between
// cards.
func (c *Capture) Port(rank int, p fabric.Port) fabric.Port {
	if rank < 0 || rank >= len(c.ranks) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.fail(fmt.Errorf("capture rank %d of %d: %w", rank, len(c.ranks), ErrRank))
		return p
	}
	return newPort(c, rank, p)
}

// Close writes what is left, and returns the first error: of the writer, ErrTooLarge or ErrRank.
// What is sent later is not written.
func (c *Capture) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		for _, s := range c.kept {
			c.write(s.at, s.frames)
		}
		c.kept, c.closed = nil, true
		c.fail(c.w.Flush())
	}
	return c.err
}

// fail keeps the first error. The lock is held.
func (c *Capture) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// place is the address of a rank.
func (c *Capture) place(rank int) netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ranks[rank]
}

// move notes the address by which a rank is known now.
func (c *Capture) move(rank int, at netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ranks[rank] = at
}

// connection is one of TCP, in the direction in which it carries messages.
type connection struct {
	from, to netip.AddrPort
	begun    bool   // something has been sent
	next     uint32 // sequence number of the next byte
}

// connect makes a connection from a port that no other one has.
func (c *Capture) connect(from, to netip.AddrPort) *connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	port := firstPort + c.opened%firstPort
	c.opened++
	return &connection{from: netip.AddrPortFrom(from.Addr(), port), to: to}
}

// frame is a packet on Ethernet, and the rank that sends it.
type frame struct {
	rank int
	data []byte
}

// sent is what was sent at once, so that messages are whole at the beginning of the file.
type sent struct {
	at     int64
	frames []frame
}

func (s sent) bytes() (n int) {
	for _, f := range s.frames {
		n += len(f.data)
	}
	return n
}

// add writes frames, or keeps them until Close. The lock is held.
func (c *Capture) add(s sent) {
	switch {
	case c.closed || c.err != nil:
		return
	case c.keep == 0:
		c.write(s.at, s.frames)
		return
	}
	c.kept, c.bytes = append(c.kept, s), c.bytes+s.bytes()
	for len(c.kept) > 0 && c.bytes > c.keep {
		c.bytes, c.gone, c.kept[0] = c.bytes-c.kept[0].bytes(), c.gone+len(c.kept[0].frames), sent{}
		c.kept = c.kept[1:]
	}
}

// write appends frames at a time. The lock is held.
func (c *Capture) write(at int64, frames []frame) {
	if c.err != nil {
		return
	}
	for _, f := range frames {
		info := gopacket.CaptureInfo{Timestamp: time.Unix(0, at), InterfaceIndex: f.rank,
			CaptureLength: len(f.data), Length: len(f.data)}
		c.fail(c.w.WritePacketWithOptions(info, f.data, outbound))
	}
}

var outbound = pcapgo.NgPacketOptions{Flags: &pcapgo.NgEpbFlags{Direction: pcapgo.NgEpbFlagDirectionOutbound}}

// rankOf is the rank at an address; the other one if there is none.
func (c *Capture) rankOf(at netip.AddrPort, other int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.ranks, at); i >= 0 {
		return i
	}
	return other
}

// transport is a header of UDP or TCP.
type transport interface {
	gopacket.SerializableLayer
	SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
}

// encode puts a payload behind its headers.
func encode(from, to netip.AddrPort, protocol layers.IPProtocol, t transport, payload []byte) ([]byte, error) {
	ip := &layers.IPv4{Version: 4, TTL: 64, Flags: layers.IPv4DontFragment, Protocol: protocol,
		SrcIP: from.Addr().AsSlice(), DstIP: to.Addr().AsSlice()}
	ethernet := &layers.Ethernet{SrcMAC: mac(from.Addr()), DstMAC: mac(to.Addr()), EthernetType: layers.EthernetTypeIPv4}
	if err := t.SetNetworkLayerForChecksum(ip); err != nil {
		return nil, err
	}
	b := gopacket.NewSerializeBufferExpectedSize(14+2*ipBytes+20, len(payload))
	err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		ethernet, ip, t, gopacket.Payload(payload))
	return b.Bytes(), err
}

func mac(ip netip.Addr) net.HardwareAddr { return append(net.HardwareAddr{2, 0}, ip.AsSlice()...) }
