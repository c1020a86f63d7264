package plugins_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/lanes"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/streams"
)

const (
	putTag = 9
	one    = 0x3F800000
)

// put is the call that the kernel makes: its words, by their names.
func put(d *design.Design, count, destination, comm, config uint32) (words []uint32) {
	flags := uint32(0)
	for _, bit := range d.ABI().BitSet("stream_flags").Bits {
		if bit.Name == "op0" || bit.Name == "res" {
			flags |= 1 << bit.At
		}
	}
	operations := d.ABI().Enum("operation").Values
	send := operations[slices.IndexFunc(operations, func(v abi.EnumValue) bool { return v.Name == "send" })].Value
	values := map[string]uint32{
		"scenario": send, "count": count, "comm": comm, "root_src_dst": destination, "tag": putTag, "arithcfg": config,
		"stream_flags": flags,
	}
	for _, w := range d.ABI().Record("call").Words {
		words = append(words, values[w.Name])
	}
	return words
}

// job is one call of the kernel.
type job struct {
	count  int
	taken  int    // beats of the put that the engine takes before it answers
	given  int    // beats that another rank has put
	answer uint32 // to the call
}

// play is the engine of a job: what goes into the kernel and what comes out of it.
func play(c *hls.Component, d *design.Design, r *rand.Rand, j job) error {
	const beyond = 0xA5A5A5A5
	elements := max(j.count, 0)
	memory := make([]uint32, 2*elements+2) // the operand, a guard, the result, a guard
	for i := range memory {
		memory[i] = r.Uint32()
	}
	src, dst := memory[:elements], memory[elements+1:2*elements+1]
	memory[elements], memory[2*elements+1] = beyond, beyond
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&memory[0])

	destination, comm, config := r.Uint32N(8), r.Uint32(), r.Uint32()
	arguments := map[string]uint64{
		"src": uint64(uintptr(unsafe.Pointer(&memory[0]))), "dst": uint64(uintptr(unsafe.Pointer(&memory[elements+1]))),
		"count": uint64(uint32(j.count)), "destination": uint64(destination), "comm_adr": uint64(comm),
		"dpcfg_adr": uint64(config),
	}
	var values []uint64
	for _, a := range c.Arguments() {
		values = append(values, arguments[a.Name])
	}
	if err := c.Start(values); err != nil {
		return err
	}
	in := make([]hls.Beat, j.given)
	for i := range in {
		for at := 0; at < 64; at += 8 {
			le.PutUint64(in[i].Data[at:], r.Uint64())
		}
		in[i].Keep, in[i].Last, in[i].Dest = streams.Full, r.Uint32N(2), putTag
	}

	commands, answers := c.Port("cmd_to_cclo"), c.Port("sts_from_cclo")
	to, from := c.Port("data_to_cclo"), c.Port("data_from_cclo")
	var words []uint32
	var sent []hls.Beat
	left, answered, taken := in, false, c.Moved(from)
	room := make([]hls.Beat, 64)
	idle, before := 0, -1
	for ended := false; !ended; idle++ {
		state := c.Run()
		if now := len(words) + len(sent) - len(left); now != before {
			idle, before = 0, now
		}
		for _, w := range room[:c.Get(commands, room[:1+r.IntN(4)])] {
			words = append(words, le.Uint32(w.Data[:]))
			if (w.Last == 1) != (len(words) == 15) {
				return fmt.Errorf("word %d has TLAST %d", len(words)-1, w.Last)
			}
		}
		if len(words) == 15 {
			n := c.Get(to, room[:min(r.IntN(8), j.taken-len(sent))])
			sent = append(sent, room[:n]...)
		}
		left = left[c.Put(from, left[:r.IntN(min(len(left), 8)+1)]):]
		switch {
		case state.Doing == hls.Failed:
			return fmt.Errorf("the kernel %s", state)
		case state.Doing == hls.Idle:
			ended = true
		case !answered && len(words) == 15 && len(sent) == j.taken && c.Moved(from)-taken == uint64(j.given):
			answer := hls.Beat{Keep: 0xF, Last: 1}
			le.PutUint32(answer.Data[:], j.answer)
			answered = c.Put(answers, []hls.Beat{answer}) == 1
		case idle == patience:
			return fmt.Errorf("the kernel %s: %s", state, c.Progress())
		}
	}

	if elements == 0 {
		if len(words)+len(sent) != 0 {
			return fmt.Errorf("it does something with nothing: %d words, %d beats", len(words), len(sent))
		}
		return nil
	}
	if want := put(d, uint32(j.count), destination, comm, config); !slices.Equal(words, want) {
		return fmt.Errorf("the call is %x, not %x", words, want)
	}
	sum, _ := lanes.Reduce("sum", "float32")
	for i, b := range sent {
		n := min(elements-16*i, 16)
		last := uint32(0)
		if 16*(i+1) >= elements {
			last = 1
		}
		if b.Keep != streams.Full>>(64-4*n) || b.Last != last || b.Dest != 0 {
			return fmt.Errorf("beat %d has TKEEP %x, TLAST %d and TDEST %d", i, b.Keep, b.Last, b.Dest)
		}
		for k := range n {
			want, increment := make([]byte, 4), make([]byte, 4)
			le.PutUint32(want, src[16*i+k])
			le.PutUint32(increment, one)
			if sum(want, want, increment); le.Uint32(want) != le.Uint32(b.Data[4*k:]) {
				return fmt.Errorf("element %d: %x + 1 is put as %x, not %x", 16*i+k, src[16*i+k], b.Data[4*k:4*k+4], want)
			}
		}
	}
	for i, got := range dst {
		want := uint32(0)
		if i/16 < j.given {
			want = le.Uint32(in[i/16].Data[i%16*4:])
		}
		if got != want {
			return fmt.Errorf("element %d of the result is %x, not %x", i, got, want)
		}
	}
	if memory[elements] != beyond || memory[2*elements+1] != beyond {
		return fmt.Errorf("it writes outside of the result")
	}
	return nil
}

func TestVaddPutPutsAndReceives(t *testing.T) {
	path, d := library(t, "vadd_put"), load(t, "hls")
	for run := range uint64(40) {
		r := rand.New(rand.NewPCG(run, block.ExtraSeed()))
		c := open(t, path, 1+r.IntN(20))
		for range 3 { // calls of one instance
			j := job{count: 1 + r.IntN([]int{40, 200, 3000}[r.IntN(3)])}
			j.taken = (j.count + 15) / 16
			j.given = j.taken
			assert.NilError(t, play(c, d, r, j), "run %d, %+v", run, j)
		}
	}
}

func TestVaddPutDoesNotWaitAfterAFailedCall(t *testing.T) {
	path, d := library(t, "vadd_put"), load(t, "hls")
	for run := range uint64(20) {
		r := rand.New(rand.NewPCG(run, block.ExtraSeed()))
		j := job{count: 1 + r.IntN(3000), answer: 1 << 11}
		beats := (j.count + 15) / 16
		j.taken, j.given = beats/2, beats/3
		assert.NilError(t, play(open(t, path, 2), d, r, j), "run %d, %+v", run, j)
	}
}

func TestVaddPutDoesNothingWithoutElements(t *testing.T) {
	c := open(t, library(t, "vadd_put"), 2)
	for _, count := range []int{0, -1, -1 << 31} {
		assert.Check(t, play(c, load(t, "hls"), rand.New(rand.NewPCG(0, 0)), job{count: count}), "%d elements", count)
	}
}
