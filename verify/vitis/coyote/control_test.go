package coyote_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
)

// Three windows: 8 KiB at 0, 4 KiB at 8 KiB, 64 KiB at 64 KiB.
var windows = []struct{ base, size uint64 }{{0, 0x2000}, {0x2000, 0x1000}, {0x10000, 0x10000}}

const addressBits = 17

func TestControl(t *testing.T) {
	n := len(windows)
	base, mask := "", ""
	for _, w := range windows {
		base = fmt.Sprintf("%08X", w.base) + base
		mask = fmt.Sprintf("%08X", w.size-1) + mask
	}
	b := module(t, "coyote_control", map[string]string{
		"WINDOWS": fmt.Sprint(n), "ADDRESS_WIDTH": fmt.Sprint(addressBits),
		"BASE": fmt.Sprintf("%d'h%s", 32*n, base), "MASK": fmt.Sprintf("%d'h%s", 32*n, mask),
	})
	b.Reset()
	r := rand.New(rand.NewPCG(6, 16))

	// Slaves keep words and answer in their own time; the last one has an error.
	memory := make([]map[uint64]uint64, n)
	type slave struct {
		address, data, strobes uint64
		haveAddress, haveData  bool
		answer, read           bool
		readAt                 uint64
	}
	slaves := make([]slave, n)
	for i := range memory {
		memory[i] = map[uint64]uint64{}
	}
	tick := func() {
		var awready, wready, bvalid, arready, rvalid, bresp, rresp uint64
		words := b.Words("m_rdata")
		for i := range slaves {
			s := &slaves[i]
			awready |= flag(!s.haveAddress && r.IntN(3) == 0) << i
			wready |= flag(!s.haveData && r.IntN(3) == 0) << i
			bvalid |= flag(s.answer) << i
			arready |= flag(!s.read && r.IntN(3) == 0) << i
			rvalid |= flag(s.read) << i
			bresp |= uint64(i) << (2 * i)
			rresp |= uint64(i) << (2 * i)
			words[i] = uint32(memory[i][s.readAt])
		}
		for pin, v := range map[string]uint64{"m_awready": awready, "m_wready": wready, "m_bvalid": bvalid,
			"m_arready": arready, "m_rvalid": rvalid, "m_bresp": bresp, "m_rresp": rresp} {
			b.Set(pin, v)
		}
		b.Step()
		for i := range slaves {
			s := &slaves[i]
			is := func(pin string) bool { return b.Get(pin)>>i&1 != 0 }
			if s.answer && is("m_bready") {
				*s = slave{read: s.read, readAt: s.readAt}
			}
			if is("m_awvalid") && awready>>i&1 != 0 {
				s.address, s.haveAddress = b.Get("m_awaddr"), true
			}
			if is("m_wvalid") && wready>>i&1 != 0 {
				s.data, s.strobes, s.haveData = b.Get("m_wdata"), b.Get("m_wstrb"), true
			}
			if s.haveAddress && s.haveData && !s.answer {
				at := s.address & (windows[i].size - 1)
				old := memory[i][at]
				for k := range 4 {
					if s.strobes>>k&1 != 0 {
						old = old&^(0xFF<<(8*k)) | s.data&(0xFF<<(8*k))
					}
				}
				memory[i][at], s.answer = old, true
			}
			if s.read && is("m_rready") {
				s.read = false
			} else if is("m_arvalid") && arready>>i&1 != 0 {
				s.read, s.readAt = true, b.Get("m_araddr")&(windows[i].size-1)
			}
		}
	}
	// find is the window of a byte of the shell's bus.
	find := func(address uint64) int {
		for i, w := range windows {
			if at := address / 2; at >= w.base && at < w.base+w.size {
				return i
			}
		}
		return -1
	}
	reference := map[uint64]uint64{}
	for access := range 400 {
		address := uint64(r.IntN(1<<(addressBits+1))) &^ 7
		if access%3 == 0 {
			w := windows[r.IntN(n)]
			address = 2*w.base + uint64(r.IntN(4))*8
			if r.IntN(2) == 0 {
				address = 2*(w.base+w.size) - 8*uint64(1+r.IntN(2))
			}
		}
		at := find(address)
		want := uint64(3)
		if at >= 0 {
			want = uint64(at)
		}
		if r.IntN(2) == 0 {
			data, strobes := r.Uint64(), uint64(r.IntN(16))
			b.Set("s_awaddr", address)
			b.Set("s_wdata", data)
			b.Set("s_wstrb", strobes|0xF0)
			aw, w := r.IntN(4), r.IntN(4)
			for cycle := 0; ; cycle++ {
				assert.Assert(t, cycle <= 1000, "a write to %X is not answered", address)
				b.Set("s_awvalid", flag(aw == 0))
				b.Set("s_wvalid", flag(w == 0))
				ready := r.IntN(2) == 0
				b.Set("s_bready", flag(ready))
				tick()
				for _, c := range []struct {
					left *int
					pin  string
				}{{&aw, "s_awready"}, {&w, "s_wready"}} {
					switch {
					case *c.left > 0:
						*c.left--
					case *c.left == 0 && b.Is(c.pin):
						*c.left = -1
					}
				}
				if ready && b.Is("s_bvalid") {
					break
				}
			}
			b.Set("s_bready", 0)
			if got := b.Get("s_bresp"); got != want {
				t.Fatalf("a write to %X is answered by %d, want %d", address, got, want)
			}
			if at >= 0 {
				for k := range 4 {
					if strobes>>k&1 != 0 {
						reference[address] = reference[address]&^(0xFF<<(8*k)) | data&(0xFF<<(8*k))
					}
				}
			}
			continue
		}
		b.Set("s_araddr", address)
		b.Set("s_arvalid", 1)
		for cycle := 0; ; cycle++ {
			assert.Assert(t, cycle <= 1000, "a read of %X is not answered", address)
			ready := r.IntN(2) == 0
			b.Set("s_rready", flag(ready))
			tick()
			if b.Is("s_arready") {
				b.Set("s_arvalid", 0)
			}
			if ready && b.Is("s_rvalid") {
				break
			}
		}
		b.Set("s_rready", 0)
		if got := b.Get("s_rresp"); got != want {
			t.Fatalf("a read of %X is answered by %d, want %d", address, got, want)
		}
		if got := b.Get("s_rdata"); at >= 0 && got != reference[address] {
			t.Fatalf("%X holds %X, want %X", address, got, reference[address])
		}
	}
	for i := range memory {
		assert.Check(t, len(memory[i]) != 0, "nothing came to window %d", i)
	}
}

