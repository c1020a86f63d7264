package regs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestHostctrlCore(t *testing.T) { set.Check(t, "hostctrl_core", hostctrlCore) }

// callWords are the offsets of the registers that are words of a call, in the
// order of a call.
func callWords(g *abi.Generation) (offsets []uint64, err error) {
	at := map[string]uint64{}
	for _, x := range g.RegisterMap("hostctrl").Registers {
		at[x.Name], at[x.Name+"_low"], at[x.Name+"_high"] = uint64(x.At), uint64(x.At), uint64(x.At)+4
	}
	for _, w := range g.Record("call").Words {
		o, ok := at[w.Name]
		if !ok {
			return nil, fmt.Errorf("no register has the word %s", w.Name)
		}
		offsets = append(offsets, o)
	}
	return offsets, nil
}

// hostctrlCore gets accesses of a host that starts calls, and answers to them.
func hostctrlCore(b *block.Bench, r *rand.Rand) error {
	g, err := generation("u55c_tcp")
	if err != nil {
		return err
	}
	offsets, err := callWords(g)
	if err != nil {
		return err
	}
	extension := uint64(1) << 12
	for _, x := range g.RegisterMap("hostctrl").Registers {
		if x.Extension {
			extension = min(extension, uint64(x.At))
		}
	}
	first, last := offsets[0], offsets[0]
	for _, o := range offsets {
		first, last = min(first, o), max(last, o)
	}
	var writable uint64
	for _, o := range offsets {
		writable |= 1 << ((o - first) / 4)
	}
	for range 6 {
		b.Reset()
		k, err := newKernel(first, int(last-first)/4+1, writable, 0)
		if err != nil {
			return err
		}
		call := &block.Drain{Output: block.NewOutput(b, "call_valid", "call_ready", "call_data"),
			Pace: block.NewRhythm(r).Next, Late: r.IntN(3) == 0}
		answers := block.NewRhythm(r).Next
		sent, calls, since := 0, 0, 0 // words of the call, calls, cycles for which one should have begun
		waiting := false
		for range 3000 {
			a, valid := k.some(r), r.IntN(3) == 0
			if a.address >= extension { // nothing is posted here
				a.address %= extension
			}
			if k.start && a.address/4 != 0 { // arguments stand while a call is asked for
				a.write = false
			}
			b.Put("bus_valid", valid)
			b.Put("bus_write", a.write)
			b.Set("bus_address", a.address)
			b.Set("bus_wdata", a.data)
			b.Set("bus_strobe", a.strobe)
			answer := answers() && r.IntN(4) == 0
			b.Put("answer_valid", answer)
			call.Drive()
			b.Step()
			idle := !b.Is("call_valid") && !waiting
			if got, want := b.Get("bus_rdata"), k.read(a.address, idle, nil); got != want || !b.Is("bus_ready") {
				return fmt.Errorf("%X stands at %X (ready: %t), not %X", got, a.address, b.Is("bus_ready"), want)
			}
			if !b.Is("answer_ready") {
				return errors.New("an answer has to wait")
			}
			if b.Is("call_valid") && (!k.start || waiting) {
				return errors.New("a call that nobody has asked for")
			}
			if since++; !k.start || !idle {
				since = 0
			}
			if since > 1 {
				return errors.New("a call does not begin")
			}
			ok, err := call.Taken()
			if err != nil {
				return err
			}
			if ok {
				i, _ := k.word(offsets[sent])
				if got := b.Get("call_data"); got != k.arguments[i] {
					return fmt.Errorf("word %d of a call is %X, not %X", sent, got, k.arguments[i])
				}
				sent++
			}
			taken, done := sent == len(offsets), waiting && answer
			if taken {
				sent, waiting = 0, true
				calls++
			}
			if done {
				waiting = false
			}
			if valid {
				k.cycle(&a, taken, done)
			} else {
				k.cycle(nil, taken, done)
			}
		}
		if calls < 3 {
			return fmt.Errorf("only %d calls", calls)
		}
	}
	return nil
}

func TestVaddPutRegisters(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")})
	var arguments []design.Argument
	for _, in := range d.Instances {
		if in.Kernel.ID == "vadd_put" {
			arguments = in.Kernel.Arguments
		}
	}
	first, last := uint64(1<<32), uint64(0)
	for _, a := range arguments {
		first, last = min(first, uint64(a.At)), max(last, uint64(a.At)+uint64(a.Width)/8)
	}
	var writable uint64
	for _, a := range arguments {
		writable |= (1<<(a.Width/32) - 1) << ((uint64(a.At) - first) / 4)
	}
	set.Check(t, "vadd_put_registers", func(b *block.Bench, r *rand.Rand) error {
		return host(b, r, first, int(last-first)/4, writable, 0, func(k *kernel) error {
			for _, a := range arguments {
				i, _ := k.word(uint64(a.At))
				want := k.arguments[i]
				if a.Width == 64 {
					want |= k.arguments[i+1] << 32
				}
				if got := b.Get(a.Name); got != want {
					return fmt.Errorf("%s is %X, not %X", a.Name, got, want)
				}
			}
			return nil
		})
	})
}
