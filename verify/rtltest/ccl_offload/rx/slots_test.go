package rx

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// packetTable opens slots for sessions, completes them in any order and lets them
// leave in the order of their sessions.
func packetTable(slots, tagBits, limit int) block.Run {
	const (
		free = iota
		open
		committed
		left
	)
	return func(b *block.Bench, r *rand.Rand) error {
		state, tags := make([]int, slots), make([]uint64, slots)
		orders := map[uint64][]int{}
		calm := 0 // cycles without anything that changes orders
		few := 1 + r.IntN(6)
		all := r.Perm(1 << tagBits)[:slots]
		pick := func(of int) int {
			var which []int
			for i, s := range state {
				if s == of {
					which = append(which, i)
				}
			}
			if len(which) == 0 {
				return -1
			}
			return which[r.IntN(len(which))]
		}
		entering := -1
		for i := range 8000 {
			if r.IntN(1000) == 0 || entering >= 0 && r.IntN(300) == 0 { // also between the two cycles of a commit
				b.Reset()
				clear(state)
				clear(orders)
				entering = -1
				few = 1 + r.IntN(slots)
			}
			query := uint64(all[r.IntN(few)])
			b.Set("query_tag", query)
			b.Set("forget", 0)
			b.Set("release_", 0)
			b.Scramble(r, "commit_slot", "leave_slot")
			b.Settle()
			// What stands there now.
			var used, queued, front, same, mustFront uint64
			count := 0
			for s := range slots {
				if state[s] != free {
					used |= 1 << s
					if tags[s] == query {
						same |= 1 << s
						count++
					}
				}
				if state[s] == committed && s != entering {
					queued |= 1 << s
				}
			}
			for _, o := range orders {
				if len(o) > 0 {
					front |= 1 << o[0]
					if calm > 2 {
						mustFront |= 1 << o[0]
					}
				}
			}
			got := b.Get("front")
			switch {
			case b.Get("used") != used:
				return fmt.Errorf("used %b, not %b", b.Get("used"), used)
			case b.Get("queued") != queued:
				return fmt.Errorf("queued %b, not %b", b.Get("queued"), queued)
			case b.Get("same") != same:
				return fmt.Errorf("slots of %d are %b, not %b", query, b.Get("same"), same)
			case b.Is("query_room") != (count < limit):
				return fmt.Errorf("there is room: %t, with %d slots of %d", b.Is("query_room"), count, limit)
			case b.Is("query_none") != (count == 0):
				return fmt.Errorf("there is none: %t, with %d slots", b.Is("query_none"), count)
			case got&^front != 0:
				return fmt.Errorf("the front is %b, but only %b are first of their session", got, front)
			case mustFront&^got != 0:
				return fmt.Errorf("the front is %b, without some of %b", got, mustFront)
			case b.Is("free_valid") != (pick(free) >= 0):
				return fmt.Errorf("there is a free slot: %t", b.Is("free_valid"))
			}
			calm++
			phase := i / 300 % 4 // fill, all, drain, calm
			opened, leaves := -1, -1
			if b.Is("free_valid") {
				s := int(b.Get("free_slot"))
				if state[s] != free {
					return fmt.Errorf("slot %d is not free", s)
				}
				if phase < 2 && r.IntN(2) == 0 {
					opened = s
				}
			}
			b.Put("open", opened >= 0)
			commit := -1
			if r.IntN(1+phase) == 0 {
				commit = pick(open)
			}
			b.Put("commit", commit >= 0)
			if commit >= 0 {
				b.Set("commit_slot", uint64(commit))
			}
			if got != 0 && phase > 0 && r.IntN(3) > 0 {
				for leaves = r.IntN(slots); got>>leaves&1 == 0; leaves = r.IntN(slots) {
				}
				b.Set("leave_slot", uint64(leaves))
			}
			b.Put("leave", leaves >= 0)
			release, forget := uint64(0), uint64(0)
			if s := pick(left); s >= 0 && r.IntN(2) == 0 {
				release |= 1 << s
			}
			if s := pick(open); s >= 0 && s != commit && r.IntN(16) == 0 { // a packet that was spoiled
				release |= 1 << s
			}
			// Some of a session, with all behind.
			if entering < 0 && commit < 0 && leaves < 0 && r.IntN(20) == 0 {
				for _, tag := range all[:few] {
					if o := orders[uint64(tag)]; len(o) > 0 && r.IntN(2) == 0 {
						for _, s := range o[r.IntN(len(o)):] {
							forget |= 1 << s
						}
					}
				}
				b.Set("forget", forget)
			}
			b.Set("release_", release)
			b.Step()
			b.Set("open", 0)
			b.Set("commit", 0)
			b.Set("leave", 0)
			entering = commit
			if opened >= 0 {
				state[opened], tags[opened] = open, query
			}
			if commit >= 0 {
				state[commit] = committed
				orders[tags[commit]] = append(orders[tags[commit]], commit)
				calm = 0
			}
			if leaves >= 0 {
				state[leaves] = left
				o := orders[tags[leaves]]
				if len(o) == 0 || o[0] != leaves {
					return fmt.Errorf("slot %d is not the first of its session", leaves)
				}
				orders[tags[leaves]] = o[1:]
				calm = 0
			}
			for s := range slots {
				if (release|forget)>>s&1 != 0 {
					state[s] = free
					orders[tags[s]] = slices.DeleteFunc(slices.Clone(orders[tags[s]]), func(o int) bool { return o == s })
				}
			}
		}
		return nil
	}
}

