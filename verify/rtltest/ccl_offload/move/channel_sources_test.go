package moves

import (
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// delay tells whether a question that is open is answered in this cycle.
func (c *carrier) delay(kind int, name string) bool {
	if !c.b.Is(name + "_request.valid") {
		c.asking[kind] = 0
		return false
	}
	c.asking[kind]++
	return c.paces[name].Next()
}

// driveMessage answers questions for messages.
func (c *carrier) driveMessage() {
	b, r, t := c.b, c.r, c.now
	b.Scramble(r, "match_response")
	b.Set("match_response.done", 0)
	answers := c.delay(0, "match")
	late := b.Is("match_request.waits") && r.IntN(8) == 0
	if t == nil || !answers && !late || t.operand(message) < 0 {
		return
	}
	if t.withheld == "message" && 2*t.units >= t.how.units || r.IntN(3) == 0 {
		if !late {
			b.Set("match_response.done", 1)
			b.Set("match_response.found", 0)
			b.Put("match_response.mismatch", c.bad && r.IntN(20) == 0)
		}
		return
	}
	i := t.operand(message)
	left, n := t.size(i)-t.received, uint64(0)
	switch bad := c.bad && r.IntN(8) == 0; {
	case t.how.empty():
		if bad {
			n = 1 + r.Uint64N(100)
		}
	case bad:
		n = []uint64{left + 1 + r.Uint64N(8), 1 + r.Uint64N(left)}[r.IntN(2)]
	case r.IntN(8) > 0:
		n = (1 + r.Uint64N(left>>t.unit(i))) << t.unit(i)
	}
	buffer := r.Uint64N(256)
	for c.buffers[buffer] {
		buffer = (buffer + 1) % 256
	}
	b.Set("match_response.done", 1)
	b.Set("match_response.found", 1)
	b.Set("match_response.bytes", n)
	b.Set("match_response.buffer_", buffer)
}

// lookMessage checks what is asked for, and takes what is answered.
func (c *carrier) lookMessage() error {
	b, t := c.b, c.now
	if taken, err := c.given.Taken(); err != nil {
		return err
	} else if taken {
		buffer := b.Get("release_buffer")
		if t == nil || t.held == nil || !t.held.stored || t.held.buffer != buffer || t.held.left > 0 && !c.ending() {
			return fmt.Errorf("buffer %d is given back", buffer)
		}
		delete(c.buffers, buffer)
		t.held, c.moved = nil, c.cycle
		c.seen["dropped"]++
	}
	asks, waits := b.Is("match_request.valid"), b.Is("match_request.waits")
	if !asks && !waits {
		return nil
	}
	if t == nil || t.done || t.operand(message) < 0 || t.cut || !t.how.empty() &&
		t.received == t.size(t.operand(message)) && !t.must || t.how.empty() && t.letters > 0 {
		return errors.New("a message is asked for that nobody needs")
	}
	if err := c.starts(); err != nil {
		return err
	}
	if t.held != nil && (t.held.left > 0 || t.held.stored) {
		return errors.New("a message is asked for before the one before has gone")
	}
	for name, want := range map[string]string{"record": "ranks.source_record", "session": "ranks.source_session",
		"rank": "issue.source", "context_": "issue.context_", "tag": "issue.tag",
		"collective.number": "issue.collective_number", "collective.count": "issue.collective_count",
		"collective.shape": "issue.collective_shape"} {
		if got := b.Get("match_request." + name); got != t.v[want] {
			return block.Differs(name, got, t.v[want])
		}
	}
	if i := t.operand(message); i == 1 && !t.how.empty() && asks && c.asking[0] == 1 {
		if err := c.there(0); err != nil {
			return err
		}
	}
	if !b.Is("match_response.done") {
		return nil
	}
	if !b.Is("match_response.found") {
		if b.Is("match_response.mismatch") {
			c.allow(c.code["COLLECTIVE_MISMATCH"])
			t.must = true
		}
		return nil
	}
	n := b.Get("match_response.bytes")
	t.held = &letter{address: b.Get("match_response.address"), left: n, stored: b.Is("match_response.stored"),
		buffer: b.Get("match_response.buffer_")}
	t.letters++
	c.progress = c.cycle
	if t.held.stored {
		c.buffers[t.held.buffer] = true
	}
	i := t.operand(message)
	if t.how.empty() && n > 0 || !t.how.empty() && (n > t.size(i)-t.received || n>>t.unit(i)<<t.unit(i) != n) {
		c.allow(c.code["SEGMENTER_EXPECTED_BTT"])
		t.must = true
	}
	t.received += n
	return nil
}

// ending tells whether the move that is under way may be given up.
func (c *carrier) ending() bool {
	return c.now.aborted || c.now.must || c.must || c.reset || c.now.withheld != ""
}

// there tells whether there is something for a slice of an operand.
func (c *carrier) there(i int) error {
	t := c.now
	there := true
	switch t.how.op[i] {
	case message:
		there = t.held != nil && t.held.left>>t.unit(i) > 0
	case window:
		there = t.asked[i] && (t.known[i]-t.at(i))>>t.unit(i) > 0
	case kernelStream:
		there = c.history[(c.cycle+7)%8][0]>>t.unit(i) > 0 || c.must // it was emptied
	}
	if !there {
		return fmt.Errorf("operand %d is not there, and what follows it is asked for", i)
	}
	return nil
}

// driveWindow fills windows and answers questions for them.
func (c *carrier) driveWindow() {
	b, r, t := c.b, c.r, c.now
	b.Scramble(r, "window_response")
	b.Set("window_response.done", 0)
	if t == nil {
		return
	}
	grows := false
	for i := range 2 {
		if r.IntN(6) == 0 && t.arrived[i] < t.end[i] && !(t.withheld == "window" && 2*t.units >= t.how.units) {
			t.arrived[i] = min(t.end[i], t.arrived[i]+1+r.Uint64N(9000))
			grows = true
		}
	}
	if grows {
		b.Set("windows_changed", 1)
	}
	if !c.delay(1, "window") {
		return
	}
	i := t.asks(b.Get("window_request.address"))
	if i < 0 {
		return // what is wrong with it is said behind the cycle
	}
	b.Set("window_response.done", 1)
	b.Put("window_response.ok", !(c.bad && r.IntN(30) == 0))
	b.Set("window_response.bytes", max(t.arrived[i], t.at(i))-t.at(i))
	b.Put("window_response.more", t.arrived[i] < t.end[i])
	b.Put("window_response.host", t.hosts[i])
}

// asks is the operand whose window is read at an address, or -1.
func (t *task) asks(address uint64) int {
	for i, kind := range t.how.op {
		if kind == window && address == t.v[fmt.Sprintf("issue.op%d_address", i)]+t.at(i) {
			return i
		}
	}
	return -1
}

// lookWindow checks questions for windows.
func (c *carrier) lookWindow() error {
	b, t := c.b, c.now
	if !b.Is("window_request.valid") {
		return nil
	}
	if t == nil || t.done || t.cut || t.code != 0 || t.how.empty() || t.asks(b.Get("window_request.address")) < 0 ||
		b.Get("window_request.window") != t.v["issue.window"] {
		return fmt.Errorf("window %d is read at 0x%X", b.Get("window_request.window"), b.Get("window_request.address"))
	}
	if err := c.starts(); err != nil {
		return err
	}
	i := t.asks(b.Get("window_request.address"))
	if i == 1 && t.how.op[0] != window && c.asking[1] == 1 {
		if err := c.there(0); err != nil {
			return err
		}
	}
	if !b.Is("window_response.done") {
		return nil
	}
	known := t.at(i) + b.Get("window_response.bytes")
	if known > t.known[i] {
		c.progress = c.cycle
	}
	c.moved = c.cycle
	t.known[i], t.asked[i] = known, true
	switch {
	case !b.Is("window_response.ok"):
		c.allow(c.code["CONFIG_SWITCH"])
		t.must = true
	case !b.Is("window_response.more") && known < t.size(i):
		c.allow(c.code["SEGMENTER_EXPECTED_BTT"])
		t.must = true
	}
	return nil
}

// driveKernel brings bytes on one kernel stream, and takes them from the other.
func (c *carrier) driveKernel() {
	b, r := c.b, c.r
	c.history[c.cycle%8], c.settled[c.cycle%8] = c.stock, [2]bool{r.IntN(3) == 0, r.IntN(3) == 0}
	b.Set("kernel_in_bytes", c.stock[0])
	b.Set("kernel_out_bytes", c.stock[1])
	b.Put("kernel_in_settled", c.settled[c.cycle%8][0])
	b.Put("kernel_out_settled", c.settled[c.cycle%8][1])
	for i := range c.stock { // for the next cycle; a slice shows a cycle later
		c.stock[i] -= c.leaving[i]
		c.leaving[i] = 0
		if c.now != nil && c.now.withheld == "kernel" || !c.paces[[]string{"in", "out"}[i]].Next() {
			continue
		}
		if c.stock[i] <= kernelRoom-beatBytes {
			c.stock[i] += beatBytes
		}
	}
	flushes := c.flushes && r.IntN(300) == 0
	if b.Put("data_flushing", flushes); flushes {
		c.stock = [2]uint64{0, kernelRoom}
	}
	if c.granted = (c.granted || c.paces["grant"].Next()) && (c.wanted[0] || c.wanted[1]); c.granted &&
		!b.Is("kernel_granted") {
		c.progress = c.cycle
	}
	b.Put("kernel_granted", c.granted)
}

// lookKernel checks who has the kernel streams.
func (c *carrier) lookKernel() error {
	b, t := c.b, c.now
	wanted := [2]bool{b.Is("kernel_in_wanted"), b.Is("kernel_out_wanted")}
	if wanted != c.wanted {
		switch {
		case wanted == [2]bool{}:
			if t != nil && !t.cut && !c.dropped {
				return errors.New("the kernel streams are given back amid a move")
			}
		case c.wanted != [2]bool{} || t == nil || wanted != t.kernels():
			return fmt.Errorf("the kernel streams are wanted: %t, before: %t", wanted, c.wanted)
		default:
			if err := c.starts(); err != nil {
				return err
			}
		}
	}
	if wanted != [2]bool{} && t != nil && t.cut && c.cycle > c.progress+2 {
		return errors.New("a move is cut and keeps the kernel streams")
	}
	c.wanted = wanted
	if b.Is("data_flushing") && wanted != [2]bool{} {
		c.allow(c.code["DMA_TIMEOUT"])
		c.must = true
	}
	return nil
}
