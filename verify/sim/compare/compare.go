// Package compare watches two worlds that are to do the same: one of emulated
// engines, one of engines that are simulated from the description of the hardware.
// The same calls must lead to the same moves on every rank, and to the same
// messages between every two of them, in the same order. What depends on when
// things arrive may differ: the order of moves of calls that wait, and which
// buffers are used.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/sim"
)

// ErrDifferent says that the worlds have not done the same.
var ErrDifferent = errors.New("emulator and hardware differ")

// Move is a move as the registers had it.
type Move struct {
	Control, Bytes, CompressedBytes, TDEST uint32
	Op0, Op1, Result                       uint64
	Comm, Source, Destination              uint32
	Context, Tag, Strm, ChunkBytes         uint32
	SegmentBytes                           uint32
	RemoteAddress                          uint64
	PacketIndex, HeaderCount, Window       uint32
}

// Emulated is a move of the emulator.
func Emulated(m emu.Move) Move {
	return Move{
		Control: m.Control, Bytes: m.Bytes, CompressedBytes: m.CompressedBytes, TDEST: m.TDEST,
		Op0: m.Op0.Address, Op1: m.Op1.Address, Result: m.Result.Address,
		Comm: m.Comm, Source: m.Source, Destination: m.Destination, Context: m.Context, Tag: m.Tag, Strm: m.Strm,
		ChunkBytes: m.ChunkBytes, SegmentBytes: m.SegmentBytes, RemoteAddress: m.RemoteAddress,
		PacketIndex: m.PacketIndex, HeaderCount: m.HeaderCount, Window: m.Window,
	}
}

// Issued is a move of the hardware: its registers follow each other, the first one
// in the highest bits.
func Issued(i sim.Issue) Move {
	at := 0
	word := func() uint32 { at++; return i.Fields[at-1] }
	long := func() uint64 { low := uint64(word()); return uint64(word())<<32 | low }
	m := Move{}
	m.Window, m.HeaderCount, m.PacketIndex, m.RemoteAddress = word(), word(), word(), long()
	m.SegmentBytes, m.ChunkBytes, m.Strm, m.Tag, m.Context = word(), word(), word(), word(), word()
	m.Destination, m.Source, m.Comm = word(), word(), word()
	m.Result, m.Op1, m.Op0 = long(), long(), long()
	m.TDEST, m.CompressedBytes, m.Bytes, m.Control = word(), word(), word(), word()
	return m
}

// String describes the move in one line.
func (m Move) String() string {
	return fmt.Sprintf("control 0x%08X, %d bytes (%d compressed), tdest 0x%06X, 0x%X with 0x%X to 0x%X, comm 0x%X, source %d, destination %d, "+
		"context 0x%X, tag 0x%X, strm %d, chunk %d, segment %d, remote 0x%X, packet %d, count %d, window %d",
		m.Control, m.Bytes, m.CompressedBytes, m.TDEST, m.Op0, m.Op1, m.Result, m.Comm, m.Source, m.Destination,
		m.Context, m.Tag, m.Strm, m.ChunkBytes, m.SegmentBytes, m.RemoteAddress, m.PacketIndex, m.HeaderCount, m.Window)
}

// seen is a move, and when it was seen: in which cycle, or as the how manieth.
type seen struct {
	Move
	when uint64
}

// Message is what one rank has sent to another.
type Message struct {
	Header [64]byte
	Bytes  int
}

// Log is what one world does, rank by rank.
type Log struct {
	mu       sync.Mutex
	moves    [][]seen
	messages map[[2]int][]Message
}

// NewLog is for a world of some ranks.
func NewLog(ranks int) *Log {
	return &Log{moves: make([][]seen, ranks), messages: map[[2]int][]Message{}}
}

// Move notes a move of a rank.
func (l *Log) Move(rank int, m Move, when uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.moves[rank] = append(l.moves[rank], seen{m, when})
}

// Port notes what a rank sends.
func (l *Log) Port(rank int, p fabric.Port) fabric.Port { return &port{p, l, rank} }

