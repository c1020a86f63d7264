package datapath

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

const retireDepth = 4

var retires = block.NewSet(block.Module{Name: "slice_retire",
	Params: map[string]string{"DEPTH": fmt.Sprint(retireDepth)}})

func TestSliceRetire(t *testing.T) { retires.Check(t, "slice_retire", sliceRetire) }

// What becomes of a slice, as the data path tells it: each kind in order.
const (
	readFirst = iota
	readSecond
	written
	kept
	toKernel
	toSlot
	noResult
	kinds
)

// ending is a slice that has not ended.
type ending struct {
	queue            uint64
	last             bool
	needs            [kinds]bool
	commits, network bool
	slot             uint64
	releases         []uint64
}

// sliceRetire ends slices in order, whatever is done first.
func sliceRetire(b *block.Bench, r *rand.Rand) error {
	code, err := pins.Codes(platform)
	if err != nil {
		return err
	}
	from := []uint64{b.Const("engine_pkg::FROM_NONE"), b.Const("engine_pkg::FROM_MEMORY"),
		b.Const("engine_pkg::FROM_KERNEL")}
	events := [kinds]string{"op0_done", "op1_done", "memory_done", "kept_done", "kernel_done", "slot_done", "dropped"}
	coded := [kinds]string{readFirst: "op0_code", readSecond: "op1_code", written: "memory_code", kept: "kept_code"}
	commit := block.NewOutput(b, "packet_commit_valid", "packet_commit_ready", "packet_commit_slot", "packet_commit_good")
	release := block.NewOutput(b, "release_valid", "release_ready", "release_buffer")

	var open []ending
	var due [kinds]int        // events that are to come
	var there [kinds][]uint64 // codes of those that have come
	var begun bool            // the oldest slice ends
	var now uint64            // with this code
	var steps []string        // what is left of its end
	var faulty [queues]bool
	retired := 1 // cycles since
	var goes ending
	var rate [kinds]interface{ Next() bool }
	for i := range rate {
		rate[i] = block.NewRhythm(r)
	}
	slices, commits, releases := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
	flushing, ended, bad, full := 0, 0, 0, 0
	clear := func() {
		due, there = [kinds]int{}, [kinds][]uint64{}
	}
	for range 12000 {
		b.Scramble(r, "slice", "op0_code", "op1_code", "memory_code", "kept_code")
		var added *ending
		if b.Put("slice_valid", false); len(open) < retireDepth && slices.Next() {
			b.Put("slice_valid", true)
			op0, op1 := r.IntN(3), r.IntN(3)
			bytes := [2]uint64{uint64(block.RandomLength(r, beatBytes, mostBytes)),
				uint64(block.RandomLength(r, beatBytes, mostBytes))}
			for i := range bytes {
				if r.IntN(6) == 0 {
					bytes[i] = 0
				}
			}
			data := op0 != 0 && bytes[0] != 0
			local := r.IntN(3) // nowhere, memory, kernel stream
			keeps := r.IntN(3) == 0
			e := ending{queue: b.Get("slice.queue_"), last: b.Is("slice.last"), network: r.IntN(2) == 0,
				slot: b.Get("slice.slot")}
			e.needs = [kinds]bool{op0 == 1 && bytes[0] != 0, op1 == 1 && bytes[1] != 0, local == 1 && data, keeps && data,
				local == 2 && data, e.network && data, data && local == 0 && !e.network}
			e.commits = r.IntN(3) == 0
			b.Set("slice.op0.from", from[op0])
			b.Set("slice.op1.from", from[op1])
			b.Set("slice.op0.bytes", bytes[0])
			b.Set("slice.op1.bytes", bytes[1])
			b.Put("slice.to_memory", local == 1)
			b.Put("slice.keeps", keeps)
			b.Put("slice.to_kernel", local == 2)
			b.Put("slice.to_network", e.network)
			b.Put("slice.slot_commit", e.commits)
			for _, op := range []string{"slice.op0", "slice.op1"} {
				gives := r.IntN(4) == 0
				if b.Put(op+".release_", gives); gives {
					e.releases = append(e.releases, b.Get(op+".buffer_"))
				}
			}
			added = &e
		}
		var came [kinds]bool
		var with [kinds]uint64
		for i, name := range events {
			came[i] = due[i] > 0 && rate[i].Next()
			if flushing > 0 && r.IntN(8) == 0 {
				came[i] = true // of slices that are given up
			}
			b.Put(name, came[i])
			if coded[i] != "" && came[i] {
				if r.IntN(12) == 0 {
					with[i] = []uint64{code["DMA_DECODE"], code["DMA_SLAVE"], 1 << 31, 1}[r.IntN(4)]
				}
				b.Set(coded[i], with[i])
			}
		}
		if flushing == 0 && r.IntN(600) == 0 {
			flushing = 1 + r.IntN(30)
		}
		flushes := flushing > 0
		b.Put("flush", flushes)
		restart := uint64(0)
		for q := range queues {
			idle := retired != 0 || goes.queue != uint64(q)
			for _, s := range open {
				idle = idle && s.queue != uint64(q)
			}
			if idle && r.IntN(20) == 0 {
				restart |= 1 << q
			}
		}
		b.Set("restart", restart)
		b.Put("packet_commit_ready", commits.Next())
		b.Put("release_ready", releases.Next())
		b.InReset = r.IntN(300) == 0
		b.Settle()

		all := true
		if len(open) > 0 {
			for i, needed := range open[0].needs {
				all = all && (!needed || len(there[i]) > 0)
			}
		}
		if got := b.Get("in_flight"); got != uint64(len(open)) {
			return block.Differs("in_flight", got, len(open))
		}
		if waits := len(open) > 0 && !begun && !all; b.Is("waits") != waits {
			return block.Differs("waits", b.Is("waits"), waits)
		}
		step := ""
		if len(steps) > 0 {
			step = steps[0]
		}
		if b.Is("packet_commit_valid") != (step == "commit") || b.Is("release_valid") != (step == "release") {
			return fmt.Errorf("a packet is committed: %t, a buffer released: %t; the next is %q", b.Is("packet_commit_valid"),
				b.Is("release_valid"), step)
		}
		if b.Is("retire.valid") != (retired == 0) {
			return fmt.Errorf("a slice has ended: %t, %d cycles after the last one", b.Is("retire.valid"), retired)
		}
		if retired == 0 && (b.Get("retire.queue_") != goes.queue || b.Is("retire.last") != goes.last ||
			b.Get("retire.code") != now) {
			return fmt.Errorf("a slice of queue %d, last %t, ends with 0x%X, not %+v with 0x%X", b.Get("retire.queue_"),
				b.Is("retire.last"), b.Get("retire.code"), goes, now)
		}
		switch step {
		case "commit":
			if s := open[0]; b.Get("packet_commit_slot") != s.slot ||
				b.Is("packet_commit_good") != (now == 0 && s.network && !faulty[s.queue]) {
				return fmt.Errorf("slot %d is committed, good %t: of %+v with 0x%X behind a fault %t", b.Get("packet_commit_slot"),
					b.Is("packet_commit_good"), s, now, faulty[s.queue])
			}
		case "release":
			if got, want := b.Get("release_buffer"), open[0].releases[0]; got != want {
				return block.Differs("the buffer", got, want)
			}
		}
		b.Step()
		committed, err := commit.Taken()
		released, other := release.Taken()
		if err = errors.Join(err, other); err != nil {
			return err
		}
		for q := range queues {
			if restart>>q&1 != 0 {
				faulty[q] = false
			}
		}
		if retired == 0 && now != 0 {
			faulty[goes.queue] = true
			bad++
		}
		ends := false
		if retired++; begun {
			if released {
				open[0].releases = open[0].releases[1:]
			}
			if committed || released {
				steps = steps[1:]
				ends = len(steps) == 0
			}
		} else if len(open) > 0 && (all || flushes) {
			begun, now = true, 0
			s := open[0]
			for i, needed := range s.needs {
				if needed && !flushes {
					now |= there[i][0]
					there[i] = there[i][1:]
				}
			}
			if flushes {
				now = code["DMA_TIMEOUT"]
			}
			if s.commits {
				steps = append(steps, "commit")
			}
			for range s.releases {
				steps = append(steps, "release")
			}
			ends = len(steps) == 0
		}
		if ends {
			goes, open, begun, retired = open[0], open[1:], false, 0
			ended++
		}
		for i := range kinds {
			if came[i] {
				due[i], there[i] = due[i]-1, append(there[i], with[i])
			}
		}
		if added != nil {
			open = append(open, *added)
			for i, needed := range added.needs {
				due[i] += int(block.Bit(needed))
			}
		}
		if flushes {
			clear()
			if flushing > 1 || len(open) == 0 {
				flushing--
			}
		}
		if b.InReset {
			open, steps, begun, faulty, retired = nil, nil, false, [queues]bool{}, 1
			clear()
			commit.Forget()
			release.Forget()
			flushing, b.InReset = 0, false
		}
		full += int(block.Bit(len(open) == retireDepth))
	}
	if ended < 500 || bad < 50 || full < 100 {
		return fmt.Errorf("only %d slices have ended, %d badly; %d cycles had no room", ended, bad, full)
	}
	return nil
}
