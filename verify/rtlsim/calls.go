package rtlsim

import (
	"context"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Ids by which the hardware tells clients apart. The host has some of them, each
// for a client while that has calls in flight, and one for resets.
const (
	firstID = 4
	resetID = 7
	ids     = 8
	// maxPlaced is how many calls are in the hardware at a time: a reset always
	// finds its way to the processor.
	maxPlaced = 48
)

// openCall is a call from when it was started until its answer is taken.
type openCall struct {
	ticket   accl.Ticket
	client   int
	words    []uint32
	reset    bool
	answered bool
	code     accl.ReturnCode
	err      error
	done     chan struct{} // closed when the answer can be given
}

// calls brings the calls of all clients to the engine in the order in which they
// come, and gives each client its answers in the order of its calls.
type calls struct {
	record    func(*accl.Call) []uint32
	operation uint32 // of a reset, with its function
	function  uint32
	notReady  accl.ReturnCode // of calls that a reset drops
	started   func()          // wakes the engine
	head      abi.Field       // the client in the first word of a call
	reply     abi.Field       // and in an answer

	mu      sync.Mutex
	last    accl.Ticket
	tickets map[accl.Ticket]*openCall
	clients map[int][]*openCall // in order, their answers not given
	waiting []*openCall         // not in the hardware
	dropped []*openCall         // to be answered with the next reset
	placed  int                 // in the hardware, but for resets
	ids     [ids][]*openCall
	owner   [ids]int // the client that has an id, if calls of it are placed
	dead    error
	count   uint64
}

func newCalls(g *abi.Generation, started func()) (*calls, error) {
	c := &calls{started: started, tickets: map[accl.Ticket]*openCall{}, clients: map[int][]*openCall{}}
	var err error
	if c.record, err = emu.CallRecord(g); err != nil {
		return nil, err
	}
	operation, function := g.Enum(abi.Operations).Value("config"), g.Enum(abi.ConfigFunctions).Value("reset_periph")
	if operation == nil || function == nil {
		return nil, fmt.Errorf("%w: %s has no reset_periph", emu.ErrMissing, g.Name)
	}
	c.operation, c.function = operation.Value, function.Value
	// Where words say whose call it is.
	head, reply := g.Layout("call_head").Field("client"), g.Layout("call_answer").Field("client")
	if head == nil || reply == nil || 1<<head.Bits() != ids || 1<<reply.Bits() != ids {
		return nil, fmt.Errorf("%w: calls and answers of %s have no client of %d", emu.ErrMissing, g.Name, ids)
	}
	c.head, c.reply = *head, *reply
	if bit := g.BitSet(abi.ReturnCode).Bit("NOT_READY"); bit != nil {
		c.notReady = 1 << bit.At
	}
	return c, nil
}

func (c *calls) start(client int, call accl.Call) (accl.Ticket, error) {
	if client < 0 || client >= engine.Clients {
		return 0, fmt.Errorf("%w: %d, they go from 0 to %d", engine.ErrClient, client, engine.Clients-1)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return 0, c.dead
	}
	c.last++
	o := &openCall{ticket: c.last, client: client, words: c.record(&call), done: make(chan struct{})}
	o.reset = call.Scenario == c.operation && call.FunctionCode == c.function
	c.count++
	c.tickets[o.ticket] = o
	c.clients[client] = append(c.clients[client], o)
	if o.reset {
		c.dropped = append(c.dropped, c.waiting...)
		c.waiting = nil
	}
	c.waiting = append(c.waiting, o)
	c.started()
	return o.ticket, nil
}

func (c *calls) wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	c.mu.Lock()
	o := c.tickets[t]
	c.mu.Unlock()
	if o == nil {
		return 0, fmt.Errorf("%w: %d", engine.ErrTicket, t)
	}
	select {
	case <-o.done:
	default:
		select {
		case <-o.done:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tickets[t] == nil {
		return 0, fmt.Errorf("%w: %d", engine.ErrTicket, t)
	}
	delete(c.tickets, t)
	return o.code, o.err
}

// place gives the hardware what it can take. A client that waits for an id holds
// up nobody else.
func (c *calls) place(put func(words []uint32)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := map[int]bool{}
	rest := c.waiting[:0]
	for _, o := range c.waiting {
		id, ok := c.id(o)
		if !ok || held[o.client] && !o.reset {
			held[o.client] = true
			rest = append(rest, o)
			continue
		}
		c.ids[id] = append(c.ids[id], o)
		if !o.reset {
			c.owner[id] = o.client
			c.placed++
		}
		words := append([]uint32(nil), o.words...)
		words[0] = words[0]&^((ids-1)<<c.head.Low) | id<<c.head.Low
		put(words)
	}
	clear(c.waiting[len(rest):])
	c.waiting = rest
}

// id is the id that a call goes by; ok is false if there is none now.
func (c *calls) id(o *openCall) (id uint32, ok bool) {
	if o.reset {
		return resetID, true
	}
	if c.placed >= maxPlaced {
		return 0, false
	}
	for i := uint32(firstID); i < resetID; i++ {
		switch {
		case len(c.ids[i]) > 0 && c.owner[i] == o.client:
			return i, true
		case len(c.ids[i]) == 0 && !ok:
			id, ok = i, true
		}
	}
	return id, ok
}

// open reports whether there are calls without an answer.
func (c *calls) open() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.placed > 0 || len(c.waiting) > 0
}

// pending reports whether the hardware could take a call.
func (c *calls) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.waiting {
		if _, ok := c.id(o); ok {
			return true
		}
	}
	return false
}

// answer takes an answer from the hardware.
func (c *calls) answer(word uint32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := word >> c.reply.Low & (ids - 1)
	if len(c.ids[id]) == 0 {
		return fmt.Errorf("an answer 0x%08X to no call", word)
	}
	o := c.ids[id][0]
	c.ids[id] = c.ids[id][1:]
	o.answered, o.code = true, accl.ReturnCode(word&^((ids-1)<<c.reply.Low))
	if o.reset {
		for _, d := range c.dropped {
			d.answered, d.code = true, c.notReady
			c.deliver(d.client)
		}
		c.dropped = nil
	} else {
		c.placed--
	}
	c.deliver(o.client)
	return nil
}

// deliver gives the answers of a client that no earlier call of it holds back.
func (c *calls) deliver(client int) {
	q := c.clients[client]
	for len(q) > 0 && q[0].answered {
		close(q[0].done)
		q = q[1:]
	}
	if len(q) == 0 {
		delete(c.clients, client)
		return
	}
	c.clients[client] = q
}

// stop answers every call, also those to come, with an error.
func (c *calls) stop(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return
	}
	c.dead = err
	for client, q := range c.clients {
		for _, o := range q {
			if !o.answered {
				o.answered, o.err = true, err
			}
		}
		c.deliver(client)
	}
	c.waiting, c.dropped = nil, nil
}

// failure is why calls are answered with an error, nil if they are not.
func (c *calls) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}
