package moves

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/rtltest/block"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

const (
	channelQueue = 2
	kernelRoom   = 128 * beatBytes
	kernelLimit  = 300 // cycles
	tick         = 10  // cycles of what stands for a millisecond
	remoteLimit  = 90  // of these
)

var channels = block.NewSet(block.Module{Name: "move_channel",
	Params: map[string]string{"QUEUE": fmt.Sprint(channelQueue)}})

func TestMoveChannel(t *testing.T) { channels.Check(t, "move_channel", moveChannel) }

// trouble is what happens beside good moves.
type trouble struct{ odd, bad, silent, aborts, resets, faults, flushes bool }

// carrier is what surrounds a move_channel.
type carrier struct {
	b       *block.Bench
	r       *rand.Rand
	d       *design.Design
	code    map[string]uint64
	payload uint64
	slot    uint64
	trouble

	queue   *block.Input
	next    *task   // that is offered
	now     *task   // that was taken last
	tasks   []*task // taken and not counted
	under   []*cutting
	given   *block.Output // buffers that are given back
	buffers map[uint64]bool
	paces   map[string]*pins.Rhythm
	asking  [2]int // cycles that a question for a message, and for a window, is open

	open    *sending // the packet that is filled
	opened  uint64   // its slot
	filled  uint64
	shown   []byte    // the slice that waits
	limits  [2]uint64 // of its units: bytes on the kernel streams
	still   [2]bool   // where no more came
	cycle   int
	stock   [2]uint64    // bytes on the kernel streams: that came, that have room
	leaving [2]uint64    // that a slice has just taken
	history [8][2]uint64 // of the stock
	settled [8][2]bool
	wanted  [2]bool
	granted bool

	allowed                        uint64 // what it may fail with
	causes                         int
	must                           bool // nothing completes any more
	ended                          int  // for so many cycles
	reset                          bool
	dropped, abandoned, abandoning bool
	progress, moved, empty         int // cycles
	seen                           map[string]int
}

// moveChannel does moves of all kinds, one after the other, with one kind of trouble
// at a time.
func moveChannel(b *block.Bench, r *rand.Rand) error {
	code, err := pins.Codes(platform)
	if err != nil {
		return err
	}
	d, err := pins.Design(platform)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for _, x := range []trouble{{}, {odd: true}, {bad: true}, {silent: true}, {aborts: true}, {resets: true},
		{faults: true}, {flushes: true}, {odd: true, bad: true, aborts: true, faults: true, resets: true}} {
		c := newChannel(b, r, d, code, x, seen)
		cycles := 12000
		if x.silent { // each waits for long
			cycles = 60000
		}
		for range cycles {
			if err := c.step(); err != nil {
				return fmt.Errorf("%+v: %v: %w", x, c.now, err)
			}
		}
	}
	for what, least := range map[string]int{
		"completed": 300, "bare": 15, "packets": 200, "forgotten": 20, "aborted": 20, "given up": 8, "reset": 8,
		"DMA_TIMEOUT": 5, "SEGMENTER_EXPECTED_BTT": 10,
		"CONFIG_SWITCH": 20, "COLLECTIVE_MISMATCH": 5, "RECEIVE_TIMEOUT": 5, "KRNL_TIMEOUT_STS": 2, "PACK_TIMEOUT_STS": 2,
		"DMA_SIZE": 2, "overlap": 50, "dropped": 15, "kernel": 50, "released": 50, "beside": 50, "beside, converted": 20,
		"keeps": 50, "keeps, further": 20, "keeps, compressed": 15,
	} {
		if seen[what] < least {
			return fmt.Errorf("only %d of %q: %v", seen[what], what, seen)
		}
	}
	return moveSpeed(b, r, d, code)
}

func newChannel(b *block.Bench, r *rand.Rand, d *design.Design, code map[string]uint64, x trouble,
	seen map[string]int) *carrier {
	c := &carrier{
		b: b, r: r, d: d, code: code, trouble: x, seen: seen, payload: b.Const("engine_pkg::PACKET_PAYLOAD"),
		slot:  b.Const("engine_pkg::SLOT_BYTES"),
		queue: block.NewInput(b, "queue_valid", "queue_ready"),
		given: block.NewOutput(b, "release_valid", "release_ready", "release_buffer"), buffers: map[uint64]bool{},
		paces: map[string]*pins.Rhythm{},
	}
	for _, name := range []string{"offer", "slice", "retire", "match", "window", "open", "release", "abandon",
		"in", "out", "grant"} {
		c.paces[name] = block.NewRhythm(r)
	}
	b.Reset()
	c.stock[1] = kernelRoom
	return c
}

// allow says that it may fail with a code.
func (c *carrier) allow(code uint64) {
	if c.allowed&code != code {
		c.causes++
	}
	c.allowed |= code
}

