// Package rendezvous checks, module by module, what keeps the windows that
// remote ranks write to, each against a model of its own.
package rendezvous

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "window_table"},
	block.Module{Name: "window_table", As: "window_table_udp", Platform: "u55c_udp"},
	block.Module{Name: "window_table", As: "window_table_rdma", Platform: "u55c_rdma"},
	block.Module{Name: "window_source"},
	block.Module{Name: "rendezvous", Parts: []string{"session_counters"}},
	block.Module{Name: "rendezvous", As: "rendezvous_udp", Platform: "u55c_udp"},
	block.Module{Name: "rendezvous", As: "rendezvous_rdma", Platform: "u55c_rdma"},
)

func TestWindowTable(t *testing.T)     { set.Check(t, "window_table", windowTable) }
func TestWindowTableUDP(t *testing.T)  { set.Check(t, "window_table_udp", windowTable) }
func TestWindowTableRDMA(t *testing.T) { set.Check(t, "window_table_rdma", windowTable) }
func TestWindowSource(t *testing.T)    { set.Check(t, "window_source", windowSource) }

const (
	doOpen = iota
	doShut
	doRead
	doQuery
	doData
	doWritten
	doFinished
	doNumber
)

// table is the module with its model.
type table struct {
	model
	b *block.Bench
	r *rand.Rand
}

// do does something, and returns whether it was said that more can be read, and
// that a window is complete.
func (t *table) do(w what) (changed, completed bool, err error) {
	b := t.b
	for name, v := range map[string]uint64{
		"operation": w.operation, "window": w.window, "session": w.session, "src": w.src, "context_": w.context,
		"collective": w.collective, "tag": w.tag,
		"address": w.address, "bytes": w.bytes, "host": w.host, "index": w.index, "epoch": w.epoch, "good": w.good,
	} {
		b.Set(name, v)
	}
	b.Set("start", 1)
	b.Step()
	b.Set("start", 0)
	b.Scramble(t.r, "operation", "window", "session", "src", "context_", "collective", "tag", "address", "bytes", "host",
		"index", "epoch", "good")
	for range 500 {
		b.Step()
		changed, completed = changed || b.Is("changed"), completed || b.Is("completed")
		if b.Is("done") {
			return changed, completed, nil
		}
	}
	return false, false, fmt.Errorf("operation %+v does not end", w)
}

