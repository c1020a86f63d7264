// Package barrier lets goroutines of a benchmark wait for each other.
package barrier

import "sync"

// Rendezvous is a barrier of ranks that can be used again and again.
type Rendezvous struct {
	ranks   int
	mu      sync.Mutex
	come    *sync.Cond
	waiting int
	turn    int
	ended   bool
}

// New makes a barrier of so many ranks.
func New(ranks int) *Rendezvous {
	r := &Rendezvous{ranks: ranks}
	r.come = sync.NewCond(&r.mu)
	return r
}

// Wait returns when all ranks wait. The last one runs a function first, alone; if that
// returns false, Wait returns false to all from then on.
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

// End ends all waits, also later ones.
func (r *Rendezvous) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.come.Broadcast()
}
