package moves

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/rtltest/block"
)

// Widths of what comes from the channels, which the module is told.
const (
	sliceWidth  = 477
	packetWidth = 451
)

var dispatchers = block.NewSet(
	block.Module{Name: "dispatcher", Params: map[string]string{"SLICE_WIDTH": fmt.Sprint(sliceWidth),
		"PACKET_WIDTH": fmt.Sprint(packetWidth)}},
	block.Module{Name: "slice_retire", As: "slice_form"}, // only its port is used: a slice with names
)

func TestDispatcher(t *testing.T) {
	form, err := dispatchers.New(t.Context(), "slice_form", 0)
	if errors.Is(err, verilate.ErrTools) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer form.Close()
	dispatchers.Check(t, "dispatcher", func(b *block.Bench, r *rand.Rand) error { return dispatcher(b, form, r) })
}

// channel is a queue that has slices and packets.
type channel struct {
	key     uint64
	settles int    // cycles for which there is nothing with another key
	slice   []byte // that waits, or nil
	kernel  bool   // it is one of a kernel stream
	reads   int    // bytes of the streams
	writes  int
	last    bool
	commits bool
	ends    bool
	could   int // cycles in which its session let it go
	passed  int // slices of others that went meanwhile

	packet []byte // that waits, or nil
	waits  int    // cycles in which it could have been offered
	barred int    // cycles in which its session is another one's

	gives   bool
	buffer  uint64
	over    int // buffers of others that went meanwhile
	abandon bool

	flying  int // slices
	owns    bool
	owned   uint64
	closing int // slices until the message has gone
	faulty  bool
}

// dispatching is a dispatcher with all around it.
type dispatching struct {
	b, form  *block.Bench
	r        *rand.Rand
	all      [queues]channel
	shown    []byte // slice
	of       int    // its queue
	path     []int  // queues of slices in the data path
	a        accountant
	in, out  uint64 // who wants the kernel streams
	drop     uint64
	counts   func()   // what the account sees in the next cycle
	full     int      // beats of the kernel stream that slices have filled, or begun
	given    []uint64 // buffers
	flushing int      // cycles
	seen     map[string]int
	slice    *block.Output
	release  *block.Output
	leaves   *block.Output
	beats    int
	from     [3]uint64
	keyWidth int
}

// holder is the queue that is sending a message on a session.
func (d *dispatching) holder(key uint64) int {
	for q := range d.all {
		if d.all[q].owns && d.all[q].owned == key {
			return q
		}
	}
	return nobody
}

// barred tells whether another queue sends on the session of one.
func (d *dispatching) barred(q int) bool {
	h := d.holder(d.all[q].key)
	return h != nobody && h != q
}

// may tells whether a slice may go.
func (d *dispatching) may(q int) bool {
	c := &d.all[q]
	return c.slice != nil && (!c.commits || !d.barred(q) && (c.ends || !c.owns || c.owned == c.key))
}

// put sets a field of one queue in a port that has those of all.
func put(all []byte, at, width int, from []byte) {
	for i := range width {
		to := at + i
		all[to/8] = all[to/8]&^(1<<(to%8)) | (from[i/8]>>(i%8)&1)<<(to%8)
	}
}

func number(v uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
	return b
}

// dispatcher brings slices, packets and buffers of four queues together.
func dispatcher(b, form *block.Bench, r *rand.Rand) error {
	if b.Width("slice") != sliceWidth || b.Width("packet_open") != packetWidth {
		return fmt.Errorf("a slice has %d bits, a packet %d", b.Width("slice"), b.Width("packet_open"))
	}
	d := dispatching{
		b: b, form: form, r: r, seen: map[string]int{}, keyWidth: b.Width("channel_key") / queues,
		beats:   int(b.Const("engine_pkg::KERNEL_BEATS")),
		slice:   block.NewOutput(b, "slice_valid", "slice_ready", "slice"),
		release: block.NewOutput(b, "channel_release_valid", "channel_release_ready", "channel_release_buffer"),
		leaves:  block.NewOutput(b, "packet_abandon_valid", "packet_abandon_ready"),
		from: [3]uint64{b.Const("engine_pkg::FROM_NONE"), b.Const("engine_pkg::FROM_MEMORY"),
			b.Const("engine_pkg::FROM_KERNEL")},
	}
	d.clear()
	takes, opens, releases, leaves, ends, cuts := block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r),
		block.NewRhythm(r), block.NewRhythm(r), block.NewRhythm(r)
	for range 12000 {
		if r.IntN(2000) == 0 {
			b.Reset()
			d.clear()
		}
		d.flush()
		for q := range queues {
			d.queue(q, cuts.Next())
		}
		d.drive()
		b.Put("slice_ready", takes.Next())
		b.Put("packet_open_ready", opens.Next())
		b.Put("channel_release_ready", releases.Next())
		b.Put("packet_abandon_ready", leaves.Next())
		if err := d.cycle(ends.Next()); err != nil {
			return err
		}
	}
	for _, what := range []string{"slice", "packet", "withdrawn", "release", "abandoned", "owned", "barred",
		"kernel", "bad", "flush"} {
		if d.seen[what] < 15 {
			return fmt.Errorf("too few of something: %v", d.seen)
		}
	}
	return nil
}

