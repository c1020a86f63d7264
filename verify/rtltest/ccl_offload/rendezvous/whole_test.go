// Package rendezvous checks what keeps the windows that remote ranks write to, as a whole and the source of moves that
// read from them, each against a model of its own.
package rendezvous

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var set = block.NewSet(
	block.Module{Name: "window_source"},
	block.Module{Name: "rendezvous", Parts: []string{"rendezvous_registers", "session_counters", "window_table"}},
	block.Module{Name: "rendezvous", As: "rendezvous_udp", Platform: "u55c_udp",
		Parts: []string{"announcements", "window_table"}},
	block.Module{Name: "rendezvous", As: "rendezvous_rdma", Platform: "u55c_rdma", Parts: []string{"window_table"}},
)

const (
	doData = iota
	doFinished
)

func TestRendezvous(t *testing.T) { set.Check(t, "rendezvous", rendezvous) }

func TestRendezvousUDP(t *testing.T) { set.Check(t, "rendezvous_udp", rendezvous) }

func TestRendezvousRDMA(t *testing.T) { set.Check(t, "rendezvous_rdma", rendezvous) }

// patience is how many cycles anything may take: sessions are counted one by one after a reset.
const patience = 6000

// whole is the module with all around it. Windows are asked for by many at the same time: the
// model does what each of them wants when it is done, except for registers, whose window is left
// alone by others while it is opened or shut.
type whole struct {
	model
	b          *block.Bench
	r          *rand.Rand
	registers  map[string]uint64
	anyTag     uint64
	reg        *access
	plan       []access
	kept       map[uint64]uint64 // what was written to registers
	wait       uint64            // until this cycle firmware does nothing
	packet     *packet
	enabled    uint64 // the network, in this cycle
	writes     []what // packets that were let in and whose data are on the way to memory
	writing    *what
	queries    [4]*what
	passed     [4]int            // since a channel has asked, answers to others
	sending    *what             // an announcement
	numbers    map[uint64]uint64 // of announcements that were sent, by session
	foreigners map[uint64]bool
	arrived    []*announcement // oldest first
	early      []*announcement // that have overtaken others
	expected   map[uint64]uint64
	sought     *announcement
	apart      bool    // what was sought is of another collective
	busy       [32]int // of a window: who asks for it
	locked     int     // window that is opened or shut; -1: none
	resetting  int
	reset      uint64 // cycle in which one has ended
	changes    due
	events     due
	seen       map[string]int
}

// announcement is one of a remote rank's buffer.
type announcement struct {
	session, src, context, tag, count, address, host, number uint64
	of                                                       block.Collective
}

// due is a pulse that must come.
type due struct {
	by   uint64 // this cycle; 0: none must
	last uint64 // cycle of the last one
}

const pulseCycles = 40

func (d *due) cause(now uint64) {
	if d.by == 0 {
		d.by = now + pulseCycles
	}
}

// pulse takes one; may tells whether something that is under way can have caused it.
func (d *due) pulse(name string, is, may bool, now uint64) error {
	switch {
	case is && d.by == 0 && !may:
		return fmt.Errorf("%s pulses for nothing", name)
	case is:
		d.by, d.last = 0, now
	case d.by != 0 && now > d.by:
		return fmt.Errorf("%s does not pulse", name)
	}
	return nil
}

func newWhole(b *block.Bench, r *rand.Rand) (*whole, error) {
	d, err := block.Design("u55c_tcp")
	if err != nil {
		return nil, err
	}
	x := &whole{model: newModel(b), b: b, r: r,
		registers: map[string]uint64{}, seen: map[string]int{}, foreigners: map[uint64]bool{}}
	x.anyTag = uint64(d.ABI().Constant("tag_any").Value)
	for _, reg := range d.ABI().RegisterMap("rendezvous").Registers {
		x.registers[reg.Name] = uint64(reg.At)
	}
	x.restart()
	page := block.Page{Request: "reg_request", Response: "reg_response"}
	return x, b.Undefined(page, b.Step, r, d.ABI().RegisterMap("rendezvous"))
}

