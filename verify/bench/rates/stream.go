package rates

import (
	"context"
	"errors"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/conformance"
)

// streams compares a message between two engines on TCP sockets with a plain
// stream of the same bytes, in turn.
func (r *Compared) streams(ctx context.Context, d *design.Design) (err error) {
	g, err := ways[3].group(ctx, d, 2)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	plain, err := newStream()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plain.close()) }()
	var ours, theirs []time.Duration
	c := conformance.Plain(g.w.Platform, "send", accl.TypeFloat32, streamBytes/elementBytes)
	c.FromFPGA, c.ToFPGA = true, true
	err = g.repeat(ctx, &operation{}, c, func(r *repeated) error {
		for range blocksPerPoint * 3 {
			times, err := r.measure(ctx, figureTime/3)
			if err != nil {
				return err
			}
			ours = append(ours, times...)
			if times, err = again(ctx, plain.carry); err != nil {
				return err
			}
			theirs = append(theirs, times...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	mine, other := summary(ours, streamBytes), summary(theirs, streamBytes)
	r.figure("send of 16 MiB on TCP sockets", mine.Rate, "GB/s", 0, false)
	r.figure("a plain Go TCP stream", other.Rate, "GB/s", 0, false)
	r.figure("the former, of the latter", mine.Rate/other.Rate, "x", aimStream, true)
	return nil
}

// stream is a TCP connection on the loopback address.
type stream struct {
	in, out net.Conn
	data    []byte
	arrived []byte
}

func newStream() (*stream, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	out, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		return nil, err
	}
	in, err := l.Accept()
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return &stream{in: in, out: out, data: make([]byte, streamBytes), arrived: make([]byte, streamBytes)}, nil
}

// carry brings all bytes from one end to the other, in pieces as large as a
// packet between engines.
func (s *stream) carry(ctx context.Context) error {
	both, _ := errgroup.WithContext(ctx)
	both.Go(func() error {
		for at := 0; at < len(s.data); at += 64 << 10 {
			if _, err := s.out.Write(s.data[at : at+64<<10]); err != nil {
				return err
			}
		}
		return nil
	})
	both.Go(func() error {
		for at := 0; at < len(s.arrived); {
			n, err := s.in.Read(s.arrived[at:])
			if err != nil {
				return err
			}
			at += n
		}
		return nil
	})
	return both.Wait()
}

func (s *stream) close() error { return errors.Join(s.in.Close(), s.out.Close()) }
