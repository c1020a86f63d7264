package zmq

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

const (
	keptBytes  = 16 << 10 // of short pieces, that are copied
	shortBytes = 4 << 10  // pieces of fewer bytes are copied
	looks      = 8        // times within Stall that progress is looked at
)

// outlet gathers writes, so that a message goes out in one system call. Long pieces are
// not copied: they must not change until flush.
type outlet struct {
	to    net.Conn
	stall time.Duration // 0: the deadlines of the connection are in force

	kept   []byte
	sealed int // bytes of kept that are in pieces
	pieces net.Buffers
}

func newOutlet(to net.Conn) outlet {
	return outlet{to: to, kept: make([]byte, 0, keptBytes)}
}

func (o *outlet) write(p []byte) (int, error) {
	if len(p) >= shortBytes {
		o.seal()
		o.pieces = append(o.pieces, p)
		return len(p), nil
	}
	if len(o.kept)+len(p) > cap(o.kept) {
		if err := o.flush(); err != nil {
			return 0, err
		}
	}
	o.kept = append(o.kept, p...)
	return len(p), nil
}

func (o *outlet) seal() {
	if o.sealed < len(o.kept) {
		o.pieces = append(o.pieces, o.kept[o.sealed:])
		o.sealed = len(o.kept)
	}
}

// flush writes everything. A peer may be slow, as long as it takes something
// within the time of stall.
func (o *outlet) flush() error {
	o.seal()
	left := o.pieces
	defer func() {
		clear(o.pieces)
		o.pieces, o.kept, o.sealed = o.pieces[:0], o.kept[:0], 0
	}()
	if len(left) == 0 {
		return nil
	}
	for last := time.Now(); ; {
		if o.stall > 0 {
			if err := o.to.SetWriteDeadline(time.Now().Add(max(o.stall/looks, time.Millisecond))); err != nil {
				return err
			}
		}
		n, err := left.WriteTo(gather(o.to))
		if o.stall == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		now := time.Now()
		if n > 0 {
			last = now
		}
		if now.Sub(last) >= o.stall {
			return fmt.Errorf("the peer took nothing for %v: %w", o.stall, err)
		}
	}
}