// Requests of all sources get through, each source's in order, and none has to wait
// for more than the others' turns.
func TestRequests(t *testing.T) {
	const sources = 4
	b := module(t, "coyote_requests", map[string]string{"SOURCES": fmt.Sprint(sources)})
	for _, stall := range []int{0, 50, 90} {
		b.Reset()
		r := rand.New(rand.NewPCG(uint64(stall), 17))
		const each = 60
		var sent, waited [sources]int
		var got [sources]uint64
		on := uint64(0)
		total := 0
		for cycle := 0; total < sources*each; cycle++ {
			assert.Assert(t, cycle <= 20_000, "%d of %d requests came", total, sources*each)
			var fields []request
			for i := range sources {
				if on>>i&1 == 0 && sent[i] < each && (stall == 0 || r.IntN(2) == 0) {
					on |= 1 << i
				}
				fields = append(fields, request{opcode: uint64(i), vaddr: uint64(sent[i]), len: uint64(7 * sent[i]),
					dest: uint64(i)})
			}
			packAll(b, fields)
			b.Set("in_valid", on)
			ready := r.IntN(100) >= stall
			b.Set("out_ready", flag(ready))
			b.Step()
			taken := b.Get("in_ready") & on
			assert.Assert(t, taken&(taken-1) == 0, "two sources at once: %b", taken)
			for i := range sources {
				switch {
				case taken>>i&1 != 0:
					sent[i], waited[i] = sent[i]+1, 0
					on &^= 1 << i
				case taken != 0 && on>>i&1 != 0:
					if waited[i]++; waited[i] >= sources {
						t.Fatalf("source %d has waited for %d others", i, waited[i])
					}
				}
			}
			if ready && b.Is("out_valid") {
				q := requestOf(b, "out_data")
				if want := (request{opcode: q.opcode, vaddr: got[q.opcode], len: 7 * got[q.opcode], dest: q.opcode}); q != want {
					t.Fatalf("a request is %+v, want %+v", q, want)
				}
				got[q.opcode]++
				total++
			}
		}
	}
}
