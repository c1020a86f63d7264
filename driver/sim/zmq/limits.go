package zmq

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Kind is the kind of a socket, in the spelling of ZMTP.
type Kind string

// The kinds of socket.
const (
	Req    Kind = "REQ"
	Rep    Kind = "REP"
	Router Kind = "ROUTER"
	Dealer Kind = "DEALER"
	Pub    Kind = "PUB"
	Sub    Kind = "SUB"
)

var (
	// ErrTooLarge matches errors of messages beyond Limits.
	ErrTooLarge = errors.New("message is too large")
	// ErrClosed matches errors of connections that have ended, whoever ended them. The error
	// also matches the reason: io.EOF if the peer has closed the connection in order.
	ErrClosed = errors.New("connection is closed")
	// ErrBusy matches errors of Publish while the queue of a subscriber is full.
	ErrBusy = errors.New("a subscriber is behind")
	// ErrKind matches errors of peers whose kind of socket does not fit.
	ErrKind = errors.New("the socket is of another kind")

	errFraming = errors.New("not a ZMTP frame")
	errCrowded = errors.New("too many peers are connected")
)

// Limits bound the resources of peers. 0 means the default, given after each field.
// Memory for a frame is allocated when its header arrives, so all peers together can
// occupy Connections times MessageBytes.
type Limits struct {
	MessageBytes int           // of one message, all frames together; 64 MiB
	Frames       int           // of one message; 16
	Connections  int           // at a time; 64
	Handshake    time.Duration // to connect and agree on the protocol; 5 s
	Linger       time.Duration // that a publisher's Close waits for subscribers to take what is queued; 1 s
	Stall        time.Duration // after which a peer that takes nothing, or stops within a message, is disconnected; 30 s

	// OnRefused, if not nil, is called for each peer that Serve turns away. Calls may be
	// concurrent and must not block.
	OnRefused func(peer net.Addr, why error)
}

func (l Limits) withDefaults() Limits {
	l.MessageBytes = orDefault(l.MessageBytes, 64<<20)
	l.Frames = orDefault(l.Frames, 16)
	l.Connections = orDefault(l.Connections, 64)
	l.Handshake = orDefault(l.Handshake, 5*time.Second)
	l.Linger = orDefault(l.Linger, time.Second)
	l.Stall = orDefault(l.Stall, 30*time.Second)
	return l
}

func orDefault[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// refuse tells that a peer is turned away.
func (l Limits) refuse(peer net.Conn, why error) {
	if l.OnRefused != nil {
		l.OnRefused(peer.RemoteAddr(), why)
	}
}

// check returns an error that matches ErrTooLarge for a message beyond the
// limits.
func (l Limits) check(frames [][]byte) error {
	if len(frames) == 0 {
		return errors.New("a message has one frame or more, this one has none")
	}
	if len(frames) > l.Frames {
		return fmt.Errorf("%w: %d frames, the limit is %d", ErrTooLarge, len(frames), l.Frames)
	}
	if bytes := size(frames); bytes > l.MessageBytes {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, bytes, l.MessageBytes)
	}
	return nil
}

func size(frames [][]byte) int {
	bytes := 0
	for _, frame := range frames {
		bytes += len(frame)
	}
	return bytes
}
