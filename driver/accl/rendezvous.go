package accl

import "slices"

// Rendezvous is what the trace of an engine tells of its rendezvous with another rank.
type Rendezvous struct {
	Session uint32 // of the other rank
	// Announced are the numbers, modulo 4096, of clear-to-sends to the rank in the last calls, and Got those of packets
	// with data that came since the first of them: doneNumber for done messages.
	Announced, Got []uint32
	Heard          []ClearToSend // from the rank
}

// ClearToSend is one that has come: its number, and those of packets with data that went then, before the next one.
type ClearToSend struct {
	Number uint32
	Sent   []uint32
}

// doneNumber stands for a done message, behind all numbers that the trace tells of packets: they have 12 bits.
const doneNumber = 1 << 12

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
		seq, sent := e.Argument["seq"], e.Name == "packet_sent"
		if e.Names["kind"] == "rendezvous_done" {
			seq = doneNumber
		}
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
		case kind == "rendezvous_announcement" && sent:
			with.Announced = append(with.Announced, seq)
		case kind == "rendezvous_announcement":
			with.Heard = append(with.Heard, ClearToSend{Number: seq})
		case kind != "rendezvous_data" && kind != "rendezvous_done":
		case sent:
			if last := len(with.Heard) - 1; last >= 0 {
				with.Heard[last].Sent = append(with.Heard[last].Sent, seq)
			}
		case len(with.Announced) > 0:
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
		if len(told.Announced) == 0 || to.Unwell != "" || len(to.Stands) > 0 {
			continue
		}
		var numbers, sent []uint32 // sent since the first one came
		for _, h := range heard.Heard {
			numbers = append(numbers, h.Number)
			if slices.Contains(numbers, told.Announced[0]) {
				sent = append(sent, h.Sent...)
			}
		}
		if to.Partial && !slices.Contains(numbers, told.Announced[0]) {
			continue // maybe it came before
		}
		if lost := without(told.Announced, numbers); len(lost) > 0 {
			i.add(MessageLost, to.Rank, "the clear-to-send %d of rank %d to rank %d was sent and has not arrived", lost[0],
				from.Rank, to.Rank)
			return true
		}
		lost := without(sent, told.Got)
		switch {
		case len(lost) == 0:
			continue
		case lost[0] == doneNumber:
			i.add(MessageLost, from.Rank, "the done message of rank %d to rank %d was sent and has not arrived", to.Rank,
				from.Rank)
		default:
			i.add(MessageLost, from.Rank, "packet %d with data of rank %d for rank %d was sent and has not arrived: %d of %d "+
				"packets are lost", lost[0], to.Rank, from.Rank, len(lost), len(sent))
		}
		return true
	}
	return false
}

// without are those of all that are not among some, as often as they are there.
func without(all, some []uint32) (out []uint32) {
	left := map[uint32]int{}
	for _, n := range some {
		left[n]++
	}
	for _, n := range all {
		if left[n]--; left[n] < 0 {
			out = append(out, n)
		}
	}
	return out
}
