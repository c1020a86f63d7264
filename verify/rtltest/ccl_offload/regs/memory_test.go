package regs

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

const (
	read  = 0
	write = 1
	add   = 2
)

// Widths of an engine port's request and response.
const (
	requestBits  = 1 + 2 + 32 + 32
	responseBits = 1 + 1 + 32
)

// port is an engine port, or the processor's.
type port struct {
	name      string
	processor bool
	rhythm    pins.Rhythm
	busy      bool
	operation int
	word      int // negative for an address that is no word's
	data      uint32
	strobe    uint32
	began     uint64
}

// world is what is around the memory.
type world struct {
	t      *testing.T
	b      *pins.Bench
	r      *rand.Rand
	m      *abi.Memory
	ports  []*port
	words  []uint32 // what they must be
	shared int      // words below are everybody's but the host's; from here on the host writes
	hosts  map[int][]uint32
	writes int // by host and processor
	pulses int
	quiet  bool
	slow   uint64 // longest wait of a port
	below  uint32 // what the registers below the memory answer

	// The words of the inspection, which the host has in place of the memory's.
	inspection int // the first of them
	inspected  [inspectionWords]uint32
	answering  bool // to an access to them
}

const inspectionWords = 16

// inspects reports whether a word is a register of the inspection for the host.
func (w *world) inspects(word int) (index int, is bool) {
	index = word - w.inspection
	return index, index >= 0 && index < inspectionWords
}

// inspect takes the host's accesses to the inspection.
func (w *world) inspect() {
	request := w.b.Unpack("inspection_request", 1, 1, 8, 32)
	index := request[2] / 4
	switch {
	case w.answering:
		w.answering = false
		w.b.Pack("inspection_response", pins.Field{Width: responseBits, Value: 0})
	case request[0] != 0 && index >= inspectionWords:
		w.t.Fatalf("the host asks for word %d of the inspection", index)
	case request[0] != 0 && w.r.IntN(3) == 0:
		w.answering = true
		w.b.Pack("inspection_response", pins.Field{Width: 1, Value: 1}, pins.Field{Width: 1, Value: 0},
			pins.Field{Width: 32, Value: uint64(w.inspected[index])})
		if request[1] != 0 {
			w.inspected[index] = uint32(request[3])
		}
	}
}

func newWorld(t *testing.T, platform string, address int, seed uint64) *world {
	t.Helper()
	d, err := pins.Design(platform)
	assert.NilError(t, err)
	memory := d.ABI().Memory("exchange")
	m := pins.Module{
		Platform: platform, Folder: "ccl_offload", Top: "exchange_memory", Files: []string{"exchange_memory"},
		Params: map[string]string{"ADDRESS_WIDTH": fmt.Sprint(address)},
		In: map[string]int{
			"host_register_ready": 1, "host_register_rdata": 32, "inspection_response": responseBits,
			"processor_valid": 1, "processor_write": 1, "processor_address": bits.Len32(memory.Size - 1), "processor_wdata": 32,
			"processor_strobe": 4,
			"peer_request":     requestBits, "messages_request": requestBits, "transmit_request": requestBits,
		},
		Out: map[string]int{
			"host_register_valid": 1, "host_register_write": 1, "host_register_address": address, "host_register_wdata": 32,
			"host_register_strobe": 4, "inspection_request": 1 + 1 + 8 + 32,
			"processor_ready": 1, "processor_rdata": 32, "written": 1,
			"peer_response": responseBits, "messages_response": responseBits, "transmit_response": responseBits,
		},
	}
	pins.AddAXILiteStructs(&m, "s_axi_control_")
	b, err := pins.New(t.Context(), m, seed)
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	assert.NilError(t, err)
	t.Cleanup(b.Close)
	r := rand.New(rand.NewPCG(seed, 2))
	w := &world{t: t, b: b, r: r, m: memory, words: make([]uint32, memory.Size/4), hosts: map[int][]uint32{}}
	w.shared = len(w.words) - 16
	w.inspection = int(memory.Word("inspection").At-memory.Base) / 4
	for _, name := range []string{"processor", "peer", "messages", "transmit"} {
		w.ports = append(w.ports, &port{name: name, processor: name == "processor",
			rhythm: pins.Rhythm{Random: r.IntN, Pauses: r.IntN(256)}})
	}
	return w
}

