package moves

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// cutting is a slice under way.
type cutting struct {
	task *task
	last bool
	at   int // cycle from which on it may retire
}

// starts tells whether the move that was taken last may do something.
func (c *carrier) starts() error {
	if c.now.fence && c.tasks[0] != c.now {
		return errors.New("a move starts before those before it are complete")
	}
	return nil
}

// lookPacket checks packets that are opened.
func (c *carrier) lookPacket() error {
	b, t := c.b, c.now
	if !b.Is("open_valid") {
		return nil
	}
	if t == nil || t.done || t.cut || t.code != 0 || c.open != nil || t.packets == len(t.parcel.packets) {
		return errors.New("a packet is opened that nobody needs")
	}
	if err := c.starts(); err != nil {
		return err
	}
	for i, kind := range t.how.op {
		if kind != none && !t.how.empty() {
			if err := c.there(i); err != nil {
				return err
			}
		}
	}
	if !b.Is("open_ready") {
		return nil
	}
	s := t.parcel.packets[t.packets]
	for name, want := range t.parcel.opening(s, func(name string) uint64 { return t.v[name] }, false, false) {
		if got := b.Get("open_packet." + name); got != want {
			return fmt.Errorf("packet %d: %w", t.packets, block.Differs(name, got, want))
		}
	}
	t.packets++
	c.open, c.opened, c.filled, c.progress = &s, b.Get("open_slot"), 0, c.cycle
	c.seen["packets"]++
	c.halves()
	return nil
}

// halves is for a packet that has no room for a whole unit any more.
func (c *carrier) halves() {
	if c.open != nil && !c.now.how.empty() && (c.open.bytes-c.filled)>>c.now.how.unit("network") == 0 {
		c.allow(c.code["SEGMENTER_EXPECTED_BTT"])
		c.now.must = true
	}
}

// lookSlice checks slices.
func (c *carrier) lookSlice() error {
	b, t := c.b, c.now
	if !b.Is("slice_valid") {
		c.shown = nil
		return nil
	}
	if now := b.Bytes("slice"); c.shown == nil {
		c.shown = now
		c.limits = c.history[(c.cycle+4)%8]
		c.still = c.settled[(c.cycle+7)%8]
	} else if !bytes.Equal(now, c.shown) {
		return errors.New("a slice changes before it is taken")
	}
	if !b.Is("slice_ready") {
		return nil
	}
	c.shown = nil
	if b.Is("slice.slot_commit") && !b.Is("slice.to_network") {
		return c.forget()
	}
	if t == nil || t.done || t.cut || t.code != 0 || c.ended > 1 {
		return errors.New("a slice of nothing")
	}
	if err := c.starts(); err != nil {
		return err
	}
	if t.how.network && c.open == nil {
		return errors.New("a slice goes to the network, and no packet is open")
	}
	n, err := c.most()
	if err != nil {
		return err
	}
	for name, want := range c.slice(n) {
		if got := b.Get(name); got != want {
			return fmt.Errorf("a slice of %d units: %w", n, block.Differs(name, got, want))
		}
	}
	c.cut(n)
	return nil
}

// forget takes the slice with which an open packet is given up.
func (c *carrier) forget() error {
	b := c.b
	if c.open == nil || b.Get("slice.slot") != c.opened || c.now == nil || !c.ending() || len(c.under) > 0 ||
		b.Is("slice_commits") {
		return fmt.Errorf("slot %d is given back", b.Get("slice.slot"))
	}
	for _, name := range []string{"last", "op0", "op1", "reduce", "keeps", "beside", "to_memory", "to_kernel",
		"result_bytes", "wire_bytes", "slot_offset"} {
		if b.Is("slice." + name) {
			return fmt.Errorf("a packet is given up, and %s is not 0", name)
		}
	}
	if b.Get("slice.queue_") != channelQueue {
		return block.Differs("the queue", b.Get("slice.queue_"), channelQueue)
	}
	c.open, c.moved = nil, c.cycle
	c.under = append(c.under, &cutting{at: c.cycle + 1 + c.r.IntN(20)})
	c.seen["forgotten"]++
	return nil
}

// most is how many units the slice may have.
func (c *carrier) most() (uint64, error) {
	t := c.now
	if t.how.empty() {
		return 0, nil
	}
	n, kernel := min(uint64(mostBytes)>>t.how.largest(), t.how.units-t.units), uint64(mostBytes)
	for i, kind := range t.how.op {
		switch kind {
		case message:
			if t.held == nil {
				return 0, errors.New("a slice of a message that is not there")
			}
			n = min(n, t.held.left>>t.unit(i))
		case window:
			n = min(n, (t.known[i]-t.at(i))>>t.unit(i))
		case kernelStream:
			kernel = min(kernel, c.limits[0]>>t.unit(i))
		}
	}
	if t.how.network {
		n = min(n, (c.open.bytes-c.filled)>>t.how.unit("network"))
	}
	if t.how.local == kernelStream {
		kernel = min(kernel, c.limits[1]>>t.how.unit("result"))
	}
	if kernel >= n {
		return n, nil
	}
	for i, wanted := range t.kernels() {
		if wanted && !c.still[i] {
			return 0, errors.New("a slice is small, and the kernel streams may have more soon")
		}
	}
	c.seen["kernel"]++
	return kernel, nil
}

