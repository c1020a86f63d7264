package zmq

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

const looks = 8 // times within Stall that progress is looked at

// outlet writes to a peer that may be slow, as long as it takes something within the time of stall.
type outlet struct {
	to    net.Conn
	stall time.Duration // 0: the deadlines of the connection are in force
}

func (o *outlet) Write(p []byte) (written int, err error) {
	for last := time.Now(); ; {
		if o.stall > 0 {
			if err := o.to.SetWriteDeadline(time.Now().Add(max(o.stall/looks, time.Millisecond))); err != nil {
				return written, err
			}
		}
		n, err := o.to.Write(p[written:])
		written += n
		if o.stall == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return written, err
		}
		now := time.Now()
		if n > 0 {
			last = now
		}
		if now.Sub(last) >= o.stall {
			return written, fmt.Errorf("the peer took nothing for %v: %w", o.stall, err)
		}
	}
}