func (d *dispatching) clear() {
	d.all = [queues]channel{}
	d.shown, d.path, d.in, d.out, d.drop, d.counts, d.full, d.flushing, d.given = nil, nil, 0, 0, 0, nil, 0, 0, nil
	d.a = newAccountant(d.beats)
	for _, o := range []*block.Output{d.slice, d.release, d.leaves} {
		o.Forget()
	}
}

// flush begins or ends: what the kernel streams had is no longer there.
func (d *dispatching) flush() {
	if d.flushing > 0 {
		d.flushing--
	} else if d.r.IntN(300) == 0 {
		d.flushing = 1 + d.r.IntN(30)
		d.seen["flush"]++
	}
	if d.flushing > 0 {
		for q := range d.all {
			if c := &d.all[q]; c.kernel {
				c.slice, c.kernel = nil, false
			}
		}
		d.full = 0
	}
}

// queue decides what a queue has.
func (d *dispatching) queue(q int, cuts bool) {
	c, r, bit := &d.all[q], d.r, uint64(1)<<q
	switch granted := d.a.granted(d.in, d.out); {
	case d.drop&bit != 0:
		if d.in, d.out = d.in&^bit, d.out&^bit; r.IntN(3) == 0 {
			d.drop &^= bit
		}
	case (d.in|d.out)&bit == 0 && r.IntN(60) == 0:
		what := 1 + r.IntN(3)
		d.in |= uint64(what&1) << q
		d.out |= uint64(what>>1) << q
	case granted&bit != 0 && !c.kernel && d.counts == nil && r.IntN(100) == 0:
		d.drop |= bit
	}
	quiet := c.slice == nil && c.flying == 0 && c.packet == nil
	c.settles = max(0, c.settles-1)
	if quiet && !c.abandon && r.IntN(10) == 0 {
		c.settles = 3
		c.key = []uint64{0, 1, 1 << (d.keyWidth - 1), 1<<(d.keyWidth-1) | 1, 1<<d.keyWidth - 1}[r.IntN(5)]
	}
	if quiet && c.owns && c.key != c.owned && r.IntN(3) > 0 {
		c.key, c.settles = c.owned, 3
	}
	if quiet && r.IntN(15) == 0 || quiet && c.owns && r.IntN(4) == 0 {
		c.abandon = true
	}
	if c.slice == nil && !c.abandon && c.settles == 0 && c.flying < 12 && cuts {
		d.cut(q)
	} else if c.slice != nil && r.IntN(80) == 0 {
		c.slice, c.kernel = nil, false
	}
	if c.packet == nil && !c.abandon && c.settles == 0 && r.IntN(12) == 0 {
		c.packet, c.waits = block.RandomBytes(r, (packetWidth+7)/8), 0
		c.packet[len(c.packet)-1] &= 1<<(packetWidth%8) - 1
	} else if c.packet != nil && r.IntN(60) == 0 {
		c.packet = nil
		d.seen["withdrawn"]++
	}
	if !c.gives && r.IntN(20) == 0 {
		c.gives, c.buffer = true, uint64(r.IntN(256))
	}
}

