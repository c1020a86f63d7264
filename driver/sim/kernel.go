package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

const (
	// pullPieces is how many messages of the engine wait to be taken; the server is
	// held back then.
	pullPieces = 16
	// settling is how long a publisher is given to take a subscription: ZeroMQ does
	// not say when it has.
	settling = 50 * time.Millisecond
)

// listener receives data from the engine's kernel stream.
type listener struct {
	making chan struct{} // held by who subscribes
	made   atomic.Bool
	pieces chan piece // closed after the last one
	err    error      // why there are no more, set before

	reading chan struct{} // held by who takes pieces
	rest    piece         // of the last one
}

// piece is a message from the engine, or why it is none.
type piece struct {
	tdest uint32
	data  []byte
	err   error
}

func newListener() *listener {
	return &listener{making: make(chan struct{}, 1), reading: make(chan struct{}, 1), pieces: make(chan piece, pullPieces)}
}

// ListenKernel subscribes to the kernel stream of the engine; without it, the first Pull
// does. Data that the engine sends after ListenKernel has returned is kept for Pull. The
// server is held back while nobody takes it.
func (d *Device) ListenKernel(ctx context.Context) error {
	ctx, free := d.bound(ctx)
	defer free()
	if err := d.listen(ctx); err != nil {
		return fmt.Errorf("sim: listen to the kernel stream at %s: %w", d.o.KernelOut(d.o.Rank), err)
	}
	return nil
}

func (d *Device) listen(ctx context.Context) error {
	k := d.fromEngine
	if k.made.Load() {
		return nil
	}
	select {
	case k.making <- struct{}{}:
		defer func() { <-k.making }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if k.made.Load() {
		return nil
	}
	conn, err := zmq.Dial(ctx, d.o.KernelOut(d.o.Rank), zmq.Sub, zmq.Limits{})
	if err != nil {
		return orCause(ctx, err)
	}
	const subscribe = 1 // to all topics
	if err := conn.Send([]byte{subscribe}); err != nil {
		return err
	}
	if err := d.spawn(func() { d.receive(conn) }); err != nil {
		_ = conn.Close()
		return err
	}
	k.made.Store(true)
	select {
	case <-time.After(settling):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// receive queues messages of the engine.
func (d *Device) receive(conn *zmq.Conn) {
	defer context.AfterFunc(d.life, func() { _ = conn.Close() })()
	defer conn.Close()
	k := d.fromEngine
	defer close(k.pieces)
	for {
		frames, err := conn.Recv()
		if err != nil {
			k.err = orCause(d.life, err)
			return
		}
		select {
		case k.pieces <- d.piece(frames):
		case <-d.life.Done():
			k.err = ErrClosed
			return
		}
	}
}

// piece reads a message, and pads it to whole beats.
func (d *Device) piece(frames [][]byte) piece {
	if len(frames) != 2 {
		return piece{err: fmt.Errorf("%w: a message of %d frames, where TDEST and data are expected",
			ErrMessage, len(frames))}
	}
	tdest, err := strconv.ParseUint(string(frames[0]), 10, 32)
	if err != nil {
		shown := bytes.ToValidUTF8(frames[0][:min(len(frames[0]), 20)], []byte("?"))
		return piece{err: fmt.Errorf("%w: %q where a TDEST is expected", ErrMessage, shown)}
	}
	data, err := ParseData(frames[1])
	if short := len(data) % d.beat; short != 0 {
		data = append(data, make([]byte, d.beat-short)...)
	}
	return piece{uint32(tdest), data, err}
}

// Pull implements accl.KernelPort. The first call subscribes, unless ListenKernel was
// called; data sent before is lost. The error matches ErrMessage if the server has
// published something else; Pull can be called again then.
func (d *Device) Pull(ctx context.Context, max int) (uint32, []byte, error) {
	ctx, free := d.bound(ctx)
	defer free()
	if err := d.ListenKernel(ctx); err != nil {
		return 0, nil, err
	}
	tdest, data, err := d.pull(ctx, max)
	if err != nil {
		err = fmt.Errorf("sim: pull from the kernel stream: %w", err)
	}
	return tdest, data, err
}

func (d *Device) pull(ctx context.Context, max int) (uint32, []byte, error) {
	if max -= max % d.beat; max <= 0 {
		return 0, nil, fmt.Errorf("%w: there is no room for one of %d bytes", errBeat, d.beat)
	}
	k := d.fromEngine
	select {
	case k.reading <- struct{}{}:
		defer func() { <-k.reading }()
	case <-ctx.Done():
		return 0, nil, context.Cause(ctx)
	}
	for len(k.rest.data) == 0 {
		var more bool
		select {
		case k.rest, more = <-k.pieces:
		default:
			select {
			case k.rest, more = <-k.pieces:
			case <-ctx.Done():
				return 0, nil, context.Cause(ctx)
			}
		}
		if !more {
			return 0, nil, k.err
		}
		if k.rest.err != nil {
			return 0, nil, k.rest.err
		}
	}
	n := min(len(k.rest.data), max)
	data := k.rest.data[:n:n]
	k.rest.data = k.rest.data[n:]
	return k.rest.tdest, data, nil
}

var errBeat = errors.New("kernel streams move whole beats")
