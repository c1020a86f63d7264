package rates

import "sync"

// barrier lets all ranks of this process wait for each other, again and again.
type barrier struct {
	ranks   int
	mu      sync.Mutex
	come    *sync.Cond
	waiting int
	turn    int
	ended   bool
}

func newBarrier(ranks int) *barrier {
	b := &barrier{ranks: ranks}
	b.come = sync.NewCond(&b.mu)
	return b
}

// wait returns true when all ranks have come, and false once the barrier has ended.
func (b *barrier) wait() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	turn := b.turn
	if b.waiting++; b.waiting == b.ranks {
		b.waiting = 0
		b.turn++
		b.come.Broadcast()
	}
	for turn == b.turn && !b.ended {
		b.come.Wait()
	}
	return !b.ended
}

// end lets nobody wait any more.
func (b *barrier) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.come.Broadcast()
}
