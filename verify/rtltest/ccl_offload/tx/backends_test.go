package transmit

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestTCP(t *testing.T)  { set.Check(t, "tx_tcp", backend(tcp)) }
func TestUDP(t *testing.T)  { set.Check(t, "tx_udp", backend(udp)) }
func TestRDMA(t *testing.T) { set.Check(t, "tx_rdma", backend(rdma)) }

// ask is what a back end is asked for.
type ask struct {
	slot, session, bytes, vaddr, host uint64
	written                           bool
}

// answer is what it says in the next cycle.
type answer struct {
	slot uint64
	good bool
}

// stack is what a back end does with what it is asked for.
type stack struct {
	drive func()
	// check goes after a step in which something was asked for, or nothing; it
	// returns what the back end has to answer.
	check func(asked *ask) (*answer, error)
}

// tcp asks the stack, which answers in order. What it says without being asked is
// not listened to.
func tcp(b *block.Bench, r *rand.Rand) stack {
	meta := drain(b, r, "tx_meta_tvalid", "tx_meta_tready", "tx_meta_tdata")
	var want, known []ask // that the stack is to get; that it has
	answers := block.NewRhythm(r).Next
	var status uint64
	valid := false
	return stack{func() {
		meta.Drive()
		b.Scramble(r, "tx_status_tdata")
		if status = b.Get("tx_status_tdata"); r.IntN(2) == 0 {
			status &= 1<<62 - 1 // no error
			b.Set("tx_status_tdata", status)
		}
		valid = answers() && (len(known) > 0 || len(want) == 0 && r.IntN(8) == 0)
		b.Put("tx_status_tvalid", valid)
	}, func(asked *ask) (a *answer, err error) {
		if !b.Is("tx_status_tready") {
			return nil, errors.New("the stack has to wait with its answer")
		}
		if valid && len(known) > 0 {
			a = &answer{known[0].slot, status>>62 == 0}
			known = known[1:]
		}
		if ok, err := meta.Taken(); err != nil {
			return nil, err
		} else if ok {
			if len(want) == 0 || b.Get("tx_meta_tdata") != want[0].session|want[0].bytes<<16 {
				return nil, fmt.Errorf("the stack is asked for %X, not for %+v", b.Get("tx_meta_tdata"), want)
			}
			known, want = append(known, want[0]), want[1:]
		}
		if asked != nil {
			want = append(want, *asked)
		}
		if len(want) > 2 {
			return nil, errors.New("requests do not go")
		}
		return a, nil
	}}
}

// udp has nobody to ask.
func udp(b *block.Bench, r *rand.Rand) stack {
	return stack{func() {}, func(asked *ask) (*answer, error) {
		if asked == nil {
			return nil, nil
		}
		return &answer{asked.slot, true}, nil
	}}
}

// rdma says what becomes of the data: a message, or a write.
func rdma(b *block.Bench, r *rand.Rand) stack {
	queue := drain(b, r, "rdma_sq_tvalid", "rdma_sq_tready", "rdma_sq_tdata")
	var want []ask
	return stack{queue.Drive, func(asked *ask) (a *answer, err error) {
		if ok, err := queue.Taken(); err != nil {
			return nil, err
		} else if ok {
			if len(want) == 0 {
				return nil, errors.New("a request of nothing")
			}
			q := want[0]
			want = want[1:]
			if err := q.compare(b); err != nil {
				return nil, err
			}
		}
		if asked != nil {
			want = append(want, *asked)
			a = &answer{asked.slot, true}
		}
		if len(want) > 2 {
			return nil, errors.New("requests do not go")
		}
		return a, nil
	}}
}

// requested is what an RDMA stack is asked for, by field.
func requested(b *block.Bench) map[string]uint64 {
	all := map[string]uint64{}
	for _, f := range definitions().Layout("rdma_send_queue").Fields {
		for i, word := 0, b.Bytes("rdma_sq_tdata"); i < f.Bits(); i++ {
			all[f.Name] |= uint64(word[(f.Low+i)/8]>>((f.Low+i)%8)&1) << i
		}
	}
	return all
}

// compare compares what an RDMA stack is asked for.
func (q ask) compare(b *block.Bench) error {
	opcode := func(name string) uint64 { return uint64(definitions().Enum("rdma_opcode").Value(name).Value) }
	want := map[string]uint64{"length": q.bytes, "queue_pair": q.session, "opcode": opcode("send")}
	if q.written {
		want["opcode"], want["vaddr"], want["host"] = opcode("write"), q.vaddr, q.host
	}
	for name, got := range requested(b) {
		if got != want[name] {
			return fmt.Errorf("%s of a request is %X, not %X", name, got, want[name])
		}
	}
	return nil
}

