package regs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const (
	read  = 0
	write = 1
	add   = 2
)

// port is an engine port, or the processor's.
type port struct {
	name      string
	processor bool
	rhythm    block.Rhythm
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
	b      *block.Bench
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
	asks, index := w.b.Is("inspection_request.valid"), w.b.Get("inspection_request.address")/4
	switch {
	case w.answering:
		w.answering = false
		w.b.Set("inspection_response", 0)
	case asks && index >= inspectionWords:
		w.t.Fatalf("the host asks for word %d of the inspection", index)
	case asks && w.r.IntN(3) == 0:
		w.answering = true
		w.b.Set("inspection_response.ready", 1)
		w.b.Set("inspection_response.rdata", uint64(w.inspected[index]))
		if w.b.Is("inspection_request.write") {
			w.inspected[index] = uint32(w.b.Get("inspection_request.wdata"))
		}
	}
}

func newWorld(t *testing.T, platform, module string, seed uint64) *world {
	t.Helper()
	memory := designtest.Load(t, platform, nil).ABI().Memory("exchange")
	b := platformSet.Start(t, module, seed)
	r := rand.New(rand.NewPCG(seed, 2))
	w := &world{t: t, b: b, r: r, m: memory, words: make([]uint32, memory.Size/4), hosts: map[int][]uint32{}}
	w.shared = len(w.words) - 16
	w.inspection = int(memory.Word("inspection").At-memory.Base) / 4
	for _, name := range []string{"processor", "peer", "messages", "transmit"} {
		w.ports = append(w.ports, &port{name: name, processor: name == "processor",
			rhythm: block.Rhythm{Random: r.IntN, Pauses: r.IntN(256)}})
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
	w.b.Set(p.name+"_request.valid", 1)
	w.b.Set(p.name+"_request.operation", uint64(p.operation))
	w.b.Set(p.name+"_request.address", uint64(at))
	w.b.Set(p.name+"_request.wdata", uint64(p.data))
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
		request, done, ok, data := "processor_valid", "processor_ready", true, "processor_rdata"
		if !p.processor {
			request, done, data = p.name+"_request", p.name+"_response.done", p.name+"_response.rdata"
			ok = w.b.Is(p.name + "_response.ok")
		}
		if !w.b.Is(done) {
			continue
		}
		if !p.busy {
			w.t.Fatalf("%s is answered without a request", p.name)
		}
		if answers++; answers > 1 {
			w.t.Fatal("two are answered in one cycle")
		}
		w.end(p, ok, uint32(w.b.Get(data)))
		w.b.Set(request, 0)
	}
}

// host makes a random access of the host and checks it.
func (w *world) host(a *block.AXILite) error {
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

const hostWidth = 13 // of the host's addresses

var platforms = nightly.Of([]string{"u55c_tcp"}, []string{"u55c_tcp", "u280_manual"})

// platformSet has modules whose memory a platform says, and the memory at a port that is a bit wider, too.
var platformSet = block.NewSet(slices.Concat(
	block.Module{Name: "peer_lookup", Streams: true}.On(platforms...),
	block.Module{Name: "exchange_memory", Streams: true,
		Params: map[string]string{"ADDRESS_WIDTH": fmt.Sprint(hostWidth)}}.On(platforms...),
	block.Module{Name: "exchange_memory", As: "exchange_memory_wider", Streams: true,
		Params: map[string]string{"ADDRESS_WIDTH": fmt.Sprint(hostWidth + 1)}}.On(platforms...),
)...)

func TestEveryAccessIsAtomic(t *testing.T) {
	for _, p := range platforms {
		for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
			t.Logf("%s, seed %d", p, seed)
			w := newWorld(t, p, "exchange_memory_"+p, seed)
			a := &block.AXILite{Bench: w.b, To: "control_request.", From: "control_response.", Step: w.step, Random: w.r.IntN}
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
		w := newWorld(t, p, "exchange_memory_wider_"+p, 0)
		w.quiet = true
		var last struct{ address, data, strobe, writes uint64 }
		step := func() {
			w.step()
			if w.b.Is("host_register_valid") {
				last.address, last.data = w.b.Get("host_register_address"), w.b.Get("host_register_wdata")
				last.strobe, last.writes = w.b.Get("host_register_strobe"), w.b.Get("host_register_write")
			}
		}
		a := &block.AXILite{Bench: w.b, To: "control_request.", From: "control_response.", Step: step, Random: w.r.IntN}
		for _, address := range []uint32{0, 0x10, 0x74, w.m.Base - 4, w.m.Base + w.m.Size, 1<<(hostWidth+1) - 4} {
			if address >= 1<<(hostWidth+1) || address >= w.m.Base && address < w.m.Base+w.m.Size {
				continue
			}
			w.below, last.address = w.r.Uint32(), 1
			want := w.below
			if address > w.m.Base {
				want = 0
			}
			v, err := a.Read(address)
			if err != nil || v != want {
				t.Errorf("%s: reading 0x%X: %08X (%v), not %08X", p, address, v, err, want)
			}
			if (last.address == uint64(address)) != (address < w.m.Base) || address < w.m.Base && last.writes != 0 {
				t.Errorf("%s: reading 0x%X: the registers see 0x%X", p, address, last.address)
			}
			data := w.r.Uint32()
			assert.Check(t, a.Write(address, data, 0x6), "%s", p)
			if address < w.m.Base && (last.address != uint64(address) || last.data != uint64(data) || last.strobe != 6 ||
				last.writes != 1) {
				t.Errorf("%s: writing 0x%X: the registers see %+v", p, address, last)
			}
		}
		assert.Check(t, is.Equal(w.pulses, 0), "%s: a write beside the memory is told", p)
	}
}
