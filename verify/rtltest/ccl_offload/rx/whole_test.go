package rx

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

func TestMessages(t *testing.T)      { messageSet.Check(t, "messages", wholeMessages) }
func TestMessagesLossy(t *testing.T) { messageSet.Check(t, "messages_udp", wholeMessages) }

// result is what became of the payload of a message.
type result struct{ buffer, what uint64 }

const good, failed, forgotten = 0, 1, 2

// whole is the module with all around it.
type joined struct {
	worlds
	b          *block.Bench
	r          *rand.Rand
	lossy      bool
	memory     map[uint64]uint64
	words      recorderWords
	inbound    uint64 // offset of the number of the next message
	exchanges  func() bool
	given      []buffer // in their order
	takers     [4]offerTaker
	offered    *note
	held       []note // without a buffer
	welcome    bool   // they may come in
	shut       int    // cycles for which one could come in, and is not told
	pace       int    // one of so many cycles brings a message
	firmware   int    // one of so many cycles has it do something
	taken      int    // cycle in which a queue got a message at last
	calm       int    // until this cycle nobody asks for anything
	answered   int    // cycle of the last answer
	completes  *block.Feed[result]
	releases   [2]*block.Feed[uint64]
	coming     []note // whose payload is on its way
	reg        *registerAccess
	plan       []registerAccess
	next       buffer // that is given next
	event      cause
	seen       map[string]int
	resetting  int
	rests      int    // cycles since a reset
	alone      uint64 // messages without payload that there were
	registers  map[string]uint64
	lastFields map[uint64]note // what was in a buffer
	again      map[uint64]bool // buffers of which it is known that they will wait again
	// cycle in which a request was ended by one of another collective, from which on it is known which
	otherSince int
}

// cause says why the processor is woken up.
type cause struct {
	arrived  int // cycle of a message without payload; 0: none
	complete *uint64
	told     bool
}

func newWhole(b *block.Bench, r *rand.Rand) (*joined, error) {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return nil, err
	}
	x := &joined{b: b, r: r, lossy: b.Const("engine_pkg::LOSSY") != 0, memory: map[uint64]uint64{}, seen: map[string]int{},
		registers: map[string]uint64{}}
	if x.words, err = newRecorderWords(); err != nil {
		return nil, err
	}
	for i, f := range d.ABI().Memory("exchange").Table("communicators").Record {
		if f.Name == "inbound_seq" {
			x.inbound = uint64(4 * i)
		}
	}
	for _, reg := range d.ABI().RegisterMap("rx").Registers {
		x.registers[reg.Name] = uint64(reg.At)
	}
	for i := range uint64(4) {
		x.memory[0x1000+64*i+x.inbound] = []uint64{0, 5, 0xFFFFFFFE, 0x7FFFFFFF}[r.IntN(4)]
	}
	x.completes = &block.Feed[result]{Input: block.NewInput(b, "complete_valid", "complete_ready", "complete_buffer",
		"complete_result"), Put: func(v result) {
		b.Set("complete_buffer", v.buffer)
		b.Set("complete_result", v.what)
	}}
	for i, name := range []string{"release", "channel_release"} {
		x.releases[i] = &block.Feed[uint64]{Input: block.NewInput(b, name+"_valid", name+"_ready", name+"_buffer"),
			Put: func(n uint64) { b.Set(name+"_buffer", n) }}
	}
	x.restart()
	x.otherSince = 0
	return x, nil
}

// restart is after a reset: all is forgotten but the exchange memory.
func (x *joined) restart() {
	m := &matcher{model: newMemory(), lossy: x.lossy}
	for i := range uint64(4) {
		m.model.counts[0x1000+64*i] = x.memory[0x1000+64*i+x.inbound]
	}
	x.worlds = worlds{all: []world{{m, 0}}, last: int(x.b.Cycle)}
	x.given, x.takers, x.offered, x.held, x.coming, x.reg, x.plan, x.event, x.shut = nil, [4]offerTaker{}, nil, nil,
		nil, nil, nil, cause{}, 0
	x.lastFields, x.again, x.asking = map[uint64]note{}, map[uint64]bool{}, nil
	x.otherSince = math.MaxInt - 4
	x.b.Set("accept_valid", 0)
	x.b.Set("reg_request.valid", 0)
	x.completes.Forget()
	x.exchanges, x.completes.Pace = block.NewRhythm(x.r).Next, block.NewRhythm(x.r).Next
	for _, f := range x.releases {
		f.Forget()
		f.Pace = block.NewRhythm(x.r).Next
	}
}

// some is what somebody could want.
func (x *joined) some() wanted {
	r := x.r
	record := 0x1000 + 64*r.Uint64N(4)
	return wanted{record, record >> 6 & 1, record >> 7 & 1, r.Uint64N(3), []uint64{7, 8, anyTag}[r.IntN(3)],
		block.RandomCollective(r)}
}

