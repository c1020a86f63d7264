package compare

import (
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
)

// moveFields are the parts of a move's words, and the values of its enums, that say
// which of its words mean something.
type moveFields struct {
	control, tdest           map[string]abi.Field
	operands, results, types map[string]uint32
}

func newMoveFields(g *abi.Generation) (moveFields, error) {
	f := moveFields{control: map[string]abi.Field{}, tdest: map[string]abi.Field{}}
	for name, to := range map[string]map[string]abi.Field{"move_control": f.control, "move_tdest": f.tdest} {
		layout := g.Layout(name)
		if layout == nil {
			return f, fmt.Errorf("%s describes no %s", g.Name, name)
		}
		for _, field := range layout.Fields {
			to[field.Name] = field
		}
	}
	for name, to := range map[string]*map[string]uint32{"move_operand": &f.operands, "move_result": &f.results,
		"message_type": &f.types} {
		enum := g.Enum(name)
		if enum == nil {
			return f, fmt.Errorf("%s describes no %s", g.Name, name)
		}
		*to = map[string]uint32{}
		for _, v := range enum.Values {
			(*to)[v.Name] = v.Value
		}
	}
	return f, nil
}

// of is a field of a control word; 0 where there is no such field.
func (f moveFields) of(control uint32, field string) uint32 {
	d, ok := f.control[field]
	if !ok {
		return 0
	}
	return d.Of(control)
}

// isOne tells whether a number is one of an enum's values. What an enum does not have is
// none.
func isOne(values map[string]uint32, number uint32, names ...string) bool {
	for _, name := range names {
		if v, ok := values[name]; ok && v == number {
			return true
		}
	}
	return false
}

// Results that go to memory, to the kernel stream, and to other ranks, by their names in the interface.
var (
	toMemory  = []string{"memory", "memory_and_network", "apart", "beside"}
	toKernel  = []string{"kernel_stream", "kernel_stream_and_network"}
	toNetwork = []string{"network", "memory_and_network", "kernel_stream_and_network", "apart", "beside"}
)

// essential is a move without what means nothing to it: registers keep what earlier moves
// of other calls have left there. Queue and window are those that were free, which
// depends on when other calls end.
func (f moveFields) essential(m Move) Move {
	op0, op1, result := f.of(m.Control, "op0"), f.of(m.Control, "op1"), f.of(m.Control, "result")
	at := func(operand uint32) bool { return isOne(f.operands, operand, "memory", "window") }
	reduces := !isOne(f.operands, op1, "none") && !isOne(f.results, result, "apart")
	data := !isOne(f.operands, op0, "none") || !isOne(f.operands, op1, "none")
	receives := isOne(f.operands, op0, "message") || isOne(f.operands, op1, "message")
	sends := isOne(f.results, result, toNetwork...)
	kind := f.of(m.Control, "message_type")
	converts := false
	for _, name := range []string{"op0_compressed", "op1_compressed", "inner_compressed", "result_compressed",
		"network_compressed"} {
		converts = converts || f.of(m.Control, name) != 0
	}

	m.Control &^= f.control["queue"].Mask()
	m.Window = 0
	clear := func(unless bool, words ...*uint32) {
		for _, w := range words {
			if !unless {
				*w = 0
			}
		}
	}
	clear(data || sends, &m.Bytes)
	clear(converts, &m.CompressedBytes)
	clear(receives || sends, &m.Comm, &m.Context, &m.Tag)
	clear((receives || sends) && m.Context&1 != 0, &m.Number, &m.Count, &m.Shape) // others carry 0
	clear(receives, &m.Source)
	clear(sends, &m.Destination, &m.Strm)
	clear(sends && data && isOne(f.types, kind, "eager"), &m.ChunkBytes, &m.SegmentBytes)
	clear(sends && isOne(f.types, kind, "rendezvous_data"), &m.PacketIndex)
	clear(sends && isOne(f.types, kind, "rendezvous_announcement", "rendezvous_done"), &m.HeaderCount)
	for _, a := range []struct {
		to   *uint64
		used bool
	}{
		{&m.Op0, at(op0)}, {&m.Op1, at(op1)}, {&m.Op2, isOne(f.results, result, "beside")},
		{&m.Kept, f.of(m.Control, "keeps") != 0}, {&m.Result, isOne(f.results, result, toMemory...)},
		{&m.RemoteAddress, sends && !isOne(f.types, kind, "eager")},
	} {
		if !a.used {
			*a.to = 0
		}
	}
	kept := uint32(0)
	for name, used := range map[string]bool{
		"compressor": converts, "decompressor": converts, "reduction": reduces,
		"kernel": isOne(f.results, result, toKernel...),
	} {
		if used && data {
			kept |= f.tdest[name].Mask()
		}
	}
	m.TDEST &= kept
	return m
}
