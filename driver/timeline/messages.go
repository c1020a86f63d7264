package timeline

import "slices"

// packetsOf are the packets that the events of a rank tell of.
func packetsOf(r *Rank) []Packet {
	out := []Packet{}
	kind := SomePacket // of the packet that is coming in
	for _, e := range r.Events {
		switch e.Name {
		case "announcement_arrived":
			kind = ClearToSend
		case "done_arrived":
			kind = Done
		case "message_opened":
			kind = Eager
		case "packet_sent", "packet_arrived":
			if e.Argument["own"] != 0 {
				continue
			}
			p := Packet{At: e.At, Sent: e.Name == "packet_sent", Peer: r.peer(e.Argument["session"]), Kind: SomePacket}
			if !p.Sent {
				p.Kind, kind = kind, SomePacket
			}
			p.Text = p.Kind
			out = append(out, p)
		}
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

// match finds for packets that were sent those that have arrived.
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
			if w.from < 0 || w.from >= len(t.Ranks) || w.to < 0 || w.to >= len(t.Ranks) {
				continue
			}
			if len(sent[w])+len(got[w]) == 0 {
				ways = append(ways, w)
			}
			list[w] = append(list[w], i)
		}
	}
	for _, w := range ways {
		s, g := sent[w], got[w]
		n := min(len(s), len(g))
		if t.Ranks[w.from].MissingPackets+t.Ranks[w.to].MissingPackets > 0 { // at the front
			s, g = s[len(s)-n:], g[len(g)-n:]
		}
		if w.key == "" {
			// Those of a time before are not there: count from the end, if nothing is missing behind.
			s, g = s[len(s)-n:], g[len(g)-n:]
			after := max(t.Ranks[w.from].lastLoss(), 0)
			for n > 0 && t.Ranks[w.from].Packets[s[0]].At < after {
				s, g, n = s[1:], g[1:], n-1
			}
			for after = t.Ranks[w.to].lastLoss(); n > 0 && t.Ranks[w.to].Packets[g[0]].At < after; n-- {
				s, g = s[1:], g[1:]
			}
		}
		for i := range n {
			out = append(out, matched{w.from, w.to, s[i], g[i]})
		}
	}
	return out
}

// lastLoss is when events were lost last, 0 if never.
func (r *Rank) lastLoss() int64 {
	for _, e := range slices.Backward(r.Events) {
		if e.AfterLoss {
			return e.At
		}
	}
	return 0
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
