package transmit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// TestASessionIsGivenUp: a packet that the stack refuses is asked for again until the limit of
// waits for remote ranks, and no longer; its session gets no more room until a reset or its end,
// and others go on.
func TestASessionIsGivenUp(t *testing.T) {
	set.Check(t, "network_transmit", givesUp)
}

func TestDefectsOfRefusals(t *testing.T) {
	block.Plant(t, "^Test(ASessionIsGivenUp|NetworkTCP)$", "tx_refusals", "tx_packets")
}

const (
	millisecond = 64 // cycles
	limit       = 5  // milliseconds
)

// refuser is a stack that refuses packets of some sessions.
type refuser struct {
	b        *block.Bench
	refuses  map[uint64]bool
	asked    []uint64 // sessions, not answered
	answers  int      // that come now
	sent     map[uint64]int
	refusals int // that the stack has made
	told     int // of them
	givenUp  []uint64
	cycle    int
	requests map[uint64]int
}

func (x *refuser) step() {
	b := x.b
	x.cycle++
	b.Put("tick_millisecond", x.cycle%millisecond == 0)
	b.Set("eth_tx_status_tvalid", 0)
	if len(x.asked) > 1 || x.cycle%300 == 0 { // of two packets one behind the other
		x.answers = len(x.asked)
	}
	if x.answers > 0 {
		x.answers--
		b.Set("eth_tx_status_tvalid", 1)
		status := x.asked[0]
		if x.refuses[status] {
			status |= 1 << 62
			x.refusals++
		}
		b.Set("eth_tx_status_tdata", status)
		x.asked = x.asked[1:]
	}
	b.Step()
	if b.Is("eth_tx_meta_tvalid") && b.Is("eth_tx_meta_tready") {
		session := b.Get("eth_tx_meta_tdata") & 0xFFFF
		x.asked = append(x.asked, session)
		x.requests[session]++
	}
	if b.Is("eth_tx_data_tvalid") && b.Is("eth_tx_data_tlast") {
		x.sent[b.Get("eth_tx_data_tdest")]++
	}
	if b.Is("refused") {
		x.told++
	}
	if b.Is("given_up") {
		x.givenUp = append(x.givenUp, b.Get("given_up_session"))
	}
}

// open opens a packet that is a header alone, and completes it; false if there is no room.
func (x *refuser) open(session uint64) bool { return x.filled(session, 1) }

// filled opens a packet of so many rows, fills those behind its header and completes it.
func (x *refuser) filled(session uint64, rows int) bool {
	b := x.b
	b.Set("packet_open.session", session)
	b.Set("packet_open.headed", 1)
	b.Set("packet_open_valid", 1)
	for range 400 {
		x.step()
		if !b.Is("packet_open_ready") {
			continue
		}
		b.Set("packet_commit_slot", b.Get("packet_open_slot"))
		b.Set("packet_open_valid", 0)
		b.Set("slot_write_slot", b.Get("packet_open_slot"))
		for row := 1; row < rows; row++ {
			b.Set("slot_write_row", uint64(row))
			b.Set("slot_write_valid", 1)
			x.step()
		}
		b.Set("slot_write_valid", 0)
		b.Set("packet_commit_good", 1)
		b.Set("packet_commit_valid", 1)
		for range 100 {
			if x.step(); b.Is("packet_commit_ready") {
				b.Set("packet_commit_valid", 0)
				return true
			}
		}
		break
	}
	b.Set("packet_open_valid", 0)
	b.Set("packet_commit_valid", 0)
	return false
}

func (x *refuser) steps(n int) {
	for range n {
		x.step()
	}
}

// givesUp has a session refused, and another one for a while.
func givesUp(b *block.Bench, r *rand.Rand) error {
	x := &refuser{b: b, refuses: map[uint64]bool{}, sent: map[uint64]int{}, requests: map[uint64]int{}}
	b.Set("remote_milliseconds", limit)
	ones := []string{"network_enable", "eth_tx_meta_tready", "eth_tx_data_tready", "loop_room", "loop_ready"}
	for _, name := range ones {
		b.Set(name, 1)
	}
	if x.steps(3000); x.told+len(x.givenUp) > 0 { // until it knows what sessions owe
		return errors.New("packets are refused that nobody has opened")
	}
	a := uint64(r.IntN(500))
	c := a + 1 + uint64(r.IntN(500))
	for round, ends := range []string{"reset_network", "session_closed_valid", "reset_network"} {
		*x = refuser{b: b, refuses: map[uint64]bool{a: true, c: true}, sent: map[uint64]int{}, requests: map[uint64]int{},
			cycle: x.cycle}
		// The other session is watched first, for longer than the limit, and goes then.
		room := x.open(c)
		x.steps(4 * millisecond)
		if room = x.open(a) && room; !room {
			return fmt.Errorf("round %d: there is no room at the beginning", round)
		}
		begin := x.cycle
		for ; len(x.givenUp) == 0 && x.cycle < begin+5*limit*millisecond; x.step() {
			if x.cycle > begin+millisecond {
				x.refuses[c] = false
			}
			if x.cycle%200 == 0 && !x.open(c) {
				return errors.New("another session has no room")
			}
		}
		took := (x.cycle - begin) / millisecond
		if len(x.givenUp) != 1 || x.givenUp[0] != a || took < limit-1 || took > limit+16 {
			return fmt.Errorf("after %d ms sessions %d are given up, not %d then", took, x.givenUp, a)
		}
		tries := x.requests[a]
		x.steps(10 * 256)
		if x.requests[a] != tries || tries < 2 || tries > 2+took*millisecond/100 || x.sent[a] != 0 {
			return fmt.Errorf("session %d was tried %d times in %d ms, and %d times later", a, tries, took, x.requests[a]-tries)
		}
		if x.told != x.refusals {
			return fmt.Errorf("%d refusals are told, there were %d", x.told, x.refusals)
		}
		before := x.sent[c]
		if x.open(a) {
			return errors.New("a session that was given up has room")
		}
		if !x.open(c) {
			return errors.New("another session has no room then")
		}
		if x.steps(600); x.sent[c] != before+1 {
			return errors.New("a packet of another session does not go")
		}
		if ends == "reset_network" { // the next one has its turn
			x.refuses[c] = true
			x.open(c)
			if x.steps(3 * limit * millisecond); len(x.givenUp) != 2 || x.givenUp[1] != c {
				return fmt.Errorf("then sessions %d are given up, not %d", x.givenUp, c)
			}
		}
		x.refuses[a], x.givenUp = false, nil
		b.Set("session_closed", a)
		b.Set(ends, 1)
		x.steps(1)
		if ends == "reset_network" {
			x.steps(20)
		}
		b.Set(ends, 0)
		x.steps(20)
		if !x.open(a) {
			return fmt.Errorf("after %s the session has no room", ends)
		}
		if x.steps(600); x.sent[a] != 1 || len(x.givenUp) > 0 {
			return fmt.Errorf("after %s session %d has sent %d packets; given up are %d", ends, a, x.sent[a], x.givenUp)
		}
	}
	return nil
}
