package kernels

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

// Where the registers of posts are for hosts, whatever is generated.
const (
	post      = 0x80
	posted    = 0x84
	answered  = 0x88
	capacity  = 0x8C
	answersAt = 0x100
	most      = 32
)

// poster is a host that posts calls, and the engine that answers them.
type poster struct {
	t       *testing.T
	b       *pins.Bench
	r       *rand.Rand
	host    *pins.AXILite
	words   []uint32 // offsets
	takes   pins.Rhythm
	held    bool // the engine takes nothing
	answer  int  // of 256 cycles, how many the engine may answer in
	call    []uint32
	calls   [][]uint32 // that the engine has taken
	codes   []uint32   // its answers
	placed  [][]uint32 // that the host has posted or started, as they ought to be
	regs    []uint32   // what stands in the registers
	read    int        // answers that the host has read
	strange bool       // the next answer is to nobody
}

func (p *poster) step() {
	b := p.b
	now := !p.held && p.takes.Next()
	b.Set("cmd_tready", block.Bit(now))
	code := p.r.Uint32()
	answers := p.strange || len(p.codes) < len(p.calls) && p.r.IntN(256) < p.answer
	b.Set("sts_tvalid", block.Bit(answers))
	b.Set("sts_tdata", uint64(code))
	b.Step()
	if !b.Is("sts_tready") {
		p.t.Fatal("an answer has to wait")
	}
	if answers && !p.strange {
		p.codes = append(p.codes, code)
	}
	p.strange = false
	if now && b.Is("cmd_tvalid") {
		if p.call = append(p.call, uint32(b.Get("cmd_tdata"))); len(p.call) == len(p.words) {
			p.calls, p.call = append(p.calls, p.call), nil
		}
	}
}

func (p *poster) get(at uint32) uint32 {
	p.t.Helper()
	v, err := p.host.Read(at)
	if err != nil {
		p.t.Fatal(err)
	}
	return v
}

func (p *poster) put(at, v uint32) {
	p.t.Helper()
	if err := p.host.Write(at, v, 0xF); err != nil {
		p.t.Fatal(err)
	}
}

// prepare writes some words of a call.
func (p *poster) prepare() {
	for _, i := range p.r.Perm(len(p.words))[:p.r.IntN(len(p.words))] {
		p.regs[i] = p.r.Uint32()
		p.put(p.words[i], p.regs[i])
	}
}

// until reads a register until it has a value.
func (p *poster) until(what string, at uint32, is func(v uint32) bool) {
	p.t.Helper()
	for range 3000 {
		if is(p.get(at)) {
			return
		}
	}
	p.t.Fatalf("%s does not come", what)
}

// place posts a call and waits until its words have been taken.
func (p *poster) place(posts int) {
	p.t.Helper()
	p.prepare()
	p.placed = append(p.placed, slices.Clone(p.regs))
	p.put(post, p.r.Uint32())
	p.until("the end of a post", posted, func(v uint32) bool { return v == uint32(posts+1) })
}

// compare compares the calls that have come with those that were placed.
func (p *poster) compare() {
	p.t.Helper()
	if len(p.calls) != len(p.placed) {
		p.t.Fatalf("%d calls, not %d", len(p.calls), len(p.placed))
	}
	for i, call := range p.calls {
		if !slices.Equal(call, p.placed[i]) {
			p.t.Fatalf("call %d is %08X, not %08X", i, call, p.placed[i])
		}
	}
}

// take reads the answers that have come, of calls since the last reset.
func (p *poster) take() {
	p.t.Helper()
	for n := p.get(answered); p.read < int(n); p.read++ {
		at := uint32(answersAt + 4*(p.read%most))
		for range 1 + p.r.IntN(2) { // again is the same
			if got := p.get(at); got != p.codes[p.read] {
				p.t.Fatalf("answer %d is %08X, not %08X", p.read, got, p.codes[p.read])
			}
		}
	}
}

func (p *poster) forget() {
	p.calls, p.codes, p.placed, p.call, p.read = nil, nil, nil, nil, 0
	p.regs = make([]uint32, len(p.words))
}

// answerAll lets the engine answer everything.
func (p *poster) answerAll(posts int) {
	p.t.Helper()
	p.answer = 256
	p.until("the last answer", answered, func(v uint32) bool { return v == uint32(posts) })
	p.take()
}