// begin has a port ask for something. Few words are busy, so that accesses meet.
func (w *world) begin(p *port) {
	p.busy, p.began = true, w.b.Cycle
	p.word = w.r.IntN(8)
	switch w.r.IntN(8) {
	case 0:
		p.word = w.shared + w.r.IntN(16)
	case 1:
		p.word = w.r.IntN(w.shared)
	case 2:
		if !p.processor {
			p.word = -1
		}
	}
	p.operation, p.data, p.strobe = w.r.IntN(3), w.r.Uint32(), 0xF
	if p.word >= w.shared || p.processor && p.operation == add {
		p.operation = read
	}
	if p.processor {
		if w.r.IntN(2) == 0 {
			p.strobe = uint32(w.r.IntN(16))
		}
		w.b.Set("processor_valid", 1)
		w.b.Set("processor_write", uint64(p.operation))
		w.b.Set("processor_address", uint64(4*p.word+w.r.IntN(4)))
		w.b.Set("processor_wdata", uint64(p.data))
		w.b.Set("processor_strobe", uint64(p.strobe))
		return
	}
	at := w.m.Base + uint32(4*p.word)
	if p.word < 0 { // who writes has checked the address
		if p.operation == write {
			p.operation = read
		}
		at = []uint32{w.m.Base + uint32(1+w.r.IntN(3)), w.m.Base + w.m.Size, w.m.Base - 4, ^uint32(3),
			w.m.Base + 1<<31}[w.r.IntN(5)]
	}
	w.b.Pack(p.name+"_request", pins.Field{Width: 1, Value: 1}, pins.Field{Width: 2, Value: uint64(p.operation)},
		pins.Field{Width: 32, Value: uint64(at)}, pins.Field{Width: 32, Value: uint64(p.data)})
}

// end checks what a port was answered. All but the host are answered in the
// order in which the memory serves them.
func (w *world) end(p *port, ok bool, got uint32) {
	p.busy = false
	w.slow = max(w.slow, w.b.Cycle-p.began)
	if ok != (p.word >= 0) {
		w.t.Fatalf("%s: ok is %t for word %d", p.name, ok, p.word)
	}
	if !ok {
		return
	}
	old := w.words[p.word]
	if allowed := w.hosts[p.word]; p.word >= w.shared && allowed != nil {
		if !slices.Contains(allowed, got) {
			w.t.Fatalf("%s reads %08X from word %d while the host writes, not one of %08X", p.name, got, p.word, allowed)
		}
		return
	}
	if p.operation != write && got != old {
		w.t.Fatalf("%s finds %08X in word %d, not %08X", p.name, got, p.word, old)
	}
	switch p.operation {
	case write:
		w.words[p.word] = masked(old, p.data, p.strobe)
	case add:
		w.words[p.word] += p.data
	}
	if p.processor && p.operation == write && p.strobe != 0 {
		w.writes++
	}
	if seen := w.hosts[p.word]; seen != nil {
		w.hosts[p.word] = append(seen, w.words[p.word])
	}
}

func masked(old, v, strobe uint32) uint32 {
	for i := range 4 {
		if strobe>>i&1 != 0 {
			old = old&^(0xFF<<(8*i)) | v&(0xFF<<(8*i))
		}
	}
	return old
}

// step runs a cycle.
func (w *world) step() {
	for _, p := range w.ports {
		if !p.busy && !w.quiet && p.rhythm.Next() {
			w.begin(p)
		}
	}
	w.b.Set("host_register_ready", uint64(w.r.IntN(2)))
	w.b.Set("host_register_rdata", uint64(w.below))
	w.b.Step()
	if w.b.Is("written") {
		w.pulses++
	}
	w.inspect()
	answers := 0
	for _, p := range w.ports {
		v := []uint64{w.b.Get("processor_ready"), 1, w.b.Get("processor_rdata")}
		if !p.processor {
			v = w.b.Unpack(p.name+"_response", 1, 1, 32)
		}
		if v[0] == 0 {
			continue
		}
		if !p.busy {
			w.t.Fatalf("%s is answered without a request", p.name)
		}
		if answers++; answers > 1 {
			w.t.Fatal("two are answered in one cycle")
		}
		w.end(p, v[1] != 0, uint32(v[2]))
		if p.processor {
			w.b.Set("processor_valid", 0)
		} else {
			w.b.Pack(p.name+"_request", pins.Field{Width: requestBits})
		}
	}
}

