// Package barrier lets goroutines of a benchmark wait for each other.
package barrier

import "sync"

// Rendezvous lets all ranks wait for each other, again and again.
type Rendezvous struct {
	ranks   int
	mu      sync.Mutex
	come    *sync.Cond
	waiting int
	turn    int
	ended   bool
}

// New is one of so many ranks.
func New(ranks int) *Rendezvous {
	r := &Rendezvous{ranks: ranks}
	r.come = sync.NewCond(&r.mu)
	return r
}

// Wait returns when all ranks have come. The last one runs a function first,
// alone; all get false from then on if that returns false.
func (r *Rendezvous) Wait(last func() bool) bool {
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

// End lets nobody wait any more.
func (r *Rendezvous) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.come.Broadcast()
}
