package cpu

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/emu/rv32"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

const (
	ramBytes = 0x20000
	// csrDelay is the cycles between the reading of a counter and its retirement.
	csrDelay = 1
	fenceI   = 0x0000100f
)

var (
	instructions = flag.Int("tb.instructions", 400_000, "instructions of random programs")
	firstSeed    = flag.Uint64("tb.core.seed", 0, "first seed of random programs")
)

// answer is an access that the bus has answered, for the simulator to repeat.
type answer struct {
	Access
	data  uint32
	fault bool
}

// replay is the simulator's bus: it wants the same accesses and answers alike.
type replay struct {
	queue []answer
	// Our own core's writes have retired when they come to the bus.
	posts  bool
	pc     uint32 // of the instruction
	posted []post
}

// post is a write that the simulator has executed, and the bus not yet.
type post struct {
	pc, address, strobe, mask, data uint32
}

// is tells whether the core writes the same.
func (w post) is(a Access) bool {
	return a.Write == 1 && a.Address == w.address && a.Strobe == w.strobe && a.Data&w.mask == w.data
}

func (r *replay) access(addr uint32, size int, write, data uint32) (uint32, error) {
	if r.posts && write == 1 {
		lane := 8 * (addr % 4)
		r.posted = append(r.posted, post{
			pc: r.pc, address: addr, strobe: uint32(1<<size-1) << (addr % 4), mask: uint32(1<<(8*size)-1) << lane,
			data: data << lane,
		})
		return 0, nil
	}
	if len(r.queue) == 0 {
		return 0, fmt.Errorf("no access of the core is left for address 0x%x", addr)
	}
	a := r.queue[0]
	r.queue = r.queue[1:]
	lane := 8 * (addr % 4)
	strobe := uint32(1<<size-1) << (addr % 4)
	mask := uint32(1<<(8*size) - 1)
	if a.Address != addr || a.Write != write || a.Strobe != strobe || write == 1 && a.Data>>lane&mask != data {
		return 0, fmt.Errorf("the core accesses %+x, want address 0x%x, strobe %b, write %d, data 0x%x", a.Access,
			addr, strobe, write, data)
	}
	if a.fault {
		return 0, rv32.ErrUnmapped
	}
	return a.data >> lane & mask, nil
}

func (r *replay) Load(addr uint32, size int) (uint32, error) { return r.access(addr, size, 0, 0) }

func (r *replay) Store(addr uint32, size int, v uint32) error {
	_, err := r.access(addr, size, 1, v)
	return err
}

// pair is the core and the simulator.
type pair struct {
	kind   Kind
	core   *Core
	sim    *rv32.CPU
	bus    replay
	answer func(Access) (delay, data uint32, fault bool)

	stored  [2]uint32 // words of the RAM that the last two instructions stored, plus 1
	count   int       // instructions
	cycles  uint64
	changed bool  // the program has changed what was fetched already
	failed  *Halt // how the core must halt: a write has failed that had retired
	// late is by how many cycles the core begins later than they are counted, -1 if
	// that is not known.
	late int64
}

func newPair(t testing.TB, seed uint64, firmware string) *pair {
	t.Helper()
	return newPairOf(t, Own, seed, firmware)
}

func newPairOf(t testing.TB, kind Kind, seed uint64, firmware string) *pair {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	core, err := New(ctx, kind, seed, ramBytes, firmware, "")
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(core.Close)
	p := &pair{core: core, kind: kind}
	p.sim = rv32.New(ramBytes, &p.bus)
	p.answer = func(Access) (uint32, uint32, bool) { return 0, 0, false }
	p.restart()
	return p
}

// load resets both with a program and registers.
func (p *pair) load(t testing.TB, image []byte, registers [32]uint32) {
	t.Helper()
	assert.NilError(t, p.sim.Load(image, nil))
	p.core.Reset()
	for i := range p.core.RAM {
		p.core.RAM[i] = binary.LittleEndian.Uint32(p.sim.RAM()[4*i:])
	}
	for i := 1; i < 32; i++ {
		p.core.Registers[i] = registers[i]
		p.sim.SetX(i, registers[i])
	}
	p.restart()
}

func (p *pair) restart() {
	p.bus, p.stored, p.changed, p.late, p.failed = replay{posts: p.kind == Own}, [2]uint32{}, false, 0, nil
	if p.kind == MicroBlazeV {
		p.late = -1
	}
}

// stands is more than an instruction takes, in cycles.
const stands = 4000

// run goes on until the program traps or changes itself too closely, or for about limit
// instructions or 40 times as many cycles. The trap is nil at the limit. A processor that
// retires nothing for longer than an instruction takes is an error.
func (p *pair) run(limit int) (*rv32.Trap, error) {
	end := p.count + limit
	before := p.core.Cycle()
	defer func() { p.cycles += p.core.Cycle() - before }()
	moved := before
	for p.count < end && p.core.Cycle()-before < uint64(40*limit+1000) {
		stop, executed := p.core.Run(uint64(min(1000, end-p.count)))
		if now := p.core.Cycle(); len(executed) > 0 || stop != Cycles {
			moved = now
		} else if now-moved > stands {
			return nil, fmt.Errorf("no instruction in %d cycles", now-moved)
		}
		for _, e := range executed {
			if err := p.follow(e); err != nil || p.changed {
				return nil, err
			}
		}
		switch stop {
		case Accessing:
			if err := p.answers(p.core.Access()); err != nil {
				return nil, err
			}
		case Broken:
			return nil, errors.New(p.core.Fault())
		case Halted:
			return p.trap()
		}
	}
	return nil, nil
}

