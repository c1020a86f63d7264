package external_dma

import (
	"fmt"
	"math/rand/v2"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// words is how many registers there are.
const words = 16

type access struct {
	address, data, strobe uint64
}

// registers is a host at the registers of a kernel that does nothing with them.
// Addresses and data of writes come in any order.
type registers struct {
	b                *block.Bench
	r                *rand.Rand
	addresses, data  *block.Feed[access]
	reads            *block.Feed[uint64]
	answers, values  *block.Drain
	held             [words]uint64
	addressed, given []access // taken, not answered
	want             []uint64 // of reads
	answered         bool     // the answer that stands there was there before
	name             ports
}

func newRegisters(b *block.Bench, r *rand.Rand, at ports) *registers {
	x := &registers{b: b, r: r, name: at}
	x.addresses = &block.Feed[access]{Input: block.NewInput(b, at("awvalid"), at("awready"), at("awaddr")),
		Put: func(a access) { b.Set(at("awaddr"), a.address) }}
	x.data = &block.Feed[access]{Input: block.NewInput(b, at("wvalid"), at("wready"), at.all("wdata", "wstrb")...),
		Put: func(a access) {
			b.Set(at("wdata"), a.data)
			b.Set(at("wstrb"), a.strobe)
		}}
	x.reads = &block.Feed[uint64]{Input: block.NewInput(b, at("arvalid"), at("arready"), at("araddr")),
		Put: func(v uint64) { b.Set(at("araddr"), v) }}
	x.answers = &block.Drain{Output: block.NewOutput(b, at("bvalid"), at("bready"), at("bresp"))}
	x.values = &block.Drain{Output: block.NewOutput(b, at("rvalid"), at("rready"), at.all("rdata", "rresp")...)}
	return x
}

func (x *registers) begin() {
	x.addresses.Pace, x.data.Pace, x.reads.Pace = block.NewRhythm(x.r).Next, block.NewRhythm(x.r).Next,
		block.NewRhythm(x.r).Next
	paces(x.r, false, x.answers, x.values)
	address := func() uint64 {
		if x.r.IntN(6) == 0 {
			return uint64(x.r.IntN(words))*4 | 1<<(6+x.r.IntN(10)) // behind them
		}
		return uint64(x.r.IntN(4 * words))
	}
	for range 60 {
		a := access{address(), uint64(x.r.Uint32()), x.r.Uint64N(16)}
		x.addresses.Queue, x.data.Queue = append(x.addresses.Queue, a), append(x.data.Queue, a)
		x.reads.Queue = append(x.reads.Queue, address())
	}
}

func (x *registers) drive() {
	x.addresses.Drive(x.r)
	x.data.Drive(x.r)
	x.reads.Drive(x.r)
	x.answers.Drive()
	x.values.Drive()
}

func (x *registers) check() (moved bool, err error) {
	// A write has been made when its answer is there.
	if x.b.Is(x.answers.Valid) && !x.answered {
		if len(x.addressed) == 0 || len(x.given) == 0 {
			return false, fmt.Errorf("a write is answered that nobody has made")
		}
		a := access{x.addressed[0].address, x.given[0].data, x.given[0].strobe}
		x.addressed, x.given, x.answered = x.addressed[1:], x.given[1:], true
		if a.address < 4*words {
			v := &x.held[a.address/4]
			for i := range 4 {
				if mask := uint64(0xFF) << (8 * i); a.strobe>>i&1 != 0 {
					*v = *v&^mask | a.data&mask
				}
			}
		}
	}
	if ok, err := x.answers.Taken(); err != nil {
		return false, err
	} else if ok {
		if x.b.Get(x.name("bresp")) != 0 {
			return false, fmt.Errorf("a write is refused")
		}
		x.answered, moved = false, true
	}
	if ok, err := x.values.Taken(); err != nil {
		return false, err
	} else if ok {
		if len(x.want) == 0 || x.b.Get(x.name("rdata")) != x.want[0] || x.b.Get(x.name("rresp")) != 0 {
			return false, fmt.Errorf("%X is read with response %d, of %X", x.b.Get(x.name("rdata")), x.b.Get(x.name("rresp")),
				x.want)
		}
		x.want, moved = x.want[1:], true
	}
	if a, ok := x.addresses.Gone(); ok {
		x.addressed, moved = append(x.addressed, a), true
	}
	if a, ok := x.data.Gone(); ok {
		x.given, moved = append(x.given, a), true
	}
	if a, ok := x.reads.Gone(); ok {
		v := uint64(0)
		if a < 4*words {
			v = x.held[a/4]
		}
		x.want, moved = append(x.want, v), true
	}
	if len(x.addressed) > 1 || len(x.given) > 1 || len(x.want) > 1 {
		return false, fmt.Errorf("too many accesses are taken at once")
	}
	return moved, nil
}

func (x *registers) left() bool {
	return len(x.addresses.Queue)+len(x.data.Queue)+len(x.reads.Queue)+len(x.addressed)+len(x.want) > 0 || x.answered
}

func (x *registers) forget() {
	x.addresses.Forget()
	x.data.Forget()
	x.reads.Forget()
	x.answers.Forget()
	x.values.Forget()
	x.held, x.addressed, x.given, x.want, x.answered = [words]uint64{}, nil, nil, nil, false
}
