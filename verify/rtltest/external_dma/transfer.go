package external_dma

import (
	"math/bits"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// written is a line that a transfer writes.
type written struct {
	data    []byte
	strobes uint64
}

// write is a burst of a transfer, or, if it is void, only its end.
type write struct {
	memory  int
	address uint64
	lines   []written
	void    bool
	ends    bool
	report  report // of the whole command, if the burst ends it
	needs   int    // beats of the stream until it is complete
}

// transfer is what becomes of a command that writes, and the beats it takes. Most
// packets are as long as they should be; some end early, some not at all, some
// have a beat with more bytes than are to be written, or an end without bytes.
func transfer(r *rand.Rand, c command, memories, burstLines int) (beats []beat, writes []write) {
	s := report{tag: c.tag, internal: c.internal(), decode: c.nowhere(memories)}
	void := s.internal || s.decode
	early, ends := -1, r.IntN(5) > 0
	if r.IntN(6) == 0 || c.bytes > 8000 {
		early = r.IntN(min(c.bytes+2*lineBytes, 8000) / lineBytes)
	}
	var current *write
	touch := func(address uint64) *written {
		line := address / lineBytes
		if n := uint64(burstLines); current == nil || current.address/lineBytes/n != line/n {
			writes = append(writes, write{memory: c.memory, address: line * lineBytes})
			current = &writes[len(writes)-1]
		}
		for at := current.address/lineBytes + uint64(len(current.lines)); at <= line; at++ {
			current.lines = append(current.lines, written{data: make([]byte, lineBytes)})
		}
		current.needs = len(beats) + 1
		return &current.lines[len(current.lines)-1]
	}
	for s.bytes < c.bytes && !s.end {
		left := c.bytes - s.bytes
		x := beat{data: block.RandomBytes(r, lineBytes), keep: ^uint64(0)}
		if r.IntN(4) == 0 {
			x.keep = r.Uint64() // counts only in the last beat
		}
		n := lineBytes
		switch {
		case early == len(beats) || left < lineBytes && ends && r.IntN(8) == 0: // any number
			n, x.last = r.IntN(lineBytes+1), true
		case left <= lineBytes && ends:
			n, x.last = left, true
		case left == lineBytes && r.IntN(4) == 0:
			n, x.last = lineBytes, true
		}
		if x.last {
			x.keep = keepOf(n)
			if n == 0 {
				x.keep = 0
			}
			if r.IntN(3) == 0 {
				x.keep = someBits(r, n)
			}
			n = bits.OnesCount64(x.keep)
		}
		n = min(n, left)
		for i := 0; !void && (i < n || i == 0); i++ {
			address := c.address + uint64(s.bytes+i)
			w := touch(address)
			if i < n {
				w.data[address%lineBytes] = x.data[i]
				w.strobes |= 1 << (address % lineBytes)
			}
		}
		s.bytes += n
		s.end = x.last
		beats = append(beats, x)
	}
	s.internal = s.internal || s.bytes < c.bytes
	if void {
		writes = []write{{memory: c.memory, void: true, needs: len(beats)}}
	}
	last := &writes[len(writes)-1]
	last.ends, last.report = true, s
	return beats, writes
}
