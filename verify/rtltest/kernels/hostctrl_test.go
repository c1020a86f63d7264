// Package kernels checks the small kernels around the engine, each against a model of its own:
// the switch and the network between engines of a card, the kernels that place calls, open TCP
// sessions and return streams, the example user kernel, and the vendor's processor in the engine.
package kernels

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// offsets are those of the words of a call, in its order.
func callOffsets(t *testing.T, g *abi.Generation) []uint32 {
	at := map[string]uint32{}
	for _, r := range g.RegisterMap("hostctrl").Registers {
		at[r.Name] = r.At
		if r.Width == 64 {
			at[r.Name+"_low"], at[r.Name+"_high"] = r.At, r.At+4
		}
	}
	var out []uint32
	for _, w := range g.Record("call").Words {
		o, ok := at[w.Name]
		assert.Assert(t, ok, "no register has the word %s", w.Name)
		out = append(out, o)
	}
	return out
}

func TestACallIsSentAsTheRegistersHaveIt(t *testing.T) {
	g := designtest.Load(t, "u55c_tcp", nil).ABI()
	words, at := callOffsets(t, g), block.Offsets(g.RegisterMap("hostctrl"))
	control := block.Masks(g.BitSet("hostctrl_control"))
	for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		b := kernelOf(t, "hostctrl", seed)
		r := rand.New(rand.NewPCG(seed, 4))
		ready := block.Rhythm{Random: r.IntN, Pauses: r.IntN(256)}
		var sent []uint32
		var held, code uint32
		waits, answer, takes := false, false, true
		step := func() {
			now := takes && ready.Next()
			b.Set("cmd_tready", block.Bit(now))
			b.Set("sts_tvalid", block.Bit(answer))
			data := r.Uint32()
			b.Set("sts_tdata", uint64(data))
			b.Step()
			if answer && b.Is("sts_tready") {
				answer, code = false, data
			}
			valid, word := b.Is("cmd_tvalid"), uint32(b.Get("cmd_tdata"))
			if waits && (!valid || word != held) {
				t.Fatal("a word that nobody took has changed")
			}
			held, waits = word, valid && !now
			if valid && now {
				sent = append(sent, word)
			}
		}
		host := &block.AXILite{Bench: b, To: axiControl, From: axiControl, Step: step, Random: r.IntN}
		get := func(at uint32) uint32 {
			v, err := host.Read(at)
			assert.NilError(t, err)
			return v
		}
		put := func(at, v uint32) {
			assert.NilError(t, host.Write(at, v, 0xF))
		}
		expect := func(what string, want ...string) {
			t.Helper()
			v := uint32(0)
			for _, name := range want {
				v |= control[name]
			}
			if got := get(0); got != v {
				t.Fatalf("%s the control register is %08X, not %08X (%s)", what, got, v, strings.Join(want, ", "))
			}
		}
		settle := func(until func() bool) {
			for range 20000 {
				if until() {
					return
				}
				step()
			}
			t.Fatal("it does not end")
		}
		expect("at first", "idle")
		answer = true // nobody has asked
		settle(func() bool { return !answer })
		expect("after a stray answer", "idle")
		values := make([]uint32, len(words))
		for range 30 {
			for _, i := range r.Perm(len(words)) {
				if r.IntN(3) > 0 {
					values[i] = r.Uint32()
					put(words[i], values[i])
				}
			}
			for i, at := range words {
				if got := get(at); got != values[i] {
					t.Fatalf("register 0x%X is %08X, not %08X", at, got, values[i])
				}
			}
			if got := get(0x14) | get(0x60) | get(0x6C) | get(0x7C) | get(0x90) | get(0x180); got != 0 {
				t.Fatalf("what is no register reads as %08X", got)
			}
			sent, takes = nil, false
			put(0, control["start"])
			expect("with a call that is not taken", "start")
			takes = true
			settle(func() bool { return len(sent) == len(words) })
			for range 5 {
				step()
			}
			if r.IntN(2) == 0 {
				expect("with a call that was taken", "ready")
				expect("when that was read")
			} else {
				get(0)
			}
			put(words[0], ^values[0]) // no longer the call's
			if r.IntN(2) == 0 {
				put(0, 0)
			}
			answer = true
			settle(func() bool { return !answer })
			step()
			expect("after the answer", "done", "idle")
			expect("when that was read", "idle")
			for i, v := range sent {
				if v != values[i] {
					t.Fatalf("word %d is %08X, not %08X", i, v, values[i])
				}
			}
			if len(sent) != len(words) {
				t.Fatalf("%d words were sent", len(sent))
			}
			values[0] = ^values[0]
		}
		put(at["post"], 1) // a posted call, whose answer stands in a register
		settle(func() bool { return get(at["posted"]) == 1 })
		answer = true
		settle(func() bool { return get(at["answered"]) == 1 })
		if got := get(at["answers"]); got != code {
			t.Fatalf("the answer is %08X, not %08X", got, code)
		}
	}
}
