package datapath

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

const (
	writeShareDepth = 4
	keptSoon        = 7 // cycles after a beat that is kept for which arrivals let the next one go first
)

var writeShares = block.NewSet(block.Module{Name: "write_share",
	Params: map[string]string{"DEPTH": fmt.Sprint(writeShareDepth)}})

func TestWriteShare(t *testing.T) { writeShares.Check(t, "write_share", writeShare) }

// An offer stays whose it is, what is kept goes first, and each gets what is its own.
func TestWriteShareTurns(t *testing.T) {
	for _, change := range [][2]string{
		{"waits ? waiter : kept_valid", "kept_valid"},
		{"others       = waits || data_count", "others       = data_count"},
		{"kept_due ? COUNT'(1) : COUNT'(2)", "COUNT'(2)"},
		{" && !(kept_due && since != SOON)", ""},
		{"!kept && write_host", "write_host"},
		{"{kept, port_bytes}", "{kept_valid, port_bytes}"},
		{"data_due && data_kept && port_data_ready", "data_due && port_data_ready"},
		{"in_data(kept),", "in_data(kept_valid),"},
		{"port_done && done_kept", "port_done"},
		{"COUNT'(kept_done)", "COUNT'(port_done)"},
	} {
		writeShares.Finds(t, "write_share", "write_share", change[0], change[1], writeShare)
	}
}

// writing is a command of one of both.
type writing struct {
	kept    bool
	address uint64
	host    bool
	bytes   int
	moved   int
}

func (c *writing) gone() bool { return c.moved >= c.bytes }

// client is what arrives, or what is kept.
type client struct {
	name    string
	offered *writing
	there   bool // a beat stands there
	data    []byte
}

// writeSharing is a writer that both have.
type writeSharing struct {
	b        *block.Bench
	r        *rand.Rand
	clients  [2]client // arrivals, and what is kept
	open     []*writing
	owed     []*writing // not answered
	held     *writing   // was offered and not taken
	due      bool
	dropping int // cycles for which nothing more is offered to be kept, and its beats are anything
	barred   int // cycles for which arrivals are, if some more is due
	paces    map[string]*block.Rhythm
	beats    [2]int
	seen     map[string]int
}

const (
	arriving = iota
	keeping
)

func writeShare(b *block.Bench, r *rand.Rand) error {
	s := writeSharing{b: b, r: r, clients: [2]client{{name: "write"}, {name: "kept"}}, seen: map[string]int{}}
	for cycle := range 40000 {
		if cycle%2000 == 0 {
			s.clear(false)
		}
		for i := range s.clients {
			s.offer(i, block.RandomLength(r, beatBytes, []int{beatBytes, 8 * beatBytes, mostBytes}[r.IntN(3)]))
		}
		if s.due = s.clients[keeping].offered != nil || s.paces["due"].Next(); s.due {
			s.seen["due"]++
		}
		if err := s.cycle(); err != nil {
			return err
		}
	}
	for what, least := range map[string]int{
		"write": 500, "kept": 500, "first": 50, "stays": 50, "withdrawn": 20, "second": 200, "full": 200, "no second": 50,
		"barred": 50,
	} {
		if s.seen[what] < least {
			return fmt.Errorf("only %d of %q: %v", s.seen[what], what, s.seen)
		}
	}
	return errors.Join(s.speed(arriving, 64, false, 0), s.speed(arriving, 2, false, 0), s.speed(arriving, 64, true, 2),
		s.speed(keeping, 64, true, 0))
}

// clear is for resets.
func (s *writeSharing) clear(steady bool) {
	s.b.Reset()
	s.open, s.owed, s.held, s.due, s.dropping, s.barred = nil, nil, nil, false, 0, 0
	s.paces = map[string]*block.Rhythm{}
	for _, name := range []string{"write", "kept", "write data", "kept data", "due", "port", "data", "done"} {
		if s.paces[name] = block.NewRhythm(s.r); steady {
			s.paces[name] = &block.Rhythm{Random: s.r.IntN}
		}
	}
	for i := range s.clients {
		s.clients[i].offered, s.clients[i].there = nil, false
	}
}