// cut makes a slice.
func (d *dispatching) cut(q int) {
	c, r, f, bit := &d.all[q], d.r, d.form, uint64(1)<<q
	f.Scramble(r, "slice")
	op := []string{"slice.op0", "slice.op1"}
	for _, o := range op {
		f.Set(o+".from", d.from[r.IntN(2)])
	}
	f.Put("slice.to_kernel", false)
	c.last = f.Is("slice.last")
	c.reads, c.writes = 0, 0
	if d.a.granted(d.in, d.out)&^d.drop&bit != 0 && d.counts == nil && d.flushing == 0 {
		n := block.RandomLength(r, beatBytes, mostBytes)
		if d.in&bit != 0 {
			n = min(n, d.a.readable())
		}
		if d.out&bit != 0 {
			n = min(n, d.a.writable())
		}
		if n == 0 {
			return
		}
		if d.in&bit != 0 {
			o := op[r.IntN(2)]
			f.Set(o+".from", d.from[2])
			f.Set(o+".bytes", uint64(n))
			c.reads = n
		}
		if d.out&bit != 0 {
			f.Put("slice.to_kernel", true)
			f.Set("slice.result_bytes", uint64(n))
			c.writes = n
		}
		c.kernel = true
	}
	c.slice, c.could, c.passed = f.Bytes("slice"), 0, 0
	c.commits, c.ends = r.IntN(3) > 0, r.IntN(3) == 0
}

// drive sets what comes from the queues. What is not valid is random.
func (d *dispatching) drive() {
	b := d.b
	b.Scramble(d.r, "channel_slice", "channel_packet", "channel_drop_buffer", "channel_commits", "channel_ends")
	slice, packet, keys := b.Bytes("channel_slice"), b.Bytes("channel_packet"), b.Bytes("channel_key")
	buffers, commits, ends := b.Bytes("channel_drop_buffer"), b.Get("channel_commits"), b.Get("channel_ends")
	var slices, packets, gives, abandon uint64
	for q := range d.all {
		c := &d.all[q]
		put(keys, q*d.keyWidth, d.keyWidth, number(c.key))
		if c.slice != nil {
			slices |= 1 << q
			put(slice, q*sliceWidth, sliceWidth, c.slice)
			commits = commits&^(1<<q) | block.Bit(c.commits)<<q
			ends = ends&^(1<<q) | block.Bit(c.ends)<<q
		}
		if c.packet != nil {
			packets |= 1 << q
			put(packet, q*packetWidth, packetWidth, c.packet)
		}
		if c.gives {
			gives |= 1 << q
			put(buffers, q*8, 8, number(c.buffer))
		}
		abandon |= block.Bit(c.abandon) << q
	}
	b.SetBytes("channel_slice", slice)
	b.SetBytes("channel_packet", packet)
	b.SetBytes("channel_key", keys)
	b.SetBytes("channel_drop_buffer", buffers)
	for name, v := range map[string]uint64{
		"channel_slice_valid": slices, "channel_commits": commits, "channel_ends": ends, "channel_open_valid": packets,
		"channel_drop_valid": gives,
		"channel_abandon":    abandon, "kernel_in_wanted": d.in, "kernel_out_wanted": d.out, "kernel_drop": d.drop,
	} {
		b.Set(name, v)
	}
	b.Put("data_flushing", d.flushing > 0)
	b.Put("kernel_in_pushed", d.flushing == 0 && d.a.in.beats < d.beats && d.r.IntN(3) == 0)
	b.Put("kernel_out_popped", d.flushing == 0 && d.full > int(block.Bit(d.a.out.part > 0)) && d.r.IntN(2) == 0)
}

