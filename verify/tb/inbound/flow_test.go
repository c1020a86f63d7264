package inbound

import (
	"bytes"
	"fmt"
	"testing"
)

// flow is one sender whose messages are taken one after another.
type flow struct {
	rank
	packets [][]byte // of messages that are under way
	sent    [][]byte // messages that have been offered, or will be, in order
	next    uint32   // number of the next message
	got     int
	reading int // channel that has asked, or -1
}

// rush has packets offered, messages taken and buffers given back at the same
// time, and compares what is read.
type rush struct {
	*rig
	flows   []*flow
	offered *flow
	lent    []uint32
	total   int
}

func newRush(t *testing.T, platform string, seed uint64, buffers int) *rush {
	r := &rush{rig: newRig(t, platform, seed)}
	for _, p := range r.ranks[:4] {
		if !p.self || !r.n.lossy {
			r.flows = append(r.flows, &flow{rank: p, next: r.m.get(p.record + r.n.inbound), reading: -1})
		}
	}
	r.give(buffers)
	return r
}

func (r *rush) give(buffers int) {
	for i := range uint32(buffers) {
		r.write(pageRx, "rx.address", i*0x4000)
		r.write(pageRx, "rx.address_high", 0)
		r.write(pageRx, "rx.bytes", 0x4000)
		r.write(pageRx, "rx.enqueue", r.n.exchangeBase+rxRecords+r.n.recordBytes*i)
	}
}

// send makes another message.
func (f *flow) send(r *rush, size uint32) {
	h := head{count: size, tag: 1, src: f.rank.rank, dst: f.session, context: f.context, seq: f.next}
	f.next++
	b := r.payload(size)
	f.sent = append(f.sent, b)
	first := min(size, 4032)
	if r.n.lossy {
		first = size
	}
	f.packets = append(f.packets, append(r.n.pack(h), b[:first]...))
	for b = b[first:]; len(b) > 0; b = b[min(len(b), maxPacket):] {
		f.packets = append(f.packets, b[:min(len(b), maxPacket)])
	}
}

// offerNext offers a packet of some flow that is not held.
func (r *rush) offerNext(held map[*flow]bool) {
	for _, i := range r.r.Perm(len(r.flows)) {
		f := r.flows[i]
		if held[f] || len(f.packets) == 0 {
			continue
		}
		p := f.packets[0]
		r.OfferSession, r.OfferLoop, r.OfferBytes = f.session, 0, uint32(len(p))
		if f.self {
			r.OfferSession, r.OfferLoop = 0, 1
		}
		copy(r.OfferData[:], p)
		clear(r.OfferData[len(p):64*((len(p)+63)/64)])
		r.OfferValid = 1
		r.offered = f
		return
	}
}

// ask has a channel wait for the next message of a flow.
func (r *rush) ask(c int, f *flow) {
	f.reading = c
	r.MatchRecord[c], r.MatchSession[c], r.MatchRank[c], r.MatchContext[c], r.MatchTag[c] = f.record, f.session, f.rank.rank, f.context, 1
	r.MatchValid[c] = 1
}

func (r *rush) run(size func() uint32, count int) {
	r.t.Helper()
	held := map[*flow]bool{}
	retries, changed := r.Retries, r.MessagesChanged
	waits := map[*flow]bool{} // until messages have changed
	for _, f := range r.flows {
		f.got, f.sent = 0, nil
	}
	for done, idle := 0, 0; done < count*len(r.flows); idle++ {
		if idle > 60000 {
			r.t.Fatalf("no message comes any more at cycle %d: %d of %d are there, held %d, %d packets of %d bytes offered", r.Cycle, done, count*len(r.flows), len(held), r.OfferValid, r.OfferBytes)
		}
		if r.OfferValid == 0 && r.offered != nil {
			if r.Verdict == holdIt {
				held[r.offered] = true
			} else {
				if r.Verdict == dropIt {
					r.t.Fatalf("a packet was dropped: events 0x%X", r.read(pageNetwork, "network.events"))
				}
				r.offered.packets = r.offered.packets[1:]
			}
			r.offered = nil
		}
		if r.Retries != retries {
			retries = r.Retries
			clear(held)
		}
		if r.offered == nil {
			for _, f := range r.flows {
				if len(f.packets) == 0 && len(f.sent) < count {
					f.send(r, size())
				}
			}
			r.offerNext(held)
		}
		for c, f := range r.flows {
			switch {
			case f.got == count:
			case f.reading < 0 && !waits[f]:
				changed = r.MessagesChanged
				r.ask(c, f)
			case f.reading >= 0 && r.MatchValid[c] == 0:
				f.reading = -1
				if r.MatchFound[c] == 0 {
					waits[f] = true
					break
				}
				idle = 0
				done++
				r.look(c, f)
			}
		}
		r.Step(1)
		if r.MessagesChanged != changed {
			changed = r.MessagesChanged
			clear(waits)
		}
		r.release()
	}
	for r.release() {
		r.Step(1)
	}
	r.check(r.Settle())
	if r.Fault != 0 {
		r.t.Fatalf("fault %d of the surroundings", r.Fault)
	}
}

// look compares a message with what was sent, and notes its buffer.
func (r *rush) look(c int, f *flow) {
	r.t.Helper()
	want := f.sent[f.got]
	f.got++
	if int(r.MatchBytes[c]) != len(want) {
		r.t.Fatalf("message %d of rank %d has %d bytes, want %d", f.got, f.rank.rank, r.MatchBytes[c], len(want))
	}
	r.total += len(want)
	if len(want) == 0 {
		return
	}
	at := r.MatchAddress[c]
	if !bytes.Equal(r.Device[at:at+uint64(len(want))], want) {
		r.t.Fatalf("message %d of rank %d differs", f.got, f.rank.rank)
	}
	record := r.n.exchangeBase + rxRecords + r.n.recordBytes*r.MatchBuffer[c]
	r.same("status in the record", r.Exchange[(record+r.n.status)/4], r.n.reserved)
	r.same("bytes in the record", r.Exchange[(record+r.n.bytes)/4], uint32(len(want)))
	r.lent = append(r.lent, r.MatchBuffer[c])
}

// release gives buffers back, and tells whether there are more.
func (r *rush) release() bool {
	if r.ReleaseValid == 0 && len(r.lent) > 0 {
		r.ReleaseBuffer, r.ReleaseValid = r.lent[0], 1
		r.lent = r.lent[1:]
	}
	return r.ReleaseValid != 0 || len(r.lent) > 0
}

func TestMessagesOfManySendersComeWholeAndInOrder(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp"} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("%s, seed %d", platform, seed), func(t *testing.T) {
				r := newRush(t, platform, seed, 2)
				if r.n.lossy {
					r.give(0)
				}
				r.Stall, r.Latency = 60, 4
				largest := 9000
				if r.n.lossy {
					r.giveMore(2, 20)
					largest = 4032
				}
				r.run(func() uint32 { return uint32(r.r.IntN(largest)) * uint32(r.r.IntN(2)) }, 40)
				r.same("free buffers in the end", r.read(pageRx, "rx.free"), uint32(r.given))
			})
		}
	}
}
