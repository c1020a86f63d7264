package rv32

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// The random programs: code in the lower half of the RAM, data in the upper,
// and a device behind them.
const (
	randomRAM    = rv32test.RAMBytes
	randomDevice = rv32test.Device
)

// device is a bus of one page whose answers depend on all that was stored
// before. Every fifth access has to wait once.
type device struct {
	state  uint32
	waited bool
}

func (d *device) access(addr uint32) error {
	if addr>>12 != randomDevice>>12 {
		return ErrUnmapped
	}
	if d.state%5 == 0 && !d.waited {
		d.waited = true
		return ErrWait
	}
	d.waited = false
	d.state = d.state*1664525 + addr + 1013904223
	return nil
}

func (d *device) Load(addr uint32, size int) (uint32, error) {
	err := d.access(addr)
	return d.state >> 3 & valueMask(size), err
}

func (d *device) Store(addr uint32, size int, v uint32) error {
	err := d.access(addr)
	if err == nil {
		d.state += v * uint32(size)
	}
	return err
}

// reference executes instructions as they are written in the test, one by one,
// from the tables of the other tests: it decodes nothing and caches nothing.
type reference struct {
	code    []ins
	x       [32]uint32
	pc      uint32
	ram     []byte
	bus     *device
	retired uint32
	changed bool // the program has changed itself, which the reference cannot follow
}

func (r *reference) step() error {
	if r.pc%4 != 0 {
		return MisalignedFetch
	}
	if r.pc >= randomRAM {
		return UnmappedFetch
	}
	if r.pc/4 >= uint32(len(r.code)) {
		return IllegalInstruction
	}
	i := r.code[r.pc/4]
	a, b, imm := r.x[i.Rs1], r.x[i.Rs2], uint32(i.Imm)
	next, result := r.pc+4, uint32(0)
	size := map[byte]uint32{'b': 1, 'h': 2, 'w': 4}
	switch e := encodings[i.Name]; {
	case arithmetic[i.Name] != nil:
		result = arithmetic[i.Name](a, b)
	case immediates[i.Name] != "":
		result = arithmetic[immediates[i.Name]](a, imm)
	case i.Name == "lui":
		result = imm
	case i.Name == "auipc":
		result = r.pc + imm
	case i.Name == "jal":
		next, result = r.pc+imm, r.pc+4
	case i.Name == "jalr":
		next, result = (a+imm)&0xfffffffe, r.pc+4
	case e.Format == 'B':
		taken := map[string]bool{"beq": a == b, "bne": a != b, "blt": int32(a) < int32(b), "bge": int32(a) >= int32(b),
			"bltu": a < b, "bgeu": a >= b}
		if taken[i.Name] {
			next = r.pc + imm
		}
	case i.Name == "csrrs":
		result = r.retired
	case i.Name == "fence", i.Name == "fence.i", i.Name == "wfi":
	case e.Opcode == encodings["lw"].Opcode:
		n := size[i.Name[1]]
		v, err := r.read(a+imm, n)
		if err != nil {
			return err
		}
		if len(i.Name) == 2 { // signed
			v = uint32(int32(v<<(32-8*n)) >> (32 - 8*n))
		}
		result = v
	case e.Format == 'S':
		if err := r.write(a+imm, size[i.Name[1]], b); err != nil {
			return err
		}
	case i.Name == "ecall":
		return EnvironmentCall
	default:
		return fmt.Errorf("no reference for %s", i.Name)
	}
	if next%4 != 0 {
		return MisalignedFetch
	}
	if i.Rd != 0 {
		r.x[i.Rd] = result
	}
	r.pc = next
	r.retired++
	return nil
}

func (r *reference) read(addr, size uint32) (uint32, error) {
	if addr%size != 0 {
		return 0, MisalignedLoad
	}
	if addr >= randomRAM {
		v, err := r.bus.Load(addr, int(size))
		if errors.Is(err, ErrUnmapped) {
			err = UnmappedLoad
		}
		return v, err
	}
	var word [4]byte
	copy(word[:], r.ram[addr:addr+size])
	return binary.LittleEndian.Uint32(word[:]), nil
}

func (r *reference) write(addr, size, v uint32) error {
	if addr%size != 0 {
		return MisalignedStore
	}
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], v)
	if addr >= randomRAM {
		clear(word[size:])
		err := r.bus.Store(addr, int(size), binary.LittleEndian.Uint32(word[:]))
		if errors.Is(err, ErrUnmapped) {
			err = UnmappedStore
		}
		return err
	}
	copy(r.ram[addr:], word[:size])
	r.changed = r.changed || addr < uint32(4*len(r.code))
	return nil
}

