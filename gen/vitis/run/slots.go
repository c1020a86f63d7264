package run

import (
	"context"
	"sync"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// slots is the room for jobs. Who comes first is served first, so that a large job
// is not overtaken for ever.
type slots struct {
	mu     sync.Mutex
	all    room
	free   room
	queued []*ticket
}

// room is a number of jobs, of CPUs, and of MiB.
type room struct{ jobs, cpus, memory int }

type ticket struct {
	need room
	turn chan struct{}
}

func newSlots(jobs, cpus, memory int) *slots {
	all := room{jobs, cpus, memory}
	return &slots{all: all, free: all}
}

// take waits for room. A job that needs more than there is gets all.
func (s *slots) take(ctx context.Context, r step.Resources) (release func(), err error) {
	need := room{1, min(max(r.CPUs, 1), s.all.cpus), min(max(r.Memory, 0), s.all.memory)}
	t := &ticket{need, make(chan struct{})}
	s.mu.Lock()
	s.queued = append(s.queued, t)
	s.serve()
	s.mu.Unlock()
	release = sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = s.free.plus(need, 1)
		s.serve()
	})
	select {
	case <-t.turn:
		return release, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for i, q := range s.queued {
		if q == t {
			s.queued = append(s.queued[:i:i], s.queued[i+1:]...)
			s.serve()
			s.mu.Unlock()
			return nil, ctx.Err()
		}
	}
	s.mu.Unlock()
	release() // its turn had come
	return nil, ctx.Err()
}

// serve lets those begin for whom there is room.
func (s *slots) serve() {
	for len(s.queued) > 0 {
		t := s.queued[0]
		left := s.free.plus(t.need, -1)
		if left.jobs < 0 || left.cpus < 0 || left.memory < 0 {
			return
		}
		s.free = left
		s.queued = s.queued[1:]
		close(t.turn)
	}
}

func (r room) plus(o room, sign int) room {
	return room{r.jobs + sign*o.jobs, r.cpus + sign*o.cpus, r.memory + sign*o.memory}
}
