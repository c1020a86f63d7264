package moves_test

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
)

// Addresses step on by themselves as each move says.
func TestRegistersKeepWhatWasWrittenAndStepOn(t *testing.T) {
	b := build(t, units)
	for seed := range uint64(4) {
		w := b.world(t, seed, mode{})
		regs := map[string]uint64{}
		wide := map[string]bool{}
		var names []string
		for _, r := range w.n.g.RegisterMap("move").Registers {
			if r.Name != "control" {
				names = append(names, r.Name)
				wide[r.Name] = r.Width == 64
			}
		}
		write := func(name string, v uint64) {
			if wide[name] {
				w.register(true, w.n.offset("move", name)+4, v>>32)
			} else {
				v &= 0xFFFFFFFF
			}
			w.register(true, w.n.offset("move", name), v&0xFFFFFFFF)
			regs[name] = v
		}
		read := func(name string) uint64 {
			v := w.register(false, w.n.offset("move", name), 0)
			if wide[name] {
				v |= w.register(false, w.n.offset("move", name)+4, 0) << 32
			}
			return v
		}
		w.undefined("move", w.register)
		w.undefined("move_status", w.status)
		for _, name := range names {
			if v := read(name); v != 0 {
				w.fail("%s begins with 0x%X", name, v)
			}
			write(name, w.r.Uint64())
		}
		w.issuing = &move{code: w.n.bit("CONFIG_SWITCH"), op: [2]operand{{kind: memory}, {kind: none}},
			result: operand{kind: none}}
		for range 100 {
			write(names[w.r.IntN(len(names))], w.r.Uint64())
			if w.chance(10) {
				write("bytes", 0)
				write("compressed_bytes", 0)
			} else if w.chance(50) { // of whole packets, and a few more
				write("bytes", w.payload*w.r.Uint64N(6)+w.r.Uint64N(3))
				write("compressed_bytes", w.payload*w.r.Uint64N(6)+w.r.Uint64N(3))
			}
			control := w.step(regs)
			w.register(true, w.n.offset("move", "control"), uint64(control))
			if w.out[outIssueControl] != uint64(control) && w.out[outIssueValid] != 0 {
				w.fail("0x%X was issued, not 0x%X", w.out[outIssueControl], control)
			}
			for _, name := range slices.Concat([]string{"packet_index"}, names) { // it is counted first
				if w.chance(70) {
					continue
				}
				if got := read(name); got != regs[name] {
					w.fail("%s is 0x%X, not 0x%X, after 0x%X", name, got, regs[name], control)
				}
			}
			assert.NilError(t, w.failure, "seed %d", seed)
		}
	}
}

// undefined accesses what is no register of a page, or not this way.
func (w *world) undefined(page string, access func(writes bool, at, v uint64) uint64) {
	known := map[uint64]string{} // how it cannot be accessed
	for _, r := range w.n.g.RegisterMap(page).Registers {
		known[uint64(r.At)] = r.Access
		if r.Width == 64 {
			known[uint64(r.At)+4] = r.Access
		}
	}
	w.refuses = true
	for at := uint64(0); at < 256; at += 4 {
		way, there := known[at]
		for i, only := range []string{"wo", "ro"} {
			if !there || way == only {
				access(i == 1, at, w.r.Uint64())
			}
		}
	}
	w.refuses = false
}

// step is a random control word of a move that fails, and what it does to the
// registers.
func (w *world) step(regs map[string]uint64) uint32 {
	control := w.n.put("move_control", "op0", 7) // no such operand
	form := func(bit string) uint64 {
		if w.chance(50) {
			control |= w.n.put("move_control", bit, 1)
			return regs["compressed_bytes"]
		}
		return regs["bytes"]
	}
	for _, name := range []string{"op0", "op1", "result"} {
		bytes := form(name + "_compressed")
		kind := uint32(w.r.IntN(4))
		control |= w.n.put("move_control", name+"_step", kind)
		switch kind {
		case w.n.code("move_step", "advance"):
			regs[name+"_address"] += bytes
		case w.n.code("move_step", "stride"):
			regs[name+"_address"] += regs[name+"_stride"]
		}
	}
	wire := form("network_compressed")
	if w.chance(50) {
		control |= w.n.put("move_control", "remote_advance", 1)
		regs["remote_address"] += wire
	}
	control |= w.n.put("move_control", "keeps", uint32(w.r.IntN(2))) // without a step
	result := []string{none, memory, kernel, network, twoPlaces, twoWays, apart, beside}[w.r.IntN(8)]
	kind := []string{"eager", "rendezvous_data", "rendezvous_done"}[w.r.IntN(3)]
	control |= w.n.put("move_control", "result", w.n.code("move_result", result)) |
		w.n.put("move_control", "message_type", w.n.code("message_type", kind))
	if kind == "rendezvous_data" && slices.Contains([]string{network, twoPlaces, twoWays, apart, beside}, result) {
		regs["packet_index"] = (regs["packet_index"] + max(1, (wire+w.payload-1)/w.payload)) & 0xFFFFFFFF
	}
	return control
}

// A move of one slice is there soon, and slices of a long one follow each other
// faster than the data path moves them.
func TestSlicesComeInTime(t *testing.T) {
	b := build(t, units)
	const enough = 12
	for _, result := range []string{memory, network, twoPlaces, apart, beside} {
		w := b.world(t, 0, mode{})
		w.promptly = true
		m := &move{id: 1, messageType: "eager", bytes: [2]uint64{100000, 100000}, destination: 1}
		m.op = [2]operand{{kind: memory, address: 1 << 40}, {kind: none}}
		if result == apart || result == beside {
			m.op[1] = operand{kind: memory, address: 1 << 42}
		}
		m.op2, m.kept, m.keeps = 1<<43, 1<<44, result == apart
		m.result = operand{kind: result, address: 1 << 41}
		m.settle(w.n, true, w.known, false, w.payload)
		w.issue(m)
		issued := w.now
		before, gap := 0, 0
		for limit := w.now + 5000; w.failure == nil && !m.cut && w.now < limit; {
			w.tick()
			if w.out[outSliceValid] == 0 || w.in[inSliceReady] == 0 {
				continue
			}
			if before == 0 {
				t.Logf("%s: the first slice comes %d cycles after its move was issued", result, w.now-issued)
				if result == memory && w.now-issued > enough {
					t.Errorf("the first slice comes after %d cycles", w.now-issued)
				}
			} else {
				gap = max(gap, w.now-before)
			}
			before = w.now
		}
		t.Logf("%s: slices come every %d cycles", result, gap)
		assert.Check(t, w.failure == nil && m.cut && gap <= sliceBytes/beat/2,
			"%s: slices come every %d cycles: %v", result, gap, w.failure)
	}
}
