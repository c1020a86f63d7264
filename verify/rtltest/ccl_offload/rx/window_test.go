package rx

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// openWindow opens one for what the selected rank sends.
func (r *rig) openWindow(number uint32, addr uint64, size, host uint32) {
	r.write(pageRendezvous, "rendezvous.window", number)
	r.write(pageRendezvous, "rendezvous.address", uint32(addr))
	r.write(pageRendezvous, "rendezvous.address_high", 0)
	r.write(pageRendezvous, "rendezvous.bytes", size)
	r.write(pageRendezvous, "rendezvous.open", host)
}

// selectPeer selects a rank that is there.
func (r *rig) selectPeer(p rank) {
	r.select_(want{p.record, p.session, p.rank, p.context, 1, identity{}}, p)
	r.Source = p.rank
}

// openModelled opens a window in device memory, in the model, too.
func (r *rig) openModelled(p rank, number uint32, addr uint64, size uint32) {
	r.selectPeer(p)
	r.openWindow(number, addr, size, 0)
	r.m.opens++
	r.m.windows[number] = mwindow{opened: r.m.opens, open: true, from: msender{p.session, p.rank, p.context},
		addr: addr, bytes: size}
}

// fill sends a buffer to a window, and reads it as it fills.
func (r *rig) fill(p rank, window uint32, size int) {
	r.t.Helper()
	addr, host := uint64(0x10000*window+uint32(r.r.IntN(64))), r.one(0, 1)
	r.selectPeer(p)
	r.openWindow(window, addr, uint32(size), host)
	number := uint32(0)
	if r.n.lossy {
		number = r.m.numbers[p.session]
		r.number(p.session, addr, host == 1)
	}
	sent := r.payload(uint32(size))
	var packets [][]byte
	h := head{src: p.rank, dst: p.session, context: p.context, tag: number, host: host, kind: data}
	for at := 0; at < size; h.seq++ {
		n := min(size-at, 1+r.r.IntN(4032))
		h.count, h.vaddr = uint32(n), addr+uint64(at)
		packets = append(packets, append(r.n.pack(h), sent[at:at+n]...))
		at += n
	}
	h.kind, h.count, h.seq, h.vaddr = done, uint32(size), 0, addr+uint64(size)
	packets = append(packets, r.n.pack(h))
	if r.n.lossy { // some overtake others, some come twice
		for i := range packets {
			j := min(i+r.r.IntN(20), len(packets)-1)
			packets[i], packets[j] = packets[j], packets[i]
		}
		for range 5 {
			i := r.r.IntN(len(packets))
			if packets[i][r.n.fields["msg_type"].Low/8] == data {
				packets = slices.Insert(packets, i+r.r.IntN(len(packets)-i), packets[i])
			}
		}
	}
	memory := r.Device[:]
	if host == 1 {
		memory = r.Host[:]
	}
	c, readable, changed, asked := r.r.IntN(channels), 0, r.WindowsChanged, false
	wakes := r.Wakes[2]
	for idle := 0; readable < size || r.Wakes[2] == wakes; idle++ {
		if idle > 20000 {
			r.t.Fatalf("%d of %d bytes can be read", readable, size)
		}
		if r.OfferValid == 0 && len(packets) > 0 {
			r.show(mpacket{origin{session: p.session}, packets[0]})
			packets = packets[1:]
		}
		if asked && r.QueryValid[c] == 0 {
			asked = false
			r.same("there is such a window", r.QueryOK[c], 1)
			n := int(r.QueryBytes[c])
			if n > 0 {
				idle = 0
			}
			at := int(addr) + readable
			if !bytes.Equal(memory[at:at+n], sent[readable:readable+n]) {
				r.t.Fatalf("bytes %d to %d differ", readable, readable+n)
			}
			readable += n
			if n > 0 {
				changed-- // there may be more
			}
			r.same("more can follow", r.QueryMore[c]|uint32(readable/size), 1)
		}
		if !asked && r.WindowsChanged != changed {
			changed, asked = r.WindowsChanged, true
			r.QueryWindow[c], r.QueryAddress[c], r.QueryValid[c] = window, addr+uint64(readable), 1
		}
		r.Step(1)
	}
	for r.OfferValid != 0 || len(packets) > 0 { // what comes twice
		r.Step(1)
		if r.OfferValid == 0 && len(packets) > 0 {
			r.show(mpacket{origin{session: p.session}, packets[0]})
			packets = packets[1:]
		}
	}
	r.check(r.Settle())
	r.write(pageRendezvous, "rendezvous.window", window)
	r.same("arrived", r.read(pageRendezvous, "rendezvous.arrived"), uint32(size))
	r.same("done", r.read(pageRendezvous, "rendezvous.done"), 1)
	if events := r.read(pageNetwork, "network.events"); events&^r.n.eventNoWindow != 0 || events != 0 && !r.n.lossy {
		r.t.Fatalf("events 0x%X", events)
	}
	r.write(pageNetwork, "network.events", r.n.eventNoWindow)
	if !bytes.Equal(memory[addr:addr+uint64(size)], sent) {
		r.t.Fatal("what is in the window differs")
	}
}

