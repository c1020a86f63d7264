package regs

import (
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestRxRegisters(t *testing.T) { set.Check(t, "rx_registers", rxRegisters) }

// rxRegisters gives buffers, looks for messages, and drops some.
func rxRegisters(b *block.Bench, r *rand.Rand) error {
	p, err := newPage(b, r, "rx", map[string]string{"peer_request.valid": "peer_response.done",
		"enqueue_valid": "enqueue_ready", "seek_valid": "seek_done", "discard_valid": "discard_done"}, "peer_response")
	if err != nil {
		return err
	}
	g, err := generation("u55c_tcp")
	if err != nil {
		return err
	}
	exchange := g.Memory("exchange")
	first := uint64(exchange.Base)
	last := first + uint64(exchange.Size) - 4*uint64(len(exchange.Table("rx_buffers").Record))
	for i := range 4000 {
		if i%500 == 0 {
			p.stalls = block.NewRhythm(r).Next
		}
		a := access{write: r.IntN(2) == 0, address: p.offset(), data: uint64(r.Uint32())}
		b.Scramble(r, "selection", "free_count", "sought", "sought_bytes", "sought_record", "other_source",
			"other_collective")
		b.Settle()
		var questions []question
		var want *uint64
		var rank struct{ record, session uint64 }
		fails, known := false, false
		name := p.words[a.address]
		switch name {
		case "enqueue":
			switch r.IntN(6) {
			case 0:
				a.data = last + 4*r.Uint64N(3)
			case 1:
				a.data = first - 4*r.Uint64N(3)
			case 2:
				a.data = first + r.Uint64N(last-first)
			case 3:
				a.data = first + 4*r.Uint64N((last-first)/4)
			case 4: // one bit of the others is not 0
				a.data = (first + 4*r.Uint64N((last-first)/4)) ^ 1<<(16+r.IntN(16))
			}
			a.data &= 0xFFFFFFFF
			fails = a.data%4 != 0 || a.data < first || a.data > last
			shows := map[string]uint64{"enqueue_record": a.data & 0xFFFF}
			p.buffer("enqueue", shows)
			questions = []question{{"enqueue_valid", shows, func() {}}}
		case "free":
			v := b.Get("free_count")
			want = &v
		case "seek":
			v := uint64(0)
			want = &v
			seek := question{valid: "seek_valid", answer: func() {
				if b.Put("sought", r.IntN(2) == 0); !known {
					b.Set("sought", 0)
				}
				if v = 0; b.Is("sought") {
					b.Set("sought_bytes", uint64([]uint32{0, 1, r.Uint32() >> 1}[r.IntN(3)]))
					v = b.Get("sought_bytes") + 1
				}
			}}
			seek.shows = map[string]uint64{}
			questions = []question{p.lookUp(b.Get("selection.comm"), b.Get("selection.source"), func() {
				known = b.Is("peer_response.ok")
				rank.record, rank.session = b.Get("peer_response.record"), b.Get("peer_response.session")
				seek.shows["seek_request.valid"] = 0
				if known {
					for field, v := range map[string]uint64{"valid": 1, "record": rank.record, "session": rank.session,
						"rank": b.Get("selection.source"), "context_": b.Get("selection.context_"), "tag": b.Get("selection.tag"),
						"waits":             0,
						"collective.number": b.Get("selection.collective.number"), "collective.count": b.Get(
							"selection.collective.count"), "collective.shape": b.Get("selection.collective.shape")} {
						seek.shows["seek_request."+field] = v
					}
				}
			}), seek}
		case "found":
			v := uint64(0)
			if b.Is("sought") {
				v = b.Get("sought_record")
			}
			want = &v
		case "other_source", "other_number", "other_count", "other_shape":
			of := b.Collective("other_collective")
			v := map[string]uint64{"other_source": b.Get("other_source"), "other_number": of.Number, "other_count": of.Count,
				"other_shape": of.Shape}[name]
			want = &v
		case "discard":
			questions = []question{{"discard_valid", nil, func() {}}}
		}
		if err := p.once(a, fails, want, questions...); err != nil {
			return err
		}
	}
	return p.all()
}
