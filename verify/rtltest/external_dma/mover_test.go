package external_dma_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Each memory has a region that is read and one that is written, across the end
// of 32-bit addresses; the end of the second lies beyond the limit sometimes.
const (
	regionBytes = 192 << 10
	readBase    = 1<<32 - 64<<10
	writeBase   = readBase + regionBytes
)

// failing is a range of addresses that answers with an error.
type failing struct {
	from, to uint64
	kind     uint32
}

// reference is what a memory should hold and do.
type reference struct {
	bytes  []byte // from readBase
	errors []failing
	limit  uint64
}

// respond adds what the line of an address answers to a report.
func (m *reference) respond(r *report, address uint64) {
	line := address &^ (lineBytes - 1)
	kind := uint32(memoryWorks)
	for _, e := range m.errors { // the last one wins
		if line < e.to && line+lineBytes > e.from {
			kind = e.kind
		}
	}
	if m.limit != 0 && line+lineBytes > m.limit {
		kind = memoryDecodeError
	}
	r.slave = r.slave || kind == memorySlaveError
	r.decode = r.decode || kind == memoryDecodeError
}

func (m *reference) fails(address uint64) bool {
	var r report
	m.respond(&r, address)
	return r.slave || r.decode
}

// world is a bench and what it should do.
type world struct {
	*bench
	random   *rand.Rand
	memories []reference
}

func (w *world) chance(perCent int) bool { return w.random.IntN(100) < perCent }

func (w *world) pick(of ...int) int { return of[w.random.IntN(len(of))] }

// conditions sets the pace of everything, and errors.
func (w *world) conditions(t *testing.T, errors bool) {
	t.Helper()
	for channel := range channels {
		w.pace(w.handle, uint32(channel), uint32(w.pick(0, 0, 300, 900)))
	}
	w.memories = make([]reference, w.ports)
	for i := range w.memories {
		m, space := &w.memories[i], int32(i)
		m.bytes = make([]byte, 2*regionBytes)
		for j := range m.bytes {
			m.bytes[j] = byte(w.random.Uint32())
		}
		if w.memoryWrite(w.handle, space, readBase, &m.bytes[0], uint64(len(m.bytes))) == 0 {
			t.Fatal("the memory cannot be written")
		}
		w.memoryLatency(w.handle, space, uint32(w.pick(0, 7, 50, 200)), uint32(w.pick(0, 0, 30)))
		w.memoryStall(w.handle, space, uint32(w.pick(0, 0, 100, 500)), uint32(w.pick(1, 10)))
		if !errors {
			continue
		}
		for range 6 {
			from := readBase + w.random.Uint64N(2*regionBytes)
			e := failing{from, from + 1 + w.random.Uint64N(3000),
				uint32(w.pick(memorySlaveError, memoryDecodeError, memoryWorks))}
			m.errors = append(m.errors, e)
			w.memoryError(w.handle, space, e.from, e.to, e.kind)
		}
		if w.chance(50) {
			m.limit = writeBase + regionBytes - w.random.Uint64N(regionBytes/4)
			w.memoryLimit(w.handle, space, m.limit)
		}
	}
	w.memoryLate(w.handle, int32(w.pick(0, 1)))
}

// next is a random command inside a region.
func (w *world) next(base uint64) command {
	n := 1 + w.random.IntN(200)
	switch {
	case w.chance(3):
		n = 64 << 10
	case w.chance(3):
		n = 0
	case w.chance(40):
		n = 1 + w.random.IntN(9000)
	case w.chance(20):
		n = lineBytes * (1 + w.random.IntN(80))
	}
	address := base + w.random.Uint64N(uint64(regionBytes-n)+1)
	switch {
	case w.chance(30):
		address &^= lineBytes - 1
	case w.chance(20) && n < regionBytes/2: // around a page
		address = (address+4096)&^4095 - min(w.random.Uint64N(300), 4096)
		address = min(address, base+regionBytes-uint64(n))
	}
	c := command{bytes: n, address: address, memory: w.random.IntN(w.ports), tag: w.random.Uint32N(16), end: w.chance(70)}
	switch {
	case w.chance(2):
		c.constant = true
	case w.chance(2):
		c.streamOffset = 1 + w.random.Uint32N(63)
	case w.chance(2):
		c.memory = w.pick(w.ports, 255)
	}
	return c
}

