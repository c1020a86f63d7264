package calls

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

func TestCallQueue(t *testing.T)   { set.Check(t, "call_queue", callQueue) }
func TestCallTickets(t *testing.T) { set.Check(t, "call_tickets", callTickets) }

const queueDepth, ticketDepth = 8, 8 // as the set says

// callQueue gets calls, word by word, and shows the one that was taken.
func callQueue(b *block.Bench, r *rand.Rand) error {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return err
	}
	config := uint64(d.ABI().Enum("operation").Value("config").Value)
	resetCode := uint64(d.ABI().Enum("config_function").Value("reset_periph").Value)
	const words, function, clients = 15, 4, uint64(7) << 28
	type call struct {
		words  [words]uint64
		client uint64
		reset  bool
	}
	random := func() (c call) {
		for i := range c.words {
			c.words[i] = r.Uint64() & 0xFFFFFFFF
		}
		if r.IntN(2) == 0 {
			c.words[0] = c.words[0]&clients | config
		}
		if r.IntN(2) == 0 {
			c.words[function] = resetCode
		}
		c.client = c.words[0] >> 28 & 7
		c.reset = c.words[0]&^clients == config && c.words[function] == resetCode
		return c
	}
	in := block.NewInput(b, "call_valid", "call_ready")
	var waiting []call
	var window *call
	now, sent := random(), 0
	calls, gives, takes := 0, block.NewRhythm(r), block.NewRhythm(r)
	refused, most, shown := 0, 0, -1
	for cycle := range 15000 {
		if r.IntN(3000) == 0 {
			b.Reset()
			in.Withdraw()
			waiting, window, now, sent, shown = nil, nil, random(), 0, -1
		}
		if cycle%2000 == 0 {
			gives, takes = block.NewRhythm(r), block.NewRhythm(r)
		}
		if !in.Offered() {
			b.Scramble(r, "call_data")
			if gives.Next() {
				b.Set("call_data", now.words[sent])
				in.Offer()
			}
		}
		word := r.IntN(words)
		b.Set("word", uint64(word))
		take := len(waiting) > 0 && takes.Next() && r.IntN([]int{1, 20, 200}[cycle/2000%3]) == 0
		b.Put("take", take)
		b.Settle()
		resets := false
		for _, c := range waiting {
			resets = resets || c.reset
		}
		if int(b.Get("waiting")) != len(waiting) || b.Is("reset_requested") != resets ||
			b.Is("idle") != (len(waiting) == 0 && sent == 0) {
			return fmt.Errorf("%d wait, one is a reset: %t, idle %t; not %d, %t, with %d words of another one", b.Get("waiting"),
				b.Is("reset_requested"), b.Is("idle"), len(waiting), resets, sent)
		}
		if len(waiting) > 0 {
			c := waiting[0]
			if b.Get("client") != c.client {
				return fmt.Errorf("the oldest is of client %d, not %d", b.Get("client"), c.client)
			}
			if b.Has("operation") && b.Get("operation") != c.words[0]&0xFFFFFF {
				return fmt.Errorf("the oldest is operation %X, not %X", b.Get("operation"), c.words[0]&0xFFFFFF)
			}
		}
		if !b.Is("call_ready") && len(waiting) < queueDepth-2 {
			return fmt.Errorf("no call is let in with %d", len(waiting))
		}
		if !b.Is("call_ready") {
			refused++
		}
		b.Step()
		if window != nil && shown >= 0 {
			want := window.words[shown]
			if shown == 0 {
				want &^= clients
			}
			if got := b.Get("word_data"); got != want {
				return fmt.Errorf("word %d of the window is %X, not %X", shown, got, want)
			}
		}
		shown = word
		whole := false
		if in.Taken() {
			if sent++; sent == words {
				whole = true
				calls++
			}
		}
		if b.Is("arrived") != whole {
			return fmt.Errorf("a call is said to have come: %t", b.Is("arrived"))
		}
		if take {
			c := waiting[0]
			window, waiting, shown = &c, waiting[1:], -1
		}
		if whole {
			waiting = append(waiting, now)
			now, sent = random(), 0
		}
		most = max(most, len(waiting))
	}
	if calls < 100 || refused == 0 || most < queueDepth-2 {
		return fmt.Errorf("only %d calls, %d at a time", calls, most)
	}
	return nil
}

