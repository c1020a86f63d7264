package datapath

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

var memory = block.NewSet(
	block.Module{Name: "dma_status_check"},
	block.Module{Name: "axilite_slave", Folder: "common", Params: map[string]string{"ADDRESS_WIDTH": "12"}},
)

func TestStatusCheck(t *testing.T)  { memory.Check(t, "dma_status_check", statusCheck) }
func TestAXILiteSlave(t *testing.T) { memory.Check(t, "axilite_slave", axiliteSlave) }

// statusCheck makes a code of what a DMA engine says.
func statusCheck(b *block.Bench, r *rand.Rand) error {
	d, err := block.Design("u55c_tcp")
	if err != nil {
		return err
	}
	at := map[string]abi.Field{}
	for _, f := range d.ABI().Layout("dma_status").Fields {
		at[f.Name] = f
	}
	codes := block.Masks(d.ABI().BitSet(abi.ReturnCode))
	for range 20000 {
		fields := map[string]uint64{}
		word := uint64(r.Uint32())
		// Most are nearly right.
		tag, n, counted := uint64(r.IntN(16)), uint64(r.IntN(1<<23)), r.IntN(2) == 0
		set := func(name string, v uint64) {
			f := at[name]
			mask := (uint64(1)<<f.Bits() - 1) << f.Low
			word = word&^mask | v<<f.Low&mask
		}
		for _, name := range []string{"internal_error", "decode_error", "slave_error"} {
			if r.IntN(4) != 0 {
				set(name, 0)
			}
		}
		if r.IntN(4) != 0 {
			set("okay", 1)
		}
		if r.IntN(4) != 0 {
			set("tag", tag)
		}
		if r.IntN(4) != 0 {
			set("bytes_received", n)
		}
		if r.IntN(4) != 0 {
			set("end_of_packet", 1)
		}
		for _, name := range []string{"internal_error", "decode_error", "slave_error", "okay", "tag", "bytes_received",
			"end_of_packet"} {
			f := at[name]
			fields[name] = word >> f.Low & (1<<f.Bits() - 1)
		}
		want := uint32(0)
		for _, x := range [][2]string{{"internal_error", "DMA_INTERNAL"}, {"decode_error", "DMA_DECODE"},
			{"slave_error", "DMA_SLAVE"}} {
			if fields[x[0]] != 0 {
				want |= codes[x[1]]
			}
		}
		if want == 0 {
			if fields["okay"] == 0 {
				want |= codes["DMA_NOT_OKAY"]
			}
			if fields["tag"] != tag {
				want |= codes["DMA_TAG_MISMATCH"]
			}
			if counted && fields["bytes_received"] != n {
				want |= codes["DMA_NOT_EXPECTED_BTT"]
			}
			if counted && fields["end_of_packet"] == 0 {
				want |= codes["DMA_NOT_END_OF_PACKET"]
			}
		}
		b.Set("status", word)
		b.Put("counted", counted)
		b.Set("expected_tag", tag)
		b.Set("expected_bytes", n)
		b.Settle()
		if b.Get("code") != uint64(want) {
			return fmt.Errorf("status %08X, tag %d, %d bytes, counted %t: the code is %X, not %X", word, tag, n,
				counted, b.Get("code"), want)
		}
	}
	return nil
}

