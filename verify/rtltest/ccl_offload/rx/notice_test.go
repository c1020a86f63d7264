package rx

import (
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/nightly"
)

// Notices wait for the processor until there is no room: then they are held where nothing is
// lost, or dropped. Each wakes the processor, and says nothing about who is at the session.
func TestNoticesAreHeldOrDroppedWhenThereIsNoRoom(t *testing.T) {
	for _, v := range []struct {
		name, platform string
		loop           bool
	}{
		{"stream", "u55c_tcp", false}, {"packets", "u55c_udp", false}, {"rdma", "u55c_rdma", false},
		{"stream, own rank", "u55c_tcp", true}, {"packets, own rank", "u55c_udp", true}, {"before 2024", "u280_2022", false},
	} {
		t.Run(v.name, func(t *testing.T) {
			if v.platform == "u280_2022" {
				nightly.Only(t)
			}
			r := newRig(t, v.platform, 0)
			p := r.ranks[0]
			k := origin{session: p.session}
			if v.loop {
				p = r.ranks[3]
				k = origin{loop: true}
			}
			send := func() (wakes uint32, holds bool) {
				h := head{notice: 1, src: p.rank, dst: p.session, context: r.one(0, p.context), tag: r.r.Uint32(),
					strm: r.r.Uint32(), of: identity{r.r.Uint32(), r.r.Uint32(), r.r.Uint32()}}
				wakes = r.Wakes[0]
				held, holds := r.offer(mpacket{k, r.n.pack(h)})
				if holds {
					r.held = append(r.held, held)
				}
				r.check(r.Settle())
				return r.Wakes[0] - wakes, holds
			}
			const most = 64
			for i := range most {
				if wakes, holds := send(); wakes != 1 || holds {
					t.Fatalf("notice %d wakes %d times, and is held: %t", i, wakes, holds)
				}
			}
			lost := v.platform == "u55c_udp" && !v.loop
			switch wakes, holds := send(); {
			case holds == lost:
				t.Fatalf("one without room is held: %t", holds)
			case wakes != uint32(len(r.held))^1:
				t.Fatalf("one that is held (%t) or dropped wakes %d times", holds, wakes)
			}
			want := uint32(0)
			if lost {
				want = r.n.eventNoBuffer
			}
			r.same("events", r.read(pageNetwork, "network.events"), want)
			r.same("notices", r.read(pageNotice, "notice.waiting"), most)
			for range 10 {
				retries := r.Retries
				r.notice()
				r.settle(retries)
			}
			assert.Check(t, len(r.held) <= 0, "there is room, and a notice is held")
			if r.n.rendezvous {
				r.Comm, r.Source = p.comm, p.rank
				r.same("foreign", r.read(pageRendezvous, "rendezvous.foreign"), 0)
			}
			for len(r.m.notices) < most {
				send()
			}
			send()
			r.ResetMessages = 1
			for r.Step(5); r.MessagesIdle == 0; {
				r.Step(1)
			}
			r.ResetMessages = 0
			r.m.resetMessages()
			retries := r.Retries - 1
			r.settle(retries)
			assert.Check(t, lost || len(r.m.notices) == 1, "after a reset %d notices come that were held", len(r.m.notices))
			r.same("notices after a reset", r.read(pageNotice, "notice.waiting"), uint32(len(r.m.notices)))
		})
	}
}
