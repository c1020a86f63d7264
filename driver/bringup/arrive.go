package bringup

import (
	"context"
	"encoding/binary"
	"fmt"
)

// Point is where some ranks of a world meet: the ranks themselves have agreed on its numbers.
type Point struct{ ID, Number uint64 }

// arrival is a point, and of how many ranks it is.
type arrival struct {
	Point
	ranks uint32
}

const arrivalBytes = 20

func (a arrival) encode() []byte {
	to := binary.BigEndian.AppendUint64(make([]byte, 0, arrivalBytes), a.ID)
	to = binary.BigEndian.AppendUint64(to, a.Number)
	return binary.BigEndian.AppendUint32(to, a.ranks)
}

func arrivals(payload []byte) ([]arrival, error) {
	if len(payload)%arrivalBytes != 0 {
		return nil, fmt.Errorf("%w: %d bytes of points", errProtocol, len(payload))
	}
	var all []arrival
	for ; len(payload) > 0; payload = payload[arrivalBytes:] {
		all = append(all, arrival{Point{binary.BigEndian.Uint64(payload), binary.BigEndian.Uint64(payload[8:])},
			binary.BigEndian.Uint32(payload[16:])})
	}
	return all, nil
}

// Arrive says that this rank has come to a point, of so many ranks. It waits for nobody: Arrived says when all have
// come. The error is an *Error if a rank has left, and ErrOption before all ranks are ready.
func (w *World) Arrive(p Point, ranks int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ranks < 1 || ranks > w.o.Size {
		return fmt.Errorf("%w: a point of %d ranks, in a world of %d", ErrOption, ranks, w.o.Size)
	}
	if err := w.running("a point"); err != nil {
		return err
	}
	w.link.put(message{kind: frameArrive, payload: arrival{p, uint32(ranks)}.encode()})
	return nil
}

// Arrived returns the next point to which all its ranks have come, and waits for it. Ranks hear of the points that
// they share in the same order. The error is an *Error if a rank has left, or this one has closed its world.
func (w *World) Arrived(ctx context.Context) (Point, error) {
	for {
		w.mu.Lock()
		if n := len(w.arrived); n > 0 {
			first := w.arrived[0].Point
			w.arrived = w.arrived[1:]
			if n > 1 {
				signal(w.news)
			}
			w.mu.Unlock()
			return first, nil
		}
		err := w.running("a point")
		w.mu.Unlock()
		if err != nil {
			return Point{}, err
		}
		select {
		case <-w.news:
		case <-w.trouble:
		case <-w.ended:
			return Point{}, w.mute()
		case <-ctx.Done():
			return Point{}, context.Cause(ctx)
		}
	}
}

// together keeps points to which all have come.
func (w *World) together(payload []byte) error {
	all, err := arrivals(payload)
	w.arrived = append(w.arrived, all...)
	signal(w.news)
	return err
}

// arrive tells the ranks of a point when the last of them has come to it. As all points pass here, they have one order.
func (h *hub) arrive(p *peer, payload []byte) error {
	all, err := arrivals(payload)
	for _, a := range all {
		come := append(h.points[a.Point], p)
		if uint32(len(come)) < a.ranks {
			h.points[a.Point] = come
			continue
		}
		delete(h.points, a.Point)
		for _, p := range come {
			if !p.gone {
				p.link.put(message{kind: frameArrive, payload: a.encode()})
			}
		}
	}
	return err
}