// slice is what a slice of so many units says.
func (c *carrier) slice(n uint64) map[string]uint64 {
	t := c.now
	h := &t.how
	sized := func(name string) uint64 { return n << h.unit(name) }
	inner := h.forms["inner"]
	want := map[string]uint64{
		"slice.queue_": channelQueue, "slice.last": block.Bit(t.units+n == h.units || h.empty()),
		"slice.to_network": block.Bit(h.network), "slice_commits": 0,
		"slice.apart": block.Bit(h.apart && !h.empty()), "slice.beside": block.Bit(h.beside && !h.empty()),
		"slice.beside_bytes": 0, "slice.beside_convert": 0,
		"slice.keeps":     block.Bit(h.keeps && !h.empty()),
		"slice.reduce":    block.Bit(h.op[1] != none && !h.apart && !h.empty()),
		"slice.to_memory": block.Bit(h.local == memory && !h.empty()), "slice.to_kernel": block.Bit(h.local == kernelStream &&
			!h.empty()),
		"slice.slot_commit": 0, "slice.result_bytes": 0, "slice.wire_bytes": 0, "slice.op0.bytes": 0, "slice.op1.bytes": 0,
		"slice.op0.from": 0, "slice.op1.from": 0,
		"slice.op0.release_": 0, "slice.op1.release_": 0,
	}
	if h.network {
		want["slice.slot"], want["slice.slot_headed"], want["slice.slot_offset"] = c.opened, block.Bit(c.open.headed),
			c.filled
		want["slice.slot_commit"] = block.Bit(h.empty() || c.filled+sized("network") == c.open.bytes)
		want["slice_commits"] = want["slice.slot_commit"]
		if want["slice_commits"] != 0 {
			want["slice_ends"] = block.Bit(c.open.ends)
		}
		want["slice_key"] = t.v["ranks.destination_session"]
		if t.v["ranks.destination_self"] != 0 {
			want["slice_key"] = 1 << 16
		}
	}
	if h.empty() {
		return want
	}
	for i, kind := range h.op {
		name := fmt.Sprintf("op%d", i)
		at := "slice." + name + "."
		if kind == none {
			continue
		}
		want[at+"from"], want[at+"bytes"], want[at+"convert"] = 1, sized(name), block.Bit(h.forms[name] != inner)
		if h.forms[name] != inner {
			want[at+"tdest"] = h.tdest(h.forms[name])
		}
		want[at+"address"] = t.v["issue."+name+"_address"] + t.at(i)
		switch kind {
		case kernelStream:
			want[at+"from"] = 2
			delete(want, at+"address")
		case memory:
			want[at+"host"] = h.get(name + "_host")
		case window:
			want[at+"host"] = block.Bit(t.hosts[i])
		case message:
			want[at+"host"], want[at+"address"] = 0, t.held.address
			if t.held.stored && t.held.left == sized(name) {
				want[at+"release_"], want[at+"buffer_"] = 1, t.held.buffer
			}
		}
	}
	if h.op[1] != none && !h.apart {
		want["slice.reduce_tdest"] = uint64(h.function)
	}
	if h.keeps { // in the inner form, which is the result's
		want["slice.kept_address"] = t.v["issue.kept_address"] + t.units<<h.unit("inner")
	}
	if h.beside {
		log2 := max(h.size[plain], 0)
		want["slice.beside_address"], want["slice.beside_bytes"] = t.v["issue.op2_address"]+t.units<<log2, n<<log2
		if inner == packed {
			want["slice.beside_convert"], want["slice.beside_tdest"] = 1, uint64(h.compressor)
		}
	}
	if h.local != none {
		want["slice.result_bytes"], want["slice.result_convert"] = sized("result"), block.Bit(h.forms["result"] != inner)
	}
	if h.local == memory {
		want["slice.result_host"], want["slice.result_address"] = h.get("result_host"), t.v["issue.result_address"]+
			t.units<<h.unit("result")
	}
	if h.local == kernelStream {
		for _, f := range h.d.ABI().Layout("move_tdest").Fields {
			if f.Name == "kernel" {
				want["slice.kernel_tdest"] = t.v["issue.tdest"] >> f.Low & (1<<f.Bits() - 1)
			}
		}
	}
	if h.network {
		want["slice.wire_bytes"], want["slice.wire_convert"] = sized("network"), block.Bit(h.forms["network"] != inner)
	}
	if h.local != none && h.forms["result"] != inner || h.network && h.forms["network"] != inner {
		want["slice.convert_tdest"] = h.tdest(inner)
	}
	return want
}

// cut takes the slice.
func (c *carrier) cut(n uint64) {
	b, t := c.b, c.now
	h := &t.how
	t.units += n
	t.under++
	t.cut = b.Is("slice.last")
	c.seen["keeps"] += int(b.Get("slice.keeps"))
	if c.seen["keeps, further"] += int(b.Get("slice.keeps") & block.Bit(t.units > n)); h.keeps &&
		h.forms["inner"] == packed {
		c.seen["keeps, compressed"]++
	}
	if c.seen["beside"] += int(b.Get("slice.beside")); b.Is("slice.beside_convert") {
		c.seen["beside, converted"]++
	}
	c.under = append(c.under, &cutting{task: t, last: t.cut, at: c.cycle + 1 + c.r.IntN(40)})
	c.progress = c.cycle
	if i := t.operand(message); i >= 0 && !h.empty() {
		t.held.address += n << t.unit(i)
		if t.held.left -= n << t.unit(i); t.held.left == 0 {
			if t.held.stored {
				c.seen["released"]++
			}
			delete(c.buffers, t.held.buffer)
			t.held = nil
		}
	}
	for i, name := range map[int]string{0: fmt.Sprintf("op%d", max(t.operand(kernelStream), 0)), 1: "result"} {
		if !t.kernels()[i] {
			continue
		}
		if c.leaving[i] = n << h.unit(name); t.cut { // and what is left of a beat
			c.leaving[i] += (c.stock[i] - c.leaving[i]) % beatBytes
		}
	}
	if !h.network {
		return
	}
	if c.filled += n << h.unit("network"); b.Is("slice.slot_commit") {
		c.open = nil
	}
	c.halves()
}
