package datapath

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

var memory = block.NewSet(
	block.Module{Name: "dma_read_switch", Folder: "external_dma", Params: map[string]string{"OUTSTANDING": "6"}},
	block.Module{Name: "dma_write_switch", Folder: "external_dma", Params: map[string]string{"OUTSTANDING": "6"}},
	block.Module{Name: "dma_status_check"},
	block.Module{Name: "axilite_slave", Folder: "common", Params: map[string]string{"ADDRESS_WIDTH": "12"}},
)

func TestReadSwitch(t *testing.T)   { memory.Check(t, "dma_read_switch", readSwitch) }
func TestWriteSwitch(t *testing.T)  { memory.Check(t, "dma_write_switch", writeSwitch) }
func TestStatusCheck(t *testing.T)  { memory.Check(t, "dma_status_check", statusCheck) }
func TestAXILiteSlave(t *testing.T) { memory.Check(t, "axilite_slave", axiliteSlave) }

// readSwitch leads bursts to their memories; what two memories answer, each at its
// own pace, comes in the order of the bursts.
func readSwitch(b *block.Bench, r *rand.Rand) error {
	const most = 6
	type beat struct {
		data     []byte
		response uint64
		last     bool
	}
	var due [2][]beat // of each memory
	var want []beat
	type burst struct {
		memory, beats int
	}
	ask := block.NewInput(b, "ar_valid", "ar_ready")
	answer := block.NewOutput(b, "r_valid", "r_ready", "r_data", "r_response")
	var now burst
	asks, takes := block.Stretches{Random: r}, block.Stretches{Random: r}
	room := [2]block.Stretches{{Random: r}, {Random: r}}
	gives := [2]block.Stretches{{Random: r}, {Random: r}}
	var in [2]*block.Input
	for i := range in {
		in[i] = block.NewInput(b, fmt.Sprintf("r%d_valid", i), fmt.Sprintf("r%d_ready", i))
	}
	open, all, idle, full := 0, 0, 0, 0
	for all < 500 || len(want) > 0 {
		if !ask.Offered() {
			b.Scramble(r, "ar_memory")
			if all < 500 && asks.Next() {
				now = burst{r.IntN(2), 1 + r.IntN(4)}
				b.Set("ar_memory", uint64(now.memory))
				ask.Offer()
			}
		}
		b.Put("r_ready", takes.Next())
		for i := range in {
			b.Put(fmt.Sprintf("ar%d_ready", i), room[i].Next())
			if in[i].Offered() {
				continue
			}
			b.Scramble(r, fmt.Sprintf("r%d_data", i), fmt.Sprintf("r%d_response", i), fmt.Sprintf("r%d_last", i))
			if len(due[i]) > 0 && gives[i].Next() {
				x := due[i][0]
				b.SetBytes(fmt.Sprintf("r%d_data", i), x.data)
				b.Set(fmt.Sprintf("r%d_response", i), x.response)
				b.Put(fmt.Sprintf("r%d_last", i), x.last)
				in[i].Offer()
			}
		}
		offered := ask.Offered()
		b.Step()
		for i := range in {
			if b.Is(fmt.Sprintf("ar%d_valid", i)) != (offered && now.memory == i && open < most) {
				return fmt.Errorf("with %d bursts under way memory %d is asked: %t, for a burst of %d", open,
					i, !offered, now.memory)
			}
			if in[i].Taken() {
				due[i] = due[i][1:]
			}
		}
		taken, err := answer.Taken()
		if err != nil {
			return err
		}
		if taken {
			if len(want) == 0 {
				return fmt.Errorf("a beat too many")
			}
			if w := want[0]; !bytes.Equal(b.Bytes("r_data"), w.data) || b.Get("r_response") != w.response {
				return fmt.Errorf("a beat is %X with %d, not %X with %d", b.Bytes("r_data"), b.Get("r_response"),
					w.data, w.response)
			}
			if want[0].last {
				open--
			}
			want, idle = want[1:], 0
		}
		if ask.Taken() {
			for i := range now.beats {
				x := beat{block.RandomBytes(r, beatBytes), uint64(r.IntN(4)), i == now.beats-1}
				due[now.memory] = append(due[now.memory], x)
				want = append(want, x)
			}
			open++
			all++
			idle = 0
		}
		if open == most {
			full++
		}
		if idle++; idle > 2000 {
			return fmt.Errorf("nothing has moved for %d cycles", idle)
		}
	}
	if full == 0 {
		return fmt.Errorf("there were never %d bursts under way", most)
	}
	return nil
}

