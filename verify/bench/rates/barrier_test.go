package rates

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"gotest.tools/v3/assert"
)

func TestBarrier(t *testing.T) {
	const ranks, turns = 5, 200
	b := newBarrier(ranks)
	var came atomic.Int64
	var all sync.WaitGroup
	for range ranks {
		all.Go(func() {
			for turn := range turns {
				came.Add(1)
				assert.Check(t, b.wait() && came.Load() >= int64((turn+1)*ranks),
					"turn %d: somebody went on when %d had come", turn, came.Load())
			}
		})
	}
	all.Wait()
}

func TestABarrierThatEndsLetsAllGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBarrier(2)
		went := false
		go func() { went = !b.wait() }()
		synctest.Wait()
		assert.Check(t, !went, "it did not wait")
		b.end()
		synctest.Wait()
		assert.Check(t, went && !b.wait(), "somebody waits for those who cannot come")
	})
}
