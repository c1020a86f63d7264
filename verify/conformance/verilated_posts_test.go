package conformance_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/rtlsim/simtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Where a host controller is told of posted calls, and how many may be open.
const (
	postAt, postedAt, answeredAt, capacityAt, answersAt = 0x80, 0x84, 0x88, 0x8C, 0x100
	mostPosted                                          = 32
	nop                                                 = 255
)

// callAt is where the words of a call stand, in their order.
var callAt = []uint32{0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50, 0x58, 0x5C, 0x64, 0x68, 0x70, 0x74}

// byPosts is simulated hardware whose host places calls by registers.
type byPosts struct {
	*rtlsim.Engine
	device *postingDevice
}

func (b *byPosts) Device() engine.Device { return b.device }

// postingDevice places the calls of all clients by the registers of a host
// controller, which answers them in order.
type postingDevice struct {
	engine.Device
	registers layout.Registers
	words     func(*accl.Call) []uint32

	mu      sync.Mutex
	posted  uint32
	read    uint32
	started int // calls that were started instead
	codes   map[accl.Ticket]accl.ReturnCode
}

func newByPosts(e *rtlsim.Engine, d *design.Design) (*byPosts, error) {
	words, err := emu.CallRecord(d.ABI())
	if err != nil {
		return nil, err
	}
	device := e.Device()
	registers, err := device.(*rtlsim.Device).Registers("hostctrl_0_0")
	if err != nil {
		return nil, err
	}
	return &byPosts{e, &postingDevice{Device: device, registers: registers, words: words,
		codes: map[accl.Ticket]accl.ReturnCode{}}}, nil
}

// until reads a register until it has a value that will do.
func (d *postingDevice) until(ctx context.Context, at uint32, is func(v uint32) bool) error {
	for {
		v, err := d.registers.Read(ctx, at)
		if err != nil || is(v) {
			return err
		}
		time.Sleep(50 * time.Microsecond)
	}
}

func (d *postingDevice) Start(ctx context.Context, _ int, c accl.Call) (accl.Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.posted-d.read == mostPosted {
		if err := d.collect(ctx); err != nil {
			return 0, err
		}
	}
	for i, word := range d.words(&c) {
		if err := d.registers.Write(ctx, callAt[i], word); err != nil {
			return 0, err
		}
	}
	if err := d.registers.Write(ctx, postAt, 1); err != nil {
		return 0, err
	}
	d.posted++
	if err := d.until(ctx, postedAt, func(v uint32) bool { return v == d.posted }); err != nil {
		return 0, fmt.Errorf("call %d is not taken: %w", d.posted, err)
	}
	return accl.Ticket(d.posted), nil
}

// collect reads the answers that have come.
func (d *postingDevice) collect(ctx context.Context) error {
	n, err := d.registers.Read(ctx, answeredAt)
	if err != nil {
		return err
	}
	if n-d.read > d.posted-d.read {
		return fmt.Errorf("%d answers to %d calls", n, d.posted)
	}
	for ; d.read != n; d.read++ {
		code, err := d.registers.Read(ctx, answersAt+4*(d.read%mostPosted))
		if err != nil {
			return err
		}
		d.codes[accl.Ticket(d.read+1)] = accl.ReturnCode(code)
	}
	return nil
}

func (d *postingDevice) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	for {
		d.mu.Lock()
		err := d.collect(ctx)
		code, ok := d.codes[t]
		delete(d.codes, t)
		d.mu.Unlock()
		if err != nil || ok {
			return code, err
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// startNop starts a call that does nothing, and waits until it has ended.
func (d *postingDevice) startNop(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, word := range d.words(&accl.Call{Scenario: nop}) {
		if err := d.registers.Write(ctx, callAt[i], word); err != nil {
			return err
		}
	}
	if err := d.registers.Write(ctx, 0, 1); err != nil {
		return err
	}
	d.started++
	return d.until(ctx, 0, func(v uint32) bool { return v&2 != 0 }) // done
}

// TestCallsArePostedOnVerilatedCards runs every operation with calls that the host
// places by the registers of the host controllers.
func TestCallsArePostedOnVerilatedCards(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	const platform, ranks = "u55c_tcp", 2
	if !slices.Contains(all.of(platform), platform) {
		t.Skipf("it takes %s", platform)
	}
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	before := slow.Load()
	t.Cleanup(func() { slow.Store(before) })
	on, err := goes("verilated")
	if err != nil {
		t.Fatal(err)
	}
	records, cards := simtest.Record(t), make([]*byPosts, ranks)
	var o rtlsim.Options
	on.way = made{on.way, func(rank int) world.Maker {
		return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
			e, err := rtlsim.New(ctx, d, port, watched(o, records.Card(fmt.Sprint("rank", rank)), rank))
			if err != nil {
				return nil, err
			}
			if cards[rank], err = newByPosts(e, d); err != nil {
				return nil, err
			}
			return cards[rank], nil
		}
	}}
	vars := hostMemory(platform)
	d := designtest.Load(t, platform, vars)
	if o, err = simulated(t.Context(), d, false); err != nil {
		t.Fatal(err)
	}
	ctx := limited(t, time.Minute)
	b := on.bench(ctx, t, setup{platform: platform, design: d, ranks: ranks, edit: small, vars: vars})
	rng := random(t)
	for _, op := range conformance.Operations(b.p) {
		b.run(ctx, lossless(rng, b.p, ranks, op))
	}
	nops(ctx, t, cards[0].device)
	for rank, c := range cards {
		if c.device.posted < 20 || c.device.posted != c.device.read {
			t.Errorf("rank %d has posted %d calls and read %d answers", rank, c.device.posted, c.device.read)
		}
	}
}

// nops fills a host controller with calls, one of them started.
func nops(ctx context.Context, t *testing.T, d *postingDevice) {
	t.Helper()
	if v, err := d.registers.Read(ctx, capacityAt); err != nil || v != mostPosted {
		t.Fatalf("%d calls may be open: %v", v, err)
	}
	var tickets []accl.Ticket
	for i := range 3 * mostPosted {
		ticket, err := d.Start(ctx, 0, accl.Call{Scenario: nop})
		if err != nil {
			t.Fatal(err)
		}
		if tickets = append(tickets, ticket); i == mostPosted/2 {
			if err := d.startNop(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, ticket := range tickets {
		if code, err := d.Wait(ctx, ticket); err != nil || code != 0 {
			t.Fatalf("ticket %d: %v, %v", ticket, code, err)
		}
	}
	if d.started != 1 {
		t.Errorf("%d calls were started", d.started)
	}
}
