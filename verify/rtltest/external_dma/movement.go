// Package external_dma has a bench of the DMA kernels with a model in plain Go.
package external_dma

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const lineBytes = 64

// definitions are those of commands and statuses.
var definitions = sync.OnceValue(func() *abi.Generation {
	d, err := block.Design("u55c_tcp")
	if err != nil {
		panic(err)
	}
	return d.ABI()
})

// command is one of a channel.
type command struct {
	bytes, memory, dsa int
	address, tag       uint64
	incrementing, end  bool
}

func (c command) internal() bool            { return !c.incrementing || c.dsa != 0 || c.bytes == 0 }
func (c command) nowhere(memories int) bool { return c.memory >= memories }

// data are its bits; those without a meaning are random.
func (c command) data(r *rand.Rand) []byte {
	l := definitions().Layout("dma_command")
	v := make([]byte, l.Width/8)
	for i := range v {
		v[i] = byte(r.Uint32())
	}
	for _, f := range l.Fields {
		var x uint64
		switch f.Name {
		case "bytes":
			x = uint64(c.bytes)
		case "incrementing":
			x = block.Bit(c.incrementing)
		case "dsa":
			x = uint64(c.dsa)
		case "eof":
			x = block.Bit(c.end)
		case "drr":
			x = r.Uint64N(2)
		case "address":
			x = c.address
		case "tag":
			x = c.tag
		default:
			panic("a command has a field that nobody sets: " + f.Name)
		}
		for i := range f.Bits() {
			at := f.Low + i
			v[at/8] = v[at/8]&^(1<<(at%8)) | byte(x>>i&1)<<(at%8)
		}
	}
	return v
}

// channel is what is common to what surrounds channels that read and write.
type channel struct {
	b        *block.Bench
	r        *rand.Rand
	at       ports
	memories int
	lines    int // of a burst
	commands *block.Feed[command]
	still    bool // nobody pauses
	steps    int  // that the commands need at full rate
}

func newChannel(b *block.Bench, r *rand.Rand, memories, lines int, at ports) channel {
	return channel{b: b, r: r, at: at, memories: memories, lines: lines, commands: &block.Feed[command]{
		Input: block.NewInput(b, at("command_valid"), at("command_ready"), at.all("command_data", "command_memory")...),
		Put: func(c command) {
			b.SetBytes(at("command_data"), c.data(r))
			b.Set(at("command_memory"), uint64(c.memory))
		},
	}}
}

// begin begins a round.
func (c *channel) begin() { c.steps, c.still = 0, c.r.IntN(4) == 0 }

// pace is one of the round.
func (c *channel) pace() func() bool {
	if c.still {
		return nil
	}
	return block.NewRhythm(c.r).Next
}

// paces sets those of outputs.
func paces(r *rand.Rand, still bool, all ...*block.Drain) {
	for _, d := range all {
		d.Pace, d.Late = nil, false
		if !still {
			d.Pace, d.Late = block.NewRhythm(r).Next, r.IntN(4) == 0
		}
	}
}

// report is a status.
type report struct {
	tag                     uint64
	internal, decode, slave bool
	bytes                   int
	end                     bool
}

// status are its bits.
func (s report) status() (v uint64) {
	for _, f := range definitions().Layout("dma_status").Fields {
		var x uint64
		switch f.Name {
		case "tag":
			x = s.tag
		case "internal_error":
			x = block.Bit(s.internal)
		case "decode_error":
			x = block.Bit(s.decode)
		case "slave_error":
			x = block.Bit(s.slave)
		case "okay":
			x = block.Bit(!s.internal && !s.decode && !s.slave)
		case "bytes_received":
			x = uint64(s.bytes)
		case "end_of_packet":
			x = block.Bit(s.end)
		default:
			panic("a status has a field that nobody knows: " + f.Name)
		}
		v |= x << f.Low
	}
	return v
}