// backend asks for packets and gives their data, which are not looked at.
func backend(of func(b *block.Bench, r *rand.Rand) stack) block.Run {
	return func(b *block.Bench, r *rand.Rand) error {
		answers, passed := 0, 0
		for range 6 {
			b.Reset()
			s := of(b, r)
			in := &block.Feed[ask]{Input: block.NewInput(b, "ask_valid", "ask_ready", "ask_slot"), Pace: block.NewRhythm(r).Next}
			for _, name := range []string{"ask_session", "ask_bytes", "ask_written", "ask_vaddr", "ask_host"} {
				if b.Has(name) {
					in.Fields = append(in.Fields, name)
				}
			}
			in.Put = func(a ask) {
				for name, v := range map[string]uint64{"ask_slot": a.slot, "ask_session": a.session, "ask_bytes": a.bytes,
					"ask_vaddr": a.vaddr, "ask_host": a.host} {
					if b.Has(name) {
						b.Set(name, v)
					}
				}
				if b.Has("ask_written") {
					b.Put("ask_written", a.written)
				}
			}
			data := newThrough(b, r)
			var due *answer
			for range 1500 {
				if len(in.Queue) == 0 {
					in.Queue = append(in.Queue, ask{r.Uint64N(32), r.Uint64N(1 << 16), r.Uint64N(1 << 13), r.Uint64(), r.Uint64N(256),
						r.IntN(2) == 0})
				}
				in.Drive(r)
				s.drive()
				data.drive()
				b.Step()
				if b.Is("answer_valid") != (due != nil) || due != nil &&
					(b.Get("answer_slot") != due.slot || b.Is("answer_good") != due.good) {
					return fmt.Errorf("slot %d is answered for: %t, good: %t; not %+v", b.Get("answer_slot"), b.Is("answer_valid"),
						b.Is("answer_good"), due)
				}
				if due != nil {
					answers++
				}
				var asked *ask
				if a, ok := in.Gone(); ok {
					asked = &a
				}
				var err error
				if due, err = s.check(asked); err != nil {
					return err
				}
				if err := data.check(); err != nil {
					return err
				}
			}
			passed += data.passed
		}
		if answers < 300 || passed < 300 {
			return fmt.Errorf("only %d answers, %d beats", answers, passed)
		}
		return nil
	}
}

// word is a beat of what is sent.
type word struct {
	data          []byte
	keep, session uint64
	last          bool
}

// through is what goes to the stack as it comes.
type through struct {
	b      *block.Bench
	r      *rand.Rand
	in     *block.Feed[word]
	out    *block.Drain
	want   []word
	padded bool // whole beats
	passed int
}

func newThrough(b *block.Bench, r *rand.Rand) *through {
	x := &through{b: b, r: r, padded: !b.Has("send_keep")}
	fields := []string{"send_data", "send_last", "send_session"}
	if !x.padded {
		fields = append(fields, "send_keep")
	}
	x.in = &block.Feed[word]{Input: block.NewInput(b, "send_valid", "send_ready", fields...),
		Pace: block.NewRhythm(r).Next}
	x.in.Put = func(w word) {
		b.SetBytes("send_data", w.data)
		b.Set("send_session", w.session)
		b.Put("send_last", w.last)
		if !x.padded {
			b.Set("send_keep", w.keep)
		}
	}
	x.out = drain(b, r, "tx_data_tvalid", "tx_data_tready", "tx_data_tdata", "tx_data_tkeep", "tx_data_tlast",
		"tx_data_tdest")
	return x
}

func (x *through) drive() {
	if len(x.in.Queue) == 0 {
		w := word{block.RandomBytes(x.r, beatBytes), x.r.Uint64(), x.r.Uint64N(1 << 16), x.r.IntN(3) == 0}
		if x.padded {
			w.keep = ^uint64(0)
		}
		x.in.Queue = append(x.in.Queue, w)
	}
	x.in.Drive(x.r)
	x.out.Drive()
}

func (x *through) check() error {
	b := x.b
	if ok, err := x.out.Taken(); err != nil {
		return err
	} else if ok {
		if len(x.want) == 0 {
			return errors.New("a beat of nothing")
		}
		w := x.want[0]
		x.want = x.want[1:]
		if !bytes.Equal(b.Bytes("tx_data_tdata"), w.data) || b.Get("tx_data_tkeep") != w.keep ||
			b.Is("tx_data_tlast") != w.last || b.Get("tx_data_tdest") != w.session {
			return fmt.Errorf("%X goes to %d, keep %X, last %t; not %+v", b.Bytes("tx_data_tdata"), b.Get("tx_data_tdest"),
				b.Get("tx_data_tkeep"), b.Is("tx_data_tlast"), w)
		}
		x.passed++
	}
	if w, ok := x.in.Gone(); ok {
		x.want = append(x.want, w)
	}
	if len(x.want) > 2 {
		return errors.New("beats do not go")
	}
	return nil
}
