package moves

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

var queueSet = block.NewSet(
	block.Module{Name: "move_queue"},
	block.Module{Name: "move_order"},
	block.Module{Name: "slice_size"},
)

func TestMoveQueue(t *testing.T) { queueSet.Check(t, "move_queue", moveQueue) }
func TestMoveOrder(t *testing.T) { queueSet.Check(t, "move_order", moveOrder) }
func TestSliceSize(t *testing.T) { queueSet.Check(t, "slice_size", sliceSize) }

// queueDepth is how many moves a queue holds.
func queueDepth() (int, error) {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return 0, err
	}
	return int(d.ABI().Constant("move_queue_depth").Value), nil
}

// moveQueue keeps moves in order until they start, or drops them all.
func moveQueue(b *block.Bench, r *rand.Rand) error {
	depth, err := queueDepth()
	if err != nil {
		return err
	}
	out := block.NewOutput(b, "out_valid", "out_ready", "out_move")
	takes, pushes := block.Stretches{Random: r}, block.Stretches{Random: r}
	var held [][]byte
	full, cleared := 0, 0
	for range 4000 {
		pending := len(held) < depth && r.IntN(2) == 0
		push := len(held) < depth && pushes.Next()
		clears := r.IntN(200) == 0
		b.Put("pending", pending)
		b.Put("push", push)
		b.Put("clear", clears)
		b.Scramble(r, "move")
		move := b.Bytes("move")
		b.Put("out_ready", takes.Next())
		b.Step()
		want := len(held)
		if pending {
			want++
		}
		if b.Get("waiting") != uint64(want) {
			return fmt.Errorf("%d wait, not %d", b.Get("waiting"), want)
		}
		if b.Is("out_valid") != (len(held) > 0) {
			return fmt.Errorf("with %d moves it has one: %t", len(held), b.Is("out_valid"))
		}
		taken, err := out.Taken()
		if err != nil {
			return err
		}
		if taken {
			if got := b.Bytes("out_move"); string(got) != string(held[0]) {
				return fmt.Errorf("the next move is %X, not %X", got, held[0])
			}
			held = held[1:]
		}
		if push {
			held = append(held, move)
		}
		if len(held) == depth {
			full++
		}
		if clears {
			if len(held) > 0 {
				cleared++
			}
			held = nil
			out.Forget()
		}
	}
	if full == 0 || cleared == 0 {
		return fmt.Errorf("it was full %d times, and not empty when cleared %d times", full, cleared)
	}
	return nil
}

// moveOrder completes moves in order: with their last slice, or when it is their
// turn if they have none.
func moveOrder(b *block.Bench, r *rand.Rand) error {
	depth, err := queueDepth()
	if err != nil {
		return err
	}
	type move struct{ slices bool }
	var moves []move   // not completed
	var under []bool   // slices on their way: whether each is the last of its move
	var ended, cut int // moves whose last slice has retired; slices of the move that is not pushed yet
	completions, bare := 0, 0
	retires, goes := block.Stretches{Random: r}, block.Stretches{Random: r}
	frozen := 0
	for range 8000 {
		// A move is pushed with or after its last slice.
		push, without, dispatched := false, false, false
		last := false
		if goes.Next() && len(moves) < depth {
			switch {
			case cut == 0 && r.IntN(3) == 0:
				push, without = true, true
			default:
				dispatched = true
				cut++
				if r.IntN(3) == 0 {
					push, last, cut = true, true, 0
				}
			}
		}
		retired := len(under) > 0 && retires.Next()
		retiredLast := retired && under[0]
		if frozen == 0 && r.IntN(100) == 0 {
			frozen = 1 + r.IntN(10)
		}
		clears := frozen > 0 && r.IntN(40) == 0 && cut == 0 && len(under) == 0
		if clears {
			push, without, dispatched = false, false, false
		}
		b.Put("push", push)
		b.Put("without_slices", without)
		b.Put("dispatched", dispatched)
		b.Put("retired", retired)
		b.Put("retired_last", retiredLast)
		if !retired {
			b.Scramble(r, "retired_last")
		}
		if !push {
			b.Scramble(r, "without_slices")
		}
		b.Put("freeze", frozen > 0)
		b.Put("clear", clears)
		b.Step()
		done := frozen == 0 && len(moves) > 0 && (!moves[0].slices || ended > 0)
		if b.Is("completed") != done {
			return fmt.Errorf("a move has completed: %t; %d are there, %d have ended", b.Is("completed"), len(moves), ended)
		}
		if b.Is("drained") != (len(under) == 0) || b.Is("empty") != (len(under) == 0 && len(moves) == 0) {
			return fmt.Errorf("with %d slices and %d moves it is drained %t, empty %t", len(under), len(moves), b.Is("drained"),
				b.Is("empty"))
		}
		if done {
			if moves[0].slices {
				ended--
			} else {
				bare++
			}
			moves = moves[1:]
			completions++
		}
		if retired {
			under = under[1:]
			if retiredLast {
				ended++
			}
		}
		if dispatched {
			under = append(under, last)
		}
		if push {
			moves = append(moves, move{!without})
		}
		if clears {
			moves, ended = nil, 0
		}
		if frozen > 0 {
			frozen--
		}
	}
	if completions < 100 || bare < 20 {
		return fmt.Errorf("only %d moves completed, %d without slices", completions, bare)
	}
	return nil
}

