package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/sim/zmq"
)

// Options choose the rank that is opened.
type Options struct {
	Endpoints
	Rank int
	// Base is the first address that this client allocates, in device and in host memory.
	// Clients of the same rank share its memory and need different bases.
	Base uint64
	// Dialing is the time that Open tries to connect; 0 for 10 s.
	Dialing time.Duration
	// Listen is the address on which Push publishes; "" for 127.0.0.1.
	Listen string
}

const (
	// connections is how many requests of a device are on their way at a time,
	// besides calls.
	connections = 8
	dialing     = 10 * time.Second
	// redialing is the pause between attempts to connect.
	redialing = 20 * time.Millisecond
)

// Device is a rank that a server serves by the simulation protocol. It implements
// accl.Device and accl.KernelPort.
type Device struct {
	o       Options
	p       *accl.Platform
	address string
	life    context.Context // ends with Close
	end     context.CancelCauseFunc

	mu     sync.Mutex // of what follows
	closed bool
	tasks  sync.WaitGroup

	requests   *lines
	calls      caller
	returnCode uint32 // its place in the exchange memory
	tickets    engine.Tickets
	spaces     [2]space // device and host memory
	beat       int      // bytes
	toEngine   *talker
	fromEngine *listener
}

var (
	_ accl.Device     = (*Device)(nil)
	_ accl.KernelPort = (*Device)(nil)
)

// caller places calls, in one of the ways that the protocol has.
type caller interface {
	start(ctx context.Context, client int, c accl.Call) (*engine.Answer, error)
	close() // when nothing runs any more
}

// Blocking reports whether clients of the platform's interface version place calls
// without ctrl_id, which are answered when they have ended. This holds for interfaces
// whose engines open sessions themselves, up to accl-2022. In later ones, a call names a
// controller, and the client asks for its end.
func Blocking(p *accl.Platform) bool { return p.Features.EngineSessions }

// Open connects to the server of a rank of platform p. It tries again until the server
// answers, Options.Dialing has passed, or ctx ends; the error matches ErrNotServed then.
// It fails at once if another kind of socket listens at the address.
func Open(ctx context.Context, p *accl.Platform, o Options) (*Device, error) {
	if p == nil {
		return nil, fmt.Errorf("sim: open rank %d: no platform", o.Rank)
	}
	if err := o.Check(o.Rank); err != nil {
		return nil, err
	}
	if o.Base > math.MaxUint64-stepBytes {
		return nil, fmt.Errorf("%w: behind the base 0x%X", ErrFull, o.Base)
	}
	d := &Device{o: o, p: p, address: o.Command(o.Rank)}
	returnCode := p.Exchange.Word("return_code")
	if returnCode == nil {
		return nil, fmt.Errorf("sim: the exchange memory of %s has no word return_code", p.Name)
	}
	d.returnCode = returnCode.At
	conn, err := insist(ctx, d.address, o.Dialing)
	if err != nil {
		return nil, notServed(p, o, err)
	}
	d.life, d.end = context.WithCancelCause(context.Background())
	d.requests = newLines(d.address, connections)
	d.requests.give(&line{address: d.address, conn: conn})
	for i := range d.spaces {
		d.spaces[i].base = roundUp(o.Base)
	}
	if Blocking(p) {
		d.calls = newBlocking(d)
	} else {
		d.calls = newControllers(d)
	}
	d.beat, d.toEngine, d.fromEngine = max(p.BeatBytes, 1), newTalker(), newListener()
	return d, nil
}

// OpenWorld opens all ranks of a world, in order.
func OpenWorld(ctx context.Context, p *accl.Platform, e Endpoints) ([]accl.Device, error) {
	if err := e.Check(0); err != nil {
		return nil, err
	}
	devices := make([]accl.Device, 0, e.Ranks)
	for r := range e.Ranks {
		d, err := Open(ctx, p, Options{Endpoints: e, Rank: r})
		if err != nil {
			for _, opened := range devices {
				_ = opened.Close() // the error of the rank that is missing matters
			}
			return nil, fmt.Errorf("open rank %d of %d: %w", r, e.Ranks, err)
		}
		devices = append(devices, d)
	}
	return devices, nil
}

// insist connects to a server that may not be there yet. The error is that of the last
// attempt that had its time.
func insist(ctx context.Context, address string, limit time.Duration) (*zmq.Conn, error) {
	if limit <= 0 {
		limit = dialing
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for last := error(nil); ; {
		conn, err := zmq.Dial(limited, address, zmq.Req, zmq.Limits{})
		if err == nil {
			return conn, nil
		}
		// The end of the limit says less than what was before.
		if late := net.Error(nil); last == nil || limited.Err() == nil && !(errors.As(err, &late) && late.Timeout()) {
			last = err
		}
		if errors.Is(err, zmq.ErrKind) {
			return nil, err
		}
		select {
		case <-limited.Done():
			if ctx.Err() != nil {
				last = fmt.Errorf("%w: %w", context.Cause(ctx), last)
			}
			return nil, last
		case <-time.After(redialing):
		}
	}
}

// Close ends all connections; waits for answers end with ErrClosed. It sends nothing to
// the server, where calls in flight continue.
func (d *Device) Close() error {
	d.mu.Lock()
	again := d.closed
	d.closed = true
	d.mu.Unlock()
	if again {
		return nil
	}
	d.end(ErrClosed)
	d.tasks.Wait()
	err := d.toEngine.close()
	d.calls.close()
	d.requests.close()
	return err
}

// spawn runs f in a goroutine, unless the device is closed. Close waits for it.
func (d *Device) spawn(f func()) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	d.tasks.Go(f)
	return nil
}

// bound is a context that ends with the device, too.
func (d *Device) bound(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(d.life, func() { cancel(ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }
}

// do has a request answered, with a good status.
func (d *Device) do(ctx context.Context, r *Request) (Reply, error) {
	ctx, free := d.bound(ctx)
	defer free()
	reply, err := d.requests.do(ctx, r)
	if err != nil {
		return reply, err
	}
	return reply, d.refused(r, reply)
}

// refused is the error of a reply with another status than StatusGood.
func (d *Device) refused(r *Request, reply Reply) error {
	if reply.Status == StatusGood {
		return nil
	}
	return fmt.Errorf("%s: %w", what(d.address, r), &StatusError{r.Type, reply.Status, reply.Error})
}

// ReadReg implements accl.Device.
func (d *Device) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	r := Request{Type: MMIORead, Addr: uint64(off)}
	reply, err := d.do(ctx, &r)
	if err != nil {
		return 0, err
	}
	if reply.Word == nil {
		return 0, fmt.Errorf("%s: %w: the reply has no rdata of one word", what(d.address, &r), ErrMessage)
	}
	return *reply.Word, nil
}

// WriteReg implements accl.Device.
func (d *Device) WriteReg(ctx context.Context, off, v uint32) error {
	_, err := d.do(ctx, &Request{Type: MMIOWrite, Addr: uint64(off), Word: v})
	return err
}
