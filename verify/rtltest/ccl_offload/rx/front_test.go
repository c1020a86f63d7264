package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestRxTCP(t *testing.T)  { unitSet.Check(t, "rx_tcp", rxTCP) }
func TestRxRDMA(t *testing.T) { unitSet.Check(t, "rx_rdma", rxRDMA) }

// part is what is read at once.
type part struct {
	session uint64
	bytes   int
	slot    int
}

// rxTCP notifies of data of a few sessions, some of which have no room at times.
func rxTCP(b *block.Bench, r *rand.Rand) error {
	const whole = 4096
	slots := 1 << b.Width("need_slot")
	type note struct {
		bytes  int
		closed bool
	}
	const sessions = 6
	numbers := make([]uint64, sessions)
	for i := range numbers {
		numbers[i] = uint64(100*i + r.IntN(100))
	}
	index := func(session uint64) int { return slices.Index(numbers, session) }
	var notes [sessions][]note // that are to be read
	var room, some [sessions]bool
	var requests []part // that are to come
	in := block.NewInput(b, "notification_tvalid", "notification_tready")
	out := block.NewOutput(b, "read_pkg_tvalid", "read_pkg_tready", "read_pkg_tdata")
	open, now, its := 0, note{}, 0
	asking, before := 0, 0 // cycles of a request, and its session
	for round := range 8 {
		if round > 0 && r.IntN(3) == 0 {
			b.Reset()
			notes, requests, open, asking = [sessions][]note{}, nil, 0, 0
			in.Withdraw()
			out.Forget()
		}
		gives, takes, expects := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
		stuck := round%2 == 1 // sessions run out of room for long
		ever := stuck && r.IntN(2) == 0
		vain := 0 // cycles in which one is asked for that has no room
		for i := range sessions {
			room[i], some[i] = !stuck || i == 0, r.IntN(2) == 0
		}
		idle := 0
		for cycle := range 12000 {
			ending := cycle > 1500 // all is to end
			if ending && open == 0 && len(requests) == 0 && !in.Offered() && !b.Is("busy") {
				break
			}
			if !in.Offered() {
				b.Scramble(r, "notification_tdata")
				if !ending && gives.Next() {
					its = r.IntN(sessions)
					now = note{bytes: length(r, 3*whole)}
					switch r.IntN(6) {
					case 0:
						now.bytes = 0
					case 1:
						now.bytes = r.IntN(0x10000)
					case 2:
						now = note{closed: true}
					}
					closed := uint64(0)
					if now.closed {
						closed = 1
					}
					fill(b, r, "notification_tdata", "tcp_notification", map[string]uint64{"session": numbers[its],
						"length": uint64(now.bytes), "closed": closed})
					in.Offer()
				}
			}
			if r.IntN(64) == 0 || ending {
				for i := range sessions {
					room[i] = !stuck || i == 0 || !ever && r.IntN(6) == 0 || ending
					some[i] = r.IntN(2) == 0 && !ending
				}
			}
			b.Put("read_pkg_tready", takes.Next())
			b.Put("expect_ready", expects.Next() || asking > 0)
			b.Set("need_known", 0)
			b.Settle()
			at, asked := index(b.Get("need_session")), b.Is("need_valid")
			if asking > 0 && (!asked || at != before) {
				return errors.New("a request did not stand until it was answered")
			}
			b.Scramble(r, "need_slot", "need_ready", "need_none")
			slot, early := r.IntN(slots), asked && b.Is("need_take") && room[max(at, 0)] && r.IntN(2) == 0
			known := early || asked && asking > 1
			b.Put("need_known", known)
			if known {
				b.Put("need_none", !some[at])
				b.Put("need_ready", early || b.Is("need_take") && room[at] && r.IntN(4) > 0)
				b.Set("need_slot", uint64(slot))
			} else if at < 0 && asked {
				return fmt.Errorf("a slot is asked for of session %d", b.Get("need_session"))
			}
			b.Step()
			if asking, before = asking+1, at; !asked || known {
				asking = 0
			}
			if in.Taken() && (now.closed || now.bytes > 0) {
				notes[its] = append(notes[its], now)
				open++
			}
			if open > 65 { // one that is closed is told of a cycle later
				return fmt.Errorf("%d notifications are taken at a time", open)
			}
			if known && !room[at] {
				vain++
			}
			if cycle == 1500 && vain > 300 {
				return fmt.Errorf("sessions without room were asked for %d times in %d cycles", vain, cycle)
			}
			if known && b.Is("need_ready") {
				q := notes[at]
				if len(q) == 0 || q[0].closed {
					return fmt.Errorf("session %d is read, of which nothing has come", numbers[at])
				}
				p := part{numbers[at], min(whole, q[0].bytes), slot}
				if !b.Is("expect_valid") || !b.Is("expect_ready") {
					return errors.New("a slot is taken, and nothing is expected in it")
				}
				if got := (part{b.Get("expect_session"), int(b.Get("expect_bytes")), int(b.Get("expect_slot"))}); got != p {
					return fmt.Errorf("%+v is expected, not %+v", got, p)
				}
				requests = append(requests, p)
				if q[0].bytes -= p.bytes; q[0].bytes == 0 {
					notes[at] = q[1:]
					open--
				}
				idle = 0
			} else if b.Is("expect_valid") && b.Is("expect_ready") {
				return errors.New("something is expected without a slot")
			}
			ok, err := out.Taken()
			if err != nil {
				return err
			}
			if ok {
				if len(requests) == 0 {
					return errors.New("a request for nothing")
				}
				v := b.Get("read_pkg_tdata")
				if p := requests[0]; v&0xFFFF != p.session || int(v>>16) != p.bytes {
					return fmt.Errorf("%d bytes of session %d are requested, not %+v", v>>16, v&0xFFFF, p)
				}
				requests = requests[1:]
			}
			if b.Is("session_closed_valid") {
				s := index(b.Get("session_closed"))
				if s < 0 || len(notes[s]) == 0 || !notes[s][0].closed {
					return fmt.Errorf("session %d is closed", b.Get("session_closed"))
				}
				notes[s] = notes[s][1:]
				open--
				idle = 0
			}
			if !b.Is("busy") && open > 0 {
				return errors.New("it is not busy with notifications left")
			}
			// A session that has room does not wait for others.
			if len(notes[0]) == 0 || !room[0] || some[0] {
				idle = 0
			}
			if idle++; idle > 600 {
				return fmt.Errorf("session %d has room, and waits", numbers[0])
			}
		}
		if open > 0 || len(requests) > 0 || b.Is("busy") {
			return fmt.Errorf("%d notifications, %d requests are left", open, len(requests))
		}
	}
	return nil
}

