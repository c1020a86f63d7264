// Package calls checks the part of the engine that takes calls and gives
// answers, and registers of the network, each against a model of its own.
package calls

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const (
	clients = 8
	queue   = 16 // small, so that it fills up
	tickets = 16
	// Where a call and an answer say whose they are.
	clientLow  = 28
	clientMask = (clients - 1) << clientLow
)

var (
	pageCalls  = block.Page{Request: "calls_request", Response: "calls_response"}
	pageWindow = block.Page{Request: "window_request", Response: "window_response"}
)

// call is one on its way.
type call struct {
	client int
	words  [15]uint32
	reset  bool
	taken  uint64 // cycle
	code   uint32
	state  int // how far it is
}

const (
	sent = iota
	taken
	answered
)

// world is what is around the module.
type world struct {
	t       *testing.T
	b       *block.Bench
	r       *rand.Rand
	calls   block.Rhythm
	answers block.Rhythm

	toSend    []*call
	word      int
	offered   bool
	acked     int
	waiting   []*call          // whole, not taken
	byClient  [clients][]*call // not answered to the client
	open      map[uint32]*call
	lastWhole uint64 // cycle of the last word of a call
	lastEvent uint64
	lastAck   uint64
	held      uint32
	isHeld    bool

	status, take, ticket, answer, cycles uint32
	waitingField, resetField             abi.Field
	config, resetPeriph, nop             uint32
}

var (
	platforms = nightly.Of([]string{"u55c_tcp"}, []string{"u55c_tcp", "u280_2022"})
	callsSet  = block.NewSet(block.Module{Name: "calls", Streams: true,
		Params: map[string]string{"QUEUE": fmt.Sprint(queue), "TICKETS": fmt.Sprint(tickets)}}.On(platforms...)...)
)

func newWorld(t *testing.T, platform string, seed uint64) *world {
	t.Helper()
	b := callsSet.Start(t, "calls_"+platform, seed)
	g := designtest.Load(t, platform, nil).ABI()
	r := rand.New(rand.NewPCG(seed, 1))
	w := &world{t: t, b: b, r: r, open: map[uint32]*call{}}
	w.calls.Random, w.answers.Random = r.IntN, r.IntN
	at := block.Offsets(g.RegisterMap("calls"))
	w.status, w.take, w.ticket, w.answer, w.cycles = at["status"], at["take"], at["ticket"], at["answer"], at["cycles"]
	for _, f := range g.Layout("call_status").Fields {
		switch f.Name {
		case "waiting":
			w.waitingField = f
		case "reset_requested":
			w.resetField = f
		}
	}
	w.config = uint32(g.Enum("operation").Value("config").Value)
	w.nop = uint32(g.Enum("operation").Value("nop").Value)
	w.resetPeriph = uint32(g.Enum("config_function").Value("reset_periph").Value)
	return w
}

// place has a client place a call with random words.
func (w *world) place(client int, reset bool) *call {
	c := &call{client: client, reset: reset}
	for i := range c.words {
		c.words[i] = w.r.Uint32()
	}
	c.words[0] = []uint32{w.config, w.nop, c.words[0] & 0xFF, c.words[0] &^ clientMask}[w.r.IntN(4)]
	if w.r.IntN(2) == 0 {
		c.words[4] = uint32(w.r.IntN(3))
	}
	if reset {
		c.words[0], c.words[4] = w.config, w.resetPeriph
	}
	c.reset = c.words[0] == w.config && c.words[4] == w.resetPeriph
	w.toSend = append(w.toSend, c)
	return c
}

// step runs a cycle.
func (w *world) step() {
	b := w.b
	if !w.offered && len(w.toSend) > 0 && w.calls.Next() {
		w.offered = true
	}
	data := w.r.Uint32()
	if w.offered {
		c := w.toSend[0]
		data = c.words[w.word]
		if w.word == 0 {
			data |= uint32(c.client) << clientLow
		}
	}
	b.Set("call_valid", block.Bit(w.offered))
	b.Set("call_data", uint64(data))
	ready := w.answers.Next()
	b.Set("answer_ready", block.Bit(ready))
	b.Step()
	if w.offered && b.Is("call_ready") {
		w.offered = false
		if w.word++; w.word == len(w.toSend[0].words) {
			c := w.toSend[0]
			w.toSend, w.word = w.toSend[1:], 0
			w.waiting = append(w.waiting, c)
			w.byClient[c.client] = append(w.byClient[c.client], c)
			w.lastWhole = b.Cycle
		}
	}
	if b.Is("event_call") {
		w.lastEvent = b.Cycle
	}
	valid, word := b.Is("answer_valid"), uint32(b.Get("answer_data"))
	if w.isHeld && (!valid || word != w.held) {
		w.t.Fatalf("an answer that nobody took changes from %08X to %08X (valid: %t)", w.held, word, valid)
	}
	w.held, w.isHeld = word, valid && !ready
	if valid && ready {
		w.acknowledged(word)
	}
}

