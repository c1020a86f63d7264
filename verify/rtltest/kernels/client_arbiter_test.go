package kernels

import (
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const (
	callWords = 15
	limit     = 5 // of calls without an answer
	// Where a call and an answer say whose they are.
	numbers    = 8
	numberLow  = 28
	numberMask = (numbers - 1) << numberLow
)

var (
	commands = []string{"cmd_clients_0", "cmd_clients_1"}
	answers  = []string{"ack_clients_0", "ack_clients_1"}
)

// client places calls and takes answers; those of its own clients have numbers
// of up to three bits.
type client struct {
	sending   block.Rhythm
	taking    block.Rhythm
	left      int      // calls to place
	words     []uint32 // of the call under way, not sent
	offered   bool
	got       int
	placed    int
	held      uint32
	heldValid bool
	expected  map[uint32][]uint32 // answers by number, in order
}

// engine answers calls of one number in their order, others in any.
type clientEngine struct {
	taking  block.Rhythm
	words   []uint32
	open    [numbers][]uint32 // answers that are to be given, by number as the engine has it
	offered bool
	number  int
	calls   int
}

func TestCallsAreWholeAndAnswersGoBack(t *testing.T) {
	const count = 150
	for _, seed := range []uint64{0, 1, 2, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		b := kernelOf(t, "client_arbiter", seed)
		r := rand.New(rand.NewPCG(seed, 5))
		rhythm := func() block.Rhythm { return block.Rhythm{Random: r.IntN, Pauses: r.IntN(240)} }
		var cs [2]*client
		for i := range cs {
			cs[i] = &client{sending: rhythm(), taking: rhythm(), left: count, expected: map[uint32][]uint32{}}
		}
		e := &clientEngine{taking: rhythm()}
		calls := map[uint32]int{} // by second word: whose
		firsts := map[uint32]uint32{}
		mostOpen := 0
		for cs[0].got+cs[1].got < 2*count {
			if b.Cycle > 1e6 {
				t.Fatal("it does not end")
			}
			for i, c := range cs {
				if len(c.words) == 0 && c.left > 0 {
					c.left--
					c.words = make([]uint32, callWords)
					for j := range c.words {
						c.words[j] = r.Uint32()
					}
					c.words[0] = r.Uint32()&^numberMask | uint32(r.IntN(numbers/2))<<numberLow
					calls[c.words[1]], firsts[c.words[1]] = i, c.words[0]
				}
				c.offered = c.offered || len(c.words) > 0 && c.sending.Next()
				b.Set(commands[i]+"_tvalid", block.Bit(c.offered))
				b.Set(commands[i]+"_tdata", r.Uint64())
				if c.offered {
					b.Set(commands[i]+"_tdata", uint64(c.words[0]))
				}
			}
			takes := [2]bool{cs[0].taking.Next(), cs[1].taking.Next()}
			for i := range takes {
				b.Set(answers[i]+"_tready", block.Bit(takes[i]))
			}
			ready := e.taking.Next()
			b.Set("cmd_cclo_tready", block.Bit(ready))
			if !e.offered {
				if n := r.IntN(numbers); len(e.open[n]) > 0 && r.IntN(4) == 0 {
					e.offered, e.number = true, n
				}
			}
			b.Set("ack_cclo_tvalid", block.Bit(e.offered))
			b.Set("ack_cclo_tdata", r.Uint64())
			if e.offered {
				b.Set("ack_cclo_tdata", uint64(e.open[e.number][0]))
			}
			b.Step()

			if e.offered && b.Is("ack_cclo_tready") {
				e.open[e.number] = e.open[e.number][1:]
				e.offered = false
			}
			for i, c := range cs {
				if c.offered && b.Is(commands[i]+"_tready") {
					c.words, c.offered = c.words[1:], false
					if len(c.words) == 0 {
						c.placed++
					}
				}
				valid, word := b.Is(answers[i]+"_tvalid"), uint32(b.Get(answers[i]+"_tdata"))
				if c.heldValid && (!valid || word != c.held) {
					t.Fatal("an answer that nobody took has changed")
				}
				c.held, c.heldValid = word, valid && !takes[i]
				if valid && takes[i] {
					number := word & numberMask >> numberLow
					want := c.expected[number]
					if len(want) == 0 || want[0] != word {
						t.Fatalf("client %d gets %08X, not one of %08X", i, word, want)
					}
					c.expected[number] = want[1:]
					c.got++
				}
				mostOpen = max(mostOpen, c.placed-c.got)
			}
			if ready && b.Is("cmd_cclo_tvalid") {
				e.words = append(e.words, uint32(b.Get("cmd_cclo_tdata")))
			}
			if len(e.words) == callWords {
				i, known := calls[e.words[1]]
				if !known {
					t.Fatalf("the words %08X are no call", e.words)
				}
				first := firsts[e.words[1]]
				before := first & numberMask >> numberLow
				number := before<<1 | uint32(i)
				if e.words[0] != first&^numberMask|number<<numberLow {
					t.Fatalf("client %d, first word %08X, is %08X", i, first, e.words[0])
				}
				delete(calls, e.words[1])
				code := r.Uint32() &^ numberMask
				e.open[number] = append(e.open[number], code|number<<numberLow)
				cs[i].expected[before] = append(cs[i].expected[before], code|before<<numberLow)
				e.words = nil
				e.calls++
			}
		}
		if len(calls) != 0 || e.calls != 2*count {
			t.Errorf("the engine has seen %d calls", e.calls)
		}
		if mostOpen > limit || mostOpen < 2 {
			t.Errorf("a client had %d calls without an answer, the limit is %d", mostOpen, limit)
		}
	}
}
