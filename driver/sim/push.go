package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

const (
	// pushBytes is the size of a message to the engine in bytes of the kernel stream,
	// pushQueueBytes the size of the queue for a slow server in bytes of text.
	pushBytes      = 64 << 10
	pushQueueBytes = 4 << 20
	// subscribing is how long Push waits for the server to subscribe.
	subscribing = 10 * time.Second
	// looking is the pause before Push checks again whether it can go on, if it was not
	// notified.
	looking = 20 * time.Millisecond
)

// talker publishes data for the engine's kernel stream.
type talker struct {
	turn      chan struct{} // held by who pushes
	room      chan struct{} // something has changed
	publisher *zmq.Publisher
}

func newTalker() *talker {
	return &talker{turn: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// Push implements accl.KernelPort. The first call binds the address to which the server
// connects for the stream. Push waits, at most 10 s, until the server has subscribed, and
// while the server is behind.
func (d *Device) Push(ctx context.Context, tdest uint32, data []byte) error {
	ctx, free := d.bound(ctx)
	defer free()
	if err := d.push(ctx, tdest, data); err != nil {
		return fmt.Errorf("sim: push to the kernel stream: %w", err)
	}
	return nil
}

func (d *Device) push(ctx context.Context, tdest uint32, data []byte) error {
	k := d.toEngine
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := d.bind(ctx); err != nil {
		return err
	}
	if short := len(data) % d.beat; short != 0 {
		data = append(data[:len(data):len(data)], make([]byte, d.beat-short)...)
	}
	for len(data) > 0 {
		n := min(len(data), pushBytes/d.beat*d.beat)
		topic, err := d.topic(ctx, tdest)
		if err != nil {
			return err
		}
		if err := k.publish(ctx, topic, AppendData(nil, data[:n])); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// bind makes the publisher, if there is none.
func (d *Device) bind(ctx context.Context) error {
	k := d.toEngine
	if k.publisher != nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	here := d.o.Endpoints
	here.Host = d.o.Listen
	l, err := net.Listen("tcp", here.KernelIn(d.o.Rank))
	if err != nil {
		return fmt.Errorf("bind the kernel input socket: %w", err)
	}
	k.publisher = zmq.NewPublisher(l, zmq.Limits{}, pushQueueBytes)
	k.publisher.OnRoom(func() {
		select {
		case k.room <- struct{}{}:
		default:
		}
	})
	return nil
}

// topic waits until the server has subscribed, and returns the topic of messages to it.
// That is TDEST; but other clients always send to 0, and servers of earlier interface
// versions subscribe only to the number of their rank.
func (d *Device) topic(ctx context.Context, tdest uint32) ([]byte, error) {
	topics := [][]byte{strconv.AppendUint(nil, uint64(tdest), 10), []byte("0")}
	if Blocking(d.p) {
		topics = append(topics, strconv.AppendInt(nil, int64(d.o.Rank), 10))
	}
	limited, cancel := context.WithTimeout(ctx, subscribing)
	defer cancel()
	for {
		for _, topic := range topics {
			if d.toEngine.publisher.Subscribed(topic) {
				return topic, nil
			}
		}
		if err := d.toEngine.wait(limited); err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, fmt.Errorf("%w: the server of rank %d does not listen at port %s; its kernel stream may be looped back",
				err, d.o.Rank, portOf(d.o.KernelIn(d.o.Rank)))
		}
	}
}

// publish waits until there is room.
func (k *talker) publish(ctx context.Context, frames ...[]byte) error {
	for {
		err := k.publisher.Publish(frames...)
		if !errors.Is(err, zmq.ErrBusy) {
			return err
		}
		if err := k.wait(ctx); err != nil {
			return fmt.Errorf("the server does not take it: %w", err)
		}
	}
}

// wait waits until it is worth to look again.
func (k *talker) wait(ctx context.Context) error {
	select {
	case <-k.room:
	case <-time.After(looking):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// close is called when the device has ended: a running Push ends soon, and no other can
// begin.
func (k *talker) close() error {
	k.turn <- struct{}{}
	if k.publisher == nil {
		return nil
	}
	return k.publisher.Close()
}

func portOf(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return port
}