// drive goes before a step.
func (x *joined) drive() {
	b, r := x.b, x.r
	m := x.all[0].model
	calm := x.lull()
	quiet := x.resetting > 1 || calm
	if x.offered == nil {
		b.Scramble(r, "accept_session", "accept_header")
		// Packets are offered with cycles between, in which others have their turn.
		if r.IntN(x.pace) == 0 && !calm && x.resetting == 0 && int(b.Cycle) > x.answered+2 {
			w := x.some()
			n := note{key: key{w.session, w.rank,
				(m.counts[w.record] + uint64(r.IntN(4)*r.IntN(2)) - uint64(r.IntN(8)/7)) & 0xFFFFFFFF}, context: r.Uint64N(3),
				tag: w.tag, bytes: []uint64{0, 100, 101, 1 + r.Uint64N(90), 1000}[r.IntN(5)], of: w.of}
			switch {
			case len(x.held) > 0 && x.welcome:
				n, x.held = x.held[0], x.held[1:]
			case len(x.held) > 3:
				n.bytes = 0
			}
			x.welcome = x.welcome && len(x.held) > 0
			x.offered = &n
			b.Set("accept_valid", 1)
			b.Set("accept_session", n.session)
			for name, v := range map[string]uint64{"src": n.src, "seq": n.seq, "context_": n.context, "tag": n.tag,
				"count": n.bytes} {
				b.Set("accept_header."+name, v)
			}
			b.SetCollective("accept_header.collective", n.of)
		}
	}
	x.driveTakers(quiet)
	if len(x.coming) > 0 && len(x.completes.Queue) == 0 && !calm && r.IntN(40) == 0 {
		i := r.IntN(len(x.coming))
		n := x.coming[i]
		x.coming = slices.Delete(x.coming, i, i+1)
		what := []uint64{good, good, good, good, good, good, good, failed, forgotten, forgotten}[r.IntN(10)]
		x.completes.Queue = append(x.completes.Queue, result{n.number, what})
	}
	x.completes.Drive(r)
	for _, f := range x.releases {
		f.Drive(r)
	}
	x.driveRegister()
	b.Scramble(r, "exchange_response", "peer_response")
	b.Set("exchange_response.done", 0)
	b.Set("peer_response.done", 0)
	b.Settle()
	if b.Is("exchange_request.valid") && x.exchanges() {
		b.Set("exchange_response.done", 1)
		b.Set("exchange_response.ok", 1)
		b.Set("exchange_response.rdata", x.memory[b.Get("exchange_request.address")])
	}
	if b.Is("peer_request.valid") && r.IntN(3) == 0 {
		x.answerPeer()
	}
	x.asking = x.asking[:0]
	for _, t := range x.takers {
		if t.asks {
			x.asking = append(x.asking, t.wanted)
		}
	}
	if x.reg != nil && x.reg.name == "seek" && x.reg.known {
		x.asking = append(x.asking, x.reg.want)
	}
}

// exchange does what was asked of the exchange memory.
func (x *joined) exchange() error {
	b := x.b
	if !b.Is("exchange_request.valid") || !b.Is("exchange_response.done") {
		return nil
	}
	at := b.Get("exchange_request.address")
	switch b.Get("exchange_request.operation") {
	case b.Const("engine_pkg::EXCHANGE_ADD"):
		x.memory[at] = (x.memory[at] + b.Get("exchange_request.wdata")) & 0xFFFFFFFF
	case b.Const("engine_pkg::EXCHANGE_WRITE"):
		if at >= 0x1000 {
			return fmt.Errorf("it writes to %X", at)
		}
		x.memory[at] = b.Get("exchange_request.wdata")
		return x.posted(at)
	}
	return nil
}

// posted follows a record of which the buffer waits again: the matcher gives back those
// of messages that it has dropped.
func (x *joined) posted(at uint64) error {
	n := slices.IndexFunc(x.given, func(v buffer) bool { return v.record+x.words.status == at })
	if n < 0 || x.memory[at] != x.words.enqueued || x.resetting > 1 {
		return nil
	}
	if !x.again[uint64(n)] {
		x.seen["older"]++ // or discarded
		x.begin(int(x.b.Cycle), x.waitsAgain(uint64(n)))
	}
	delete(x.again, uint64(n))
	return nil
}

func wholeMessages(b *block.Bench, r *rand.Rand) error {
	x, err := newWhole(b, r)
	if err != nil {
		return err
	}
	for i := range 50000 {
		if i%1000 == 0 {
			x.pace, x.firmware = []int{1, 8, 60, 250}[r.IntN(4)], []int{12, 50, 400}[r.IntN(3)]
		}
		if r.IntN(8000) == 0 {
			b.Reset()
			x.restart()
			x.otherSince = 0
		}
		if x.resetting == 0 && x.reg == nil && len(x.plan) == 0 && r.IntN(5000) == 0 {
			x.resetting = 1
		}
		if x.resetting == 1 && x.offered == nil && !x.completes.Offered() && len(x.completes.Queue) == 0 && r.IntN(10) == 0 {
			x.resetting = 2 // what comes in has stopped
			x.coming = nil
		}
		b.Put("reset_messages", x.resetting > 0)
		b.Put("quiet", x.resetting > 1 || x.resetting == 0 && r.IntN(20) == 0)
		x.drive()
		b.Step()
		if err := errors.Join(x.exchange(), x.recorded(), x.accepted(), x.matched(), x.registered(), x.told()); err != nil {
			return err
		}
		if x.rests++; b.Is("messages_idle") && x.resetting < 2 && x.rests > 2 {
			return errors.New("it is idle, it says, and has not been reset")
		}
		if x.resetting > 1 {
			if x.resetting++; x.resetting > 4000 {
				return errors.New("a reset does not end")
			}
			if b.Is("messages_idle") {
				x.restart()
				x.rests = 0
				x.resetting = 0
				x.seen["resets"]++
			}
		}
	}
	x.seen["older"] -= x.seen["discarded"]
	least := map[string]int{"stored": 40, "without payload": 20, "found": 40, "pushed": 3, "sought": 3, "resets": 1,
		"given back": 20, "discarded": 1, "looked at": 20, "older": 3, "apart": 3}
	if x.lossy {
		delete(least, "pushed") // rare where nobody is held up
	}
	for what, n := range least {
		if x.seen[what] < n {
			return fmt.Errorf("only %v", x.seen)
		}
	}
	return nil
}