// step runs a cycle: what goes in, and what has come of it.
func (c *carrier) step() error {
	b, r := c.b, c.r
	c.cycle++
	b.Put("tick_millisecond", c.cycle%tick == 0)
	b.Set("limit_cycles", 1<<30)
	b.Set("remote_milliseconds", 1<<30)
	if c.silent {
		b.Set("limit_cycles", kernelLimit)
		b.Set("remote_milliseconds", remoteLimit)
	}
	b.Scramble(r, "messages_changed", "windows_changed", "network_enable")
	if c.now != nil {
		b.Put("network_enable", c.now.how.enabled)
	}
	c.offer()
	aborts := c.aborts && r.IntN(150) == 0
	if t := c.now; t != nil && t.aborted && t.withheld != "" {
		aborts = false // that one has to do
	}
	b.Put("abort", aborts)
	if c.resets && !c.reset && r.IntN(700) == 0 {
		c.reset = true
		c.seen["reset"]++
	}
	b.Put("reset_moves", c.reset)
	c.driveKernel()
	b.Settle()
	c.driveMessage()
	c.driveWindow()
	b.Put("release_ready", c.paces["release"].Next())
	b.Scramble(r, "open_slot")
	b.Put("open_ready", c.paces["open"].Next() && !(c.now != nil && c.now.withheld == "packet"))
	b.Put("abandon_done", c.paces["abandon"].Next())
	b.Put("slice_ready", c.paces["slice"].Next() && len(c.under) < 12)
	retired := c.retire()
	b.Step()
	if err := c.follow(aborts); err != nil {
		return err
	}
	return c.after(retired, aborts)
}

// offer offers a move.
func (c *carrier) offer() {
	if c.queue.Offered() {
		return
	}
	c.b.Scramble(c.r, "queue_move")
	if c.paces["offer"].Next() && !c.reset {
		c.next = c.newTask()
		c.queue.Offer()
	}
}

// retire ends the oldest slice, or one of another queue.
func (c *carrier) retire() *cutting {
	b, r := c.b, c.r
	b.Scramble(r, "retire")
	b.Set("retire.valid", 0)
	if len(c.under) == 0 || c.under[0].at > c.cycle || !c.paces["retire"].Next() {
		if b.Put("retire.valid", r.IntN(4) == 0); b.Get("retire.queue_") == channelQueue {
			b.Set("retire.queue_", channelQueue^1)
		}
		return nil
	}
	u := c.under[0]
	b.Set("retire.valid", 1)
	b.Set("retire.queue_", channelQueue)
	b.Put("retire.last", u.last)
	b.Set("retire.code", 0)
	if c.faults && u.task != nil && r.IntN(40) == 0 {
		b.Set("retire.code", c.code[[]string{"DMA_SLAVE", "DMA_DECODE", "DMA_NOT_OKAY"}[r.IntN(3)]])
	}
	return u
}

// follow looks at what the module says in the cycle: first what has become of moves,
// then what it asks for, and what it takes.
func (c *carrier) follow(aborts bool) error {
	b := c.b
	idle := len(c.tasks) == 0 && !c.queue.Offered()
	if c.empty++; !idle {
		c.empty = 0
	}
	if b.Is("idle") && !idle || !b.Is("idle") && c.empty > 8 {
		return fmt.Errorf("it is idle: %t, with %d moves", b.Is("idle"), len(c.tasks))
	}
	if b.Is("restart") != b.Is("failed") {
		return errors.New("it fails and does not start anew")
	}
	if c.ended++; !c.must {
		c.ended = 0
	}
	if b.Is("completed") {
		if err := c.complete(); err != nil {
			return err
		}
	}
	if b.Is("failed") {
		return c.fail()
	}
	for _, f := range []func() error{c.lookKernel, c.lookMessage, c.lookWindow, c.lookPacket, c.lookSlice, c.lookEnd} {
		if err := f(); err != nil {
			return err
		}
	}
	if !c.queue.Taken() {
		return nil
	}
	if aborts || c.must || c.reset {
		return errors.New("a move is taken amid the end of those before it")
	}
	if t := c.now; t != nil {
		if err := t.over(); err != nil && !t.done {
			return err
		}
	}
	if len(c.tasks) > 0 {
		c.seen["overlap"]++
	}
	c.now, c.tasks = c.next, append(c.tasks, c.next)
	c.progress = c.cycle
	c.now.begin(c)
	return nil
}

// after brings up to date what the cycle has changed.
func (c *carrier) after(retired *cutting, aborts bool) error {
	b := c.b
	if retired != nil {
		c.under = c.under[1:]
		c.moved = c.cycle
		if t := retired.task; t != nil {
			t.under--
			t.retired = t.retired || retired.last
		}
		if code := b.Get("retire.code"); code != 0 {
			c.allow(code)
			c.must = true
		}
	}
	if aborts {
		if t := c.now; t != nil && !t.done && !t.cut {
			t.aborted, t.since = true, c.cycle
			c.seen["aborted"]++
		}
		if c.queue.Offered() && c.r.IntN(2) == 0 {
			c.queue.Withdraw()
		}
	}
	if c.reset {
		c.must = c.must || len(c.tasks) > 0 || c.queue.Offered()
		if len(c.tasks) == 0 && !c.queue.Offered() && c.empty > 3 {
			c.reset, c.must, c.allowed, c.causes = false, false, 0, 0
		}
	}
	if len(c.tasks) == 0 && !c.queue.Offered() {
		c.moved = c.cycle
	}
	if t := c.now; t != nil && t.aborted && !t.done && t.withheld != "" && c.aborts &&
		c.cycle-max(c.progress, c.moved, t.since) > 400 {
		return fmt.Errorf("the move waits, and was given up in cycle %d of %d", t.since, c.cycle)
	}
	if c.cycle-max(c.progress, c.moved) > 3000 {
		return fmt.Errorf("nothing has moved for long: %d moves, %d slices under way", len(c.tasks), len(c.under))
	}
	return nil
}