// acknowledged checks an answer that has gone.
func (w *world) acknowledged(word uint32) {
	client := int(word & clientMask >> clientLow)
	q := w.byClient[client]
	if len(q) == 0 || q[0].state != answered {
		w.t.Fatalf("client %d gets the answer %08X, but its oldest call has none", client, word)
	}
	if got, want := word&^clientMask, q[0].code&^clientMask; got != want {
		w.t.Fatalf("client %d gets %08X, its oldest call was answered with %08X", client, got, want)
	}
	w.byClient[client] = q[1:]
	w.acked++
	w.lastAck = w.b.Cycle
}

func (w *world) read(p block.Page, offset uint32) uint32 {
	w.t.Helper()
	v, err := w.b.Access(p, w.step, false, offset, 0)
	if err != nil {
		w.t.Fatalf("reading offset 0x%X: %v", offset, err)
	}
	return v
}

func (w *world) write(offset, v uint32) error {
	_, err := w.b.Access(pageCalls, w.step, true, offset, v)
	return err
}

// takeNext takes a call as a read of system.next does, and gives its ticket: 0 for none.
// While a reset waits, no call is offered.
func (w *world) takeNext() uint32 {
	w.t.Helper()
	for w.b.Is("next_delayed") {
		w.step()
	}
	resets := w.resets()
	if offered, refused := w.b.Is("next_offered"), w.b.Is("next_refused"); offered && resets > 0 || refused &&
		resets == 0 {
		w.t.Fatalf("a call is offered: %t, refused: %t; %d resets wait", offered, refused, resets)
	}
	if !w.b.Is("next_offered") {
		return w.read(pageCalls, w.take)
	}
	if want := w.waiting[0].words[0] & 0x7FFFFF; uint32(w.b.Get("next_operation")) != want {
		w.t.Fatalf("operation %06X is offered, not %06X", w.b.Get("next_operation"), want)
	}
	w.b.Set("next_take", 1)
	w.step()
	w.b.Set("next_take", 0)
	return w.read(pageCalls, w.ticket)
}

// takeOne takes a call, if there is one, and checks it.
func (w *world) takeOne() *call {
	w.t.Helper()
	before, began := len(w.waiting), w.b.Cycle
	take := func() uint32 { return w.read(pageCalls, w.take) }
	if w.r.IntN(2) == 0 {
		take = w.takeNext
	}
	ticket := take()
	if got := w.read(pageCalls, w.ticket); ticket != 0 && got != ticket {
		w.t.Fatalf("ticket %d was taken, %d would be answered", ticket, got)
	}
	if ticket == 0 {
		if before > 0 && w.undelivered() < tickets {
			w.t.Fatalf("%d calls wait and none can be taken", before)
		}
		return nil
	}
	if w.open[ticket] != nil {
		w.t.Fatalf("ticket %d is given out twice", ticket)
	}
	if len(w.waiting) == 0 {
		w.t.Fatalf("ticket %d is given out for no call", ticket)
	}
	c := w.waiting[0]
	w.waiting = w.waiting[1:]
	c.state, c.taken = taken, w.b.Cycle-uint64(w.read(pageCalls, w.cycles))
	if c.taken < began || c.taken > w.b.Cycle {
		w.t.Fatalf("ticket %d was taken in cycle %d, outside of %d to %d", ticket, c.taken, began, w.b.Cycle)
	}
	w.open[ticket] = c
	for _, i := range w.r.Perm(16) {
		want := uint32(0)
		if i < len(c.words) {
			want = c.words[i]
		}
		if got := w.read(pageWindow, uint32(4*i)); got != want {
			w.t.Fatalf("word %d of the window is %08X, not %08X", i, got, want)
		}
	}
	return c
}

// undelivered counts the calls that were taken and whose answers have not gone.
func (w *world) undelivered() int {
	n := 0
	for _, q := range w.byClient {
		for _, c := range q {
			if c.state != sent {
				n++
			}
		}
	}
	return n
}