// rxRDMA tells of messages, whose data come in slots.
func rxRDMA(b *block.Bench, r *rand.Rand) error {
	const whole = 4096
	var parts []part
	in := block.NewInput(b, "notification_tvalid", "notification_tready")
	var now part
	for round := range 6 {
		if round > 0 && r.IntN(2) == 0 {
			b.Reset()
			parts = nil
			in.Withdraw()
		}
		gives, needs, expects := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
		for cycle, seen := 0, 0; seen < 300; cycle++ {
			if cycle > 20000 {
				return fmt.Errorf("only %d parts came", seen)
			}
			if !in.Offered() {
				b.Scramble(r, "notification_tdata")
				if gives.Next() {
					now = part{session: r.Uint64() & 0xFFFF, bytes: length(r, 4*whole)}
					if r.IntN(8) == 0 {
						now.bytes = 0
					}
					fill(b, r, "notification_tdata", "rdma_notification", map[string]uint64{"session": now.session,
						"length": uint64(now.bytes)})
					in.Offer()
				}
			}
			b.Scramble(r, "need_slot")
			b.Put("need_ready", needs.Next())
			b.Put("expect_ready", expects.Next())
			b.Step()
			if (len(parts) > 0 || in.Offered()) != b.Is("busy") {
				return fmt.Errorf("it is busy: %t, with %d parts to come", b.Is("busy"), len(parts))
			}
			need, expect := b.Is("need_valid") && b.Is("need_ready"), b.Is("expect_valid") && b.Is("expect_ready")
			if need != expect {
				return fmt.Errorf("a slot is taken: %t, something is expected: %t", need, expect)
			}
			if need {
				if len(parts) == 0 {
					return errors.New("a slot is taken for nothing")
				}
				p := parts[0]
				p.slot = int(b.Get("need_slot"))
				if got := (part{b.Get("expect_session"), int(b.Get("expect_bytes")), int(b.Get("expect_slot"))}); got != p ||
					b.Get("need_session") != p.session {
					return fmt.Errorf("%+v is expected for session %d, not %+v", got, b.Get("need_session"), p)
				}
				parts = parts[1:]
				seen++
			}
			if in.Taken() {
				for left := now.bytes; left > 0; left -= whole {
					parts = append(parts, part{session: now.session, bytes: min(left, whole)})
				}
			}
		}
	}
	return nil
}