// cycle runs one and compares what the dispatcher does.
func (d *dispatching) cycle(retires bool) error {
	b := d.b
	retired, good, restart := nobody, true, uint64(0)
	b.Scramble(d.r, "retire")
	b.Put("retire.valid", false)
	if retires && len(d.path) > 0 {
		retired, good = d.path[0], d.r.IntN(40) > 0
		b.Put("retire.valid", true)
		b.Set("retire.queue_", uint64(retired))
		if good {
			b.Set("retire.code", 0)
		} else {
			b.Set("retire.code", 1<<d.r.IntN(32))
		}
	}
	for q := range d.all {
		if c := &d.all[q]; c.faulty && c.flying == 0 && d.r.IntN(4) == 0 {
			restart |= 1 << q
		}
	}
	b.Set("restart", restart)
	b.Settle()
	inDrop := d.a.in.owner != nobody && d.drop>>d.a.in.owner&1 != 0 && d.a.in.part > 0
	outDrop := d.a.out.owner != nobody && d.drop>>d.a.out.owner&1 != 0 && d.a.out.part > 0
	leaving, done := nobody, uint64(0)
	for q := range d.all {
		if c := &d.all[q]; c.abandon && !c.owns {
			done |= 1 << q
		} else if c.abandon && leaving == nobody {
			leaving = q
		}
	}
	for _, x := range []struct {
		name string
		want uint64
	}{
		{"kernel_granted", d.a.granted(d.in, d.out)}, {"kernel_in_bytes", uint64(d.a.readable())},
		{"kernel_out_bytes", uint64(d.a.writable())},
		{"kernel_in_settled", block.Bit(d.a.in.quiet == patience)},
		{"kernel_out_settled", block.Bit(d.a.out.quiet == patience)},
		{"kernel_in_drop", block.Bit(inDrop)}, {"kernel_out_drop", block.Bit(outDrop)}, {"channel_abandon_done", done},
		{"packet_abandon_valid", block.Bit(leaving != nobody)}, {"slice_valid", block.Bit(d.shown != nil)},
	} {
		if got := b.Get(x.name); got != x.want {
			return block.Differs(x.name, got, x.want)
		}
	}
	b.Step()
	count, in, out := d.counts, d.in, d.out
	if err := errors.Join(d.packetsGo(), d.slicesGo(), d.buffersGo()); err != nil {
		return err
	}
	left, err := d.leaves.Taken()
	if err != nil {
		return err
	}
	if left {
		c := &d.all[leaving]
		if got := b.Get("packet_abandon_session") | b.Get("packet_abandon_self")<<(d.keyWidth-1); got != c.owned {
			return fmt.Errorf("a message on %X is given up, not on %X", got, c.owned)
		}
		c.owns, c.closing = false, 0
		d.seen["abandoned"]++
	}
	d.ends(retired, good, restart, done)
	d.account(count, in, out, inDrop, outDrop)
	return nil
}

// slicesGo takes a slice of one queue, and gives another one to the data path.
func (d *dispatching) slicesGo() error {
	b := d.b
	went, err := d.slice.Taken()
	if err != nil {
		return err
	}
	if d.shown != nil && !bytes.Equal(b.Bytes("slice"), d.shown) {
		return fmt.Errorf("the slice is %X, not %X", b.Bytes("slice"), d.shown)
	}
	ready := b.Get("channel_slice_ready")
	taken := nobody
	for q := range d.all {
		if ready>>q&1 != 0 && d.all[q].slice != nil {
			taken = q
		}
	}
	free := d.shown == nil && d.flushing == 0
	if bits.OnesCount64(ready) > 1 || ready != 0 && (!free || taken == nobody || !d.may(taken)) {
		return fmt.Errorf("%04b may give a slice; there is room: %t", ready, free)
	}
	for q := range d.all {
		c := &d.all[q]
		if !d.may(q) {
			if c.slice != nil {
				d.seen["barred"]++
			}
			c.could, c.passed = 0, 0
			continue
		}
		if c.could++; free && taken == nobody && c.could > 1 {
			return fmt.Errorf("queue %d has a slice, and none is taken", q)
		}
		if taken != nobody && taken != q {
			if c.passed++; c.passed > queues {
				return fmt.Errorf("queue %d was passed over %d times", q, c.passed)
			}
		}
	}
	if went {
		d.shown = nil
		d.path = append(d.path, d.of)
	}
	d.counts = nil
	if taken == nobody {
		return nil
	}
	c, bit := &d.all[taken], uint64(1)<<taken
	d.seen["slice"]++
	d.shown, c.slice = c.slice, nil
	d.of = taken
	c.flying++
	switch {
	case c.commits && !c.ends:
		c.owns, c.owned, c.closing = true, c.key, 0
		d.seen["owned"]++
	case c.commits && c.owns && c.owned == c.key:
		c.closing = c.flying
	}
	if c.kernel {
		reads, writes, last := c.reads, c.writes, c.last
		d.seen["kernel"]++
		d.counts = func() {
			if reads > 0 {
				d.a.in.read(reads, last)
			}
			if writes > 0 {
				before := d.a.out.beats
				d.a.out.write(writes, last)
				d.full += before - d.a.out.beats
			}
		}
		if c.kernel = false; last {
			d.in, d.out = d.in&^bit, d.out&^bit
		}
	}
	return nil
}