// packet is a packet, or a part of one, for a write command: as long as it should
// be, without its end, too short, or with a last beat that holds too much.
func (w *world) packet(n int) []beat {
	ends, excess := true, false
	switch {
	case n == 0:
		return nil
	case w.chance(15):
		ends = false
	case w.chance(15):
		n = w.random.IntN(n)
	case w.chance(10):
		ends, excess = w.chance(50), true
	}
	var all []beat
	for left := n; left > 0 || len(all) == 0; left -= lineBytes {
		x := beat{keep: kept(left)}
		if w.chance(10) { // only the last beat of a packet has a TKEEP that counts
			x.keep = w.random.Uint64()
		}
		for i := range x.data {
			x.data[i] = byte(w.random.Uint32())
		}
		all = append(all, x)
	}
	last := &all[len(all)-1]
	last.last = ends
	switch {
	case excess:
		last.keep = ^uint64(0)
	case n > 0 && ends && n%lineBytes == 0 && w.chance(50) && n > lineBytes: // the end comes in a beat without bytes
		last.keep = 0
	default:
		last.keep = kept(n - lineBytes*(len(all)-1))
	}
	return all
}

// reads is what a read command delivers. Beats of undefined data have no bytes
// to compare.
func (w *world) reads(c command) (report, []beat, bool) {
	r := report{tag: c.tag}
	var nowhere bool
	r.internal, nowhere = c.refused(w.ports)
	r.decode = nowhere
	undefined := r.internal || nowhere
	var all []beat
	for at := 0; at < c.bytes; at += lineBytes {
		n := min(c.bytes-at, lineBytes)
		x := beat{keep: kept(n), last: c.end && at+n == c.bytes}
		if !undefined {
			m := &w.memories[c.memory]
			copy(x.data[:n], m.bytes[c.address-readBase+uint64(at):])
			m.respond(&r, c.address+uint64(at))
			m.respond(&r, c.address+uint64(at+n-1))
		}
		all = append(all, x)
	}
	r.okay = !(r.internal || r.decode || r.slave)
	return r, all, !r.okay
}

// writes is what a write command does with the beats that wait, and how many of
// them it takes.
func (w *world) writes(c command, waiting []beat) (report, int) {
	internal, nowhere := c.refused(w.ports)
	r := report{tag: c.tag, internal: internal, decode: nowhere}
	bursts := map[uint64]*report{} // by their blocks of memory
	taken := 0
	for r.bytes < c.bytes && !r.end {
		x := waiting[taken]
		taken++
		n := min(bytesOf(x), c.bytes-r.bytes)
		if !internal && !nowhere {
			m := &w.memories[c.memory]
			touch := func(address uint64) {
				block := address / uint64(lineBytes*w.burst)
				if bursts[block] == nil {
					bursts[block] = &report{}
				}
				m.respond(bursts[block], address)
			}
			touch(c.address + uint64(r.bytes))
			for i := range n {
				address := c.address + uint64(r.bytes+i)
				touch(address)
				if !m.fails(address) {
					m.bytes[address-readBase] = x.data[i]
				}
			}
		}
		r.bytes += n
		r.end = x.last
	}
	for _, b := range bursts { // one response to each: DECERR before SLVERR
		r.decode = r.decode || b.decode
		r.slave = r.slave || b.slave && !b.decode
	}
	if r.bytes < c.bytes {
		r.internal = true
	}
	r.okay = !(r.internal || r.decode || r.slave)
	return r, taken
}

