package regs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// Words 1, 3 and 5 to 7 may be written, 2 and 3 are results, 0 and 4 are nothing.
const (
	first    = 0x10
	words    = 8
	writable = 0b11101010
	results  = 0b00001100
)

var params = map[string]string{"ARGUMENTS": fmt.Sprint(first), "WORDS": fmt.Sprint(words),
	"WRITABLE": fmt.Sprintf("8'h%X", writable), "RESULTS": fmt.Sprintf("8'h%X", results)}

var set = block.NewSet(
	block.Module{Name: "axilite_registers", Folder: "common", Params: params, Parts: []string{"control_registers"}},
	block.Module{Name: "hostctrl_core", Folder: "hostctrl"},
	block.Module{Name: "hostctrl_core", As: "hostctrl_core_wraps", Folder: "hostctrl", Params: map[string]string{
		"EARLIER": fmt.Sprintf("32'h%X", almostWrapped), "ADDRESS_WIDTH": "13", // as in the engine of the hardware manual
	}},
	block.Module{Name: "processor_bus"},
	block.Module{Name: "processor_bus", As: "processor_bus_2022", Platform: "u280_2022"},
	block.Module{Name: "activity", Streams: true},
	block.Module{Name: "inspection", Streams: true},
	block.Module{Name: "session_requests", Platform: "u280_2022", Streams: true},
	block.Module{Name: "system_registers", Streams: true,
		Params: map[string]string{"MILLISECOND_CYCLES": fmt.Sprint(millisecond)}},
	block.Module{Name: "trace", Streams: true},
)

// shown are the results that a bench shows to the module.
func shown(b *block.Bench) (v []uint64) {
	for i, x := range b.Bytes("results") {
		if i%4 == 0 {
			v = append(v, 0)
		}
		v[i/4] |= uint64(x) << (8 * (i % 4))
	}
	return v
}

func TestAXILiteRegisters(t *testing.T) { set.Check(t, "axilite_registers", axiliteRegisters) }

// axiliteRegisters accesses registers. An access has been made in the cycle before its answer is there.
func axiliteRegisters(b *block.Bench, r *rand.Rand) error {
	const host, slave = "control_request.", "control_response."
	feed := func(channel string, put func(a access), fields ...string) *block.Feed[access] {
		return &block.Feed[access]{
			Input: block.NewInput(b, host+channel+"valid", slave+channel+"ready", fields...), Put: put,
		}
	}
	addresses := feed("aw", func(a access) { b.Set(host+"awaddr", a.address) }, host+"awaddr")
	data := feed("w", func(a access) {
		b.Set(host+"wdata", a.data)
		b.Set(host+"wstrb", a.strobe)
	}, host+"wdata", host+"wstrb")
	reads := feed("ar", func(a access) { b.Set(host+"araddr", a.address) }, host+"araddr")
	written := &block.Drain{Output: block.NewOutput(b, slave+"bvalid", host+"bready", slave+"bresp")}
	answers := &block.Drain{Output: block.NewOutput(b, slave+"rvalid", host+"rready", slave+"rdata", slave+"rresp")}
	for range 8 {
		b.Reset()
		for _, f := range []*block.Feed[access]{addresses, data, reads} {
			f.Forget()
			f.Pace = block.NewRhythm(r).Next
		}
		written.Forget()
		answers.Forget()
		written.Pace, answers.Pace = block.NewRhythm(r).Next, block.NewRhythm(r).Next
		written.Late, answers.Late = r.IntN(3) == 0, r.IntN(3) == 0
		k, err := newKernel(first, words, writable, results)
		if err != nil {
			return err
		}
		var addressed, given, asked []access // taken, and not made
		var taken, done, idle bool           // in the cycle before
		var shows []uint64
		wasWritten, wasRead, made := false, false, 0 // an answer stands there
		for range 1500 {
			if len(addresses.Queue) == 0 && r.IntN(2) == 0 {
				a := k.some(r)
				addresses.Queue, data.Queue = append(addresses.Queue, a), append(data.Queue, a)
			}
			if len(reads.Queue) == 0 && r.IntN(2) == 0 {
				reads.Queue = append(reads.Queue, k.some(r))
			}
			for _, f := range []*block.Feed[access]{addresses, data, reads} {
				f.Drive(r)
			}
			written.Drive()
			answers.Drive()
			nowTaken, nowDone, nowIdle := b.Is("start") && r.IntN(8) == 0, r.IntN(8) == 0, r.IntN(2) == 0
			b.Put("taken", nowTaken)
			b.Put("done", nowDone)
			b.Put("idle", nowIdle)
			b.Scramble(r, "results")
			nowShows := shown(b)
			b.Settle()
			if nowTaken && !b.Is("start") { // it has just been taken
				nowTaken = false
				b.Set("taken", 0)
			}
			b.Step()
			var a *access
			if b.Is(slave+"bvalid") && !wasWritten {
				if len(addressed) == 0 || len(given) == 0 {
					return fmt.Errorf("a write is answered that nobody has made")
				}
				a = &access{true, addressed[0].address, given[0].data, given[0].strobe}
				addressed, given = nil, nil
				made++
			}
			if b.Is(slave+"rvalid") && !wasRead {
				if a != nil || len(asked) == 0 {
					return fmt.Errorf("a read is answered that nobody has made, or with a write")
				}
				a = &access{address: asked[0].address}
				if got, want := b.Get(slave+"rdata"), k.read(a.address, idle, shows); got != want {
					return fmt.Errorf("%X is read at %X, not %X", got, a.address, want)
				}
				asked = nil
				made++
			}
			k.cycle(a, taken, done)
			taken, done, idle, shows = nowTaken, nowDone, nowIdle, nowShows
			if err := k.compare(b); err != nil {
				return err
			}
			if b.Get(slave+"bresp")+b.Get(slave+"rresp") != 0 {
				return fmt.Errorf("an access is refused")
			}
			ok, err := written.Taken()
			if err != nil {
				return err
			}
			wasWritten = b.Is(slave+"bvalid") && !ok
			if ok, err = answers.Taken(); err != nil {
				return err
			}
			wasRead = b.Is(slave+"rvalid") && !ok
			for _, x := range []struct {
				f  *block.Feed[access]
				to *[]access
			}{{addresses, &addressed}, {data, &given}, {reads, &asked}} {
				if a, ok := x.f.Gone(); ok {
					if *x.to = append(*x.to, a); len(*x.to) > 1 {
						return fmt.Errorf("two accesses are taken at once")
					}
				}
			}
		}
		if made < 20 {
			return fmt.Errorf("only %d accesses", made)
		}
	}
	return nil
}