type port struct {
	fabric.Port
	log  *Log
	rank int
}

// Send implements fabric.Port.
func (p *port) Send(session uint32, packet *fabric.Packet) error {
	m := Message{packet.Header, len(packet.Payload)} // now: it is no longer ours when it has been sent
	err := p.Port.Send(session, packet)
	if err == nil {
		p.log.mu.Lock()
		defer p.log.mu.Unlock()
		pair := [2]int{p.rank, int(session)}
		p.log.messages[pair] = append(p.log.messages[pair], m)
	}
	return err
}

// take returns what has been noted, and forgets it.
func (l *Log) take() ([][]seen, map[[2]int][]Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	moves, messages := l.moves, l.messages
	l.moves, l.messages = make([][]seen, len(moves)), map[[2]int][]Message{}
	return moves, messages
}

// Step compares what both worlds have done since the last step. Comparable says
// which messages both must send; nil for all. The error matches ErrDifferent and
// has the first difference.
func Step(emulated, hardware *Log, comparable func(*Message) bool) error {
	em, es := emulated.take()
	hm, hs := hardware.take()
	for rank := range em {
		if err := sameMoves(em[rank], hm[rank]); err != nil {
			return fmt.Errorf("%w: rank %d: %w", ErrDifferent, rank, err)
		}
	}
	for from := range em {
		for to := range em {
			pair := [2]int{from, to}
			if err := sameMessages(es[pair], hs[pair], comparable); err != nil {
				return fmt.Errorf("%w: from rank %d to %d: %w", ErrDifferent, from, to, err)
			}
		}
	}
	return nil
}

// sameMoves compares sets of moves.
func sameMoves(emulated, hardware []seen) error {
	left := slices.Clone(hardware)
	for _, e := range emulated {
		i := slices.IndexFunc(left, func(h seen) bool { return h.Move == e.Move })
		if i < 0 {
			return fmt.Errorf("the emulator's move\n\t%v\nis none of the hardware's:\n%s", e.Move, nearest(e.Move, left))
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		return fmt.Errorf("the hardware issues in cycle %d\n\t%v\nand the emulator does not", left[0].when, left[0].Move)
	}
	return nil
}

// nearest lists the moves that are most like one.
func nearest(m Move, of []seen) string {
	const most = 4
	of = slices.Clone(of)
	slices.SortStableFunc(of, func(a, b seen) int { return cmp.Compare(distance(m, a.Move), distance(m, b.Move)) })
	var s strings.Builder
	for _, h := range of[:min(len(of), most)] {
		fmt.Fprintf(&s, "\tcycle %d: %v\n", h.when, h.Move)
	}
	return s.String()
}

// distance is how many words of the descriptions differ.
func distance(a, b Move) int {
	x, y := strings.Fields(a.String()), strings.Fields(b.String())
	n := 0
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			n++
		}
	}
	return n
}

func sameMessages(emulated, hardware []Message, comparable func(*Message) bool) error {
	only := func(list []Message) (out []Message) {
		for i := range list {
			if comparable == nil || comparable(&list[i]) {
				out = append(out, list[i])
			}
		}
		return out
	}
	emulated, hardware = only(emulated), only(hardware)
	for i := range max(len(emulated), len(hardware)) {
		switch {
		case i >= len(emulated):
			return fmt.Errorf("message %d comes from the hardware alone: %x, %d bytes", i, hardware[i].Header[:40], hardware[i].Bytes)
		case i >= len(hardware):
			return fmt.Errorf("message %d comes from the emulator alone: %x, %d bytes", i, emulated[i].Header[:40], emulated[i].Bytes)
		case emulated[i] != hardware[i]:
			return fmt.Errorf("message %d is\n\t%x, %d bytes from the emulator, and\n\t%x, %d bytes from the hardware",
				i, emulated[i].Header[:40], emulated[i].Bytes, hardware[i].Header[:40], hardware[i].Bytes)
		}
	}
	return nil
}