// callTickets gives tickets to calls and answers them in any order.
func callTickets(b *block.Bench, r *rand.Rand) error {
	type call struct {
		ticket, client, code uint64
		answered             bool
		at                   uint64
	}
	clients := 1 << b.Width("client")
	lists := make([][]*call, clients) // not answered to the client, in order
	open := map[uint64]*call{}        // by ticket, not answered
	var tickets []uint64              // of open, in order
	out := block.NewOutput(b, "out_valid", "out_ready", "out_client", "out_code")
	all, last, waits, given := 0, uint64(0), 0, 0
	leaving := 0 // their answers stand at the output, so that their places are free
	takes, answers, leaves := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
	gone := 0
	for cycle := range 15000 {
		if r.IntN(3000) == 0 {
			b.Reset()
			out.Forget()
			lists, open, tickets, all, last, leaving = make([][]*call, clients), map[uint64]*call{}, nil, 0, 0, 0
		}
		if cycle%1500 == 0 {
			takes, answers, leaves = block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
		}
		b.Scramble(r, "client", "ticket", "code")
		b.Put("out_ready", leaves.Next())
		b.Set("take", 0)
		b.Set("answer", 0)
		b.Settle()
		ticket := r.Uint64() & 0xFFFFFFFF
		if r.IntN(4) > 0 && len(tickets) > 0 {
			ticket = tickets[r.IntN(len(tickets))]
			if r.IntN(8) == 0 { // another one with the same place
				ticket ^= ticketDepth << r.IntN(20)
			}
		} else if r.IntN(2) == 0 {
			ticket = uint64(r.IntN(int(last) + 10))
		}
		b.Set("ticket", ticket)
		b.Settle()
		c := open[ticket]
		if b.Is("known") != (c != nil) {
			return fmt.Errorf("ticket %d is known: %t", ticket, b.Is("known"))
		}
		if c != nil && b.Has("cycles") {
			if got := b.Get("cycles"); got+2 < b.Cycle-c.at || got > b.Cycle-c.at+2 {
				return fmt.Errorf("ticket %d has run for %d cycles, not %d", ticket, got, b.Cycle-c.at)
			}
		}
		take := b.Is("available") && takes.Next() && r.IntN(2) == 0
		answer := !take && answers.Next() && r.IntN(3) == 0
		code := r.Uint64() & 0xFFFFFFFF
		next, client := b.Get("next"), r.Uint64N(uint64(clients))
		if r.IntN(2) == 0 {
			client = 0
		}
		if take {
			b.Set("take", 1)
			b.Set("client", client)
		}
		if answer {
			b.Set("answer", 1)
			b.Set("code", code)
		}
		if b.Is("idle") != (all == 0) {
			return fmt.Errorf("it is idle: %t, with %d calls", b.Is("idle"), all)
		}
		b.Step()
		if take {
			if next == 0 || open[next] != nil || next <= last && last < 1<<31 {
				return fmt.Errorf("ticket %d is given out behind %d", next, last)
			}
			last = next
			c := &call{ticket: next, client: client, at: b.Cycle}
			open[next] = c
			tickets = append(tickets, next)
			lists[client] = append(lists[client], c)
			all++
			given++
		}
		if answer && c != nil {
			c.answered, c.code = true, code
			delete(open, ticket)
			for i, t := range tickets {
				if t == ticket {
					tickets = append(tickets[:i:i], tickets[i+1:]...)
					break
				}
			}
		}
		ok, err := out.Taken()
		if err != nil {
			return err
		}
		if ok {
			client := b.Get("out_client")
			if len(lists[client]) == 0 || !lists[client][0].answered || lists[client][0].code != b.Get("out_code") {
				return fmt.Errorf("client %d gets %X", client, b.Get("out_code"))
			}
			lists[client] = lists[client][1:]
			all--
			gone++
		}
		// What can go does, and there is a ticket while there is a place.
		could := false
		for _, l := range lists {
			could = could || len(l) > 0 && l[0].answered
		}
		if could && !b.Is("out_valid") && !take && !answer {
			if waits++; waits > 8 {
				return errors.New("an answer does not go")
			}
		} else if b.Is("out_valid") {
			waits = 0
		}
		if b.Is("full") && all < ticketDepth-1 {
			return fmt.Errorf("it is full with %d calls", all)
		}
		if !b.Is("available") && !b.Is("full") && !take {
			if leaving++; leaving > 4*ticketDepth {
				return fmt.Errorf("no ticket comes with %d calls", all)
			}
		} else {
			leaving = 0
		}
		if all > ticketDepth+1 {
			return errors.New("there are more calls than places")
		}
	}
	if gone < 300 || given < gone {
		return fmt.Errorf("only %d answers", gone)
	}
	return nil
}