func TestTheDataMoverMovesTheBytesAndReportsInOrder(t *testing.T) {
	for _, v := range variants {
		l := load(t, v)
		for seed := range uint64(24) {
			t.Run(fmt.Sprintf("%s, seed %d", v.name, seed), func(t *testing.T) {
				w := &world{bench: newBench(t, l, v, seed), random: rand.New(rand.NewPCG(seed, 1))}
				w.conditions(t, seed%3 != 0)
				moves(t, w, 60)
			})
		}
	}
}

// moves checks random commands in both directions at once.
func moves(t *testing.T, w *world, count int) {
	t.Helper()
	var reads, writes []command
	var toWrite []beat
	for range count {
		c := w.next(readBase)
		reads = append(reads, c)
		w.issue(false, c)
		c = w.next(writeBase)
		writes = append(writes, c)
		w.issue(true, c)
		toWrite = append(toWrite, w.packet(c.bytes)...)
	}
	// Enough for commands that have more bytes than their packets.
	for range 2 {
		toWrite = append(toWrite, beat{keep: kept(lineBytes), last: true})
	}
	var wantWrites []report
	left := toWrite
	for i, c := range writes {
		r, taken := w.writes(c, left)
		left = left[taken:]
		wantWrites = append(wantWrites, r)
		if len(left) == 0 {
			t.Fatalf("the bench has no beats for command %d", i)
		}
	}
	for _, x := range toWrite[:len(toWrite)-len(left)] {
		w.send(x)
	}
	w.finish(t, 3_000_000, len(reads), len(writes))

	gotReads, gotWrites, beats := w.statuses(false), w.statuses(true), w.taken()
	for i, c := range reads {
		want, delivered, undefined := w.reads(c)
		if i >= len(gotReads) || gotReads[i] != want {
			t.Fatalf("read %d %+v: status %+v, want %+v", i, c, at(gotReads, i), want)
		}
		for j, x := range delivered {
			if j >= len(beats) || beats[j].keep != x.keep || beats[j].last != x.last {
				t.Fatalf("read %d %+v: beat %d is %+v, want %+v", i, c, j, at(beats, j), x)
			}
			for k := range x.data {
				if !undefined && x.keep>>k&1 != 0 && beats[j].data[k] != x.data[k] {
					t.Fatalf("read %d %+v: byte %d of beat %d is %#x, want %#x", i, c, k, j, beats[j].data[k], x.data[k])
				}
			}
		}
		beats = beats[len(delivered):]
	}
	if len(beats) != 0 || len(gotReads) != len(reads) {
		t.Errorf("%d beats and %d statuses of reads too many", len(beats), len(gotReads)-len(reads))
	}
	for i, c := range writes {
		if i >= len(gotWrites) || gotWrites[i] != wantWrites[i] {
			t.Fatalf("write %d %+v: status %+v, want %+v", i, c, at(gotWrites, i), wantWrites[i])
		}
	}
	if len(gotWrites) != len(writes) {
		t.Errorf("%d statuses of writes too many", len(gotWrites)-len(writes))
	}
	for i := range w.memories {
		w.compare(t, i)
	}
	if n := w.left(w.handle); n != 0 {
		t.Errorf("%d words are left over", n)
	}
}

func at[T any](all []T, i int) any {
	if i < len(all) {
		return all[i]
	}
	return "missing"
}

// compare checks what a memory holds, up to its limit.
func (w *world) compare(t *testing.T, memory int) {
	t.Helper()
	m := &w.memories[memory]
	w.memoryLimit(w.handle, int32(memory), 0)
	got := make([]byte, len(m.bytes))
	if w.memoryRead(w.handle, int32(memory), readBase, &got[0], uint64(len(got))) == 0 {
		t.Fatal("the memory cannot be read")
	}
	if bytes.Equal(got, m.bytes) {
		return
	}
	for i := range got {
		if got[i] != m.bytes[i] {
			t.Fatalf("memory %d: byte %#x is %#x, want %#x", memory, readBase+i, got[i], m.bytes[i])
		}
	}
}