// offer has a client offer a command that it may offer.
func (s *writeSharing) offer(i, bytes int) {
	b, c := s.b, &s.clients[i]
	if c.offered == nil {
		b.Scramble(s.r, c.name+"_address", c.name+"_bytes")
		if i == arriving {
			b.Scramble(s.r, "write_host")
		}
		if s.paces[c.name].Next() && (i == arriving || s.dropping == 0) {
			b.Set(c.name+"_bytes", uint64(bytes))
			c.offered = &writing{kept: i == keeping, address: b.Get(c.name + "_address"), host: i == arriving &&
				b.Is("write_host"), bytes: bytes}
		}
	}
}

// drop begins or ends that what is to be kept is dropped.
func (s *writeSharing) drop() {
	c := &s.clients[keeping]
	switch {
	case s.dropping > 0:
		if s.dropping--; s.dropping == 0 {
			c.there = false
		}
	case s.r.IntN(200) == 0 || c.offered != nil && c.offered == s.held && s.r.IntN(40) == 0:
		if s.dropping = 1 + s.r.IntN(40); c.offered != nil && c.offered == s.held {
			s.seen["withdrawn"]++
		}
		c.offered = nil
	}
	if s.dropping > 0 {
		c.there, c.data = true, block.RandomBytes(s.r, beatBytes)
	}
}

// drive shows what there is. Beats stand there before their turn, too.
func (s *writeSharing) drive() (ready, takes, done bool) {
	b := s.b
	for i := range s.clients {
		c := &s.clients[i]
		if !c.there {
			c.there, c.data = s.paces[c.name+" data"].Next(), block.RandomBytes(s.r, beatBytes)
		}
		b.Put(c.name+"_valid", c.offered != nil)
		b.Put(c.name+"_data_valid", c.there)
		b.SetBytes(c.name+"_data", c.data)
	}
	b.Put("kept_due", s.due)
	ready = len(s.owed) < writeShareDepth && s.paces["port"].Next()
	takes = s.paces["data"].Next()
	done = len(s.owed) > 0 && s.owed[0].gone() && s.paces["done"].Next()
	b.Put("port_ready", ready)
	b.Put("port_data_ready", takes)
	b.Put("port_done", done)
	b.Scramble(s.r, "port_code")
	return ready, takes, done
}

// turn is the command that the writer must be offered.
func (s *writeSharing) turn() *writing {
	write, kept := s.clients[arriving].offered, s.clients[keeping].offered
	most := 2
	if s.due {
		most = 1
	}
	switch {
	case s.held != nil && s.held != write && s.held != kept:
		return nil // it was withdrawn
	case s.held != nil:
		if s.held == write && (kept != nil || len(s.open) >= most || s.due && s.barred > 0) {
			s.seen["stays"]++
		}
		return s.held
	case kept != nil:
		if write != nil {
			s.seen["first"]++
		}
		return kept
	case write == nil:
		return nil
	case len(s.open) >= most:
		if s.seen["full"]++; s.due && len(s.open) == 1 {
			s.seen["no second"]++
		}
		return nil
	case s.due && s.barred > 0:
		s.seen["barred"]++
		return nil
	}
	s.seen["second"] += len(s.open)
	return write
}

// cycle runs one and checks who has the writer in it.
func (s *writeSharing) cycle() error {
	b := s.b
	s.drop()
	ready, takes, done := s.drive()
	turn := s.turn()
	b.Step()
	if idle := !slices.ContainsFunc(s.owed, func(c *writing) bool { return c.kept }); b.Is("kept_idle") != idle {
		return block.Differs("kept_idle", b.Is("kept_idle"), idle)
	}
	if err := errors.Join(s.answered(done), s.moves(takes), s.offers(turn, ready)); err != nil {
		return fmt.Errorf("due %t, %d open, %d not answered: %w", s.due, len(s.open), len(s.owed), err)
	}
	return nil
}

