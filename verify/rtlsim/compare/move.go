package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/rtlsim"
)

// Move is a move as the registers had it.
type Move struct {
	Control, Bytes, CompressedBytes, TDEST uint32
	Op0, Op1, Op2, Kept, Result            uint64
	Comm, Source, Destination              uint32
	Context, Tag, Strm, ChunkBytes         uint32
	SegmentBytes                           uint32
	RemoteAddress                          uint64
	PacketIndex, HeaderCount, Window       uint32
	Number, Count, Shape                   uint32 // of the collective
}

// Emulated is a move of the emulator.
func Emulated(m emu.Move) Move {
	return Move{
		Control: m.Control, Bytes: m.Bytes, CompressedBytes: m.CompressedBytes, TDEST: m.TDEST,
		Op0: m.Op0.Address, Op1: m.Op1.Address, Op2: m.Op2.Address, Kept: m.KeptAddress, Result: m.Result.Address,
		Comm: m.Comm, Source: m.Source, Destination: m.Destination, Context: m.Context, Tag: m.Tag, Strm: m.Strm,
		ChunkBytes: m.ChunkBytes, SegmentBytes: m.SegmentBytes, RemoteAddress: m.RemoteAddress,
		PacketIndex: m.PacketIndex, HeaderCount: m.HeaderCount, Window: m.Window,
		Number: m.Number, Count: m.Count, Shape: m.Shape,
	}
}

// Issued is a move of the hardware: its registers follow each other, the first one
// in the highest bits.
func Issued(i rtlsim.Issue) Move {
	at := 0
	word := func() uint32 { at++; return i.Fields[at-1] }
	long := func() uint64 { low := uint64(word()); return uint64(word())<<32 | low }
	m := Move{}
	m.Window, m.HeaderCount, m.PacketIndex, m.RemoteAddress = word(), word(), word(), long()
	m.SegmentBytes, m.ChunkBytes, m.Strm, m.Tag = word(), word(), word(), word()
	m.Shape, m.Count, m.Number, m.Context = word(), word(), word(), word()
	m.Destination, m.Source, m.Comm = word(), word(), word()
	m.Result, m.Kept, m.Op2, m.Op1, m.Op0 = long(), long(), long(), long(), long()
	m.TDEST, m.CompressedBytes, m.Bytes, m.Control = word(), word(), word(), word()
	return m
}

// String describes the move in one line.
func (m Move) String() string {
	return fmt.Sprintf(
		"control 0x%08X, %d bytes (%d compressed), tdest 0x%06X, 0x%X with 0x%X beside 0x%X kept at 0x%X to 0x%X, comm "+
			"0x%X, source %d, destination %d, "+
			"context 0x%X, tag 0x%X, strm %d, chunk %d, segment %d, remote 0x%X, packet %d, count %d, window %d, collective "+
			"%d of %d elements and shape 0x%X",
		m.Control, m.Bytes, m.CompressedBytes, m.TDEST, m.Op0, m.Op1, m.Op2, m.Kept, m.Result, m.Comm,
		m.Source, m.Destination,
		m.Context, m.Tag, m.Strm, m.ChunkBytes, m.SegmentBytes, m.RemoteAddress, m.PacketIndex, m.HeaderCount, m.Window,
		m.Number, m.Count, m.Shape)
}

// seen is a move, and when it was seen: in which cycle, or as the how manieth.
type seen struct {
	Move
	when uint64
}

// withoutNotices leaves out moves that send notices: when ranks agree, who replies to whom depends on who
// comes first.
func (n *names) withoutNotices(moves []seen) []seen {
	return slices.DeleteFunc(slices.Clone(moves), func(m seen) bool { return n.moves.of(m.Control, "notice") != 0 })
}

// sameMoves compares sets of moves, but for words that mean nothing to them.
func (n *names) sameMoves(emulated, hardware []seen) error {
	emulated, left := n.withoutNotices(emulated), n.withoutNotices(hardware)
	for i := range left {
		left[i].Move = n.moves.essential(left[i].Move)
	}
	for _, e := range emulated {
		move := n.moves.essential(e.Move)
		i := slices.IndexFunc(left, func(h seen) bool { return h.Move == move })
		if i < 0 {
			return fmt.Errorf("the emulator's move\n\t%v\nis none of the hardware's:\n%s", move, nearest(move, left))
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
