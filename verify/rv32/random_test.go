package rv32

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The random programs: code in the lower half of the RAM, data in the upper,
// and a device behind them.
const (
	randomRAM    = 4096
	randomWords  = 500
	randomDevice = 0x20000
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
	a, b, imm := r.x[i.rs1], r.x[i.rs2], uint32(i.imm)
	next, result := r.pc+4, uint32(0)
	size := map[byte]uint32{'b': 1, 'h': 2, 'w': 4}
	switch e := encodings[i.name]; {
	case arithmetic[i.name] != nil:
		result = arithmetic[i.name](a, b)
	case immediates[i.name] != "":
		result = arithmetic[immediates[i.name]](a, imm)
	case i.name == "lui":
		result = imm
	case i.name == "auipc":
		result = r.pc + imm
	case i.name == "jal":
		next, result = r.pc+imm, r.pc+4
	case i.name == "jalr":
		next, result = (a+imm)&0xfffffffe, r.pc+4
	case e.format == 'B':
		taken := map[string]bool{"beq": a == b, "bne": a != b, "blt": int32(a) < int32(b), "bge": int32(a) >= int32(b),
			"bltu": a < b, "bgeu": a >= b}
		if taken[i.name] {
			next = r.pc + imm
		}
	case i.name == "csrrs":
		result = r.retired
	case i.name == "fence", i.name == "fence.i", i.name == "wfi":
	case e.opcode == encodings["lw"].opcode:
		n := size[i.name[1]]
		v, err := r.read(a+imm, n)
		if err != nil {
			return err
		}
		if len(i.name) == 2 { // signed
			v = uint32(int32(v<<(32-8*n)) >> (32 - 8*n))
		}
		result = v
	case e.format == 'S':
		if err := r.write(a+imm, size[i.name[1]], b); err != nil {
			return err
		}
	case i.name == "ecall":
		return EnvironmentCall
	default:
		return fmt.Errorf("no reference for %s", i.name)
	}
	if next%4 != 0 {
		return MisalignedFetch
	}
	if i.rd != 0 {
		r.x[i.rd] = result
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

// randomProgram writes instructions that mostly go on: jumps stay in the
// program, loads and stores mostly in the data or the device.
func randomProgram(r *rand.Rand) []ins {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(encodings)), func(name string) bool {
		return strings.HasPrefix(name, "csr") || name == "ecall" || name == "ebreak"
	})
	names = append(names, "csrrs")
	code := make([]ins, 0, randomWords)
	for len(code) < randomWords {
		name := names[r.IntN(len(names))]
		i := ins{name: name}
		switch e := encodings[name]; e.format {
		case 'R':
			i.rd, i.rs1, i.rs2 = r.IntN(32), r.IntN(32), r.IntN(32)
		case 'I':
			i.rd, i.rs1, i.imm = r.IntN(32), r.IntN(32), r.Int32N(4096)-2048
		case 'H':
			i.rd, i.rs1, i.imm = r.IntN(32), r.IntN(32), r.Int32N(32)
		case 'U':
			i.rd, i.imm = r.IntN(32), int32(r.Uint32()&^0xfff)
		case 'S':
			i.rs1, i.rs2, i.imm = r.IntN(32), r.IntN(32), r.Int32N(4096)-2048
		case 'B', 'J':
			i.rs1, i.rs2, i.rd = r.IntN(32), r.IntN(32), 0
			if e.format == 'J' {
				i.rs1, i.rs2, i.rd = 0, 0, r.IntN(32)
			}
			i.imm = 4 * (int32(r.IntN(min(randomWords, len(code)+20))) - int32(len(code)))
			if r.IntN(300) == 0 {
				i.imm += 2
			}
		}
		switch {
		case name == "csrrs":
			i.rs1, i.imm = 0, int32(0xc00+r.IntN(3))
		case name == "fence" || name == "fence.i":
			i.rd, i.rs1, i.imm = 0, 0, 0
		case name == "jalr": // to an absolute place
			i.rs1, i.imm = 0, 4*r.Int32N(randomWords)+r.Int32N(2)
		case encodings[name].opcode == encodings["lw"].opcode || encodings[name].format == 'S':
			base := upper("lui", 1+r.IntN(31), randomDevice)
			if r.IntN(3) > 0 { // data in the upper half
				base = opi("addi", base.rd, 0, 2047)
				i.imm = 1 + r.Int32N(2047)
			}
			switch {
			case r.IntN(100) == 0: // anywhere
			case name[1] == 'w':
				i.imm = (i.imm+base.imm%4096)&^3 - base.imm%4096
			case name[1] == 'h':
				i.imm = (i.imm+base.imm%4096)&^1 - base.imm%4096
			}
			if base.name == "lui" && i.imm < 0 {
				i.imm += 2048
			}
			if r.IntN(100) > 0 {
				i.rs1 = base.rd
				code = append(code, base)
			}
		}
		code = append(code, i)
	}
	return code
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
		code := randomProgram(r)
		image := make([]byte, 0, randomRAM)
		for _, i := range code {
			image = binary.LittleEndian.AppendUint32(image, i.word())
		}
		ref := &reference{code: code, ram: make([]byte, randomRAM), bus: &device{}}
		copy(ref.ram, image)
		runner, stepper := New(randomRAM, &device{}), New(randomRAM, &device{})
		for _, c := range []*CPU{runner, stepper} {
			if err := c.Load(image, nil); err != nil {
				t.Fatal(err)
			}
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
				if [32]uint32(c.x[:32]) != ref.x || c.pc != ref.pc || uint32(c.Retired()) != ref.retired || *c.bus.(*device) != *ref.bus {
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
	if total < programs*100 {
		t.Errorf("only %d instructions in %d programs", total, programs)
	}
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
			w := r.Uint32()&^0xfe00707f | e.f7<<25 | e.f3<<12 | e.opcode
			if e.format != 'R' && e.format != 'H' {
				w |= r.Uint32() & 0x0e000000
			}
			image = binary.LittleEndian.AppendUint32(image, w)
		}
		runner, stepper := New(256, nil), New(256, nil)
		for _, c := range []*CPU{runner, stepper} {
			if err := c.Load(image, nil); err != nil {
				t.Fatal(err)
			}
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
	if changed < programs/4 {
		t.Errorf("only %d of %d programs changed themselves", changed, programs)
	}
}
