package compare

import (
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
)

// names are those of the interface generation that the comparison knows.
type names struct {
	exchange   *abi.Memory
	beatBytes  int
	tables     map[string]*abi.Table
	inspection abi.Record      // words of the exchange memory that are registers
	detail     uint32          // offset of the one that shows counters
	counters   []counter       // that are the same in both worlds
	rankBits   uint32          // of a rank in events of the trace
	sequence   uint32          // of a sequence number there
	inMemory   map[uint32]bool // results that go there
	// Fields of the control word of moves.
	result, resultHost abi.Field
	moves              moveFields
	typeAt             int // byte of a message's header with its type; -1 where all are eager
	noticeAt           int // byte that is not 0 in notices
	fillerAt           int // in fillers
	sequenceAt         int // bytes with its sequence number
	types              map[uint32]string
}

func newNames(g *abi.Generation) (*names, error) {
	n := &names{exchange: g.Memory(abi.Exchange), tables: map[string]*abi.Table{}, inMemory: map[uint32]bool{}}
	beat, results := g.Constant(abi.BeatBytes), g.Enum("move_result")
	if n.exchange == nil || beat == nil || results == nil {
		return nil, fmt.Errorf("%s describes no exchange memory, beats or moves", g.Name)
	}
	n.beatBytes = int(beat.Value)
	if r := g.Record("inspection"); r != nil {
		n.inspection = *r
		n.rankBits, n.sequence = valuesOf(g, "trace_move_issued", "source"), valuesOf(g, "trace_packet_sent", "seq")
		n.counts(g)
	}
	for _, table := range []string{abi.RxBuffers, abi.Communicators, abi.ArithmeticConfigs} {
		if n.tables[table] = n.exchange.Table(table); n.tables[table] == nil {
			return nil, fmt.Errorf("%s describes no %s", g.Name, table)
		}
	}
	for name, to := range map[string]*abi.Field{"result": &n.result, "result_host": &n.resultHost} {
		field := g.Layout("move_control").Field(name)
		if field == nil {
			return nil, fmt.Errorf("%s describes no %s of moves", g.Name, name)
		}
		*to = *field
	}
	var err error
	if n.moves, err = newMoveFields(g); err != nil {
		return nil, err
	}
	n.typeAt = -1
	for name, at := range map[string]*int{"msg_type": &n.typeAt, "notice": &n.noticeAt, "filler": &n.fillerAt,
		"seq": &n.sequenceAt} {
		if field := g.Layout(abi.MessageHeader).Field(name); field != nil {
			*at = field.Low / 8
		}
	}
	if types := g.Enum("message_type"); types != nil {
		n.types = map[uint32]string{}
		for _, v := range types.Values {
			n.types[v.Value] = v.Name
		}
	}
	for _, name := range toMemory {
		if v := results.Value(name); v != nil {
			n.inMemory[v.Value] = true
		}
	}
	return n, nil
}

// counter is a word behind the word detail of the inspection.
type counter struct {
	name   string
	number uint32
}

// sameCounters are those that do not depend on time. Moves, packets and bytes do: whether firmware still sends
// a notice depends on what has come meanwhile.
var sameCounters = []string{"answers", "messages"}

// counts finds the counters that are compared.
func (n *names) counts(g *abi.Generation) {
	word, first, counters := n.exchange.Word(n.inspection.Name), g.Constant("detail_counters"), g.Record("counters")
	if word == nil || first == nil || counters == nil {
		return
	}
	n.detail = word.At + uint32(abi.Offset(n.inspection.Words, "detail"))
	for _, name := range sameCounters {
		n.counters = append(n.counters, counter{name,
			uint32(first.Value) + uint32(abi.Offset(counters.Words, name)/wordBytes)})
	}
}

// valuesOf is the largest value of a field of a layout, 0 if there is none.
func valuesOf(g *abi.Generation, layout, field string) uint32 {
	if f := g.Layout(layout).Field(field); f != nil {
		return f.Of(f.Mask())
	}
	return 0
}

// writes reports whether a move writes to an address.
func (n *names) writes(m *Move, addr uint64, host bool) bool {
	bytes := uint64(max(m.Bytes, m.CompressedBytes))
	return n.inMemory[n.result.Of(m.Control)] && (n.resultHost.Of(m.Control) != 0) == host &&
		addr-m.Result < bytes
}

// freedom is how much words may differ.
type freedom int

const (
	same    freedom = iota
	any             // it says when something happened, or in which rx buffer
	counted         // as often as in the other world, in whichever rx buffers
)

// word is one of the exchange memory.
type word struct {
	name   string
	may    freedom
	column string // what is counted together
}

// rxFreedom is how much words of the records of rx buffers may differ. A message goes
// to whichever buffer is free when it arrives, so that what a record says of the last
// message there may differ; at rest, as many must be free on both sides.
var rxFreedom = map[string]freedom{
	"status": counted,
	"rx_tag": any, "rx_len": any, "rx_src": any, "seq": any, "dma_tag": any,
}

// wordFreedom is how much other words may differ: those of time.
var wordFreedom = map[string]freedom{"performance_counter": any}

// inspectionFreedom is the same of what the hardware says of itself: whether the processor is
// asleep, how often it was, and what the network has refused.
var inspectionFreedom = map[string]freedom{
	"state": any, "pc": any, "heartbeat": any, "cycles": any, "refused": any, "detail": any,
}

// wordBytes is what the exchange memory is made of.
const wordBytes = 4

// words names those of the exchange memory that are known, by offset.
func (n *names) words(s *state) map[uint32]word {
	out := map[uint32]word{}
	for _, w := range n.exchange.Words {
		each := uint32(w.Width / 8 / wordBytes)
		for i := range uint32(w.Count) * each {
			name := w.Name
			if w.Count > 1 || each > 1 {
				name = fmt.Sprintf("word %d of %s", i, w.Name)
			}
			may := wordFreedom[w.Name]
			if w.Name == n.inspection.Name {
				of := n.inspection.Words[i].Name
				name, may = of+" of "+w.Name, inspectionFreedom[of]
			}
			out[w.At+wordBytes*i] = word{name: name, may: may}
		}
	}
	get := func(at uint32) uint32 { return s.words[0][at] }
	put := func(at uint32, table, what string, words []abi.RecordWord, free map[string]freedom) uint32 {
		for _, w := range words {
			out[at] = word{w.Name + " of " + what, free[w.Name], table + "." + w.Name}
			at += wordBytes
		}
		return at
	}
	table := func(name, what string, at uint32, count string, free map[string]freedom) {
		t := n.tables[name]
		records := uint32(0)
		for i, w := range t.Header {
			if w.Name == count {
				records = get(at + wordBytes*uint32(i))
			}
		}
		at = put(at, name, what, t.Header, nil)
		for i := range min(records, n.exchange.Size/wordBytes) {
			at = put(at, name, fmt.Sprintf("record %d of %s", i, what), t.Record, free)
		}
	}
	rx := n.tables[abi.RxBuffers]
	table(abi.RxBuffers, "the rx buffers", rx.At, "count", rxFreedom)
	for at := range s.comms {
		table(abi.Communicators, fmt.Sprintf("the communicator at 0x%X", at), at, "size", nil)
	}
	for at := range s.configs {
		table(abi.ArithmeticConfigs, fmt.Sprintf("the arithmetic configuration at 0x%X", at), at, "nfunctions", nil)
	}
	return out
}