func TestWindowsCanBeReadAsTheyFill(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp"} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s, seed %d", platform, seed), func(t *testing.T) {
				r := newRig(t, platform, seed)
				r.Stall, r.Latency = uint32(50*seed), uint32(2*seed)
				for range 40 {
					r.fill(r.ranks[r.r.IntN(3)], uint32(r.r.IntN(32)), 1+r.r.IntN(40000))
				}
			})
		}
	}
}

func TestDataOfAWindowThatWasOpenedAgainDoNotCount(t *testing.T) {
	r := newRig(t, "u55c_tcp", 0)
	r.Latency = 60
	p, late := r.ranks[0], 0
	open := func() { r.openWindow(3, 0, 100000, 0) }
	r.selectPeer(p)
	for range 60 {
		open()
		h := head{kind: data, src: p.rank, dst: p.session, context: p.context, count: 64}
		r.show(mpacket{origin{session: p.session}, append(r.n.pack(h), r.payload(64)...)})
		r.check(r.until("a verdict", func() bool { return r.OfferValid == 0 }))
		r.same("verdict", r.Verdict, payloadOf)
		open()
		if r.Busy != 0 {
			late++
		}
		r.check(r.Settle())
		r.same("arrived", r.read(pageRendezvous, "rendezvous.arrived"), 0)
	}
	assert.Check(t, late != 0, "memory always had the data before")
	t.Logf("%d of 60 data were written after the window was opened again", late)
}

// Packets of windows that come in pieces count when all of them is there, in a session
// that is closed and begins anew as well.
func TestWindowsFillWhereverTheirDataAreCut(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := newRig(t, "u55c_tcp", seed)
			p := r.ranks[0]
			k, closings, pieces := origin{session: p.session}, 0, 0
			for round := range 20 {
				size := uint32(1 + r.r.IntN(20000))
				addr := uint64(r.r.IntN(memoryBytes - 30000))
				if round%5 == 4 {
					addr = memoryBytes - uint64(size) + uint64(r.r.IntN(500)) // its end may be no memory
				}
				r.openModelled(p, 3, addr, size)
				var stream []byte
				for at, i := uint32(0), uint32(0); at < size; i++ {
					n := min(size-at, 1+uint32(r.r.IntN(maxPacket-64)))
					h := head{kind: data, src: p.rank, context: p.context, count: n, seq: i, vaddr: addr + uint64(at)}
					stream = append(append(stream, r.n.pack(h)...), r.payload(n)...)
					at += n
				}
				stream = append(stream, r.n.pack(head{kind: done, src: p.rank, context: p.context, count: size, vaddr: addr})...)
				all := stream
				for len(stream) > 0 {
					n := min(len(stream), maxPacket, 1+r.r.IntN([]int{80, 3000, 9000}[r.r.IntN(3)]))
					if _, holds := r.offer(mpacket{k, stream[:n:n]}); holds {
						t.Fatal("data of a window are held")
					}
					stream = stream[n:]
					if part := r.m.partial[k]; part != nil && part.mode == modeWindow {
						if pieces++; r.r.IntN(20) == 0 {
							r.close() // of any session
							if r.m.partial[k] == nil {
								closings++
								stream = all
							}
						}
					}
					r.settle(r.Retries)
				}
				if addr+uint64(size) <= memoryBytes && !r.m.windows[3].done {
					t.Fatal("the window is not complete")
				}
				if d := r.m.differs(r.Side, true); d != "" {
					t.Fatal(d)
				}
			}
			assert.Check(t, closings != 0 && pieces >= 50, "%d packets come in pieces, %d of them not all", pieces, closings)
		})
	}
}

// What is left of data, when their window is opened for others meanwhile, is dropped, in
// one piece or in several.
func TestTheRestOfDataIsDroppedWhenTheirWindowIsOpenedAgain(t *testing.T) {
	r := newRig(t, "u55c_tcp", 0)
	p, k, size := r.ranks[0], origin{session: r.ranks[0].session}, uint32(4000)
	for round := range 20 {
		h := head{kind: data, src: p.rank, context: p.context, count: size - uint32(r.r.IntN(2000))}
		rest := append(r.n.pack(h), r.payload(h.count)...)
		r.openModelled(p, 3, 0, size)
		for piece := range 2 + round%3 {
			if piece == 1 {
				r.openModelled(p, 3, 0, size)
			}
			n := 65 + r.r.IntN(400)
			if piece == 1+round%3 {
				n = len(rest)
			}
			if _, holds := r.offer(mpacket{k, rest[:n:n]}); holds {
				t.Fatal("data of a window are held")
			}
			rest = rest[n:]
			r.settle(r.Retries)
			want := r.n.eventNoWindow
			if piece == 0 {
				want = 0
			}
			r.same(fmt.Sprintf("events behind piece %d", piece), r.read(pageNetwork, "network.events"), want)
		}
		if d := r.m.differs(r.Side, true); d != "" {
			t.Fatal(d)
		}
		r.same("arrived", r.read(pageRendezvous, "rendezvous.arrived"), 0)
		r.write(pageNetwork, "network.events", r.n.eventNoWindow)
		r.m.events = 0
	}
}