// windowTable has senders write to windows: packets come twice, late, in any
// order, of others, of windows that are no longer there.
func windowTable(b *block.Bench, r *rand.Rand) error {
	t := &table{model: newModel(b), b: b, r: r}
	few := []int{1, 3, 32}[r.IntN(3)]
	var notes []what // packets that were let in and whose data are on the way to memory
	completedOnes := 0
	for i := range 8000 {
		if r.IntN(2500) == 0 {
			if r.IntN(2) == 0 {
				b.Reset()
			} else {
				b.Set("clear", 1)
				b.Step()
				b.Set("clear", 0)
			}
			for i := range t.windows {
				t.windows[i].open, t.windows[i].complete = false, false
			}
		}
		n := uint64(r.IntN(few))
		x := &t.windows[n]
		w := what{window: n, session: x.session, src: x.src, context: x.context, collective: x.collective, tag: x.transfer,
			host: x.host, epoch: x.epoch}
		var wantChange, wantComplete bool
		var check func() error
		k := r.IntN(40)
		if !x.open && r.IntN(3) > 0 {
			k = 0
		}
		if x.open && k == 0 && r.IntN(4) > 0 {
			k = 36 + r.IntN(3)
		}
		switch {
		case k == 0: // open
			w = what{operation: doOpen, window: n, session: r.Uint64N(3), src: r.Uint64N(3), context: r.Uint64N(3),
				collective: r.Uint64N(2) * uint64(r.Uint32()),
				address:    n<<24 | r.Uint64N(1<<16), host: r.Uint64N(2), good: 1}
			if r.IntN(10) == 0 {
				w.good = 0
			}
			var packets []uint64
			for range 1 + r.IntN([]int{2, 3, 6, 150}[r.IntN(4)]) {
				packets = append(packets, 4032)
				w.bytes += 4032
			}
			last := r.Uint64N(4032)
			packets[len(packets)-1] -= last
			w.bytes -= last
			*x = window{open: w.good != 0, session: w.session, src: w.src, context: w.context, collective: w.collective,
				address: w.address, bytes: w.bytes, host: w.host, epoch: unknown, before: x.epoch, packets: packets,
				opens: x.opens + 1, seen: map[uint64]bool{}, there: map[uint64]uint64{}}
			wantChange = true
			notes = slices.DeleteFunc(notes, func(o what) bool { return o.window == n && o.good+6 < x.opens })
		case k == 1:
			if r.IntN(10) > 0 {
				continue
			}
			w.operation = doShut
			x.open, x.complete = false, false
			wantChange = true
		case k < 5:
			w.operation = doRead
			want := uint64(0)
			if x.complete || x.open {
				want = t.readable(x, 0)
			}
			complete := x.complete
			check = func() error {
				if b.Get("found_bytes") != want || b.Is("complete") != complete {
					return fmt.Errorf("%d bytes have arrived, complete %t; not %d, %t", b.Get("found_bytes"), b.Is("complete"),
						want, complete)
				}
				return nil
			}
		case k < 8:
			w.operation = doQuery
			w.address = x.address + r.Uint64N(x.bytes+100) - 40
			if r.IntN(4) == 0 {
				w.address = x.address + []uint64{0, x.bytes, x.bytes + 1, x.arrived}[r.IntN(4)]
			}
			there := x.holds(w.address)
			readable := uint64(0)
			if there {
				readable = t.readable(x, w.address-x.address)
			}
			more, host := x.open, x.host
			check = func() error {
				if b.Is("found") != there || there &&
					(b.Get("found_bytes") != readable || b.Is("more") != more || b.Get("found_host") != host) {
					return fmt.Errorf("at %d of the window: found %t, %d bytes, more %t, host %d; not %t, %d, %t, %d",
						w.address-x.address, b.Is("found"), b.Get("found_bytes"), b.Is("more"), b.Get("found_host"),
						there, readable, more, host)
				}
				return nil
			}
		case k < 23 && x.packets != nil: // data
			w.operation = doData
			w.index = x.next + r.Uint64N(uint64([]int{1, 3, 20, 70}[r.IntN(4)]))
			if r.IntN(8) == 0 {
				w.index = r.Uint64N(uint64(len(x.packets)))
			}
			at := min(w.index, uint64(len(x.packets))-1)
			w.address, w.bytes = x.address+4032*at, x.packets[at]
			switch r.IntN(13) { // one that is not meant
			case 12:
				w.collective ^= 1 << r.IntN(32)
			case 0:
				w.session ^= 1
			case 1:
				w.src ^= 1
			case 2:
				w.context = r.Uint64N(4)
			case 3:
				w.tag ^= 1
			case 4:
				w.host ^= 1
			case 5:
				w.address -= r.Uint64N(3) * 4032
			case 6:
				w.bytes += r.Uint64N(3) * 30
			}
			m, found, wanted := t.data(w)
			check = func() error {
				if b.Is("wanted") != wanted || b.Is("found") != found {
					return fmt.Errorf("packet %d: found %t, wanted %t; not %t, %t", w.index, b.Is("found"), b.Is("wanted"),
						found, wanted)
				}
				if wanted {
					at := b.Get("found_window")
					if &t.windows[at] != m {
						return fmt.Errorf("packet %d is for window %d", w.index, at)
					}
					if epoch := b.Get("found_epoch"); m.epoch == unknown {
						m.epoch = epoch
					}
					if epoch := b.Get("found_epoch"); epoch != m.epoch || epoch == m.before && m.before != unknown {
						return fmt.Errorf("the window's epoch is %d, not %d; before it was opened again it was %d",
							epoch, m.epoch, m.before)
					}
					note := w
					note.operation, note.window, note.epoch, note.good = doWritten, at, m.epoch, m.opens
					notes = append(notes, note)
				}
				return nil
			}
		case k < 37:
			if len(notes) == 0 {
				continue
			}
			j := r.IntN(min(len(notes), 4))
			w = notes[j]
			notes = append(notes[:j:j], notes[j+1:]...)
			full := w.index
			w.index &= 63
			w.good = 1
			if r.IntN(8) == 0 {
				w.good = 0
			}
			x := &t.windows[w.window]
			if !x.open || x.epoch != w.epoch {
				break
			}
			if w.good == 0 {
				delete(x.seen, full)
				break
			}
			wantChange = x.store(full, w.bytes)
			wantComplete = x.completes()
			wantChange = wantChange || wantComplete
		case k < 39 && x.packets != nil: // its sender is done
			if x.ended || r.IntN(4) > 0 && x.arrived < x.bytes {
				continue
			}
			w.operation, w.address, w.bytes = doFinished, x.address, x.bytes
			if r.IntN(3) == 0 { // where data end
				w.address += w.bytes
			}
			if t.rdma {
				w.good = r.Uint64N(2)
			}
			switch r.IntN(11) {
			case 10:
				w.collective ^= 1 << r.IntN(32)
			case 0:
				w.session ^= 1
			case 1:
				w.src ^= 1
			case 2:
				w.tag ^= 1
			case 3:
				w.address += 64
			case 4:
				w.bytes += 64
			}
			m := t.finished(w)
			wantComplete = m != nil && m.completes()
			wantChange = wantComplete
			check = func() error {
				if b.Is("found") != (m != nil) {
					return fmt.Errorf("the end of a window is found: %t", b.Is("found"))
				}
				return nil
			}
		default: // the number of its announcement
			w.operation, w.address, w.tag = doNumber, x.address, r.Uint64N(4)
			if r.IntN(6) == 0 {
				w.address += 4
			}
			t.number(w.session, w.address, w.host, w.tag)
		}
		changed, completed, err := t.do(w)
		if err != nil {
			return err
		}
		if check != nil {
			if err := check(); err != nil {
				return fmt.Errorf("operation %d, %+v: %w", i, w, err)
			}
		}
		for range r.IntN(3) + 1 {
			b.Step()
			changed, completed = changed || b.Is("changed"), completed || b.Is("completed")
		}
		if wantChange && !changed || completed != wantComplete {
			return fmt.Errorf("operation %d, %+v: changed %t, completed %t; not %t, %t", i, w, changed, completed,
				wantChange, wantComplete)
		}
		if wantComplete {
			completedOnes++
		}
		if !b.Is("idle") {
			return fmt.Errorf("it is not idle when it is done")
		}
	}
	if completedOnes < 1 {
		return fmt.Errorf("only %d windows were completed", completedOnes)
	}
	return nil
}