// packetsGo checks which packet is offered.
func (d *dispatching) packetsGo() error {
	b := d.b
	offered := nobody
	valid := b.Is("packet_open_valid")
	for q := range d.all {
		if c := &d.all[q]; valid && c.packet != nil && bytes.Equal(c.packet, b.Bytes("packet_open")) {
			offered = q
		}
	}
	if valid && offered == nobody {
		return fmt.Errorf("a packet is offered that no queue has")
	}
	opened := uint64(0)
	if valid && b.Is("packet_open_ready") {
		opened = 1 << offered
	}
	if got := b.Get("channel_open_ready") & b.Get("channel_open_valid"); got != opened {
		return fmt.Errorf("packets of %04b are opened, not of %04b", got, opened)
	}
	for q := range d.all {
		c := &d.all[q]
		if c.barred++; !d.barred(q) {
			c.barred = 0
		}
		if c.waits++; c.packet == nil || c.barred > 0 || q == offered {
			c.waits = 0
		}
		if c.waits > 2*queues {
			return fmt.Errorf("the packet of queue %d is not offered for %d cycles", q, c.waits)
		}
		if q != offered {
			continue
		}
		if c.barred > 3 {
			return fmt.Errorf("queue %d is offered a packet, its session has been another one's for %d cycles", q, c.barred)
		}
		if opened != 0 {
			c.packet = nil
			d.seen["packet"]++
		}
	}
	return nil
}

// buffersGo checks which buffer is given back.
func (d *dispatching) buffersGo() error {
	b := d.b
	gone, err := d.release.Taken()
	if err != nil {
		return err
	}
	if gone {
		if len(d.given) == 0 || b.Get("channel_release_buffer") != d.given[0] {
			return fmt.Errorf("buffer %d is given back; %d are due", b.Get("channel_release_buffer"), d.given)
		}
		d.given = d.given[1:]
		d.seen["release"]++
	}
	ready := b.Get("channel_drop_ready") & b.Get("channel_drop_valid")
	if bits.OnesCount64(ready) > 1 {
		return fmt.Errorf("%04b may give a buffer", ready)
	}
	for q := range d.all {
		if c := &d.all[q]; ready>>q&1 != 0 {
			d.given, c.gives, c.over = append(d.given, c.buffer), false, 0
		} else if c.gives && ready != 0 {
			if c.over++; c.over > queues {
				return fmt.Errorf("buffers of other queues were taken %d times before that of queue %d", c.over, q)
			}
		}
	}
	return nil
}

// ends is what retired slices, restarts and messages that are given up change.
func (d *dispatching) ends(retired int, good bool, restart, done uint64) {
	if retired != nobody {
		c := &d.all[retired]
		d.path, c.flying = d.path[1:], c.flying-1
		if c.closing > 0 {
			if c.closing--; c.closing == 0 && good && !c.faulty {
				c.owns = false
			}
		}
	}
	for q := range d.all {
		if restart>>q&1 != 0 {
			d.all[q].faulty = false
		}
		if done>>q&1 != 0 {
			d.all[q].abandon = false
		}
	}
	if retired != nobody && !good {
		d.all[retired].faulty = true
		d.seen["bad"]++
	}
}

// account is what becomes of the kernel streams in the cycle: a slice that went
// a cycle ago is counted.
func (d *dispatching) account(count func(), in, out uint64, inDrop, outDrop bool) {
	b, a := d.b, &d.a
	a.grants(in, out)
	if count != nil {
		count()
	}
	if inDrop {
		a.in.beats, a.in.part = a.in.beats-1, 0
	}
	if outDrop {
		a.out.beats, a.out.part = a.out.beats+1, 0
		d.full--
	}
	pushed, popped := b.Is("kernel_in_pushed"), b.Is("kernel_out_popped")
	a.in.beats += int(block.Bit(pushed))
	a.out.beats += int(block.Bit(popped))
	d.full -= int(block.Bit(popped))
	a.in.wait(pushed)
	a.out.wait(popped)
	if d.flushing > 0 {
		a.in, a.out = stream{owner: a.in.owner}, stream{owner: a.out.owner, beats: d.beats}
		d.full = 0
	}
}
