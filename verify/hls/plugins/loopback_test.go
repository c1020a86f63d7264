package plugins_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/hls"
)

func TestEveryBeatReturnsAsItWasSent(t *testing.T) {
	c := open(t, library(t, "loopback"), 4)
	r := rand.New(rand.NewPCG(0, 0))
	in := make([]hls.Beat, 1000)
	for i := range in {
		for at := 0; at < 64; at += 8 {
			le.PutUint64(in[i].Data[at:], r.Uint64())
		}
		in[i].Keep, in[i].Dest, in[i].Last = r.Uint64(), r.Uint32N(256), r.Uint32N(2)
	}
	out, err := through(c, r, in)
	assert.NilError(t, err)
	assert.Check(t, slices.Equal(out, in), "what returns is not what was sent")
}
