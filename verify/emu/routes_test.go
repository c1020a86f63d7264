package emu

import (
	"errors"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fabric"
)

// told is a port that notes where sessions lead.
type told struct {
	fabric.Port
	routes []route
}

func (p *told) Route(session, ip uint32, port uint16, local bool) {
	p.routes = append(p.routes, route{session, ip, port, local})
}

func (p *told) expect(t *testing.T, when string, want ...route) {
	t.Helper()
	assert.Check(t, slices.Equal(p.routes, want), "%s: %v, not %v", when, p.routes, want)
	p.routes = nil
}

// host writes communicators as a host does: word by word, by their names in the
// description.
type host struct {
	t      *testing.T
	g      *abi.Generation
	tables *abi.Memory
	words  *routeWords
	write  func(off, v uint32)
}

func (h host) offset(words []abi.RecordWord, name string) uint32 {
	at := abi.Offset(words, name)
	assert.Assert(h.t, at >= 0, "%s has no %s", h.g.Name, name)
	return uint32(at)
}

// behind is the offset behind a number of rx buffers.
func (h host) behind(buffers int) uint32 {
	t := h.tables.Table(abi.RxBuffers)
	return t.At + t.HeaderBytes() + uint32(buffers)*t.RecordBytes()
}

func (h host) buffers(n int) {
	t := h.tables.Table(abi.RxBuffers)
	h.write(t.At+h.offset(t.Header, "count"), uint32(n))
}

// communicator has rank 1 as its own; rank i is ip(i), its port 100+i, its
// session 7i.
func (h host) communicator(at uint32, ranks int) {
	t := h.tables.Table(abi.Communicators)
	h.write(at+h.offset(t.Header, "size"), uint32(ranks))
	h.write(at+h.offset(t.Header, "local_rank"), 1)
	for i := range ranks {
		h.rank(at, i, 100+i)
	}
}

func (h host) rank(comm uint32, i, port int) {
	t := h.tables.Table(abi.Communicators)
	record := comm + t.HeaderBytes() + uint32(i)*t.RecordBytes()
	h.write(record+h.offset(t.Record, "ip"), ip(i))
	h.write(record+h.offset(t.Record, "port"), uint32(port))
	h.write(record+h.offset(t.Record, "session"), uint32(7*i))
}

// emptyMemory is that of an engine on a port, and the host that writes to it.
func emptyMemory(t *testing.T, g *abi.Generation, port fabric.Port) (*routes, *exchange, host) {
	t.Helper()
	w := (&resolver{g: g}).routeWords()
	m := newExchange(g.Memory(abi.Exchange))
	return newRoutes(m, &w, port), m, host{t, g, g.Memory(abi.Exchange), &w, m.Set}
}

// three are the routes to the ranks of a communicator of three.
var three = []route{{0, ip(0), 100, false}, {7, ip(1), 101, true}, {14, ip(2), 102, false}}

// eachGeneration runs a test on the exchange memory of each interface generation.
func eachGeneration(t *testing.T, test func(t *testing.T, g *abi.Generation)) {
	for _, platform := range []string{"u55c_tcp", "u280_2022", "u280_manual"} {
		t.Run(platform, func(t *testing.T) { test(t, designtest.Load(t, platform, nil).ABI()) })
	}
}

func TestRoutesOfCommunicators(t *testing.T) {
	eachGeneration(t, func(t *testing.T, g *abi.Generation) {
		port := &told{}
		r, m, h := emptyMemory(t, g, port)
		first := h.behind(3)
		h.communicator(first, 3)
		r.Survey()
		port.expect(t, "before there are rx buffers")
		h.buffers(3)
		r.Survey()
		port.expect(t, "with rx buffers", three...)
		r.Survey()
		port.expect(t, "once more")
		h.rank(first, 2, 555)
		r.Survey()
		port.expect(t, "after a change", route{14, ip(2), 555, false})
		r.Forget()
		h.rank(first, 2, 102)
		r.Survey()
		port.expect(t, "after a reset", three...)

		other := h.behind(20)
		h.communicator(other, 3)
		r.Survey()
		port.expect(t, "of another communicator that nobody uses")
		p, ok := h.words.Peer(m, other, 2)
		assert.Assert(t, ok, "another communicator has no rank 2")
		r.Use(p)
		r.Use(p)
		port.expect(t, "of another communicator", three[2])
	})
}

func TestWhatIsNoCommunicatorLeadsNowhere(t *testing.T) {
	eachGeneration(t, func(t *testing.T, g *abi.Generation) {
		for name, write := range map[string]func(h host, m *exchange){
			"without rx buffers": func(h host, _ *exchange) { h.communicator(h.behind(0), 3) },
			"behind so many that offsets overflow": func(h host, _ *exchange) {
				h.communicator(h.behind(4), 3)
				h.buffers(4 + 1<<30)
			},
			"of more ranks than the memory has room for": func(h host, m *exchange) {
				h.buffers(3)
				h.write(h.behind(3)+h.offset(h.tables.Table(abi.Communicators).Header, "size"), ^uint32(0))
				if p, ok := h.words.Peer(m, h.behind(3), 1<<30); ok {
					t.Errorf("a rank outside of the memory: %v", p)
				}
			},
		} {
			port := &told{}
			r, m, h := emptyMemory(t, g, port)
			write(h, m)
			r.Survey()
			port.expect(t, name)
		}
		port := &told{}
		r, m, h := emptyMemory(t, g, port)
		for buffers := range int(m.Bytes()) / 4 { // up to the end and beyond it
			h.buffers(buffers)
			r.Survey()
		}
		port.expect(t, "zeros")
		for _, comm := range []uint32{m.Base - 4, m.End(), m.End() - 4, h.behind(3) + 2} {
			if p, ok := h.words.Peer(m, comm, 0); ok {
				t.Errorf("0x%X has a rank: %v", comm, p)
			}
		}
	})
}

func TestSurveysTellWhatIsNew(t *testing.T) {
	eachGeneration(t, func(t *testing.T, g *abi.Generation) {
		port := &told{}
		s, err := NewSurvey(g, port)
		assert.NilError(t, err)
		h := host{t, g, g.Memory(abi.Exchange), nil, s.Wrote}
		h.buffers(3)
		h.communicator(h.behind(3), 3)
		s.Wrote(g.Memory(abi.Exchange).Base+g.Memory(abi.Exchange).Size, 1) // no word of it
		port.expect(t, "before it is to tell")
		s.Tell()
		port.expect(t, "what was written", three...)
		s.Tell()
		port.expect(t, "nothing new")
	})
}

func TestGenerationsWithoutCommunicatorsHaveNoRoutes(t *testing.T) {
	g := *designtest.Load(t, "u55c_tcp", nil).ABI()
	g.Memories = nil
	if _, err := NewSurvey(&g, &told{}); !errors.Is(err, ErrMissing) {
		t.Error(err)
	}
}
