package compare

import (
	"context"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// fake is an engine that has memories and does nothing.
type fake struct {
	engine.Engine
	g         *abi.Generation
	words     map[uint32]uint32
	memory    []byte // device memory
	host      []byte // host memory, if the host's bytes are a copy
	allocator [2]*memory.Allocator
}

const fakeBytes = 1 << 18

func newFake(g *abi.Generation) *fake {
	return &fake{
		g: g, words: map[uint32]uint32{}, memory: make([]byte, fakeBytes),
		allocator: [2]*memory.Allocator{memory.NewAllocator(fakeBytes), memory.NewAllocator(fakeBytes)},
	}
}

func (f *fake) Device() engine.Device              { return &fakeDevice{fake: f} }
func (f *fake) Memory(bool) (engine.Memory, error) { return f, nil }
func (f *fake) Reserve(uint64, uint64) error       { return nil }
func (f *fake) Write(b []byte, addr uint64) error  { copy(f.memory[addr:], b); return nil }
func (f *fake) Read(b []byte, addr uint64) error   { copy(b, f.memory[addr:]); return nil }

// clocked is one that counts cycles, as hardware does.
type clocked struct{ *fake }

const now = 4711

func (clocked) Cycle() uint64 { return now }

type fakeDevice struct {
	engine.Device
	*fake
}

func (d *fakeDevice) ReadReg(_ context.Context, off uint32) (uint32, error) { return d.words[off], nil }
func (d *fakeDevice) WriteReg(_ context.Context, off, v uint32) error       { d.words[off] = v; return nil }
func (d *fakeDevice) Start(context.Context, int, accl.Call) (accl.Ticket, error) {
	return 0, nil
}

func (d *fakeDevice) Alloc(_ context.Context, spec accl.MemSpec) (accl.Memory, error) {
	a := d.allocator[0]
	if spec.Host {
		a = d.allocator[1]
	}
	addr, taken, err := a.Take(uint64(spec.Bytes), spec.At)
	if err != nil {
		return nil, err
	}
	b := memory.Block{Allocator: a, Taken: taken, Addr: addr, Bytes: spec.Bytes}
	switch {
	case spec.Host && d.host != nil:
		b.Mirrored = true
		b.From = func(_ context.Context, b []byte, addr uint64) error { copy(b, d.host[addr:]); return nil }
	case spec.Host:
		b.Shared = make([]byte, spec.Bytes)
	}
	return memory.New(b), nil
}

// side is a world of fakes of which rank 1 has been configured, and done something.
type side struct {
	t       *testing.T
	log     *Log
	fake    *fake
	device  engine.Device // as the host has it
	g       *abi.Generation
	rx      []uint64 // buffers
	operand accl.Memory
	host    accl.Memory
	comm    uint32
	config  uint32
	stray   uint32 // behind what is known of the exchange memory
}

const (
	rxCount, rxBytes = 2, 512
	operandBytes     = 5000
)

// newSides are both sides of a pair of two ranks.
func newSides(t *testing.T) (*Pair, [2]*side) {
	t.Helper()
	g := designtest.Load(t, "u55c_tcp", nil).ABI()
	p, err := NewPair(g, 2)
	assert.NilError(t, err)
	var sides [2]*side
	for i, l := range []*Log{p.Emulated, p.Hardware} {
		s := &side{t: t, log: l, g: g}
		for rank := range 2 {
			s.fake = newFake(g)
			var e engine.Engine = s.fake
			if l == p.Hardware {
				s.fake.host = make([]byte, fakeBytes)
				e = clocked{s.fake}
			}
			s.device = l.Device(rank, e)
		}
		s.configure()
		sides[i] = s
	}
	return p, sides
}

// configure does what drivers do.
func (s *side) configure() {
	for range rxCount {
		s.rx = append(s.rx, s.alloc(rxBytes, false).Addr())
	}
	x := s.g.Memory(abi.Exchange)
	at := s.write(x.Table(abi.RxBuffers).At, x.Table(abi.RxBuffers).Header,
		map[string]uint32{"count": rxCount, "size": rxBytes})
	for i := range rxCount {
		at = s.write(at, x.Table(abi.RxBuffers).Record, map[string]uint32{"addrl": uint32(s.rx[i]), "status": 1})
	}
	s.comm = at
	at = s.write(at, x.Table(abi.Communicators).Header, map[string]uint32{"size": 2, "local_rank": 1})
	for range 2 {
		at = s.write(at, x.Table(abi.Communicators).Record, map[string]uint32{"ip": 0x7F000001})
	}
	s.config = at
	at = s.write(at, x.Table(abi.ArithmeticConfigs).Header, map[string]uint32{"nfunctions": 1})
	s.stray = s.write(at, x.Table(abi.ArithmeticConfigs).Record, nil)
	if _, err := s.device.Start(s.t.Context(), 0, accl.Call{Comm: s.comm, ArithCfg: s.config}); err != nil {
		s.t.Fatal(err)
	}
	s.operand, s.host = s.alloc(operandBytes, false), s.alloc(100, true)
	for i := range s.fake.memory[s.operand.Addr():][:operandBytes] {
		s.fake.memory[s.operand.Addr()+uint64(i)] = byte(i)
	}
}

func (s *side) allocAt(addr uint64, host bool) accl.Memory {
	return s.allocate(accl.MemSpec{Bytes: 1, Host: host, At: &addr})
}

func (s *side) alloc(bytes int, host bool) accl.Memory {
	return s.allocate(accl.MemSpec{Bytes: bytes, Host: host})
}

func (s *side) allocate(spec accl.MemSpec) accl.Memory {
	m, err := s.device.Alloc(s.t.Context(), spec)
	assert.NilError(s.t, err)
	return m
}

// write has the host write words with names, and answers the offset behind them.
func (s *side) write(at uint32, words []abi.RecordWord, values map[string]uint32) uint32 {
	for _, w := range words {
		assert.NilError(s.t, s.device.WriteReg(s.t.Context(), at, values[w.Name]))
		at += wordBytes
	}
	return at
}

// word is the offset of a word of a table whose header stands at an offset.
func (s *side) word(table string, at uint32, record int, name string) uint32 {
	t := s.g.Memory(abi.Exchange).Table(table)
	words := t.Header
	if record >= 0 {
		at += t.HeaderBytes() + uint32(record)*t.RecordBytes()
		words = t.Record
	}
	for i, w := range words {
		if w.Name == name {
			return at + wordBytes*uint32(i)
		}
	}
	s.t.Fatalf("%s has no %s", table, name)
	return 0
}

// rxWord is the offset of a word of the record of an rx buffer.
func (s *side) rxWord(record int, name string) uint32 {
	return s.word(abi.RxBuffers, s.g.Memory(abi.Exchange).Table(abi.RxBuffers).At, record, name)
}