func TestPostedCallsAreAnsweredInOrder(t *testing.T) {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		b, err := pins.New(t.Context(), hostctrl(), seed)
		if errors.Is(err, verilate.ErrTools) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		r := rand.New(rand.NewPCG(seed, 5))
		p := &poster{t: t, b: b, r: r, words: callOffsets(t, d.ABI()),
			takes: pins.Rhythm{Random: r.IntN, Pauses: r.IntN(200)}}
		p.host = &pins.AXILite{Bench: b, Prefix: "s_axi_control_", Step: p.step, Random: r.IntN}
		for range 2 {
			p.forget()
			if got := p.get(capacity); got != most {
				t.Fatalf("%d calls may be posted", got)
			}
			if got := p.get(posted) | p.get(answered); got != 0 {
				t.Fatalf("after a reset counts are %d", got)
			}
			p.flood()
			p.side()
			p.mix()
			p.held, p.answer = false, 0
			p.place(len(p.placed)) // whose answer never comes
			b.Reset()
		}
	}
}

// flood posts calls until no more are taken.
func (p *poster) flood() {
	p.t.Helper()
	for i := range most {
		p.place(i)
	}
	for range 2 { // one too many is not kept for later
		p.put(post, 1)
		for range 100 {
			p.step()
		}
		if got := p.get(posted); got != most {
			p.t.Fatalf("%d calls were taken without an answer", got)
		}
	}
	p.compare()
	p.answer = 256
	p.until("the first answer", answered, func(v uint32) bool { return v > 0 })
	p.answerAll(most)
	p.compare()
	p.strange = true
	p.step()
	if got := p.get(answered); got != most {
		p.t.Fatalf("an answer to nobody makes %d", got)
	}
	p.take()
}

// side starts calls beside posted ones: each waits for the others. Bit 0 of the
// control register says start, bit 2 idle.
func (p *poster) side() {
	p.t.Helper()
	for range 4 {
		p.answer = 0
		n := 1 + p.r.IntN(5)
		for range n {
			p.place(len(p.placed))
		}
		p.prepare()
		p.put(0, 1)
		for range 100 {
			p.step()
		}
		if got := p.get(0); got&5 != 1 {
			p.t.Fatalf("behind posted calls the control register is %08X", got)
		}
		p.compare()
		p.held, p.answer = true, 100
		p.until("the last posted call's answer", answered, func(v uint32) bool { return int(v) == len(p.placed) })
		p.placed = append(p.placed, slices.Clone(p.regs))
		p.held, p.answer = false, 0
		p.until("the start", 0, func(v uint32) bool { return v&1 == 0 })
		p.put(post, 1) // the same once more
		for range 100 {
			p.step()
		}
		p.compare()
		p.placed = append(p.placed, slices.Clone(p.regs))
		p.answer = 100
		p.until("the posted call", posted, func(v uint32) bool { return int(v) == p.posts() })
		p.answer = 256
		p.until("its answer", answered, func(v uint32) bool { return int(v) == p.posts() })
		p.compare()
		p.forgetStart()
		p.take()
	}
}

// posts are the posted calls: of those that were placed, the last but one was started.
func (p *poster) posts() int { return len(p.placed) - 1 }

// forgetStart takes the last started call out of the lists: its answer is kept
// nowhere.
func (p *poster) forgetStart() {
	at := len(p.placed) - 2
	p.placed = slices.Delete(p.placed, at, at+1)
	p.calls = slices.Delete(p.calls, at, at+1)
	p.codes = slices.Delete(p.codes, at, at+1)
}

// mix posts calls while others are answered, as fast as answers are read.
func (p *poster) mix() {
	p.t.Helper()
	for range 200 {
		p.answer = []int{0, 4, 40, 256}[p.r.IntN(4)]
		if len(p.placed)-p.read >= most {
			p.answer = 256
			p.until("an answer", answered, func(v uint32) bool { return int(v) > p.read })
		}
		if p.r.IntN(3) == 0 || len(p.placed)-p.read >= most {
			p.take()
		}
		p.place(len(p.placed))
	}
	p.answerAll(len(p.placed))
	p.compare()
}