// forget is after a reset of messages.
func (x *whole) forget() {
	for i := range x.windows {
		x.windows[i].open, x.windows[i].complete = false, false
	}
	x.arrived, x.early, x.sought, x.apart = nil, nil, nil, false
	x.expected, x.numbers = map[uint64]uint64{}, map[uint64]uint64{}
	x.changes, x.events = due{}, due{}
}

// restart is after a reset of everything around, too.
func (x *whole) restart() {
	x.b.Reset()
	x.enabled = x.b.Cycle + 1200
	x.forget()
	x.reg, x.plan, x.packet, x.writes, x.writing, x.sending, x.locked, x.resetting = nil, nil, nil, nil, nil, nil, -1, 0
	x.queries, x.busy, x.kept = [4]*what{}, [32]int{}, map[uint64]uint64{}
	clear(x.foreigners)
}

// some is a window that nobody opens or shuts just now.
func (x *whole) some() (int, *window) {
	n := x.r.IntN(6)
	if n == x.locked {
		n = (n + 1) % 6
	}
	return n, &x.windows[n]
}

// drive goes before a step.
func (x *whole) drive() {
	b, r := x.b, x.r
	b.Put("reset_messages", x.resetting > 0)
	b.Put("quiet", x.resetting > 2 || x.resetting == 0 && r.IntN(20) == 0)
	x.drivePacket()
	x.driveWritten()
	x.driveQueries()
	x.driveNumber()
	x.driveRegister()
	b.Set("foreign_valid", 0)
	b.Scramble(r, "foreign_session")
	if r.IntN(500) == 0 {
		s := r.Uint64N(4)
		b.Set("foreign_valid", 1)
		b.Set("foreign_session", s)
		x.foreigners[s] = true
	}
}

// observe goes after a step.
func (x *whole) observe() error {
	b := x.b
	news := x.packet != nil && x.packet.kind == b.Const("engine_pkg::TYPE_ANNOUNCEMENT")
	return errors.Join(
		x.changes.pulse("windows_changed", b.Is("windows_changed"), x.locked >= 0, b.Cycle), // for what was done before
		x.events.pulse("event_rendezvous", b.Is("event_rendezvous"), news, b.Cycle),
		x.decided(), x.written(), x.answered(), x.numbered(), x.accessed(),
	)
}

func rendezvous(b *block.Bench, r *rand.Rand) error {
	x, err := newWhole(b, r)
	if err != nil {
		return err
	}
	for range 60000 {
		if r.IntN(15000) == 0 {
			x.restart()
		}
		x.proceed()
		x.drive()
		b.Step()
		if err := x.observe(); err != nil {
			return err
		}
		switch idle := b.Is("messages_idle"); {
		case idle && x.resetting < 3 && b.Cycle > x.reset+1:
			return errors.New("it is idle, it says, and is not being reset")
		case idle && x.resetting > 2:
			x.forget()
			x.resetting, x.reset = 0, b.Cycle
			x.seen["resets"]++
		case x.resetting > patience:
			return errors.New("a reset does not end")
		}
	}
	for what, n := range map[string]int{"let in": 100, "complete": 10, "answers": 100, "numbers": 50, "found": 20,
		"taken": 10, "resets": 2, "foreign": 1, "without a window": 10, "older": 3, "apart": 3} {
		if x.rdma && what == "foreign" {
			continue
		}
		if x.seen[what] < n {
			return fmt.Errorf("only %v", x.seen)
		}
	}
	return nil
}

// proceed takes a reset of messages a step further: firmware waits for it, and what comes in stops.
func (x *whole) proceed() {
	switch x.resetting {
	case 0:
		if x.reg == nil && len(x.plan) == 0 && x.r.IntN(3000) == 0 {
			x.resetting = 1
		}
	case 1:
		if x.r.IntN(50) == 0 {
			x.resetting = 2
		}
	case 2:
		if x.packet == nil && x.writing == nil {
			x.writes = nil
			x.resetting = 3
		}
	default:
		x.resetting++
	}
}
