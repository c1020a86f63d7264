package kernels

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestEveryBeatReturnsAsItWasSent(t *testing.T) {
	var loops []block.Module
	for _, width := range loopsOf(t, designtest.Load(t, "u55c_tcp", nil)) {
		loops = append(loops, block.Module{Name: "loopback", As: fmt.Sprintf("loopback_%d", width), Folder: "loopback",
			Streams: true, Params: map[string]string{"WIDTH": fmt.Sprint(width)}})
	}
	widths := block.NewSet(loops...)
	for _, m := range loops {
		widths.Check(t, m.As, returns)
	}
}

// returns sends beats and compares what comes back: at first one in every cycle, then with pauses.
func returns(b *block.Bench, r *rand.Rand) error {
	in := block.NewInput(b, "in_tvalid", "in_tready", "in_tdata", "in_tkeep", "in_tlast", "in_tdest")
	out := block.NewOutput(b, "out_tvalid", "out_tready", "out_tdata", "out_tkeep", "out_tlast", "out_tdest")
	at := func(ports []string) (all []byte) {
		for _, p := range ports {
			all = append(all, b.Bytes(p)...)
		}
		return all
	}
	const count = 1000
	for turn := range 4 {
		b.Reset()
		in.Withdraw()
		out.Forget()
		gives, takes := &block.Rhythm{}, &block.Rhythm{}
		if turn > 0 {
			gives, takes = block.NewRhythm(r), block.NewRhythm(r)
		}
		begin, sent, received := b.Cycle, 0, 0
		var underWay [][]byte
		for received < count {
			if !in.Offered() {
				b.Scramble(r, in.Fields...)
				if sent < count && gives.Next() {
					in.Offer()
					sent++
				}
			}
			b.Put(out.Ready, takes.Next())
			b.Step()
			if in.Taken() {
				underWay = append(underWay, at(in.Fields))
			}
			taken, err := out.Taken()
			if err != nil {
				return err
			}
			if taken {
				if got := at(out.Fields); len(underWay) == 0 || !bytes.Equal(got, underWay[0]) {
					return fmt.Errorf("%X returns, under way are %X", got, underWay)
				}
				underWay, received = underWay[1:], received+1
			}
			if b.Cycle-begin > 100*count {
				return errors.New("a beat is lost")
			}
		}
		if cycles := b.Cycle - begin; turn == 0 && cycles > count+2 {
			return fmt.Errorf("%d cycles for %d beats", cycles, count)
		}
	}
	return nil
}

// loopsOf are the widths of the streams that a platform closes.
func loopsOf(t *testing.T, d *design.Design) []int {
	t.Helper()
	widths := map[int]bool{}
	var all []int
	for _, s := range d.Streams {
		if s.To.Instance.Role == "closer" && !widths[s.From.Width] {
			widths[s.From.Width] = true
			all = append(all, s.From.Width)
		}
	}
	assert.Assert(t, len(all) >= 2, "the platform closes streams of %v bits only", all)
	return all
}
