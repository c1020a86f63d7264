package server

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
)

const (
	// kernelQueueBytes is what waits for a subscriber that is slow.
	kernelQueueBytes = 16 << 20
	// kernelMessageBytes is the most data of one message to the kernel.
	kernelMessageBytes = 64 << 10
	// kernelPause is the longest wait before it is looked again whether somebody
	// listens to the kernel's output.
	kernelPause = 20 * time.Millisecond
)

// connectKernel lets a client stand in for the kernel at the engine's streams.
func (s *Server) connectKernel(address string, l zmq.Limits) {
	room := make(chan struct{}, 1)
	s.kernelOut.OnRoom(func() {
		select {
		case room <- struct{}{}:
		default:
		}
	})
	s.tasks.Go(func() { s.toKernel(room) })
	s.tasks.Go(func() { s.report(zmq.Subscribe(s.ctx, address, []string{""}, l, s.fromKernel)) })
}

// toKernel publishes what the engine sends to the kernel. As long as nobody
// listens, it stays in the engine's stream, but for one piece.
func (s *Server) toKernel(room <-chan struct{}) {
	most := max(min(kernelMessageBytes, int(s.maxRead)), s.generation.beatBytes)
	for {
		tdest, data, err := s.device.Pull(s.ctx, most)
		if err != nil {
			return // the engine or the server has ended
		}
		topic := strconv.AppendUint(nil, uint64(tdest), 10)
		message := sim.AppendData(nil, data)
		for !s.publish(topic, message) {
			select {
			case <-room:
			case <-time.After(kernelPause):
			case <-s.ctx.Done():
				return
			}
		}
		s.counters.kernelOut.Add(uint64(len(data)))
	}
}

// publish is false if it has to be tried again later.
func (s *Server) publish(topic, message []byte) bool {
	return s.kernelOut.Subscribed(topic) && !errors.Is(s.kernelOut.Publish(topic, message), zmq.ErrBusy)
}

// fromKernel takes a message of the kernel. It holds the kernel back while the
// engine's stream is full.
func (s *Server) fromKernel(frames [][]byte) {
	if len(frames) == 0 {
		return // a connection was made, or a message skipped that was too large
	}
	if len(frames) != 2 {
		s.counters.kernelBad.Add(1)
		return
	}
	tdest, err := strconv.ParseUint(string(frames[0]), 10, 32)
	if err != nil {
		s.counters.kernelBad.Add(1)
		return
	}
	data, err := sim.ParseData(frames[1])
	if err != nil {
		s.counters.kernelBad.Add(1)
		return
	}
	if err := s.device.Push(s.ctx, uint32(tdest), data); err == nil {
		s.counters.kernelIn.Add(uint64(len(data)))
	}
}

// report keeps why a task of the server has ended before the server.
func (s *Server) report(err error) {
	if err == nil || errors.Is(err, context.Canceled) || s.ctx.Err() != nil {
		return
	}
	s.counters.fail(err)
}
