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
	frameBytes  = 14 + 2*ipBytes // around the bytes of a message
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

const (
	batchBytes = 64 << 10 // about so many are written at once
	batches    = 16       // wait to be written at most: then ports wait
	// lateness is when a batch is written that does not fill.
	lateness = 100 * time.Millisecond
)

// Capture is a file that is being written. Ports copy what they send into batches, which one
// goroutine frames and writes.
type Capture struct {
	kind       fabric.Kind
	now        func() int64
	segment    int         // bytes of TCP in a packet at most
	keep       int         // bytes; 0 for all
	full, free chan *batch // all but the one that is filled; none is lost

	mu     sync.Mutex // held while a port takes a packet: the file is in the order of causes
	ranks  []netip.AddrPort
	opened uint16 // connections
	batch  *batch
	late   *time.Timer
	closed bool
	noRank error

	// What follows is the goroutine's until it is done.
	done  chan struct{}
	w     *pcapgo.NgWriter
	frame gopacket.SerializeBuffer
	kept  []*batch
	bytes int   // of kept, framed
	gone  int   // messages that were not kept
	err   error // the first one
}

// batch is messages in order.
type batch struct {
	messages []message
	bytes    []byte // of them all
}

// message is what was sent at once.
type message struct {
	at    int64
	way   *way
	bytes int
}

// way leads from a rank to an address. On TCP it is a connection.
type way struct {
	there, back direction
	next        uint64 // sequence number of the next byte, of the goroutine; 0 before the handshake
}

// direction has the headers of what a rank sends.
type direction struct {
	rank     int
	from, to netip.AddrPort
	ethernet *layers.Ethernet
	ip       *layers.IPv4
}

func (c *Capture) direction(rank int, from, to netip.AddrPort) direction {
	protocol := layers.IPProtocolUDP
	if c.kind == fabric.TCP {
		protocol = layers.IPProtocolTCP
	}
	return direction{rank, from, to,
		&layers.Ethernet{SrcMAC: mac(from.Addr()), DstMAC: mac(to.Addr()), EthernetType: layers.EthernetTypeIPv4},
		&layers.IPv4{Version: 4, TTL: 64, Flags: layers.IPv4DontFragment, Protocol: protocol,
			SrcIP: from.Addr().AsSlice(), DstIP: to.Addr().AsSlice()}}
}

// New begins a file for ranks on a network of a kind. The time is in nanoseconds since 1970, or
// since any other moment, and need not go on after Close. The error is ErrRank without ranks, or
// of the writer.
func New(w io.Writer, kind fabric.Kind, ranks []accl.Rank, now func() int64) (*Capture, error) {
	if len(ranks) == 0 {
		return nil, fmt.Errorf("begin a capture: %w", ErrRank)
	}
	c := &Capture{kind: kind, now: now, segment: maxSegment, batch: new(batch), done: make(chan struct{}),
		full: make(chan *batch, batches), free: make(chan *batch, batches+1), frame: gopacket.NewSerializeBuffer()}
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
	for range batches {
		c.free <- new(batch)
	}
	c.late = time.AfterFunc(lateness, c.hurry)
	go c.run()
	return c, nil
}

// Keep makes the file have only the last packets, with so many bytes together, once it is closed.
// Nothing has been sent yet.
func (c *Capture) Keep(bytes int) { c.keep = bytes }

// Gone is how many messages the file does not have because of Keep, once it is closed.
func (c *Capture) Gone() int { return c.gone }

// Port returns the port through which a rank sends, so that the capture sees it. It offers what
// the inner one does, except that datagrams of rendezvous data are not larger than between
// cards.
func (c *Capture) Port(rank int, p fabric.Port) fabric.Port {
	if rank < 0 || rank >= len(c.ranks) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.noRank = fmt.Errorf("capture rank %d of %d: %w", rank, len(c.ranks), ErrRank)
		return p
	}
	return newPort(c, rank, p)
}

// Close writes what is left, and returns what went wrong: the first of the writer's errors and ErrTooLarge, and
// ErrRank.
// What is sent later is not written.
func (c *Capture) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		c.late.Stop()
		c.full <- c.batch
		close(c.full)
	}
	<-c.done
	return errors.Join(c.err, c.noRank)
}

// add ends a message whose bytes are in the batch. The lock is held.
func (c *Capture) add(m message) {
	b := c.batch
	b.messages = append(b.messages, m)
	switch n := len(b.messages); {
	case len(b.bytes)+headerBytes*n >= batchBytes:
		c.next()
	case n == 1:
		c.late.Reset(lateness)
	}
}

// next begins another batch, once there is one. The lock is held.
func (c *Capture) next() {
	c.full <- c.batch
	c.batch = <-c.free
}

func (c *Capture) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && len(c.batch.messages) > 0 {
		c.next()
	}
}

