package cpu

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

var corners = []uint32{0, 1, 2, 3, 31, 32, 33, 0x7ff, 0x800, 0xffff, 0x10000, 0x1ffff, 0x20000, 0x55555555, 0xaaaaaaaa,
	0x7fffffff, 0x80000000, 0x80000001, 0xffff8000, 0xfffe0000, 0xfffffffe, 0xffffffff}

var mixes = []rv32test.Mix{
	{}, {Registers: 4}, {Registers: 6, Memory: 50}, {Registers: 5, Control: 40}, {Registers: 6, Multiply: 20},
	{Registers: 8, Memory: 30, Control: 20, Multiply: 5},
}

func TestRandomProgramsInLockStep(t *testing.T) {
	randomPrograms(t, Own, *instructions)
}

// randomPrograms runs about as many instructions of random programs.
func randomPrograms(t *testing.T, kind Kind, instructions int) {
	p := newPairOf(t, kind, *firstSeed, "")
	ends := map[string]int{}
	for seed := *firstSeed; p.count < instructions; seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		p.answer = randomBus(r)
		var image []byte
		for _, i := range rv32test.Random(r, mixes[r.IntN(len(mixes))]) {
			if f := rv32test.Encodings[i.Name].Format; (f == 'B' || f == 'J') && r.IntN(100) == 0 {
				i.Imm |= 2
			}
			w := i.Word()
			switch r.IntN(400) {
			case 0:
				w = r.Uint32() // mostly illegal
			case 1:
				w ^= 1 << r.IntN(32)
			case 2:
				w = 0x73 | r.Uint32N(2)<<20
			}
			image = binary.LittleEndian.AppendUint32(image, w)
		}
		var registers [32]uint32
		for i := range registers {
			registers[i] = r.Uint32()
			if i%2 == 0 {
				registers[i] = corners[r.IntN(len(corners))]
			}
		}
		p.load(t, image, registers)
		trap, err := p.run(1 + r.IntN(3000)) // the next reset comes wherever it stands then
		assert.NilError(t, err, "seed %d", seed)
		switch {
		case p.changed:
			ends["changed itself"]++
		case trap != nil:
			ends[trap.Cause.String()]++
		default:
			ends["limit"]++
		}
	}
	t.Logf("%d instructions, %.3f cycles each; ends: %v", p.count, float64(p.cycles)/float64(p.count), ends)
	for _, end := range []string{"limit", "breakpoint", "environment call", "illegal instruction", "misaligned fetch",
		"misaligned load", "misaligned store", "unmapped load", "unmapped store"} {
		assert.Check(t, ends[end] != 0 || instructions < 400_000, "no program ended with: %s", end)
	}
}

// The firmware starts, finds no call and asks again and again.
func TestFirmwareBootsInLockStep(t *testing.T) { firmwareBoots(t, Own) }

func firmwareBoots(t *testing.T, kind Kind) {
	for _, generation := range []string{"accl-2021", "accl-2022", "accl-2024"} {
		image, err := firmware.Prebuilt(generation)
		assert.NilError(t, err)
		p := newPairOf(t, kind, 1, firmwareFile(t, image.Code))
		assert.NilError(t, p.sim.Load(image.Code, nil))
		for i, w := range p.core.RAM { // the model has read the file
			if want := binary.LittleEndian.Uint32(p.sim.RAM()[4*i:]); w != want {
				t.Fatalf("%s: RAM 0x%x holds 0x%x, want 0x%x", generation, 4*i, w, want)
			}
		}
		for i := range p.core.Registers {
			p.core.Registers[i] = 0
		}
		accesses := 0
		p.answer = func(Access) (uint32, uint32, bool) { accesses++; return 0, 0, false }
		trap, err := p.run(100_000)
		assert.Assert(t, err == nil && trap == nil && !p.changed, "%s: %v, %v", generation, trap, err)
		assert.Check(t, accesses != 0, "%s: nothing was asked of the bus", generation)
		t.Logf("%s: %d instructions, %d bus accesses, %.3f cycles an instruction", generation, p.count, accesses,
			float64(p.cycles)/float64(p.count))
	}
}