// host makes a random access of the host and checks it.
func (w *world) host(a *pins.AXILite) error {
	word := w.r.IntN(8)
	writes := w.r.IntN(2) == 0
	if writes || w.r.IntN(2) == 0 {
		word = w.shared + w.r.IntN(16)
	}
	address := w.m.Base + uint32(4*word)
	if w.r.IntN(8) == 0 {
		word = w.inspection + w.r.IntN(inspectionWords)
	}
	if i, is := w.inspects(word); is {
		address = w.m.Base + uint32(4*word)
		if writes {
			return a.Write(address, w.r.Uint32(), 0xF)
		}
		if v, err := a.Read(address); err != nil || v != w.inspected[i] {
			return fmt.Errorf("the host reads %08X from word %d of the inspection, not %08X (%v)", v, i, w.inspected[i], err)
		}
		return nil
	}
	if writes {
		v, strobe := w.r.Uint32(), uint32(w.r.IntN(16))
		w.hosts[word] = []uint32{w.words[word], masked(w.words[word], v, strobe)}
		if err := a.Write(address, v, uint8(strobe)); err != nil {
			return err
		}
		for _, p := range w.ports { // who asks now may still get the old one
			for p.busy && p.word == word {
				w.step()
			}
		}
		w.words[word] = w.hosts[word][1]
		delete(w.hosts, word)
		if strobe != 0 {
			w.writes++
		}
		return nil
	}
	w.hosts[word] = []uint32{w.words[word]}
	v, err := a.Read(address)
	allowed := w.hosts[word]
	delete(w.hosts, word)
	if err == nil && !slices.Contains(allowed, v) {
		return fmt.Errorf("the host reads %08X from word %d, not one of %08X", v, word, allowed)
	}
	return err
}

type addressed struct {
	name    string
	address int
}

var platforms = nightly.Of([]addressed{{"u55c_tcp", 13}}, []addressed{{"u55c_tcp", 13}, {"u280_manual", 13}})

func TestEveryAccessIsAtomic(t *testing.T) {
	for _, p := range platforms {
		for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
			t.Logf("%s, seed %d", p.name, seed)
			w := newWorld(t, p.name, p.address, seed)
			a := &pins.AXILite{Bench: w.b, Prefix: "s_axi_control_", Step: w.step, Random: w.r.IntN}
			w.quiet = true
			for i := range w.words { // what memory holds at first is anything
				v := w.r.Uint32()
				assert.NilError(t, a.Write(w.m.Base+uint32(4*i), v, 0xF))
				if _, is := w.inspects(i); !is {
					w.words[i] = v
				}
			}
			w.quiet = false
			w.writes, w.pulses = 0, 0
			for range 1500 {
				assert.NilError(t, w.host(a))
			}
			w.quiet = true
			for range 40 {
				w.step()
			}
			for i, want := range w.words {
				if index, is := w.inspects(i); is {
					want = w.inspected[index]
				}
				if v, err := a.Read(w.m.Base + uint32(4*i)); err != nil || v != want {
					t.Fatalf("in the end word %d is %08X (%v), not %08X", i, v, err, want)
				}
			}
			if w.pulses != w.writes {
				t.Errorf("%d writes were told, there were %d", w.pulses, w.writes)
			}
			if w.slow > 16 {
				t.Errorf("an access took %d cycles", w.slow)
			}
		}
	}
}

func TestWhatIsNoMemoryIsRegistersOrNothing(t *testing.T) {
	for _, p := range platforms {
		w := newWorld(t, p.name, p.address+1, 0)
		w.quiet = true
		var last struct{ address, data, strobe, writes uint64 }
		step := func() {
			w.step()
			if w.b.Is("host_register_valid") {
				last.address, last.data = w.b.Get("host_register_address"), w.b.Get("host_register_wdata")
				last.strobe, last.writes = w.b.Get("host_register_strobe"), w.b.Get("host_register_write")
			}
		}
		a := &pins.AXILite{Bench: w.b, Prefix: "s_axi_control_", Step: step, Random: w.r.IntN}
		for _, address := range []uint32{0, 0x10, 0x74, w.m.Base - 4, w.m.Base + w.m.Size, 1<<(p.address+1) - 4} {
			if address >= 1<<(p.address+1) || address >= w.m.Base && address < w.m.Base+w.m.Size {
				continue
			}
			w.below, last.address = w.r.Uint32(), 1
			want := w.below
			if address > w.m.Base {
				want = 0
			}
			v, err := a.Read(address)
			if err != nil || v != want {
				t.Errorf("%s: reading 0x%X: %08X (%v), not %08X", p.name, address, v, err, want)
			}
			if (last.address == uint64(address)) != (address < w.m.Base) || address < w.m.Base && last.writes != 0 {
				t.Errorf("%s: reading 0x%X: the registers see 0x%X", p.name, address, last.address)
			}
			data := w.r.Uint32()
			assert.Check(t, a.Write(address, data, 0x6), "%s", p.name)
			if address < w.m.Base && (last.address != uint64(address) || last.data != uint64(data) || last.strobe != 6 ||
				last.writes != 1) {
				t.Errorf("%s: writing 0x%X: the registers see %+v", p.name, address, last)
			}
		}
		assert.Check(t, is.Equal(w.pulses, 0), "%s: a write beside the memory is told", p.name)
	}
}
