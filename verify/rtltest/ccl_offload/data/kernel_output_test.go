package datapath_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

const putBeats = 32

func newKernelOutput(t *testing.T, seed uint64) *pins.Bench {
	t.Helper()
	b, err := pins.New(t.Context(), pins.Module{
		Platform: platform, Folder: "ccl_offload", Top: "kernel_output", Files: []string{"kernel_output"},
		Params: map[string]string{"PUT_BEATS": fmt.Sprint(putBeats)},
		In: map[string]int{
			"move_tvalid": 1, "move_tdata": 512, "move_tkeep": 64, "move_tlast": 1, "move_tdest": 8,
			"put_valid": 1, "put_data": 512, "put_keep": 64, "put_last": 1, "put_tdest": 8, "out_tready": 1,
		},
		Out: map[string]int{
			"move_tready": 1, "put_ready": 1, "put_room": 9, "busy": 1,
			"out_tvalid": 1, "out_tdata": 512, "out_tkeep": 64, "out_tlast": 1, "out_tdest": 8,
		},
	}, seed)
	if errors.Is(err, errTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(b.Close)
	return b
}

// feeder gives beats of packets of any length, one side's after the other.
type feeder struct {
	wires
	dest  uint32
	busy  int
	sent  []beat
	given int // beats that have come out
}

func (f *feeder) drive(r *rand.Rand) {
	if f.valid[0] == 0 && chance(r, f.busy) {
		b := beat{keep: ^uint64(0), last: r.IntN(5) == 0, dest: f.dest + uint32(r.IntN(100))}
		for i := range b.data {
			b.data[i] = byte(r.Uint32())
		}
		if b.last {
			b.keep = keepOf(1 + r.IntN(beatBytes))
		}
		f.put(b)
		f.keep[0], f.keep[1], f.wires.dest[0] = uint32(b.keep), uint32(b.keep>>32), b.dest
		f.valid[0] = 1
		f.sent = append(f.sent, b)
	}
}

func TestTheKernelStreamTakesPacketsOfBothSides(t *testing.T) {
	for seed := range nightly.Of[uint64](2, 4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			b := newKernelOutput(t, seed)
			r := rand.New(rand.NewPCG(seed, 2))
			side := func(prefix, stem string, dest uint32) *feeder {
				return &feeder{dest: dest, wires: wires{
					name: prefix, valid: b.Words(prefix + stem + "valid"), ready: b.Words(prefix + stem + "ready"),
					data: b.Words(prefix + stem + "data"),
					keep: b.Words(prefix + stem + "keep"), last: b.Words(prefix + stem + "last"), dest: b.Words(prefix + "tdest"),
				}}
			}
			move, put := side("move_", "t", 0), side("put_", "", 128)
			out := wires{
				valid: b.Words("out_tvalid"), data: b.Words("out_tdata"), keep: b.Words("out_tkeep"), last: b.Words("out_tlast"),
				dest: b.Words("out_tdest"),
			}
			ready, room, busy := b.Words("out_tready"), b.Words("put_room"), b.Words("busy")
			accepted := 0    // beats of puts
			var open *feeder // that was in the middle of a packet
			for cycle := range 8000 {
				if cycle < 7000 && cycle%500 == 0 {
					move.busy, put.busy = []int{0, 30, 100}[r.IntN(3)], []int{0, 30, 100}[r.IntN(3)]
				}
				if cycle == 7000 {
					move.busy, put.busy = 0, 0
				}
				move.drive(r)
				put.drive(r)
				ready[0] = flag(cycle > 7000 || chance(r, 70))
				b.Step()
				// What came out has left the queue, at most two more have.
				if n := accepted - put.given; int(room[0]) < putBeats-n || int(room[0]) > putBeats-n+2 {
					t.Fatalf("cycle %d: room for %d beats, %d came in and %d out", cycle, room[0], accepted, put.given)
				}
				for _, f := range []*feeder{move, put} {
					if f.valid[0] != 0 && f.ready[0]&1 != 0 {
						f.valid[0] = 0
						if f == put {
							accepted++
						}
					}
				}
				if out.valid[0]&1 != 0 && ready[0] != 0 {
					got := out.get()
					f := move
					if got.dest >= 128 {
						f = put
					}
					if f.given >= len(f.sent) || f.sent[f.given] != got {
						t.Fatalf("cycle %d: %s%d: %+v", cycle, f.name, f.given, got)
					}
					f.given++
					if open != nil && open != f && open.busy == 100 && f.busy == 100 && cycle%500 > 100 {
						t.Fatalf("cycle %d: a packet is divided though its next beat was there", cycle)
					}
					open = f
					if got.last {
						open = nil
					}
				}
			}
			if move.given != len(move.sent) || put.given != len(put.sent) || busy[0]&1 != 0 || len(put.sent) < 500 ||
				len(move.sent) < 500 {
				t.Fatalf("%d of %d beats of moves and %d of %d of puts came out", move.given, len(move.sent),
					put.given, len(put.sent))
			}
		})
	}
}
