package timeline

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// packetsOf are the packets that the events of a rank tell of.
func packetsOf(r *Rank) []Packet {
	out := []Packet{}
	for _, e := range r.Events {
		if e.Name != "packet_sent" && e.Name != "packet_arrived" || e.Argument["own"] != 0 {
			continue
		}
		p := Packet{At: e.At, Sent: e.Name == "packet_sent", Peer: r.peer(e.Argument["session"]),
			Kind: KindOf(e.Names["kind"])}
		if p.Text = p.Kind; p.Kind != SomePacket {
			p.Text = fmt.Sprintf("%s, sequence number %d", p.Kind, e.Argument["seq"])
			p.Key = p.Text
		}
		out = append(out, p)
	}
	return out
}

// peer is the rank at a session, -1 if not known.
func (r *Rank) peer(session uint32) int {
	if rank, is := r.Sessions[session]; is {
		return rank
	}
	return notMatched
}

// matched are a packet of the sender and one of the receiver, which are the same.
type matched struct{ from, to, sent, arrived int }

// match finds for packets that were sent those that have arrived, among those with the same key.
func (t *Timeline) match() (out []matched) {
	type way struct {
		from, to int
		key      string
	}
	sent, got := map[way][]int{}, map[way][]int{}
	var ways []way
	for rank := range t.Ranks {
		for i, p := range t.Ranks[rank].Packets {
			w, list := way{rank, p.Peer, p.Key}, sent
			if !p.Sent {
				w, list = way{p.Peer, rank, p.Key}, got
			}
			if p.Key == "" || w.from < 0 || w.from >= len(t.Ranks) || w.to < 0 || w.to >= len(t.Ranks) {
				continue
			}
			if len(sent[w])+len(got[w]) == 0 {
				ways = append(ways, w)
			}
			list[w] = append(list[w], i)
		}
	}
	known := t.lastLosses()
	for _, w := range ways {
		s, g, from, to := sent[w], got[w], &t.Ranks[w.from], &t.Ranks[w.to]
		n := min(len(s), len(g))
		if from.lacksFirst() || to.lacksFirst() {
			s, g = s[len(s)-n:], g[len(g)-n:]
		}
		for i := range n {
			if from.Packets[s[i]].At >= known[w.from] && to.Packets[g[i]].At >= known[w.to] {
				out = append(out, matched{w.from, w.to, s[i], g[i]})
			}
		}
	}
	return out
}

// lacksFirst tells whether packets before the first ones may not be there.
func (r *Rank) lacksFirst() bool { return r.ring || r.MissingPackets > 0 }

// lastLosses are when events of each rank were lost last.
func (t *Timeline) lastLosses() (at []int64) {
	for _, r := range t.Ranks {
		last := int64(math.MinInt64)
		for _, e := range slices.Backward(r.Events) {
			if e.AfterLoss {
				last = e.At
				break
			}
		}
		at = append(at, last)
	}
	return at
}

// notArrived are packets that were sent between events of the receiver, none of which says that they have arrived.
func (t *Timeline) notArrived(matches []matched) (out []Message) {
	arrived := map[[2]int]bool{}
	for _, m := range matches {
		arrived[[2]int{m.from, m.sent}] = true
	}
	known := t.lastLosses()
	for rank := range t.Ranks {
		for i, p := range t.Ranks[rank].Packets {
			if p.Sent && p.Key != "" && p.At >= known[rank] && !arrived[[2]int{rank, i}] &&
				t.tells(p.Peer, rank, known, p.At) {
				out = append(out, Message{From: rank, To: p.Peer, Sent: p.At, Kind: p.Kind, Text: p.Text, Bytes: p.Bytes})
			}
		}
	}
	return out
}

// tells reports whether all packets that a rank has got of another one since a time are known, and some time after it;
// known are the lastLosses.
func (t *Timeline) tells(rank, from int, known []int64, since int64) bool {
	if rank < 0 || rank >= len(t.Ranks) || len(t.Ranks[rank].Events) == 0 {
		return false
	}
	r := &t.Ranks[rank]
	begin := max(r.Events[0].At, known[rank])
	if r.MissingPackets > 0 && len(r.Packets) > 0 {
		begin = max(begin, r.Packets[0].At)
	}
	return begin <= since && since <= r.Events[len(r.Events)-1].At &&
		slices.Contains(slices.Collect(maps.Values(r.Sessions)), from)
}

// align gives ranks whose clocks have no common zero that of the first one: the shortest way of a
// message takes the same time in both directions, or none if there is one direction alone.
func (t *Timeline) align(matches []matched) {
	shortest := map[[2]int]int64{}
	for _, m := range matches {
		d := t.Ranks[m.to].Packets[m.arrived].At - t.Ranks[m.from].Packets[m.sent].At
		if known, is := shortest[[2]int{m.from, m.to}]; !is || d < known {
			shortest[[2]int{m.from, m.to}] = d
		}
	}
	if len(t.Ranks) == 0 {
		return
	}
	reached, offset := []int{0}, map[int]int64{0: 0} // by how much a rank's clock is ahead
	for i := 0; i < len(reached); i++ {
		for rank := range t.Ranks {
			from := reached[i]
			if _, is := offset[rank]; is {
				continue
			}
			there, is := shortest[[2]int{from, rank}]
			back, isBack := shortest[[2]int{rank, from}]
			switch {
			case is && isBack:
				there = (there - back) / 2
			case isBack:
				there = -back
			case !is:
				continue
			}
			offset[rank], reached = offset[from]+there, append(reached, rank)
		}
	}
	// Clocks that no message reaches begin with the first one's.
	for rank := range t.Ranks {
		r := &t.Ranks[rank]
		ahead := offset[rank]
		r.Events, r.Packets, r.Calls = slices.Clone(r.Events), slices.Clone(r.Packets), slices.Clone(r.Calls)
		r.times(func(at *int64) { *at -= ahead })
	}
}