// next is a command: short ones, whole lines, ends of lines and pages, and a few
// that are refused.
func next(r *rand.Rand, memories int) command {
	c := command{bytes: 1 + r.IntN(200), memory: r.IntN(memories), address: r.Uint64() >> 1, tag: r.Uint64N(16),
		incrementing: true, end: r.IntN(3) > 0}
	switch r.IntN(8) {
	case 0:
		c.bytes = lineBytes * (1 + r.IntN(20))
	case 1:
		c.bytes = max(1, lineBytes*(1+r.IntN(8))+r.IntN(3)-1)
	case 2:
		c.bytes = 1 + r.IntN(3000)
	}
	switch r.IntN(4) {
	case 0:
		c.address &^= lineBytes - 1
	case 1: // around a page
		c.address = c.address&^4095 - uint64(r.IntN(300))
	case 2: // around 32 bits
		c.address = c.address&(3<<32) + 1<<32 - uint64(r.IntN(300))
	}
	switch r.IntN(60) {
	case 0:
		c.bytes = 0
	case 1:
		c.incrementing = false
	case 2:
		c.dsa = 1 << r.IntN(6)
	case 3:
		c.memory = memories
	case 4:
		c.memory = 255
	case 5:
		c.memory = 1 << (3 + r.IntN(5))
	}
	return c
}

// steps are the cycles that a reader at full rate needs for a command.
func (c command) steps() int {
	in := int(c.address % lineBytes)
	beats := max(1, (c.bytes+lineBytes-1)/lineBytes)
	if in != 0 && in+c.bytes > lineBytes {
		beats++
	}
	return beats
}

// beat is one of a stream; without data nobody knows what they are.
type beat struct {
	data []byte
	keep uint64
	last bool
}

func keepOf(n int) uint64 { return ^uint64(0) >> (lineBytes - min(n, lineBytes)) }

// someBits is a pattern of n bits.
func someBits(r *rand.Rand, n int) (v uint64) {
	for bits.OnesCount64(v) < n {
		v |= 1 << r.IntN(64)
	}
	return v
}

// content is what memories hold and answer.
type content struct {
	salt   uint64
	faults uint64 // of 256 lines
}

func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

func (m content) line(memory int, line uint64) []byte {
	var b [lineBytes]byte
	for i := range uint64(8) {
		binary.LittleEndian.PutUint64(b[8*i:], mixed(m.salt+uint64(memory)<<60^(8*line+i)))
	}
	return b[:]
}

// response is that of AXI4: 1 is as good as 0.
func (m content) response(memory int, line uint64) uint64 {
	v := mixed(m.salt ^ line<<2 ^ uint64(memory))
	if v%256 < m.faults {
		return 2 + v>>8%2
	}
	return v >> 8 % 2
}

// side is one part of what surrounds a module.
type side interface {
	begin()               // a round
	drive()               // before a step
	check() (bool, error) // after it: has anything moved?
	left() bool
	forget() // after a reset
}

// patience is for how many cycles nothing may move.
const patience = 3000

// round runs until nothing is left, or for some cycles only.
func round(b *block.Bench, most int, sides ...side) error {
	for _, s := range sides {
		s.begin()
	}
	for idle := 0; most > 0; most-- {
		left := false
		for _, s := range sides {
			left = left || s.left()
			s.drive()
		}
		if !left && idle > 20 { // nothing comes behind it
			return nil
		}
		b.Step()
		idle++
		for _, s := range sides {
			moved, err := s.check()
			if err != nil {
				return err
			}
			if moved {
				idle = 0
			}
		}
		if idle > patience {
			return fmt.Errorf("nothing has moved for %d cycles", idle)
		}
	}
	return nil
}

// reset begins anew.
func reset(b *block.Bench, sides ...side) {
	b.Reset()
	b.Step() // kernels see it a cycle later
	for _, s := range sides {
		s.forget()
	}
}