// answerOne answers a call with a random code.
func (w *world) answerOne(ticket uint32) {
	w.t.Helper()
	c := w.open[ticket]
	if w.r.IntN(4) == 0 { // one that nobody has, at the same place
		if err := w.write(w.ticket, ticket^tickets<<w.r.IntN(20)); err != nil {
			w.t.Fatal(err)
		}
		if err := w.write(w.answer, 1); !errors.Is(err, block.ErrRegister) {
			w.t.Fatalf("an answer to nobody: %v", err)
		}
	}
	if err := w.write(w.ticket, ticket); err != nil {
		w.t.Fatal(err)
	}
	if got := w.read(pageCalls, w.ticket); got != ticket {
		w.t.Fatalf("the ticket register is %d, not %d", got, ticket)
	}
	if got := w.b.Cycle - uint64(w.read(pageCalls, w.cycles)); got != c.taken {
		w.t.Fatalf("the call was taken in cycle %d, not in %d", got, c.taken)
	}
	c.code = w.r.Uint32() &^ clientMask
	c.state = answered
	delete(w.open, ticket)
	if err := w.write(w.answer, c.code); err != nil {
		w.t.Fatalf("answering ticket %d: %v", ticket, err)
	}
	if err := w.write(w.answer, 0); !errors.Is(err, block.ErrRegister) {
		w.t.Fatalf("a second answer to ticket %d: %v", ticket, err)
	}
}

func (w *world) anyOpen() uint32 {
	open := slices.Sorted(maps.Keys(w.open))
	return open[w.r.IntN(len(open))]
}

// resets counts the calls among those that wait that ask for a reset.
func (w *world) resets() (n int) {
	for _, c := range w.waiting {
		if c.reset {
			n++
		}
	}
	return n
}

// checkStatus compares the status with what has surely come.
func (w *world) checkStatus() {
	w.t.Helper()
	atLeast, resets := len(w.waiting), w.resets()
	if w.undelivered() >= tickets { // one may go before the status is read
		atLeast = 0
	}
	status := w.read(pageCalls, w.status)
	waiting := int(status >> w.waitingField.Low & (1<<w.waitingField.Bits() - 1))
	if waiting > len(w.waiting) || waiting < atLeast {
		w.t.Fatalf("status says that %d calls wait, there are %d to %d", waiting, atLeast, len(w.waiting))
	}
	if resets > 0 && status>>w.resetField.Low&1 == 0 {
		w.t.Fatal("a reset waits and status does not say so")
	}
	if w.resets() == 0 && status>>w.resetField.Low&1 != 0 {
		w.t.Fatal("status says that a reset waits, but none does")
	}
}

func TestClientsGetTheirAnswersInTheOrderOfTheirCalls(t *testing.T) {
	const count = 300
	for _, seed := range []uint64{0, 1, 2, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		w := newWorld(t, "u55c_tcp", seed)
		w.calls.Pauses, w.answers.Pauses = w.r.IntN(200), w.r.IntN(200)
		few := 1 + w.r.IntN(clients)
		for range count {
			w.place(w.r.IntN(few), w.r.IntN(20) == 0)
		}
		for range 100000 {
			if w.acked == count {
				break
			}
			switch k := w.r.IntN(8); {
			case k < 3:
				w.takeOne()
			case k < 5 && len(w.open) > 0:
				w.answerOne(w.anyOpen())
			case k == 5:
				w.checkStatus()
			case len(w.open) >= tickets || w.undelivered() >= tickets: // somebody has to give way
				if len(w.open) > 0 {
					w.answerOne(w.anyOpen())
				}
			default:
				for range w.r.IntN(40) {
					w.step()
				}
			}
		}
		if w.acked != count {
			t.Fatalf("%d of %d calls were answered, %d wait, %d are open, %d have not got their answer", w.acked, count,
				len(w.waiting), len(w.open), w.undelivered())
		}
		for range 10 {
			w.step()
		}
		if !w.b.Is("calls_idle") {
			t.Error("calls are still there when all are answered")
		}
	}
}

// TestAClientOfAProcessorThatRestartsIsAnswered: those that it had taken, in the order of each
// client; those that wait are taken later.
func TestAClientOfAProcessorThatRestartsIsAnswered(t *testing.T) {
	notReady := block.Masks(designtest.Load(t, "u55c_tcp", nil).ABI().BitSet(abi.ReturnCode))["NOT_READY"]
	for _, seed := range []uint64{0, 1, 2, block.ExtraSeed()} {
		t.Logf("seed %d", seed)
		w := newWorld(t, "u55c_tcp", seed)
		w.calls.Pauses, w.answers.Pauses = w.r.IntN(100), w.r.IntN(200)
		for round := range 12 {
			for range 2 + w.r.IntN(6) {
				w.place(w.r.IntN(1+w.r.IntN(clients)), false)
			}
			for len(w.toSend) > 0 || len(w.waiting) > 4 {
				w.step()
				if len(w.waiting) > 0 && w.undelivered() < tickets/2 {
					w.takeOne()
				}
				if len(w.open) > 0 && w.r.IntN(4) == 0 || len(w.open) >= tickets/2 {
					w.answerOne(w.anyOpen())
				}
			}
			w.b.Set("drop", 1)
			for ticket, c := range w.open {
				c.state, c.code = answered, notReady
				delete(w.open, ticket)
			}
			for range 64 {
				w.step()
			}
			w.b.Set("drop", 0)
			for range 400 {
				w.step()
			}
			if w.undelivered() != 0 {
				t.Fatalf("round %d: %d calls that were taken have no answer", round, w.undelivered())
			}
		}
	}
}

