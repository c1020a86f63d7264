package collectives

import "sync"

// rendezvous lets all ranks wait for each other, again and again.
type rendezvous struct {
	ranks   int
	mu      sync.Mutex
	come    *sync.Cond
	waiting int
	turn    int
	ended   bool
}

func newRendezvous(ranks int) *rendezvous {
	r := &rendezvous{ranks: ranks}
	r.come = sync.NewCond(&r.mu)
	return r
}

// wait returns when all ranks have come. The last one runs a function first,
// alone; all get false from then on if that returns false.
func (r *rendezvous) wait(last func() bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	turn := r.turn
	if r.waiting++; r.waiting == r.ranks {
		r.waiting = 0
		r.turn++
		r.ended = r.ended || !last()
		r.come.Broadcast()
	}
	for turn == r.turn && !r.ended {
		r.come.Wait()
	}
	return !r.ended
}

// end lets nobody wait any more.
func (r *rendezvous) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.come.Broadcast()
}
