package zmq

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	greetingBytes  = 64
	handshakeBytes = 64 << 10 // that a peer may send before the first message
	commandBytes   = 16 << 10 // of one command after the handshake
	readBytes      = 32 << 10 // read ahead
	writeBytes     = 16 << 10 // kept, of messages that are sent together
	skipFactor     = 4        // of a message that is too large, as many times the limit is skipped
	skipFrame      = 64       // bytes that a skipped frame counts for, beside its own

	flagMore    = 1
	flagLong    = 2
	flagCommand = 4
)

// guard is a connection as zmq4 sees it. It follows the frames that arrive, and
// gives the header of a frame to zmq4, which allocates what it says, only if it
// is within the limits. Commands that arrive after the handshake never get
// there: zmq4 would answer in the midst of a message that is being sent, and
// does not tell subscribing from cancelling.
//
// What is written is kept until a flush of out.
type guard struct {
	net.Conn
	outlet  outlet
	out     *bufio.Writer
	in      *bufio.Reader
	limits  Limits
	command func(name string, body []byte) error // after the handshake

	greeted   bool
	handshake int // bytes that the peer has sent
	opened    bool

	pass     int  // bytes of the frame that zmq4 may still read
	more     bool // more frames of the message come
	bytes    int  // of the message so far
	frames   int
	skipping bool   // the message is too large
	skip     uint64 // bytes of its present frame that are left
	skipped  int
	broken   bool // what comes makes no sense any more

	mu       sync.Mutex
	deadline time.Time // of the owner of the connection, for reading
	armed    bool      // the deadline in force is a shorter one
}

func newGuard(raw net.Conn, limits Limits) *guard {
	g := &guard{Conn: raw, limits: limits, outlet: outlet{to: raw}}
	g.in = bufio.NewReaderSize(arrivals{g}, readBytes)
	g.out = bufio.NewWriterSize(&g.outlet, writeBytes)
	return g
}

// open ends the handshake: deadlines are those of messages from now on.
func (g *guard) open(command func(name string, body []byte) error) error {
	g.opened = true
	g.command = command
	g.outlet.stall = g.limits.Stall
	return g.Conn.SetDeadline(time.Time{})
}

// Read gives no more than the rest of one frame.
func (g *guard) Read(p []byte) (int, error) {
	if !g.opened {
		if err := g.out.Flush(); err != nil {
			return 0, err
		}
	}
	for g.pass == 0 {
		if err := g.next(); err != nil {
			return 0, err
		}
	}
	n, err := g.in.Read(p[:min(len(p), g.pass)])
	g.pass -= n
	return n, err
}

func (g *guard) Write(p []byte) (int, error) { return g.out.Write(p) }

// between reports that nothing of a message has been read that could be lost.
func (g *guard) between() bool { return !g.broken && g.pass == 0 && !g.more && !g.skipping }

// next reads the next header, and sets pass if zmq4 may read the frame. If a deadline
// ends it, nothing is lost.
func (g *guard) next() error {
	if !g.greeted {
		g.greeted = true
		g.pass = greetingBytes
		return nil
	}
	if err := g.drop(); err != nil {
		return err
	}
	flags, header, size, err := g.peekHeader()
	if err != nil {
		return err
	}
	if !g.opened {
		return g.allowHandshake(header, size)
	}
	if flags&flagCommand != 0 {
		return g.takeCommand(flags, header, size)
	}
	if g.skipping {
		return g.startSkip(flags, header, size)
	}
	return g.allowFrame(flags, header, size)
}

func (g *guard) peekHeader() (flags byte, header int, size uint64, err error) {
	b, err := g.peek(2)
	if err != nil {
		return 0, 0, 0, err
	}
	flags = b[0]
	if flags&^(flagMore|flagLong|flagCommand) != 0 {
		return 0, 0, 0, g.breaks(fmt.Errorf("%w: flags are 0x%02x", errFraming, flags))
	}
	if flags&flagLong == 0 {
		return flags, 2, uint64(b[1]), nil
	}
	if b, err = g.peek(9); err != nil {
		return 0, 0, 0, err
	}
	return flags, 9, binary.BigEndian.Uint64(b[1:]), nil
}

func (g *guard) peek(n int) ([]byte, error) {
	b, err := g.in.Peek(n)
	if errors.Is(err, io.EOF) && len(b) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func (g *guard) breaks(err error) error {
	g.broken = true
	return err
}

func (g *guard) allowHandshake(header int, size uint64) error {
	left := handshakeBytes - g.handshake
	if size > uint64(left) || header+int(size) > left {
		return g.breaks(fmt.Errorf("%w: more than %d bytes of handshake", ErrTooLarge, handshakeBytes))
	}
	g.pass = header + int(size)
	g.handshake += g.pass
	return nil
}

func (g *guard) allowFrame(flags byte, header int, size uint64) error {
	if !g.more {
		g.bytes, g.frames = 0, 0
	}
	g.frames++
	var err error
	if g.frames > g.limits.Frames {
		err = fmt.Errorf("%w: more than %d frames", ErrTooLarge, g.limits.Frames)
	} else if size > uint64(g.limits.MessageBytes-g.bytes) {
		err = fmt.Errorf("%w: %d bytes and a frame of %d, the limit is %d", ErrTooLarge, g.bytes, size, g.limits.MessageBytes)
	}
	if err != nil {
		g.skipping, g.skipped = true, 0
		if skip := g.startSkip(flags, header, size); skip != nil {
			return skip
		}
		return err
	}
	g.bytes += int(size)
	g.more = flags&flagMore != 0
	g.pass = header + int(size)
	return nil
}

// startSkip begins to skip a frame of a message that is too large, so that the
// connection is good for an answer and for the next message.
func (g *guard) startSkip(flags byte, header int, size uint64) error {
	if _, err := g.in.Discard(header); err != nil {
		return g.breaks(err)
	}
	g.skip = size
	g.more = flags&flagMore != 0
	g.skipped += skipFrame
	return nil
}

// drop skips the rest of a message that is too large.
func (g *guard) drop() error {
	for g.skipping {
		if g.skipped > skipFactor*g.limits.MessageBytes+skipFrame*g.limits.Frames {
			return g.breaks(fmt.Errorf("%w: and so is what follows", ErrTooLarge))
		}
		if g.skip == 0 {
			g.skipping = g.more
			break
		}
		n, err := g.in.Discard(int(min(g.skip, readBytes)))
		g.skip -= uint64(n)
		g.skipped += n
		if err != nil {
			return err
		}
	}
	return nil
}

func (g *guard) takeCommand(flags byte, header int, size uint64) error {
	if flags&flagMore != 0 || g.more {
		return g.breaks(fmt.Errorf("%w: a command within a message", errFraming))
	}
	if size > commandBytes {
		return g.breaks(fmt.Errorf("%w: a command of %d bytes, the limit is %d", ErrTooLarge, size, commandBytes))
	}
	b, err := g.peek(header + int(size))
	if err != nil {
		return err
	}
	if b = b[header:]; len(b) == 0 || len(b) < 1+int(b[0]) {
		return g.breaks(fmt.Errorf("%w: a command without a name", errFraming))
	}
	if err := g.command(string(b[1:1+b[0]]), b[1+b[0]:]); err != nil {
		return g.breaks(err)
	}
	_, err = g.in.Discard(header + int(size))
	return err
}
