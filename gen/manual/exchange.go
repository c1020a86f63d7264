package manual

import (
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

// exchangeMap lists the exchange memory from its first byte to its last, as
// the platform fills it.
func exchangeMap(d *design.Design) Table {
	m := d.ABI().Memory(abi.Exchange)
	rows := exchangeRows{table: newTable("First byte", "Last byte", "Processor", "Bytes>", "What"),
		memory: m, next: m.Base}
	rx, x := m.Table(abi.RxBuffers), d.Exchange
	buffers := d.Platform.CCLO.RxBuffers.Count
	rows.add(x.RxBuffers, rx.HeaderBytes(), "header of the rx buffers")
	rows.add(x.RxBuffers+rx.HeaderBytes(), uint32(buffers)*rx.RecordBytes(), fmt.Sprintf("%d rx buffers, %d bytes each",
		buffers, rx.RecordBytes()))
	comms := m.Table(abi.Communicators)
	for i, at := range x.Communicators {
		ranks := d.Platform.Capacity.Ranks
		rows.add(at, comms.HeaderBytes()+uint32(ranks)*comms.RecordBytes(),
			fmt.Sprintf("communicator %d of %d ranks", i, ranks))
	}
	configs := m.Table(abi.ArithmeticConfigs)
	for i, at := range x.ArithmeticConfigs {
		c := d.Configs[i]
		size := configs.HeaderBytes() + uint32(len(c.FunctionTDEST))*configs.RecordBytes()
		rows.add(at, size, fmt.Sprintf("arithmetic configuration %d: %s", i, pair(c)))
	}
	for _, w := range m.Words {
		rows.add(w.At, uint32(w.Count*w.Width/8), Code(w.Name))
	}
	rows.free(m.Base + m.Size)
	return rows.table
}

func pair(c design.ArithmeticConfig) string {
	if c.Uncompressed == c.Compressed {
		return Code(c.Uncompressed)
	}
	return Code(c.Uncompressed) + ", compressed " + Code(c.Compressed)
}

// exchangeRows are the rows of the map; gaps become rows of their own.
type exchangeRows struct {
	table  Table
	memory *abi.Memory
	next   uint32
}

func (r *exchangeRows) add(at, size uint32, what string) {
	if size == 0 {
		return
	}
	r.free(at)
	r.row(at, size, what)
}

func (r *exchangeRows) free(until uint32) {
	if until > r.next {
		r.row(r.next, until-r.next, "free")
	}
}

func (r *exchangeRows) row(at, size uint32, what string) {
	r.table.add(hex(at), hex(at+size-1), hex(r.memory.ProcessorBase+at-r.memory.Base), number(size), what)
	r.next = at + size
}
