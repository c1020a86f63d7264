// Package compare holds emulated worlds against worlds of simulated hardware, call
// by call: for who changes one of them, and wants to know where they part.
//
// Both run the same control firmware, which decides what happens; so a difference is
// one of the engine around it, or of the description of the hardware.
// The same calls must lead to the same moves on every rank, to the same messages
// between every two of them and the same beats on every kernel stream, in the same
// order, and in the end to the same memory: what the host has allocated and what
// lies around it, and the exchange memory. The trace of each engine must tell of its
// moves, of what those do in the data path, and of its packets, and of no others. What
// depends on when things arrive may differ: the order of moves of calls that wait, and which rx buffers are used.
package compare

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
)

// ErrDifferent says that the worlds have not done the same.
var ErrDifferent = errors.New("emulator and hardware differ")

// errNoEngine says that nobody has told which engine a rank has.
var errNoEngine = errors.New("the rank has no engine")

// Log is what one world does, rank by rank.
type Log struct {
	beatBytes int
	hosts     []host // by rank

	mu       sync.Mutex
	moves    [][]seen
	messages map[[2]int][]Message
}

func newLog(ranks, beatBytes int) *Log {
	l := &Log{beatBytes: beatBytes, hosts: make([]host, ranks), moves: make([][]seen, ranks),
		messages: map[[2]int][]Message{}}
	for i := range l.hosts {
		l.hosts[i].cycle = func() uint64 { return 0 }
		l.hosts[i].written, l.hosts[i].comms, l.hosts[i].configs = map[uint32]bool{}, map[uint32]bool{}, map[uint32]bool{}
	}
	return l
}

// Move notes a move of a rank.
func (l *Log) Move(rank int, m Move, when uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.moves[rank] = append(l.moves[rank], seen{m, when})
}

// take returns the moves and messages that have been noted, and forgets them.
func (l *Log) take() ([][]seen, map[[2]int][]Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	moves, messages := l.moves, l.messages
	l.moves, l.messages = make([][]seen, len(moves)), map[[2]int][]Message{}
	return moves, messages
}

// Pair is a world in both forms.
type Pair struct {
	Emulated, Hardware *Log

	// Seldom is how many steps there are between those that look at the exchange
	// memories: reading them takes the hardware longer than most calls. 0 looks in every
	// step.
	Seldom int
	// Traced is the platform whose engines' traces are compared with what was noted of them; nil for none.
	Traced *accl.Platform

	names   *names
	tellers [2][]teller // of the emulator and of the hardware, by rank
	seen    Seen
}

// Seen is what has been compared: of the hardware's side, which is that of the
// emulator, too.
type Seen struct {
	Steps, Moves, Messages, Beats int
	Words, Bytes                  int // of exchange memories, and of the others
	Events                        int // of both sides
}

// Seen is what has been compared, and was the same.
func (p *Pair) Seen() Seen { return p.seen }

// String lists it.
func (s Seen) String() string {
	return fmt.Sprintf(
		"%d steps: %d moves, %d messages, %d beats of kernel streams; %d words of exchange memories and %d bytes of memory; "+
			"%d events of traces",
		s.Steps, s.Moves, s.Messages, s.Beats, s.Words, s.Bytes, s.Events)
}

// NewPair is for worlds of some ranks of an interface generation.
func NewPair(g *abi.Generation, ranks int) (*Pair, error) {
	n, err := newNames(g)
	if err != nil {
		return nil, err
	}
	p := &Pair{Emulated: newLog(ranks, n.beatBytes), Hardware: newLog(ranks, n.beatBytes), names: n}
	for side := range p.tellers {
		for range ranks {
			p.tellers[side] = append(p.tellers[side], teller{begun: map[uint32]work{}})
		}
	}
	return p, nil
}

// Step compares what both worlds have done since the last step, and what is in
// their memory now, while they have nothing to do. The error matches ErrDifferent
// and has the first difference. Of the exchange memory it looks at what the host has
// written and at what has a name.
func (p *Pair) Step(ctx context.Context) error {
	if p.Seldom > 0 && p.seen.Steps%p.Seldom != 0 {
		return p.step(ctx, little)
	}
	return p.step(ctx, known)
}

// End is the last Step: it looks at all of the exchange memory.
func (p *Pair) End(ctx context.Context) error { return p.step(ctx, whole) }

// state is what both engines of a rank have in their memories, and what their hosts
// have noted: the emulator's first.
type state struct {
	words          [2]map[uint32]uint32 // of the exchange memory
	read           int                  // of them, now
	counts         [2][]uint32          // names.counters; nil if they were not read
	beats          [2][]beat
	blocks         [2][]*block
	host           [2][][]byte // by block; nil for device memory
	device         []piece
	comms, configs map[uint32]bool
	issued         []seen // by the hardware
	cycle          uint64 // of it
}

func (p *Pair) step(ctx context.Context, d depth) error {
	states := make([]state, len(p.Emulated.hosts))
	// An engine that has answered has told of all that it did before.
	for rank := range states {
		if err := p.look(ctx, rank, d, &states[rank]); err != nil {
			return fmt.Errorf("look at rank %d: %w", rank, err)
		}
	}
	em, es := p.Emulated.take()
	hm, hs := p.Hardware.take()
	for rank := range states {
		states[rank].issued = hm[rank]
		if err := p.names.sameMoves(em[rank], hm[rank]); err != nil {
			return fmt.Errorf("%w: rank %d: %w", ErrDifferent, rank, err)
		}
	}
	for from := range em {
		for to := range em {
			pair := [2]int{from, to}
			if err := p.names.sameMessages(es[pair], hs[pair]); err != nil {
				return fmt.Errorf("%w: from rank %d to %d: %w", ErrDifferent, from, to, err)
			}
			p.seen.Messages += len(hs[pair])
		}
	}
	for rank := range states {
		if err := p.sameState(&states[rank]); err != nil {
			return fmt.Errorf("%w: rank %d: %w", ErrDifferent, rank, err)
		}
		p.seen.add(&states[rank])
	}
	if p.Traced != nil {
		p.note(0, em, es)
		p.note(1, hm, hs)
		if err := p.sameTraces(ctx); err != nil {
			return err
		}
	}
	p.seen.Steps++
	return nil
}

// add counts what a rank has.
func (s *Seen) add(of *state) {
	s.Moves += len(of.issued)
	s.Beats += len(of.beats[1])
	s.Words += of.read
	for _, d := range of.device {
		s.Bytes += len(d.data[1])
	}
	for _, b := range of.host[1] {
		s.Bytes += len(b)
	}
}

// sameState compares kernel streams and memories of a rank.
func (p *Pair) sameState(s *state) error {
	if err := sameBeats(s.beats[0], s.beats[1]); err != nil {
		return err
	}
	if err := sameBlocks(s); err != nil {
		return err
	}
	if err := sameWords(s, p.names.words(s)); err != nil {
		return err
	}
	if err := sameCounts(s, p.names); err != nil {
		return err
	}
	return p.sameMemory(s)
}