// writeSwitch leads bursts and their data to their memories, and gives the answers
// in the order of the bursts.
func writeSwitch(b *block.Bench, r *rand.Rand) error {
	const most = 6
	type burst struct{ memory, left int }
	ask, data := block.NewInput(b, "aw_valid", "aw_ready"), block.NewInput(b, "w_valid", "w_ready")
	answer := block.NewOutput(b, "b_valid", "b_ready", "b_response")
	asks, writes, takes := block.Stretches{Random: r}, block.Stretches{Random: r}, block.Stretches{Random: r}
	var addresses, words, answers [2]block.Stretches
	var in [2]*block.Input
	for i := range in {
		addresses[i], words[i], answers[i] = block.Stretches{Random: r}, block.Stretches{Random: r},
			block.Stretches{Random: r}
		in[i] = block.NewInput(b, fmt.Sprintf("b%d_valid", i), fmt.Sprintf("b%d_ready", i))
	}
	var now burst
	var flying []burst  // whose data have not gone
	var due [2][]uint64 // answers of each memory, whose data have gone
	type expected struct {
		memory   int
		response uint64
		known    bool
	}
	var order []*expected // answers, by burst
	var waiting [2][]*expected
	all, idle := 0, 0
	for all < 500 || len(order) > 0 {
		if !ask.Offered() {
			b.Scramble(r, "aw_memory")
			if all < 500 && asks.Next() {
				now = burst{r.IntN(2), 1 + r.IntN(4)}
				b.Set("aw_memory", uint64(now.memory))
				ask.Offer()
			}
		}
		if !data.Offered() {
			b.Scramble(r, "w_last")
			if len(flying) > 0 && writes.Next() {
				b.Put("w_last", flying[0].left == 1)
				data.Offer()
			}
		}
		b.Put("b_ready", takes.Next())
		for i := range in {
			b.Put(fmt.Sprintf("aw%d_ready", i), addresses[i].Next())
			b.Put(fmt.Sprintf("w%d_ready", i), words[i].Next())
			if !in[i].Offered() {
				b.Scramble(r, fmt.Sprintf("b%d_response", i))
				if len(due[i]) > 0 && answers[i].Next() {
					b.Set(fmt.Sprintf("b%d_response", i), due[i][0])
					in[i].Offer()
				}
			}
		}
		asked, written := ask.Offered(), data.Offered()
		b.Step()
		for i := range in {
			if b.Is(fmt.Sprintf("aw%d_valid", i)) != (asked && now.memory == i && len(order) < most) {
				return fmt.Errorf("with %d bursts under way memory %d is told of one: %t", len(order), i,
					b.Is(fmt.Sprintf("aw%d_valid", i)))
			}
			if b.Is(fmt.Sprintf("w%d_valid", i)) != (written && flying[0].memory == i) {
				return fmt.Errorf("memory %d gets data: %t", i, b.Is(fmt.Sprintf("w%d_valid", i)))
			}
			if in[i].Taken() {
				due[i] = due[i][1:]
			}
		}
		taken, err := answer.Taken()
		if err != nil {
			return err
		}
		if taken {
			if len(order) == 0 || !order[0].known {
				return fmt.Errorf("an answer that no memory has given")
			}
			if b.Get("b_response") != order[0].response {
				return fmt.Errorf("the answer is %d, not %d", b.Get("b_response"), order[0].response)
			}
			order, idle = order[1:], 0
		}
		if data.Taken() {
			f := &flying[0]
			if f.left--; f.left == 0 {
				e := waiting[f.memory][0]
				waiting[f.memory] = waiting[f.memory][1:]
				e.response, e.known = uint64(r.IntN(4)), true
				due[f.memory] = append(due[f.memory], e.response)
				flying = flying[1:]
			}
			idle = 0
		}
		if ask.Taken() {
			e := &expected{memory: now.memory}
			order, waiting[now.memory] = append(order, e), append(waiting[now.memory], e)
			flying = append(flying, now)
			all++
			idle = 0
		}
		if idle++; idle > 2000 {
			return fmt.Errorf("nothing has moved for %d cycles", idle)
		}
	}
	return nil
}

// statusCheck makes a code of what a DMA engine says.
func statusCheck(b *block.Bench, r *rand.Rand) error {
	d, err := pins.Design("u55c_tcp")
	if err != nil {
		return err
	}
	at := map[string]abi.Field{}
	for _, f := range d.ABI().Layout("dma_status").Fields {
		at[f.Name] = f
	}
	codes := map[string]uint64{}
	for _, bit := range d.ABI().BitSet("return_code").Bits {
		codes[bit.Name] = 1 << bit.At
	}
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
		want := uint64(0)
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
		if b.Get("code") != want {
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
	paces := make([]block.Stretches, 6)
	for i := range paces {
		paces[i] = block.Stretches{Random: r}
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
