package regs

import (
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

type peer struct{ record, local, session, self uint64 }

// table is the memory with communicators in it.
type table struct {
	m                   *abi.Memory
	words               []uint32
	header, record      uint32 // bytes
	size, rank, session uint32 // byte offsets
}

func newTable(g *abi.Generation) *table {
	m := g.Memory("exchange")
	x := &table{m: m, words: make([]uint32, m.Size/4)}
	for _, t := range m.Tables {
		if t.Name != "communicators" {
			continue
		}
		x.header, x.record = t.HeaderBytes(), t.RecordBytes()
		for i, w := range t.Header {
			switch w.Name {
			case "size":
				x.size = uint32(4 * i)
			case "local_rank":
				x.rank = uint32(4 * i)
			}
		}
		for i, w := range t.Record {
			if w.Name == "session" {
				x.session = uint32(4 * i)
			}
		}
	}
	return x
}

func (x *table) word(at uint64) (uint32, bool) {
	if at%4 != 0 || at < uint64(x.m.Base) || at+4 > uint64(x.m.Base+x.m.Size) {
		return 0, false
	}
	return x.words[(at-uint64(x.m.Base))/4], true
}

// find is what a look-up must find.
func (x *table) find(comm, rank uint32) (peer, bool) {
	at := uint64(comm)
	size, ok := x.word(at + uint64(x.size))
	local, okLocal := x.word(at + uint64(x.rank))
	_, okHeader := x.word(at + uint64(x.header) - 4)
	if _, aligned := x.word(at); !aligned || !ok || !okLocal || !okHeader || rank >= size {
		return peer{}, false
	}
	record := at + uint64(x.header) + uint64(rank)*uint64(x.record)
	if _, ok := x.word(record + uint64(x.record) - 4); !ok {
		return peer{}, false
	}
	session, _ := x.word(record + uint64(x.session))
	self := uint64(0)
	if local == rank {
		self = 1
	}
	return peer{record, uint64(local), uint64(session & 0xFFFF), self}, true
}

func TestPeersAreFoundAsInTheMemory(t *testing.T) {
	for _, platform := range platforms {
		for _, seed := range []uint64{0, 1, block.ExtraSeed()} {
			t.Logf("%s, seed %d", platform, seed)
			lookups(t, platform, seed)
		}
	}
}

func lookups(t *testing.T, platform string, seed uint64) {
	x := newTable(designtest.Load(t, platform, nil).ABI())
	clients := []string{"moves", "messages", "rendezvous"}
	b := platformSet.Start(t, "peer_lookup_"+platform, seed)
	r := rand.New(rand.NewPCG(seed, 3))

	for i := range x.words {
		x.words[i] = r.Uint32() % 40
	}
	var comms []uint32
	for range 6 { // some reach beyond the end of the memory
		at := r.IntN(len(x.words) - int(x.header)/4)
		comms = append(comms, x.m.Base+uint32(4*at))
	}
	end := x.m.Base + x.m.Size
	comms = append(comms, x.m.Base, x.m.Base-4, end-x.header, end-x.header+4, end-x.header-x.record, end, ^uint32(3),
		comms[0]+1, comms[1]+2)

	type asked struct {
		comm, rank uint32
		began      uint64
	}
	asking := map[string]*asked{}
	found, missing, slowest, alone := 0, 0, uint64(0), uint64(0)
	delay, pauses := 0, r.IntN(4)
	for found+missing < 3000 {
		if b.Cycle > 1e6 {
			t.Fatal("it does not end")
		}
		for _, c := range clients {
			if asking[c] == nil && r.IntN(20) < 1+pauses {
				a := &asked{comms[r.IntN(len(comms))], r.Uint32() % 40, b.Cycle}
				if r.IntN(10) == 0 {
					a.rank = []uint32{^uint32(0), 0x0AAAAAAB, 1 << 30}[r.IntN(3)] // products that wrap around
				}
				asking[c] = a
				b.Set(c+"_request.valid", 1)
				b.Set(c+"_request.comm", uint64(a.comm))
				b.Set(c+"_request.rank", uint64(a.rank))
			}
		}
		b.Step()
		// The memory answers one request after some cycles.
		b.Set("exchange_response", 0)
		if b.Is("exchange_request.valid") && delay == 0 {
			if operation := b.Get("exchange_request.operation"); operation != read {
				t.Fatalf("the memory is asked for operation %d", operation)
			}
			address := b.Get("exchange_request.address")
			v, ok := x.word(address)
			if !ok {
				t.Fatalf("the memory is asked for 0x%X", address)
			}
			delay = 2 + r.IntN(1+4*pauses) // the request stands for another cycle
			b.Set("exchange_response.done", 1)
			b.Set("exchange_response.ok", 1)
			b.Set("exchange_response.rdata", uint64(v))
		}
		if delay > 0 {
			delay--
		}
		for _, c := range clients {
			response := c + "_response."
			if !b.Is(response + "done") {
				continue
			}
			a := asking[c]
			if a == nil {
				t.Fatalf("%s is answered without a request", c)
			}
			want, ok := x.find(a.comm, a.rank)
			if ok != b.Is(response+"ok") {
				t.Fatalf("rank %d at 0x%X: ok is %t", a.rank, a.comm, !ok)
			}
			got := peer{b.Get(response + "record"), b.Get(response + "local_rank"), b.Get(response + "session"),
				b.Get(response + "self")}
			if ok && got != want {
				t.Fatalf("rank %d at 0x%X: %+v, not %+v", a.rank, a.comm, got, want)
			}
			if ok {
				found++
				if took := b.Cycle - a.began; alone == 0 || took < alone {
					alone = took
				}
			} else {
				missing++
			}
			slowest = max(slowest, b.Cycle-a.began)
			delete(asking, c)
			b.Set(c+"_request", 0)
		}
	}
	assert.Check(t, found >= 50 && missing >= 50, "only %d were found and %d not", found, missing)
	t.Logf("a look-up takes %d cycles at least, %d at most", alone, slowest)
}
