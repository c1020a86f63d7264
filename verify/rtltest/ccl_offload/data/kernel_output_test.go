package datapath_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/nightly"
)

const putBeats = 32

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
			b := worlds.Start(t, "kernel_output", seed)
			r := rand.New(rand.NewPCG(seed, 2))
			side := func(prefix, stem string, dest uint32) *feeder {
				return &feeder{dest: dest, wires: newWires(b, prefix, stem)}
			}
			move, put := side("move_", "t", 0), side("put_", "", 128)
			out := newWires(b, "out_", "t")
			ready, room, busy := out.ready, b.Words("put_room"), b.Words("busy")
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