func TestAFullQueueHoldsCallsUp(t *testing.T) {
	w := newWorld(t, "u55c_tcp", 0)
	for i := range 2 * queue {
		w.place(i%3, false).reset = false
		w.toSend[i].words[0] = w.nop
	}
	w.toSend[queue-2].words[0], w.toSend[queue-2].words[4], w.toSend[queue-2].reset = w.config, w.resetPeriph, true
	for range 100 * queue {
		w.step()
	}
	assert.Assert(t, len(w.waiting) == queue-1, "%d calls were let in", len(w.waiting))
	w.checkStatus()
	for w.acked < 2*queue {
		if c := w.takeOne(); c == nil {
			t.Fatal("no call is there")
		}
		w.answerOne(w.anyOpen())
		for range 100 {
			w.step()
		}
		if w.b.Cycle > 1e6 {
			t.Fatal("it does not end")
		}
	}
}

func TestAClientWhoseFirstCallIsSlowKeepsNoProcessorAwake(t *testing.T) {
	w := newWorld(t, "u55c_tcp", 0)
	for range tickets + 3 {
		c := w.place(0, false)
		c.words[0], c.reset = w.nop, false
	}
	settle := func() {
		for range 50 * queue {
			w.step()
		}
	}
	settle()
	w.takeOne()
	slow := w.anyOpen()
	for range tickets - 1 {
		w.takeOne()
		for ticket := range w.open {
			if ticket != slow {
				w.answerOne(ticket)
			}
		}
		settle()
	}
	assert.Equal(t, w.read(pageCalls, w.status), uint32(0), "no ticket is left and status")
	assert.Assert(t, w.takeOne() == nil, "a call was taken")
	before := w.lastEvent
	w.answerOne(slow)
	settle()
	assert.Assert(t, w.acked == tickets, "%d answers have gone", w.acked)
	assert.Check(t, w.lastEvent != before, "no event says that calls can be taken again")
	for len(w.open)+len(w.waiting) > 0 {
		if len(w.waiting) > 0 {
			w.takeOne()
		}
		w.answerOne(w.anyOpen())
	}
	settle()
	assert.Check(t, w.acked == tickets+3, "%d answers have gone", w.acked)
}

// TestACallCostsFewCycles bounds what hardware adds to a call.
func TestACallCostsFewCycles(t *testing.T) {
	w := newWorld(t, "u55c_tcp", 0)
	w.place(3, false)
	for len(w.waiting) == 0 {
		w.step()
	}
	whole := w.b.Cycle
	for w.lastEvent < whole {
		w.step()
	}
	event := w.lastEvent - whole
	began := w.b.Cycle
	w.read(pageCalls, w.status)
	read := w.b.Cycle - began
	w.takeOne()
	ticket := w.anyOpen()
	assert.NilError(t, w.write(w.ticket, ticket))
	w.open[ticket].state, w.open[ticket].code = answered, 9
	began = w.b.Cycle
	assert.NilError(t, w.write(w.answer, 9))
	for w.acked == 0 {
		w.step()
	}
	answer := w.lastAck - began
	t.Logf("event after %d cycles, a register in %d, an answer gone in %d", event, read, answer)
	assert.Check(t, event <= 1 && read <= 2 && answer <= 4, "that is too many")
}

// TestWhatIsNoRegisterIsRefused: in the window only the words of a call can be read.
func TestWhatIsNoRegisterIsRefused(t *testing.T) {
	for _, platform := range platforms {
		w := newWorld(t, platform, 0)
		g := designtest.Load(t, platform, nil).ABI()
		c := w.place(3, false)
		for range 200 {
			w.step()
		}
		assert.Check(t, w.b.Undefined(pageCalls, w.step, w.r, g.RegisterMap("calls")), "%s", platform)
		for offset := uint32(0); offset < 0x100; offset += 4 {
			for _, write := range []bool{false, true} {
				want := offset < 0x40 && !write
				if _, err := w.b.Access(pageWindow, w.step, write, offset, 5); (err == nil) != want {
					t.Errorf("%s: window, offset 0x%X, write %t: %v", platform, offset, write, err)
				}
			}
		}
		if got := w.takeOne(); got != c {
			t.Errorf("%s: %+v is taken, not %+v", platform, got, c)
		}
	}
}
