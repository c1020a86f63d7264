package coyote

import (
	"sync"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// paged is a shell's driver with one page of the host's, and one of the card's behind it.
type paged struct {
	stopped
	host, card []byte
}

func (p *paged) Pages(n, _ int) ([]byte, error) {
	p.host, p.card = make([]byte, n), make([]byte, n)
	return p.host, nil
}

func (p *paged) Call(number uint32, _ []uint64) (int, error) {
	switch number {
	case 5: // offload
		copy(p.card, p.host)
	case 6: // fetch
		copy(p.host, p.card)
	}
	return 0, nil
}

// TestPartsOfAPageAtOnce: those who give the card parts of the same page do not take each
// other's back.
func TestPartsOfAPageAtOnce(t *testing.T) {
	p := &paged{}
	c := &Card{name: "card 0", sys: p, file: p, driver: &told().Driver[0], buffers: map[*memory]bool{}}
	m, err := c.alloc(t.Context(), 8, false)
	assert.NilError(t, err)
	const times = 100
	var all sync.WaitGroup
	for i := range m.Bytes() {
		all.Go(func() {
			for n := range byte(times) {
				m.Bytes()[i] = n
				assert.Check(t, m.SyncTo(t.Context(), i, 1))
				p.seen(t, c, i, n)
			}
		})
	}
	all.Wait()
}

// seen compares a byte of the card's with what it was last given.
func (p *paged) seen(t *testing.T, c *Card, at int, want byte) {
	c.transfer.Lock()
	defer c.transfer.Unlock()
	assert.Check(t, is.Equal(p.card[at], want), "byte %d of the card", at)
}