// run writes batches, or keeps them until Close.
func (c *Capture) run() {
	defer close(c.done)
	for b := range c.full {
		if c.keep > 0 {
			b = c.hold(b)
		} else {
			c.write(b)
			c.flush()
		}
		b.messages, b.bytes = b.messages[:0], b.bytes[:0]
		c.free <- b
	}
	for _, b := range c.kept {
		c.write(b)
	}
	c.flush()
}

// hold keeps a batch, and returns one in its place.
func (c *Capture) hold(b *batch) *batch {
	c.kept, c.bytes = append(c.kept, b), c.bytes+b.framed()
	b = new(batch)
	for c.bytes-c.kept[0].framed() >= c.keep {
		b, c.kept = c.kept[0], c.kept[1:]
		c.bytes, c.gone = c.bytes-b.framed(), c.gone+len(b.messages)
	}
	return b
}

// framed is how long messages are in the file.
func (b *batch) framed() int { return len(b.bytes) + frameBytes*len(b.messages) }

// write appends messages, other than the first ones that are too much to keep.
func (c *Capture) write(b *batch) {
	rest := b.bytes
	for _, m := range b.messages {
		data := rest[:m.bytes]
		rest = rest[m.bytes:]
		switch d := &m.way.there; {
		case c.bytes > c.keep:
			c.bytes, c.gone = c.bytes-frameBytes-len(data), c.gone+1
		case c.kind == fabric.TCP:
			c.stream(m, data)
		case len(data) > maxDatagram:
			c.fail(fmt.Errorf("capture rank %d: %d bytes to %v: %w (%d bytes)", d.rank, len(data), d.to, ErrTooLarge,
				maxDatagram))
		default:
			c.encode(m.at, d, &layers.UDP{SrcPort: layers.UDPPort(d.from.Port()), DstPort: layers.UDPPort(d.to.Port())}, data)
		}
	}
}

// stream writes bytes behind those that went before on a connection.
func (c *Capture) stream(m message, data []byte) {
	w := m.way
	if w.next == 0 {
		c.handshake(m.at, w)
		w.next = 1
	}
	for len(data) > 0 {
		piece := data[:min(len(data), c.segment)]
		data = data[len(piece):]
		c.tcp(m.at, &w.there, &layers.TCP{Seq: uint32(w.next), Ack: 1, ACK: true, PSH: len(data) == 0}, piece)
		// Until the receiver has sent a window behind its SYN, readers do not scale it.
		if w.next += uint64(len(piece)); w.next == 1+uint64(len(piece)) {
			c.tcp(m.at, &w.back, &layers.TCP{Seq: 1, Ack: uint32(w.next), ACK: true}, nil)
		}
	}
}

// handshake is what stacks send before the first byte; both count from 0.
func (c *Capture) handshake(at int64, w *way) {
	options := []layers.TCPOption{
		{OptionType: layers.TCPOptionKindMSS, OptionLength: 4, OptionData: []byte{maxSegment >> 8, maxSegment & 0xff}},
		{OptionType: layers.TCPOptionKindNop},
		{OptionType: layers.TCPOptionKindWindowScale, OptionLength: 3, OptionData: []byte{windowShift}},
	}
	c.tcp(at, &w.there, &layers.TCP{SYN: true, Options: options}, nil)
	c.tcp(at, &w.back, &layers.TCP{Ack: 1, SYN: true, ACK: true, Options: options}, nil)
	c.tcp(at, &w.there, &layers.TCP{Seq: 1, Ack: 1, ACK: true}, nil)
}

func (c *Capture) tcp(at int64, d *direction, t *layers.TCP, payload []byte) {
	t.SrcPort, t.DstPort, t.Window = layers.TCPPort(d.from.Port()), layers.TCPPort(d.to.Port()), 65535
	c.encode(at, d, t, payload)
}

func (c *Capture) flush() { c.fail(c.w.Flush()) }

// fail keeps the first error: nothing is written after it.
func (c *Capture) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

var outbound = pcapgo.NgPacketOptions{Flags: &pcapgo.NgEpbFlags{Direction: pcapgo.NgEpbFlagDirectionOutbound}}

// transport is a header of UDP or TCP.
type transport interface {
	gopacket.SerializableLayer
	SetNetworkLayerForChecksum(gopacket.NetworkLayer) error
}

// encode writes a payload behind its headers.
func (c *Capture) encode(at int64, d *direction, t transport, payload []byte) {
	if c.err != nil {
		return
	}
	c.fail(t.SetNetworkLayerForChecksum(d.ip))
	c.fail(gopacket.SerializeLayers(c.frame, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true},
		d.ethernet, d.ip, t, gopacket.Payload(payload)))
	data := c.frame.Bytes()
	info := gopacket.CaptureInfo{Timestamp: time.Unix(0, at), InterfaceIndex: d.rank, CaptureLength: len(data),
		Length: len(data)}
	c.fail(c.w.WritePacketWithOptions(info, data, outbound))
}

func mac(ip netip.Addr) net.HardwareAddr { return append(net.HardwareAddr{2, 0}, ip.AsSlice()...) }
