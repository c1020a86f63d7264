package accl

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// RankDump is a rank as it stands in the exchange memory.
type RankDump struct {
	Rank
	Inbound, Outbound uint32 // next sequence numbers
}

// CommDump is a communicator as it stands in the exchange memory.
type CommDump struct {
	Number  int // in the order of creation
	Address uint32
	Local   int // index of the engine among Ranks
	Ranks   []RankDump
	Called  *Called // in reports of engines that this driver calls, nil in others
}

// Called are the last collectives in a communicator, as the program has called them by the driver.
type Called struct {
	Resets int      // of this engine since Recover: ranks that differ in them do not count alike
	Before int      // calls before these, since then
	Calls  []string // all ranks must make the same
}

// end is the number of all calls.
func (c *Called) end() int { return c.Before + len(c.Calls) }

// String returns a line for the communicator and one for each rank.
func (d CommDump) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Communicator %d at 0x%X, rank %d of %d:\n", d.Number, d.Address, d.Local, len(d.Ranks))
	for i, r := range d.Ranks {
		fmt.Fprintf(&text, "  rank %d: %s session %d, segments of %d bytes, next in %d, next out %d\n",
			i, r.place(), r.Session, r.MaxSegmentBytes, r.Inbound, r.Outbound)
	}
	return text.String()
}

// Dump reads the communicator from the exchange memory.
func (c *Comm) Dump(ctx context.Context) (CommDump, error) {
	if c == nil {
		return CommDump{}, fmt.Errorf("dump a communicator: %w", ErrNotMember)
	}
	x := c.engine.exchange(ctx)
	d := x.communicator(c.number, c.at, len(c.ranks))
	if x.err != nil {
		return d, fmt.Errorf("dump a communicator: %w", x.err)
	}
	return d, nil
}

// exchange reads the exchange memory of the engine.
func (e *Engine) exchange(ctx context.Context) *exchangeReader {
	return &exchangeReader{ctx: ctx, r: e.dev, p: e.p, w: e.w}
}

// DumpCommunicators reads all communicators, in the order of their creation.
func (e *Engine) DumpCommunicators(ctx context.Context) ([]CommDump, error) {
	e.setup.Lock()
	comms := e.comms
	e.setup.Unlock()
	var out []CommDump
	for _, c := range comms {
		d, err := c.Dump(ctx)
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
	return out, nil
}

// RxBufferDump is an rx buffer as it stands in the exchange memory.
type RxBufferDump struct {
	Index    int
	State    string // "idle", "enqueued", "reserved" or "error"
	Address  uint64
	Size     int // bytes
	Tag      Tag // of the message in it, as are Length, Source and Sequence
	Length   int // bytes
	Source   int // rank
	Sequence uint32
	Data     []byte // the message, nil unless it was read
}

// shown is the number of bytes of a message that String shows.
const shown = 16

// String returns a line, with the first bytes of the message.
func (d RxBufferDump) String() string {
	text := fmt.Sprintf("rx buffer %d: 0x%X %s, %d of %d bytes, tag 0x%X, sequence number %d, source %d",
		d.Index, d.Address, d.State, d.Length, d.Size, d.Tag, d.Sequence, d.Source)
	switch {
	case len(d.Data) > shown:
		text += fmt.Sprintf(", data % X ...", d.Data[:shown])
	case d.Data != nil:
		text += fmt.Sprintf(", data % X", d.Data)
	}
	return text
}

// DumpRxBuffers reads the table of rx buffers and, if data is set, the messages in them.
func (e *Engine) DumpRxBuffers(ctx context.Context, data bool) ([]RxBufferDump, error) {
	e.setup.Lock()
	defer e.setup.Unlock()
	var out []RxBufferDump
	x := e.exchange(ctx)
	for i, mem := range e.rx {
		d := x.rxBuffer(i)
		if x.err != nil {
			return out, fmt.Errorf("dump rx buffers: %w", x.err)
		}
		if !slices.Contains(e.w.rx.record, "max_len") {
			d.Size = e.o.rx.Bytes
		}
		if n := min(d.Length, e.o.rx.Bytes); data && n > 0 {
			if err := mem.SyncFrom(ctx, 0, n); err != nil {
				return out, fmt.Errorf("dump rx buffers: %w", err)
			}
			d.Data = append([]byte(nil), mem.Bytes()[:n]...)
		}
		out = append(out, d)
	}
	return out, nil
}

// ExchangeDump is the exchange memory, word by word.
type ExchangeDump struct {
	Base  uint32 // offset of the first word
	Words []uint32
}

// String returns lines of four words each, without lines of zeros.
func (d ExchangeDump) String() string {
	var text strings.Builder
	const each = 4
	for i := 0; i < len(d.Words); i += each {
		line := d.Words[i:min(i+each, len(d.Words))]
		zero := true
		for _, v := range line {
			zero = zero && v == 0
		}
		if zero {
			continue
		}
		fmt.Fprintf(&text, "0x%04X:", d.Base+4*uint32(i))
		for _, v := range line {
			fmt.Fprintf(&text, " %08X", v)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// DumpExchangeMemory reads the whole exchange memory.
func (e *Engine) DumpExchangeMemory(ctx context.Context) (ExchangeDump, error) {
	d := ExchangeDump{Base: e.p.Exchange.Base}
	for at := e.p.Exchange.Base; at < e.p.Exchange.Base+e.p.Exchange.Bytes; at += 4 {
		v, err := e.read(ctx, at)
		if err != nil {
			return d, fmt.Errorf("dump the exchange memory: %w", err)
		}
		d.Words = append(d.Words, v)
	}
	return d, nil
}