// axiliteSlave makes one access at a time of what comes at the two sides of
// AXI4-Lite; addresses and data of writes come in any order.
func axiliteSlave(b *block.Bench, r *rand.Rand) error {
	const host, slave = "control_request.", "control_response."
	aw, w := block.NewInput(b, host+"awvalid", slave+"awready"), block.NewInput(b, host+"wvalid", slave+"wready")
	ar := block.NewInput(b, host+"arvalid", slave+"arready")
	bout := block.NewOutput(b, slave+"bvalid", host+"bready", slave+"bresp")
	rout := block.NewOutput(b, slave+"rvalid", host+"rready", slave+"rdata", slave+"rresp")
	bus := block.NewOutput(b, "bus_valid", "bus_ready", "bus_write", "bus_address")
	paces := make([]*block.Rhythm, 6)
	for i := range paces {
		paces[i] = &block.Rhythm{Random: r.IntN, Pauses: 128}
	}
	var addresses, data, strobes, reads []uint64 // what was taken, for accesses that have not been
	var answers []uint64                         // of reads
	written, done, last := 0, 0, -1
	busy, could := false, false // in the cycle before: an access was there, a read could have begun
	for done < 1500 {
		for i, in := range []*block.Input{aw, w, ar} {
			if in.Offered() {
				continue
			}
			b.Scramble(r, [][]string{{host + "awaddr"}, {host + "wdata", host + "wstrb"}, {host + "araddr"}}[i]...)
			if paces[i].Next() {
				in.Offer()
			}
		}
		b.Put(host+"bready", paces[3].Next())
		b.Put(host+"rready", paces[4].Next())
		b.Put("bus_ready", paces[5].Next())
		b.Scramble(r, "bus_rdata")
		awaddr, araddr := b.Get(host+"awaddr")&0xFFF, b.Get(host+"araddr")&0xFFF
		wdata, wstrb, rdata := b.Get(host+"wdata"), b.Get(host+"wstrb"), b.Get("bus_rdata")
		b.Step()
		can := len(reads) > 0 && !b.Is(slave+"rvalid")
		if b.Is("bus_valid") && !busy && b.Is("bus_write") && last == 1 && could {
			return fmt.Errorf("a write takes the turn of a read")
		}
		if b.Is("bus_valid") && b.Is("bus_write") && (len(addresses) == 0 || len(data) == 0) || b.Is("bus_valid") &&
			!b.Is("bus_write") && len(reads) == 0 {
			return fmt.Errorf("an access that nobody has asked for")
		}
		if b.Is("bus_valid") && b.Is("bus_write") &&
			(b.Get("bus_address") != addresses[0] || b.Get("bus_wdata") != data[0] || b.Get("bus_strobe") != strobes[0]) {
			return fmt.Errorf("%X is written to %X, strobes %X; not %X to %X, %X", b.Get("bus_wdata"), b.Get("bus_address"),
				b.Get("bus_strobe"), data[0], addresses[0], strobes[0])
		}
		if ok, err := bout.Taken(); err != nil {
			return err
		} else if ok {
			if written == 0 || b.Get(slave+"bresp") != 0 {
				return fmt.Errorf("a write is answered with %d, %d are to be", b.Get(slave+"bresp"), written)
			}
			written--
		}
		if ok, err := rout.Taken(); err != nil {
			return err
		} else if ok {
			if len(answers) == 0 || b.Get(slave+"rdata") != answers[0] || b.Get(slave+"rresp") != 0 {
				return fmt.Errorf("a read is answered with %X, %d; there are %X", b.Get(slave+"rdata"), b.Get(slave+"rresp"),
					answers)
			}
			answers = answers[1:]
		}
		if ok, err := bus.Taken(); err != nil {
			return err
		} else if ok {
			done++
			if b.Is("bus_write") {
				addresses, data, strobes = addresses[1:], data[1:], strobes[1:]
				written++
				last = 1
			} else {
				if b.Get("bus_address") != reads[0] {
					return fmt.Errorf("%X is read, not %X", b.Get("bus_address"), reads[0])
				}
				reads = reads[1:]
				answers = append(answers, rdata)
				last = 0
			}
		}
		busy, could = b.Is("bus_valid"), can
		if aw.Taken() {
			addresses = append(addresses, awaddr)
		}
		if w.Taken() {
			data, strobes = append(data, wdata), append(strobes, wstrb)
		}
		if ar.Taken() {
			reads = append(reads, araddr)
		}
		if len(addresses) > 1 || len(data) > 1 || len(reads) > 1 {
			return fmt.Errorf("more than one access of a kind is taken")
		}
		if b.Cycle > 200000 {
			return fmt.Errorf("only %d accesses", done)
		}
	}
	return nil
}
