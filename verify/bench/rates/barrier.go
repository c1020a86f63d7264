package rates

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// looks is how often a rank looks for the others before it sleeps, as MPI's ranks do: to be woken takes time that is
// not the operation's.
const looks = 500

// barrier lets all ranks of this process wait for each other, again and again.
type barrier struct {
	ranks   int
	mu      sync.Mutex
	come    *sync.Cond
	waiting int
	turn    atomic.Uint64
	ended   bool
}

func newBarrier(ranks int) *barrier {
	b := &barrier{ranks: ranks}
	b.come = sync.NewCond(&b.mu)
	return b
}

// wait returns true when all ranks have come, and false once the barrier has ended.
func (b *barrier) wait() bool {
	turn := b.arrive()
	for look := 0; turn == b.turn.Load() && look < looks; look++ {
		runtime.Gosched()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for turn == b.turn.Load() && !b.ended {
		b.come.Wait()
	}
	return !b.ended
}

// arrive returns the turn that ends when all ranks have come.
func (b *barrier) arrive() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	turn := b.turn.Load()
	if b.waiting++; b.waiting == b.ranks {
		b.waiting = 0
		b.turn.Add(1)
		b.come.Broadcast()
	}
	return turn
}

// end lets nobody wait any more.
func (b *barrier) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.come.Broadcast()
}
