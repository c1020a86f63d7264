package hls_test

import (
	"runtime"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/hls"
)

// TestComponentsLiveWithGo runs kernels on their own stacks below goroutines that move
// between threads while memory is collected.
func TestComponentsLiveWithGo(t *testing.T) {
	t.Parallel()
	h := standInHeaders(t)
	library := build(t, h, "-O2", "-shared", "-fPIC", "-fno-gnu-unique", "-fvisibility=hidden", "-DTESTED=catches",
		"testdata/kernels.cpp", h+"/component.cpp")
	const components, rounds = 8, 3000
	var all sync.WaitGroup
	for range components {
		c, err := hls.Open(library, 4)
		assert.NilError(t, err)
		all.Go(func() {
			defer func() {
				assert.Check(t, c.Close())
			}()
			for round := range uint32(rounds) {
				in, out := [3]hls.Beat{}, [4]hls.Beat{}
				for i := range in {
					in[i].Dest = (round + uint32(i)) & 0xff
				}
				c.Put(0, in[:])
				s := c.Run()
				if n := c.Get(1, out[:]); n != 3 || [3]hls.Beat(out[:3]) != in || s.Calls != uint64(round+1)*3 {
					t.Errorf("round %d: %d beats, %+v, %s", round, n, out, s)
					return
				}
				if round%16 == 0 {
					runtime.Gosched()
				}
				if round%500 == 0 {
					runtime.GC()
				}
			}
		})
	}
	all.Wait()
}
