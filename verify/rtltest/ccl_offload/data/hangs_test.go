package datapath_test

import (
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/gen/nightly"
)

func TestADMAEngineThatNeverAnswersIsGivenUpAndRecovers(t *testing.T) {
	for seed := range nightly.Of[uint64](1, 3) {
		for which := range 4 {
			t.Run(fmt.Sprintf("seed %d, engine %d", seed, which), func(t *testing.T) {
				w := newWorld(t, seed)
				w.run(60, 20_000, nil)
				for range 2 {
					w.disturb(500)
					d := []*dma{w.op0, w.op1, w.result, w.op0}[which]
					d.hung, d.deaf = true, which == 3
					failed := w.failed
					for rounds := 0; w.failed == failed; rounds++ {
						if rounds == 10 {
							t.Fatal("nothing failed")
						}
						w.run(40, 1_500, nil)
					}
					d.hung, d.deaf = false, false
					w.clean(nil)
				}
				w.faults = 40 // a late answer would be taken for another command's
				w.run(100, 20_000, nil)
				w.faults = 0
				w.finish()
			})
		}
	}
}

func TestAPluginThatNeverAnswersIsGivenUpAndRecovers(t *testing.T) {
	for seed := range nightly.Of[uint64](1, 3) {
		for which := range 4 {
			t.Run(fmt.Sprintf("seed %d, plugin %d", seed, which), func(t *testing.T) {
				w := newWorld(t, seed)
				w.run(60, 20_000, nil)
				p := append([]*plugin{w.arith}, w.lanes[:]...)[which]
				for range 2 {
					w.disturb(500)
					p.hung = true
					flushes := w.flushes
					for rounds := 0; w.flushes == flushes; rounds++ {
						if rounds == 10 {
							t.Fatal("nothing was flushed")
						}
						w.run(40, 10_000, nil)
					}
					p.hung = false
					w.clean(nil)
				}
				w.finish()
			})
		}
	}
}

// What comes behind a flush waits until a plugin has done with what was given up.
func TestAPluginThatAnswersAfterAFlushIsWaitedFor(t *testing.T) {
	for seed := range nightly.Of[uint64](1, 3) {
		for which := range 4 {
			t.Run(fmt.Sprintf("seed %d, plugin %d", seed, which), func(t *testing.T) {
				w := newWorld(t, seed)
				p := append([]*plugin{w.arith}, w.lanes[:]...)[which]
				besides := func(m *move) {
					if which == 2 && w.r.IntN(2) == 0 {
						m.unit = 2
						m.ops = [2]operand{{from: fromMemory, bytes: 4}, {from: fromMemory, bytes: 4}}
						m.beside = operand{from: fromMemory, bytes: 2, convert: true, tdest: widen}
						m.template.toKernel, m.template.resultConvert, m.template.wireConvert = false, false, false
						m.template.reduce, m.template.toMemory, m.template.toNetwork = true, true, true
					}
				}
				for range 5 {
					w.disturb(500)
					p.hung = true
					for flushes := w.flushes; w.flushes == flushes; {
						w.offer(besides)
						w.step()
					}
					p.hung = false
					for w.wasFlushing {
						w.step()
					}
					failed, flushes := w.failed, w.flushes
					w.run(60, 10_000, besides)
					if w.failed != failed || w.flushes != flushes {
						t.Fatalf("%d slices failed and %d flushes after the plugin answers again", w.failed-failed, w.flushes-flushes)
					}
					w.clean(nil)
				}
				w.finish()
			})
		}
	}
}

func TestSlicesThatDoNotNeedADeadPluginGoOn(t *testing.T) {
	w := newWorld(t, 0)
	w.disturb(500)
	w.arith.hung = true
	w.run(20, 10_000, nil)
	w.drain(20_000)
	w.wait(1000)
	w.clean(func(m *move) {
		m.ops[1] = operand{}
		m.template.reduce = false
	})
}

func TestAResetWaitsForNothingForLong(t *testing.T) {
	for seed := range nightly.Of[uint64](1, 3) {
		for which := range 5 {
			t.Run(fmt.Sprintf("seed %d, part %d", seed, which), func(t *testing.T) {
				w := newWorld(t, seed)
				for range 3 {
					w.run(50+w.r.IntN(50), 20_000, nil)
					w.disturb(forever)
					hang := func(v bool) {
						switch which {
						case 0, 1:
							[]*dma{w.op0, w.result}[which].hung = v
						case 2, 3:
							[]*plugin{w.arith, w.lanes[2]}[which-2].hung = v
						}
					}
					hang(true)
					for range w.r.IntN(600) {
						w.offer(nil)
						w.step()
					}
					w.b.Set("reset_moves", 1)
					began := w.b.Cycle
					for idle := 0; idle < 100; idle++ {
						w.step()
						if !w.b.Is("idle") || w.offered != nil {
							idle = 0
						}
						if w.b.Cycle-began > 3*patience {
							t.Fatalf("not idle after %d cycles of reset", w.b.Cycle-began)
						}
					}
					for _, c := range w.channels {
						c.failed = c.failed || c.move != nil || c.filling
					}
					w.drain(5000) // packets that were begun are forgotten
					w.b.Set("reset_moves", 0)
					if w.r.IntN(2) == 0 {
						w.wait(2000)
					}
					hang(false)
					w.limit = 2000
					w.clean(nil)
				}
				w.finish()
			})
		}
	}
}
