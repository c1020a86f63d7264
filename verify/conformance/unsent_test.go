package conformance_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/conformance"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Words of a call, by their places in it.
const (
	wScenario = iota
	wCount
	wComm
	wRoot
	wFunction
	wTag
	wArith
	wCompression
	wStream
	wAddr0
	wAddr0High
	wAddr1
	wAddr1High
	wAddr2
	wAddr2High
)

// callAt is where the words of a call stand, in their order.
var callAt = []uint32{0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x50, 0x58, 0x5C, 0x64, 0x68, 0x70, 0x74}

// sentWords are the words that the C++ driver of today writes for an operation on a card
// (shared contract host-drivers.md). What stands in the other registers stays.
var sentWords = map[string][]int{
	"config": {wFunction},
	"copy":   {wCount, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"combine": {wCount, wFunction, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr1, wAddr1High,
		wAddr2, wAddr2High},
	"send":    {wCount, wComm, wRoot, wTag, wArith, wCompression, wStream, wAddr0, wAddr0High},
	"recv":    {wCount, wComm, wRoot, wTag, wArith, wCompression, wStream, wAddr2, wAddr2High},
	"bcast":   {wCount, wComm, wRoot, wArith, wCompression, wStream, wAddr0, wAddr0High},
	"scatter": {wCount, wComm, wRoot, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"gather":  {wCount, wComm, wRoot, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"reduce": {wCount, wComm, wRoot, wFunction, wArith, wCompression, wStream, wAddr0, wAddr0High,
		wAddr2, wAddr2High},
	"allgather":      {wCount, wComm, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"allreduce":      {wCount, wComm, wFunction, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"reduce_scatter": {wCount, wComm, wFunction, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"scan":           {wCount, wComm, wFunction, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"exscan":         {wCount, wComm, wFunction, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
	"barrier":        {wComm, wArith, wAddr0, wAddr0High},
	"alltoall":       {wCount, wComm, wArith, wCompression, wStream, wAddr0, wAddr0High, wAddr2, wAddr2High},
}

// startingDevice starts calls as that driver does: one at a time, by the registers of
// the host controller. Config calls look like success, whatever becomes of them.
type startingDevice struct {
	accl.Device
	registers layout.Registers
	words     func(*accl.Call) []uint32
	sent      map[uint32][]int // by operation
	config    uint32
	codeAt    uint32 // the return code, in the exchange memory

	mu    sync.Mutex
	calls int
	codes map[accl.Ticket]accl.ReturnCode
}

func (d *startingDevice) Start(ctx context.Context, _ int, c accl.Call) (accl.Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	sent, ok := d.sent[c.Scenario]
	if !ok {
		return 0, fmt.Errorf("that driver has no operation %d", c.Scenario)
	}
	words := d.words(&c)
	for _, i := range append([]int{wScenario}, sent...) {
		if err := d.registers.Write(ctx, callAt[i], words[i]); err != nil {
			return 0, err
		}
	}
	if err := d.registers.Write(ctx, 0, 1); err != nil {
		return 0, err
	}
	for {
		v, err := d.registers.Read(ctx, 0)
		if err != nil {
			return 0, err
		}
		if v&2 != 0 { // done
			break
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		time.Sleep(50 * time.Microsecond)
	}
	d.calls++
	code, err := d.Device.ReadReg(ctx, d.codeAt)
	if err == nil && c.Scenario != d.config {
		d.codes[accl.Ticket(d.calls)] = accl.ReturnCode(code)
	}
	return accl.Ticket(d.calls), err
}

func (d *startingDevice) Wait(_ context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	code := d.codes[t]
	delete(d.codes, t)
	return code, nil
}

// unsent reaches ranks as that driver reaches cards whose registers hold a count of
// whoever used them before.
type unsent struct {
	way
	stale uint32
}

func (u unsent) open(ctx context.Context, t *testing.T, d *design.Design, s *setup) (*reach, error) {
	r, err := u.way.open(ctx, t, d, s)
	if err != nil {
		return nil, err
	}
	words, err := emu.CallRecord(d.ABI())
	if err != nil {
		return nil, err
	}
	p := driverview.Of(d)
	raw := &raw{bench: &bench{t: t, p: &p}}
	sent := map[uint32][]int{}
	for name, words := range sentWords {
		sent[raw.op(name)] = words
	}
	for rank, dev := range r.devices {
		model := kernels.Card{
			Design: d, Engines: []engine.Engine{deviceOnly{d: dev.(engine.Device)}}, Life: t.Context(),
			Fault: func(err error) { t.Error(err) },
		}
		registers, err := model.Model("hostctrl_0_0")
		if err == nil {
			err = registers.Write(ctx, callAt[wCount], u.stale)
		}
		if err != nil {
			return nil, err
		}
		r.devices[rank] = &startingDevice{
			Device: dev, registers: registers, words: words, sent: sent, config: raw.op("config"),
			codeAt: raw.register("return_code"),
			codes:  map[accl.Ticket]accl.ReturnCode{},
		}
	}
	return r, nil
}

// deviceOnly is an engine of which its device is known.
type deviceOnly struct {
	engine.Engine
	d engine.Device
}

func (e deviceOnly) Device() engine.Device { return e.d }

// TestCountsThatAreNotSent has the C++ driver of today on a card: the counts of its
// config calls are what stood in the register. Everything must be right all the same,
// at first and after a reset.
func TestCountsThatAreNotSent(t *testing.T) {
	const platform, ranks = "u55c_tcp", 2
	for _, count := range []uint32{0, 1, 100, 511, 512, 5000, 1 << 20} {
		t.Run(fmt.Sprint("stale ", count), func(t *testing.T) {
			on := where{way: unsent{process{}, count}, share: 1, losses: new(losses)}
			vars := hostMemory(platform)
			ctx := limited(t, time.Minute)
			b := on.bench(ctx, t, setup{platform: platform, design: designtest.Load(t, platform, vars), ranks: ranks,
				edit: small, vars: vars})
			rng := random(t)
			for range 2 {
				for _, op := range conformance.Operations(b.p) {
					if op == "nop" {
						continue // that driver starts it with what stands in the registers: the call before
					}
					b.run(ctx, lossless(rng, b.p, ranks, op))
				}
				b.reset(ctx)
			}
		})
	}
}