// sliceSize is the least of what all parts can give or take.
func sliceSize(b *block.Bench, r *rand.Rand) error {
	const most = 4096
	kernels, lasts := 0, 0
	for range 4000 {
		b.Scramble(r, "plan")
		largest := uint64(r.IntN(7))
		b.Set("plan.largest_log2", largest)
		for _, f := range []string{"plan.op0.log2", "plan.op1.log2", "plan.result_log2", "plan.wire_log2"} {
			b.Set(f, uint64(r.IntN(int(largest)+1)))
		}
		some := func() uint64 {
			switch r.IntN(4) {
			case 0:
				return uint64(r.IntN(100))
			case 1:
				return uint64(most - 2 + r.IntN(5))
			case 2:
				return uint64(r.Uint32())
			}
			return uint64(r.IntN(2 * most))
		}
		left := some()
		b.Set("units_left", left)
		if b.Is("plan.op0.kernel") {
			b.Set("plan.op1.kernel", 0) // they are not both
		}
		still := min(uint64(most)>>largest, left)
		kernel := uint64(most)
		for _, op := range []string{"op0", "op1"} {
			n := some()
			b.Set(op+"_bytes", n)
			fits := n >> b.Get("plan."+op+".log2")
			switch {
			case !b.Is("plan."+op+".present") || b.Is("plan."+op+".memory"):
				b.Put("plan."+op+".kernel", false)
			case b.Is("plan." + op + ".kernel"):
				kernel = min(kernel, fits)
			default:
				still = min(still, fits)
			}
		}
		n := some()
		b.Set("result_bytes", n)
		if b.Is("plan.to_kernel") {
			kernel = min(kernel, n>>b.Get("plan.result_log2"))
		}
		n = some()
		b.Set("wire_bytes", n)
		if b.Is("plan.to_network") {
			still = min(still, n>>b.Get("plan.wire_log2"))
		}
		for range 4 {
			b.Step()
		}
		want := min(still, kernel)
		if b.Get("units") != want || b.Is("last") != (want == left) || b.Is("kernel_limits") != (kernel < still) {
			return fmt.Errorf("%d units, last %t, limited by a kernel stream %t; not %d of %d, %t", b.Get("units"), b.Is("last"),
				b.Is("kernel_limits"), want, left, kernel < still)
		}
		if kernel < still {
			kernels++
		}
		if want == left {
			lasts++
		}
	}
	if kernels < 100 || lasts < 100 {
		return fmt.Errorf("kernel streams limited only %d slices, %d were the last", kernels, lasts)
	}
	return nil
}
