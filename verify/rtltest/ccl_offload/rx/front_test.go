package rx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

func TestRxTCP(t *testing.T)   { packetSet.Check(t, "rx_tcp", rxTCP) }
func TestRxRDMA(t *testing.T)  { packetSet.Check(t, "rx_rdma", rxRDMA) }
func TestRxOffer(t *testing.T) { packetSet.Check(t, "rx_offer", rxOffer) }
func TestRxOfferTurns(t *testing.T) {
	packetSet.Finds(t, "rx_offer", "rx_offer", ".advance(state == PICK && go)", ".advance(1'b0)", rxOffer)
}

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
	for round := range 8 {
		if round > 0 && r.IntN(3) == 0 {
			b.Reset()
			notes, requests, open = [sessions][]note{}, nil, 0
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
			b.Put("expect_ready", expects.Next())
			b.Set("need_ready", 0)
			b.Settle()
			at := index(b.Get("need_session"))
			b.Scramble(r, "need_slot", "need_ready", "need_none")
			slot := r.IntN(slots)
			if at >= 0 {
				b.Put("need_none", !some[at])
				b.Put("need_ready", room[at] && r.IntN(4) > 0)
				b.Set("need_slot", uint64(slot))
			} else if b.Is("need_valid") {
				return fmt.Errorf("a slot is asked for of session %d", b.Get("need_session"))
			}
			b.Step()
			if in.Taken() && (now.closed || now.bytes > 0) {
				notes[its] = append(notes[its], now)
				open++
			}
			if open > 65 { // one that is closed is told of a cycle later
				return fmt.Errorf("%d notifications are taken at a time", open)
			}
			if b.Is("need_valid") && !room[at] {
				vain++
			}
			if cycle == 1500 && vain > 300 {
				return fmt.Errorf("sessions without room were asked for %d times in %d cycles", vain, cycle)
			}
			if b.Is("need_valid") && b.Is("need_ready") {
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

// fill sets a notification; what else stands in it is random.
func fill(b *block.Bench, r *rand.Rand, port, name string, values map[string]uint64) {
	data := random(r, b.Width(port)/8)
	for field, v := range values {
		f := layouts()[name][field]
		for i := range f.Bits() {
			at := f.Low + i
			data[at/8] = data[at/8]&^(1<<(at%8)) | byte(v>>i&1)<<(at%8)
		}
	}
	b.SetBytes(port, data)
}

// layouts are those of the interface: fields by layout and name.
var layouts = sync.OnceValue(func() map[string]map[string]abi.Field {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		panic(err)
	}
	all := map[string]map[string]abi.Field{}
	for _, name := range []string{"tcp_notification", "rdma_notification"} {
		all[name] = map[string]abi.Field{}
		for _, f := range d.ABI().Layout(name).Fields {
			all[name][f.Name] = f
		}
	}
	return all
})

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

// rxOffer offers packets: those of a session in their order, sessions in turn.
func rxOffer(b *block.Bench, r *rand.Rand) error {
	const (
		drop, hold, payload, all = 0, 1, 2, 3
	)
	type packet struct {
		slot, session int
		loop          bool
		bytes         int
		first         []byte
		ready         uint64 // cycle from which it can be at the front
		held, maybe   bool   // held; a retry came while it was offered
		exempt        bool   // a retry came just before: it may be held or not
		since         uint64 // when it was held for the last time, or nothing was offered
		from          int    // bytes that are done with
	}
	slots := 1 << b.Width("leave_slot")
	var orders [7][]*packet // by session
	var filling []*packet
	busy := make([]bool, slots)
	at := -1 // session that is offered
	last := block.NewOutput(b, "rx_valid", "rx_verdict_valid", "rx_session", "rx_loop", "rx_bytes", "rx_beat")
	waits, verdicts, passed, looks := 0, 0, 0, 0
	var look *packet                 // of which the first bytes are wanted
	asked, forgotten := false, false // for them; the packet is forgotten meanwhile
	resetting, resets := false, 0
	its := turn{slots: slots}
	forget := func() {
		orders, filling, at = [7][]*packet{}, nil, -1
		its.forget()
		clear(busy)
		last.Forget()
		look, asked, forgotten = nil, false, false
	}
	stop, shown, retried, retriedBefore, began := 0, false, uint64(0), uint64(0), uint64(0)
	for cycle := range 12000 {
		if r.IntN(3000) == 0 {
			b.Reset()
			forget()
		}
		// Packets come.
		b.Scramble(r, "first_slot", "first_data", "about_slot", "about_session", "about_loop", "about_bytes")
		b.Set("first_valid", 0)
		b.Set("about_valid", 0)
		var done *packet
		switch slot := r.IntN(slots); {
		case !busy[slot] && r.IntN(3) > 0:
			busy[slot] = true
			p := &packet{slot: slot, session: r.IntN(7), bytes: 1 + r.IntN(4096), first: random(r, beat)}
			p.loop = p.session == 6
			b.Set("first_valid", 1)
			b.Set("first_slot", uint64(slot))
			b.SetBytes("first_data", p.first)
			filling = append(filling, p)
			if r.IntN(3) > 0 {
				break
			}
			fallthrough
		case len(filling) > 0:
			i := len(filling) - 1
			if !b.Is("first_valid") {
				i = r.IntN(len(filling))
			}
			done = filling[i]
			filling = slices.Delete(filling, i, i+1)
			b.Set("about_valid", 1)
			b.Set("about_slot", uint64(done.slot))
			b.Set("about_session", uint64(done.session))
			b.Put("about_loop", done.loop)
			b.Set("about_bytes", uint64(done.bytes))
		}
		front := uint64(0)
		for _, o := range orders {
			if len(o) > 0 && o[0].ready <= b.Cycle {
				front |= 1 << o[0].slot
			}
		}
		b.Set("front", front)
		if stop > 0 {
			stop--
		} else if r.IntN(800) == 0 || look != nil && r.IntN(60) == 0 {
			stop, resetting = 1+r.IntN(20), r.IntN(2) == 0
		}
		if resetting = resetting && stop > 0; resetting {
			for i, o := range orders {
				for _, p := range o {
					busy[p.slot] = false
				}
				orders[i] = nil
			}
			b.Set("front", 0)
		}
		b.Put("go", stop == 0)
		b.Put("reset_network", resetting)
		retry := r.IntN([]int{8, 300, 100000}[cycle/4000]) == 0
		b.Put("rx_retry", retry)
		b.Scramble(r, "rx_verdict", "rx_take_bytes", "rx_before", "rx_rest", "look_data")
		b.Put("job_room", r.IntN(3) > 0)
		b.Put("look_valid", asked && r.IntN(3) == 0)
		verdict := r.IntN(3) == 0
		b.Put("rx_verdict_valid", verdict)
		b.Settle()
		kind, bytes, before, rest := r.IntN(4), 0, 0, 0
		if b.Is("rx_valid") && !resetting {
			if look != nil {
				return errors.New("a packet is offered while another one is looked at")
			}
			at = int(b.Get("rx_session"))
			if at >= len(orders) || len(orders[at]) == 0 {
				return fmt.Errorf("a packet of session %d is offered", at)
			}
			p := orders[at][0]
			if p.loop != b.Is("rx_loop") || p.bytes != int(b.Get("rx_bytes")) || !slices.Equal(p.first, b.Bytes("rx_beat")) {
				return fmt.Errorf("the packet of session %d is not offered as it came", at)
			}
			if p.held {
				return fmt.Errorf("a packet is offered again that is to wait")
			}
			bytes = r.IntN(3) * r.IntN(p.bytes+1) / 2
			if r.IntN(3) == 0 {
				before, rest = r.IntN(beat), r.IntN(p.bytes)
			}
			b.Set("rx_verdict", uint64(kind))
			b.Set("rx_take_bytes", uint64(bytes))
			b.Set("rx_before", uint64(before))
			b.Set("rx_rest", uint64(rest))
			if retry {
				p.maybe = true
			}
			if !shown {
				began, retriedBefore = b.Cycle, retried
				waiting := []int{}
				for s, o := range orders {
					if s != at && len(o) > 0 && max(o[0].ready, o[0].since)+3 < b.Cycle && !o[0].held && !o[0].exempt {
						waiting = append(waiting, o[0].slot)
					}
				}
				if len(waiting) > 0 {
					passed++
				}
				if err := its.next(p.slot, waiting, false); err != nil {
					return err
				}
			}
		}
		shown = b.Is("rx_valid") && !(verdict && stop == 0)
		if retry {
			retried = b.Cycle
		}
		b.Step()
		if done != nil {
			done.ready = b.Cycle + uint64(r.IntN(3)) + 1
			orders[done.session] = append(orders[done.session], done)
		}
		ok, err := last.Taken()
		if err != nil {
			return err
		}
		if stop > 0 {
			last.Forget()
		}
		ok = ok && stop == 0
		goes := ok && kind != hold
		leaves := goes && rest == 0
		job := goes && kind != drop && bytes > 0
		looking := b.Is("job_look")
		if looking {
			if looks++; look == nil || asked || !b.Is("job_valid") || !b.Is("job_room") || int(b.Get("job_slot")) != look.slot ||
				int(b.Get("job_from")) != look.from || int(b.Get("job_bytes")) != min(look.bytes, beat) || b.Is("job_final") {
				return fmt.Errorf("a look at %d bytes of slot %d from %d on", b.Get("job_bytes"), b.Get("job_slot"),
					b.Get("job_from"))
			}
			asked = true
		} else if b.Is("look_valid") && b.Is("look_ready") {
			if !asked {
				return errors.New("a look is taken that was not asked for")
			}
			if look.first = b.Bytes("look_data"); forgotten {
				resets++
			}
			look, asked, forgotten = nil, false, false
		}
		if resetting && look != nil {
			if forgotten = asked; !asked {
				look = nil
			}
		}
		if b.Is("leave") != leaves || b.Is("job_valid") != (job || looking) || b.Is("give_back") != (leaves && !job) {
			return fmt.Errorf("verdict %d of %d bytes (%t): leaves %t, job %t, given back %t", kind, bytes, ok, b.Is("leave"),
				b.Is("job_valid"), b.Is("give_back"))
		}
		if ok {
			p := orders[at][0]
			verdicts++
			begin := p.from
			if kind == payload {
				begin += beat - before
			}
			if job && (int(b.Get("job_slot")) != p.slot || int(b.Get("job_bytes")) != bytes || int(b.Get("job_from")) != begin ||
				b.Is("job_final") != leaves || looking) {
				return fmt.Errorf("the job is %d bytes of slot %d from %d on; not %d of %d from %d on", b.Get("job_bytes"),
					b.Get("job_slot"), b.Get("job_from"), bytes, p.slot, begin)
			}
			switch {
			case goes && !leaves:
				look = p
				p.from, p.bytes = p.from+p.bytes-rest, rest
				p.since = b.Cycle
			case leaves:
				if int(b.Get("leave_slot")) != p.slot {
					return fmt.Errorf("slot %d leaves, not %d", b.Get("leave_slot"), p.slot)
				}
				orders[at] = orders[at][1:]
				if len(orders[at]) > 0 {
					orders[at][0].ready = max(orders[at][0].ready, b.Cycle+1)
				}
				busy[p.slot] = false
			default:
				// Held, unless there may be room since it was offered.
				p.exempt = !p.maybe && retriedBefore+3 > began
				p.held = !p.maybe && !p.exempt
			}
			p.maybe = false
		}
		if stop > 0 { // who was chosen just then has lost the turn
			its.forget()
		}
		for _, o := range orders {
			for _, p := range o {
				if p.held || p.exempt || stop > 0 {
					p.since = b.Cycle
				}
				if retry || stop > 0 {
					p.held, p.exempt = false, false
				}
			}
		}
		// One that can be offered is, soon.
		could := stop == 0 && !b.Is("rx_valid") && look == nil
		any := false
		for _, o := range orders {
			any = any || len(o) > 0 && !o[0].held && !o[0].exempt && o[0].ready+4 < b.Cycle
		}
		if could && any {
			if waits++; waits > 20 {
				return errors.New("nothing is offered")
			}
		} else {
			waits = 0
		}
	}
	if verdicts < 500 || passed < 200 || looks < 100 || resets == 0 {
		return fmt.Errorf("only %d offers, %d while others waited, %d looks, %d in vain", verdicts, passed, looks, resets)
	}
	return nil
}