// offers checks the command that the writer is offered.
func (s *writeSharing) offers(turn *writing, ready bool) error {
	b := s.b
	if b.Is("port_valid") != (turn != nil) {
		return fmt.Errorf("a command is offered: %t, not %+v", b.Is("port_valid"), turn)
	}
	for i := range s.clients {
		c := &s.clients[i]
		if c.offered != nil && b.Is(c.name+"_ready") != (ready && c.offered == turn) {
			return fmt.Errorf("a command %s is taken: %t", c.name, b.Is(c.name+"_ready"))
		}
	}
	if s.held = turn; turn == nil {
		return nil
	}
	if got := (writing{turn.kept, b.Get("port_address"), b.Is("port_host"), int(b.Get("port_bytes")), 0}); got != *turn {
		return fmt.Errorf("the command is %+v, not %+v", got, *turn)
	}
	if ready {
		s.open, s.owed, s.held = append(s.open, turn), append(s.owed, turn), nil
		c := &s.clients[block.Bit(turn.kept)]
		c.offered = nil
		s.seen[c.name]++
	}
	return nil
}

// moves checks the beat that the writer gets, if it is somebody's turn.
func (s *writeSharing) moves(takes bool) error {
	b := s.b
	if s.barred = max(0, s.barred-1); len(s.open) == 0 {
		if b.Is("port_data_valid") {
			return errors.New("data of no command")
		}
		return s.stay(-1)
	}
	at := s.open[0]
	i := int(block.Bit(at.kept))
	c := &s.clients[i]
	if b.Is("port_data_valid") != c.there || c.there && !bytes.Equal(b.Bytes("port_data"), c.data) {
		return fmt.Errorf("a beat is given: %t, %X, not that of %s: %t, %X", b.Is("port_data_valid"), b.Bytes("port_data"),
			c.name, c.there, c.data)
	}
	if !c.there || !takes {
		return s.stay(-1)
	}
	if err := s.stay(i); err != nil {
		return err
	}
	c.there = false
	s.beats[i]++
	if at.kept {
		s.barred = keptSoon
	}
	if at.moved += beatBytes; at.gone() {
		s.open = s.open[1:]
	}
	return nil
}

// stay is not nil if a beat that stands there is taken and is not that of the mover,
// or the other way round.
func (s *writeSharing) stay(mover int) error {
	for i, c := range s.clients {
		if c.there && s.b.Is(c.name+"_data_ready") != (i == mover) {
			return fmt.Errorf("a beat of %s is taken: %t", c.name, i != mover)
		}
	}
	return nil
}

// answered checks who hears of the end of the oldest command.
func (s *writeSharing) answered(done bool) error {
	b := s.b
	for i, c := range s.clients {
		mine := done && s.owed[0].kept == (i == keeping)
		if b.Is(c.name+"_done") != mine || mine && b.Get(c.name+"_code") != b.Get("port_code") {
			return fmt.Errorf("%s hears of an end, %t, with 0x%X: %t with 0x%X", c.name, b.Is(c.name+"_done"),
				b.Get(c.name+"_code"), done, b.Get("port_code"))
		}
	}
	if done {
		s.owed = s.owed[1:]
	}
	return nil
}

// speed finds out whether a beat of one of both goes with nearly every cycle, or that
// it goes on where it must wait a little for what is due and does not come.
func (s *writeSharing) speed(who, beats int, due bool, idle uint64) error {
	s.clear(true)
	const commands = 40
	s.beats = [2]int{}
	start := uint64(0)
	for s.beats[who] < commands*beats {
		s.dropping = 0
		s.offer(who, beats*beatBytes)
		s.due = due
		if err := s.cycle(); err != nil {
			return err
		}
		if s.beats[who] == 0 {
			start = s.b.Cycle
		}
		if took := s.b.Cycle - start; took > uint64(commands*beats)+commands*idle+20 {
			return fmt.Errorf("%d beats of %s take %d cycles", s.beats[who], s.clients[who].name, took)
		}
	}
	return nil
}