// slotMemory writes and reads rows.
func slotMemory(b *block.Bench, r *rand.Rand) error {
	slots, rows := 1<<b.Width("write_slot"), 1<<b.Width("write_row")
	type place struct{ slot, row int }
	memory := map[place][]byte{}
	known := map[place][]bool{}
	type answer struct {
		data  []byte
		known []bool
	}
	var expected, next *answer
	few := []int{2, slots}[r.IntN(2)]
	for range 5000 {
		at := place{r.IntN(few), r.IntN(rows)}
		if few == 2 {
			at.row %= 4
		}
		from := at
		if r.IntN(2) == 0 {
			from = place{r.IntN(few), r.IntN(4)}
		}
		write, read, replace := r.IntN(2) == 0, r.IntN(3) > 0, r.IntN(4) == 0
		if write && from == at {
			read = false // which of both comes first is not said
		}
		b.Scramble(r, "write_slot", "write_row", "write_data", "write_strobe", "read_slot", "read_row",
			"replace", "replace_data")
		data, strobe := random(r, beat), r.Uint64()
		if r.IntN(2) == 0 {
			strobe = ^uint64(0)
		}
		b.Put("write", write)
		if write {
			b.Set("write_slot", uint64(at.slot))
			b.Set("write_row", uint64(at.row))
			b.SetBytes("write_data", data)
			b.Set("write_strobe", strobe)
		}
		b.Put("read", read)
		other := random(r, beat)
		if read {
			b.Set("read_slot", uint64(from.slot))
			b.Set("read_row", uint64(from.row))
			b.Put("replace", replace)
			b.SetBytes("replace_data", other)
		}
		b.Step()
		if expected != nil {
			got := b.Bytes("read_data")
			for i, k := range expected.known {
				if k && got[i] != expected.data[i] {
					return fmt.Errorf("byte %d is %02X, not %02X", i, got[i], expected.data[i])
				}
			}
		}
		if next != nil { // else the last one stays
			expected = next
		}
		next = nil
		if read {
			next = &answer{slices.Clone(memory[from]), slices.Clone(known[from])}
			if replace {
				next.data, next.known = other, slices.Repeat([]bool{true}, beat)
			}
		}
		if write {
			if memory[at] == nil {
				memory[at], known[at] = make([]byte, beat), make([]bool, beat)
			}
			for i := range beat {
				if strobe>>i&1 != 0 {
					memory[at][i], known[at][i] = data[i], true
				}
			}
		}
	}
	return nil
}

// slotReader makes streams of jobs.
func slotReader(b *block.Bench, r *rand.Rand) error {
	slots, rows := 1<<b.Width("read_slot"), 1<<b.Width("read_row")
	memory := make([][]byte, slots*rows)
	for i := range memory {
		memory[i] = random(r, beat)
	}
	type job struct{ slot, row, bytes, side int }
	type expected struct {
		data []byte
		keep uint64
		last bool
		side int
	}
	var queue []expected
	jobs := block.NewInput(b, "job_valid", "job_ready")
	out := block.NewOutput(b, "out_valid", "out_ready", "out_data", "out_keep", "out_last", "out_side")
	var now job
	asked := [2]int{-1, -1} // rows, that will stand at the input
	for round := range 6 {
		if round > 0 && r.IntN(2) == 0 { // in the middle
			b.Reset()
			queue, asked = nil, [2]int{-1, -1}
			jobs.Withdraw()
			out.Forget()
		}
		offers, takes, comes := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
		if round == 0 {
			offers.Pauses, takes.Pauses, comes.Pauses = 0, 0, 0
		}
		taken, gaps, began := 0, 0, false
		for cycle := 0; taken < 600; cycle++ {
			if cycle > 20000 {
				return fmt.Errorf("only %d beats came", taken)
			}
			if !jobs.Offered() {
				b.Scramble(r, "job_slot", "job_row", "job_bytes", "job_side")
				if offers.Next() {
					now = job{r.IntN(slots), r.IntN(2), 0, r.IntN(32)}
					now.bytes = length(r, (rows-now.row)*beat)
					b.Set("job_slot", uint64(now.slot))
					b.Set("job_row", uint64(now.row))
					b.Set("job_bytes", uint64(now.bytes))
					b.Set("job_side", uint64(now.side))
					jobs.Offer()
				}
			}
			b.Scramble(r, "read_data")
			if asked[1] >= 0 {
				b.SetBytes("read_data", memory[asked[1]])
			}
			b.Put("out_ready", takes.Next())
			b.Put("absent", !comes.Next())
			b.Step()
			if b.Is("read") && b.Is("absent") {
				return errors.New("a row is asked for that is not there")
			}
			if jobs.Taken() {
				for at := 0; at < now.bytes; at += beat {
					e := expected{memory[now.slot*rows+now.row+at/beat], ^uint64(0), false, now.side}
					if left := now.bytes - at; left <= beat {
						e.keep, e.last = ^uint64(0)>>(beat-left), true
					}
					queue = append(queue, e)
				}
			}
			asked[1], asked[0] = asked[0], -1
			if b.Is("read") {
				asked[0] = int(b.Get("read_slot"))*rows + int(b.Get("read_row"))
			}
			ok, err := out.Taken()
			if err != nil {
				return err
			}
			if !ok {
				if began && b.Is("out_ready") {
					gaps++
				}
				continue
			}
			began = true
			taken++
			if len(queue) == 0 {
				return fmt.Errorf("beat %d belongs to no job", taken)
			}
			e := queue[0]
			queue = queue[1:]
			if got := b.Bytes("out_data"); !bytes.Equal(got, e.data) || b.Get("out_keep") != e.keep ||
				b.Is("out_last") != e.last || int(b.Get("out_side")) != e.side {
				return fmt.Errorf("beat %d is %X keep %X last %t side %d, not %X %X %t %d", taken, got, b.Get("out_keep"),
					b.Is("out_last"), b.Get("out_side"), e.data, e.keep, e.last, e.side)
			}
		}
		if round == 0 && gaps > 0 {
			return fmt.Errorf("%d gaps at full rate", gaps)
		}
	}
	return nil
}

