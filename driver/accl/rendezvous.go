package accl

import "slices"

// Rendezvous is what the trace of an engine tells of its rendezvous with another rank.
type Rendezvous struct {
	Session uint32 // of the other rank
	// Announced and Heard are the numbers of the last clear-to-send to the rank in the last calls, and from it; nil if
	// the trace has none. They count modulo 4096.
	Announced, Heard *uint32
	// Sent and Got are the numbers of packets with data: that went to the rank since Heard, and came since Announced.
	Sent, Got []uint32
}

// rendezvousNumbers are those that the trace tells apart: its numbers have 12 bits.
const rendezvousNumbers = 1 << 12

// lossy tells whether the network may lose packets.
func (p *Platform) lossy() bool { return p.Stack == "udp" }

// meet follows rendezvous by events.
func (out *Report) meet(events []Event) {
	under := 0 // calls under way
	for _, e := range events {
		if e.AfterLoss {
			out.Rendezvous, out.Partial, under = nil, true, 0
		}
		var with *Rendezvous
		if e.Name == "packet_sent" || e.Name == "packet_arrived" && e.Argument["own"] == 0 {
			with = out.with(e.Argument["session"])
		}
		seq := e.Argument["seq"]
		switch kind := e.Names["kind"]; {
		case e.Name == "call_taken" && e.Names["operation"] == configOperation:
			out.Rendezvous = nil // maybe it resets the engine
		case e.Name == "call_taken":
			for i := range out.Rendezvous {
				if under == 0 {
					out.Rendezvous[i].Announced, out.Rendezvous[i].Got = nil, nil
				}
			}
			under++
		case e.Name == "call_answered":
			under = max(0, under-1)
		case with == nil:
		case kind == "rendezvous_announcement" && e.Name == "packet_sent":
			with.Announced, with.Got = &seq, nil
		case kind == "rendezvous_announcement":
			with.Heard, with.Sent = &seq, nil
		case kind != "rendezvous_data":
		case e.Name == "packet_sent":
			with.Sent = append(with.Sent, seq)
		default:
			with.Got = append(with.Got, seq)
		}
	}
}

// with is the rendezvous with the rank at a session.
func (out *Report) with(session uint32) *Rendezvous {
	at := slices.IndexFunc(out.Rendezvous, func(r Rendezvous) bool { return r.Session == session })
	if at < 0 {
		at, out.Rendezvous = len(out.Rendezvous), append(out.Rendezvous, Rendezvous{Session: session})
	}
	return &out.Rendezvous[at]
}

// between is the rendezvous with a rank of the world.
func (out *Report) between(rank int) Rendezvous {
	for _, r := range out.Rendezvous {
		if out.world(Wait{Session: r.Session}) == rank {
			return r
		}
	}
	return Rendezvous{}
}

// astray tells whether the network has lost a packet of a rendezvous between a rank and one that it waits for.
func (i *inquiry) astray(r, x *Report) bool {
	if !i.p.lossy() {
		return false
	}
	for _, way := range [][2]*Report{{x, r}, {r, x}} {
		from, to := way[0], way[1]
		told, heard := from.between(to.Rank), to.between(from.Rank)
		if told.Announced == nil || to.Unwell != "" || len(to.Stands) > 0 {
			continue
		}
		behind := uint32(1)
		switch {
		case heard.Heard != nil:
			behind = (*told.Announced - *heard.Heard) % rendezvousNumbers
		case to.Partial:
			continue
		}
		if behind > 0 && behind < rendezvousNumbers/2 {
			i.add(MessageLost, to.Rank, "the clear-to-send %d of rank %d to rank %d was sent and has not arrived",
				*told.Announced, from.Rank, to.Rank)
			return true
		}
		lost := slices.DeleteFunc(slices.Clone(heard.Sent), func(n uint32) bool { return slices.Contains(told.Got, n) })
		if behind == 0 && len(lost) > 0 {
			i.add(MessageLost, from.Rank, "packet %d with data of rank %d for rank %d was sent and has not arrived: %d of %d "+
				"such packets are lost", lost[0], to.Rank, from.Rank, len(lost), len(heard.Sent))
			return true
		}
	}
	return false
}