// answers lets the bus answer an access of the core.
func (p *pair) answers(a Access) error {
	if p.failed != nil {
		return fmt.Errorf("after a write that failed the core accesses %+x", a)
	}
	delay, data, fault := p.answer(a)
	p.core.Answer(delay, data, fault)
	if !p.bus.posts || a.Write == 0 {
		p.bus.queue = append(p.bus.queue, answer{a, data, fault})
		return nil
	}
	if len(p.bus.posted) == 0 {
		return fmt.Errorf("the core writes %+x without an instruction that does", a)
	}
	want := p.bus.posted[0]
	if p.bus.posted = p.bus.posted[1:]; !want.is(a) {
		return fmt.Errorf("the core writes %+x, want %+x", a, want)
	}
	if fault {
		p.failed = &Halt{Cause: uint32(rv32.UnmappedStore), PC: want.pc, Address: want.address}
	}
	return nil
}

// follow executes one instruction in the simulator.
func (p *pair) follow(e Executed) error {
	if word := p.sim.PC()/4 + 1; word == p.stored[0] || word == p.stored[1] {
		p.changed = true
		return nil
	}
	p.count++
	p.bus.pc = e.PC
	r, err := p.sim.Step()
	if err != nil {
		return fmt.Errorf("the core executes 0x%08x, the simulator: %w", e.PC, err)
	}
	want := Executed{PC: r.PC, Rd: uint32(r.Rd), Value: r.Value, Cycle: e.Cycle}
	if r.Instr&0x7f == 0x73 && r.Instr>>20&3 != 2 && r.Rd != 0 { // cycle or time: real ones
		if p.late < 0 {
			p.late = int64(e.Cycle - csrDelay - e.Value)
		}
		want.Value = e.Cycle - csrDelay - uint32(p.late)
		if r.Instr>>27&1 != 0 {
			want.Value = 0
		}
		p.sim.SetX(r.Rd, want.Value)
	}
	if e != want {
		return fmt.Errorf("cycle %d: the core executes pc 0x%08x, x%d = 0x%08x; the simulator pc 0x%08x, x%d = 0x%08x (%s)",
			e.Cycle, e.PC, e.Rd, e.Value, want.PC, want.Rd, want.Value, rv32.Disassemble(r.Instr, r.PC))
	}
	p.stored[1], p.stored[0] = p.stored[0], 0
	if r.Access == rv32.StoreAccess && r.Addr < ramBytes {
		p.stored[0] = r.Addr/4 + 1
	}
	if r.Instr == fenceI {
		p.stored = [2]uint32{}
	}
	return nil
}

// word is the instruction that a core that has halted shows, at an address whose upper bits do
// not count.
func (p *pair) word(pc uint32) uint32 { return p.core.RAM[int(pc/4)%len(p.core.RAM)] }

// trap compares the ends.
func (p *pair) trap() (*rv32.Trap, error) {
	if p.failed != nil {
		p.failed.Instruction = p.word(p.failed.PC)
		if got := p.core.Halt(); got != *p.failed {
			return nil, fmt.Errorf("the core halts at %+x, a write has failed with %+x", got, *p.failed)
		}
		p.bus.posted = nil // those behind it
		return &rv32.Trap{Cause: rv32.UnmappedStore, PC: p.failed.PC, Addr: p.failed.Address}, p.same()
	}
	if word := p.sim.PC()/4 + 1; word == p.stored[0] || word == p.stored[1] {
		p.changed = true
		return nil, nil
	}
	_, err := p.sim.Step()
	var trap *rv32.Trap
	if !errors.As(err, &trap) {
		return nil, fmt.Errorf("the core halts at %+x, the simulator: %v", p.core.Halt(), err)
	}
	want := Halt{Cause: uint32(trap.Cause), PC: trap.PC, Address: trap.Addr, Instruction: p.word(trap.PC)}
	if got := p.core.Halt(); got != want {
		return nil, fmt.Errorf("the core halts at %+x, want %+x: %w", got, want, err)
	}
	return trap, p.same()
}

// same compares registers and RAM of a core that stands.
func (p *pair) same() error {
	if n := len(p.bus.posted); n > 0 {
		return fmt.Errorf("%d writes of the core have not come to the bus: %+x", n, p.bus.posted[0])
	}
	if len(p.bus.queue) > 0 {
		return fmt.Errorf("the core has accessed the bus %d times more: %+x", len(p.bus.queue), p.bus.queue[0].Access)
	}
	for i := range 32 {
		if p.core.Registers[i] != p.sim.X(i) {
			return fmt.Errorf("in the end x%d is 0x%x, want 0x%x", i, p.core.Registers[i], p.sim.X(i))
		}
	}
	for i, w := range p.core.RAM {
		if want := binary.LittleEndian.Uint32(p.sim.RAM()[4*i:]); w != want {
			return fmt.Errorf("in the end 0x%x holds 0x%x, want 0x%x", 4*i, w, want)
		}
	}
	return nil
}

// randomBus answers with noise: mostly at once, sometimes late, seldom with an error.
func randomBus(r *rand.Rand) func(Access) (uint32, uint32, bool) {
	return func(Access) (delay, data uint32, fault bool) {
		switch r.IntN(8) {
		case 0, 1:
			delay = r.Uint32N(8)
		case 2:
			delay = r.Uint32N(60)
		}
		return delay, r.Uint32(), r.IntN(150) == 0
	}
}

// firmwareFile writes an image for $readmemh.
func firmwareFile(t testing.TB, image []byte) string {
	t.Helper()
	var text strings.Builder
	for i := 0; i < len(image); i += 4 {
		var word [4]byte
		copy(word[:], image[i:])
		fmt.Fprintf(&text, "%08x\n", binary.LittleEndian.Uint32(word[:]))
	}
	name := filepath.Join(t.TempDir(), "firmware.mem")
	assert.NilError(t, os.WriteFile(name, []byte(text.String()), 0o644))
	return name
}