// TestRandomPrograms runs each program in pieces of random length and step by
// step, and holds both against the reference after every piece.
func TestRandomPrograms(t *testing.T) {
	programs, ends := 400, map[string]int{}
	if testing.Short() {
		programs = 40
	}
	total := 0
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 3))
		code := rv32test.Random(r, rv32test.Mix{})
		image := make([]byte, 0, randomRAM)
		for _, i := range code {
			image = binary.LittleEndian.AppendUint32(image, i.Word())
		}
		ref := &reference{code: code, ram: make([]byte, randomRAM), bus: &device{}}
		copy(ref.ram, image)
		runner, stepper := New(randomRAM, &device{}), New(randomRAM, &device{})
		for _, c := range []*CPU{runner, stepper} {
			assert.NilError(t, c.Load(image, nil))
		}
		for i := 1; i < 32; i++ {
			v := r.Uint32()
			if i%2 == 0 {
				v = corners[r.IntN(len(corners))]
			}
			ref.x[i] = v
			runner.SetX(i, v)
			stepper.SetX(i, v)
		}
		for most := total + 5000; total < most; {
			limit := 1 + r.IntN(40)
			n, err := runner.Run(limit)
			total += n
			for k := range min(n+1, limit) {
				wantErr := ref.step()
				if ref.changed {
					break
				}
				_, stepErr := stepper.Step()
				if !errors.Is(stepErr, wantErr) || k < n && wantErr != nil || k == n && !errors.Is(err, wantErr) {
					t.Fatalf("seed %d, instruction %d, %+v: Run %v, Step %v, want %v", seed, k, code[ref.pc/4], err, stepErr, wantErr)
				}
			}
			if ref.changed {
				ends["changed itself"]++
				break
			}
			for _, c := range []*CPU{runner, stepper} {
				if [32]uint32(c.x[:32]) != ref.x || c.pc != ref.pc || uint32(c.Retired()) != ref.retired ||
					*c.bus.(*device) != *ref.bus {
					t.Fatalf("seed %d, pc 0x%x, want 0x%x; registers\n%x, want\n%x", seed, c.pc, ref.pc, c.x[:32], ref.x)
				}
				if string(c.RAM()) != string(ref.ram) {
					t.Fatalf("seed %d, pc 0x%x: the RAM differs", seed, c.pc)
				}
			}
			var trap *Trap
			if errors.As(err, &trap) {
				ends[trap.Cause.String()]++
				break
			}
		}
	}
	t.Logf("%d instructions, ends: %v", total, ends)
	assert.Check(t, total >= programs*100, "only %d instructions in %d programs", total, programs)
}

// TestRandomWords lets programs of random instruction words run over their own
// text, in pieces and step by step: both must agree whatever happens, also when
// stores change what is executed.
func TestRandomWords(t *testing.T) {
	valid := slices.Sorted(maps.Keys(encodings))
	programs, changed := 1000, 0
	if testing.Short() {
		programs = 200
	}
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 4))
		image := make([]byte, 0, 256)
		for range 64 {
			e := encodings[valid[r.IntN(len(valid))]]
			w := r.Uint32()&^0xfe00707f | e.F7<<25 | e.F3<<12 | e.Opcode
			if e.Format != 'R' && e.Format != 'H' {
				w |= r.Uint32() & 0x0e000000
			}
			image = binary.LittleEndian.AppendUint32(image, w)
		}
		runner, stepper := New(256, nil), New(256, nil)
		for _, c := range []*CPU{runner, stepper} {
			assert.NilError(t, c.Load(image, nil))
		}
		for i := 1; i < 32; i++ {
			v := r.Uint32N(64) * 4
			runner.SetX(i, v)
			stepper.SetX(i, v)
		}
		var runErr, stepErr error
		for range 100 {
			var n int
			n, runErr = runner.Run(20)
			for range n {
				if _, stepErr = stepper.Step(); stepErr != nil {
					t.Fatalf("seed %d: Step: %v", seed, stepErr)
				}
			}
			if runner.x != stepper.x || runner.pc != stepper.pc || string(runner.RAM()) != string(stepper.RAM()) {
				t.Fatalf("seed %d: Run and Step differ at pc 0x%x and 0x%x", seed, runner.pc, stepper.pc)
			}
			if runErr == nil {
				continue
			}
			if _, stepErr = stepper.Step(); stepErr == nil || stepErr.Error() != runErr.Error() {
				t.Fatalf("seed %d: Step: %v, Run: %v", seed, stepErr, runErr)
			}
			runner.SetPC(runner.PC()&^3 + 4) // on behind the trap
			stepper.SetPC(stepper.PC()&^3 + 4)
			if runner.PC() >= 256 {
				runner.SetPC(0)
				stepper.SetPC(0)
			}
		}
		if string(runner.RAM()) != string(image) {
			changed++
		}
		for i := range runner.code { // what is decoded is what the RAM holds
			if in := runner.code[i]; in.op != opUndecoded && in != decode(runner.word(uint32(4*i))).at(uint32(4*i)) {
				t.Fatalf("seed %d: word %d was decoded before it changed", seed, i)
			}
		}
	}
	assert.Check(t, changed >= programs/4, "only %d of %d programs changed themselves", changed, programs)
}