// slotWriter writes packets, slice by slice.
func slotWriter(b *block.Bench, r *rand.Rand) error {
	slots, rows := 1<<b.Width("slot_write_slot"), 1<<b.Width("slot_write_row")
	type slice struct {
		slot, at int // from the beginning of the slot
		data     []byte
	}
	memory := map[[2]int]byte{} // what was written since the slice was told of
	var waiting []slice         // not done
	var beats [][]byte
	in := block.NewInput(b, "in_valid", "in_ready")
	packet := slice{slot: -1}
	headed, offset, left := 0, 0, 0
	for round := range 6 {
		if round > 0 && r.IntN(2) == 0 {
			b.Reset()
			waiting, beats, left = nil, nil, 0
			clear(memory)
			in.Withdraw()
		}
		tells, gives := block.NewRhythm(r), block.NewRhythm(r)
		for done, cycle := 0, 0; done < 60; cycle++ {
			if cycle > 20000 {
				return fmt.Errorf("only %d slices were written", done)
			}
			b.Scramble(r, "slice_bytes", "slice_slot", "slice_headed", "slice_offset")
			b.Set("slice_valid", 0)
			if len(waiting) < 8 && tells.Next() {
				if left == 0 {
					packet.slot = r.IntN(slots)
					headed, offset = r.IntN(2), 0
					if r.IntN(4) == 0 {
						offset = r.IntN(500)
					}
					left = length(r, rows*beat-headed*beat-offset)
				}
				n := min(left, length(r, 1024))
				if r.IntN(3) == 0 {
					n = min(left, 1+r.IntN(70))
				}
				s := slice{packet.slot, headed*beat + offset, random(r, n)}
				b.Set("slice_bytes", uint64(n))
				b.Set("slice_slot", uint64(s.slot))
				b.Set("slice_headed", uint64(headed))
				b.Set("slice_offset", uint64(offset))
				b.Set("slice_valid", 1)
				for at := 0; at < n; at += beat {
					x := random(r, beat) // behind the end there is anything
					copy(x, s.data[at:min(n, at+beat)])
					beats = append(beats, x)
				}
				waiting = append(waiting, s)
				offset, left = offset+n, left-n
			}
			if !in.Offered() {
				b.Scramble(r, "in_data")
				if len(beats) > 0 && gives.Next() {
					b.SetBytes("in_data", beats[0])
					in.Offer()
				}
			}
			b.Step()
			if in.Taken() {
				beats = beats[1:]
			}
			if b.Is("slot_write_valid") {
				slot, row := int(b.Get("slot_write_slot")), int(b.Get("slot_write_row"))
				data, strobe := b.Bytes("slot_write_data"), b.Get("slot_write_strobe")
				for i, x := range data {
					at := row*beat + i
					if strobe>>i&1 == 0 {
						continue
					}
					if len(waiting) == 0 || waiting[0].slot != slot || at < waiting[0].at || at >= waiting[0].at+len(waiting[0].data) {
						return fmt.Errorf("byte %d of slot %d is written, where no slice is", at, slot)
					}
					memory[[2]int{slot, at}] = x
				}
			}
			if b.Is("done") {
				if len(waiting) == 0 {
					return fmt.Errorf("a slice is done that is not there")
				}
				s := waiting[0]
				for i, x := range s.data {
					if got, there := memory[[2]int{s.slot, s.at + i}]; !there || got != x {
						return fmt.Errorf("byte %d of slot %d is %02X (written: %t), not %02X", s.at+i, s.slot, got, there, x)
					}
				}
				clear(memory)
				waiting = waiting[1:]
				done++
			}
		}
	}
	return nil
}
