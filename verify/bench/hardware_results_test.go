package bench

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/rtlsim"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// wrong is a device that makes other calls than it is told.
type wrong struct {
	engine.Device
	spoil *func(c *accl.Call)
}

func (d wrong) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if spoil := *d.spoil; spoil != nil {
		spoil(&c)
	}
	return d.Device.Start(ctx, client, c)
}

func TestWrongResultsFailTheBench(t *testing.T) {
	const ranks = 4
	b := &bench{ctx: t.Context(), ranks: ranks, gate: newGate(rtlsim.NewLockstep(1)),
		accounts: make([][]rtlsim.Account, ranks), engines: make([]*accl.Engine, ranks)}
	d := designtest.Load(t, "u55c_tcp", nil)
	p := driverview.Of(d)
	w, err := world.New(t.Context(), d, ranks, world.Options{})
	assert.NilError(t, err)
	t.Cleanup(func() { w.Close() })
	var spoil func(c *accl.Call)
	ranktest.All(t, ranks, func(i int) (err error) {
		device := &gated{wrong{w.Device(i), &spoil}, b.gate, i}
		b.engines[i], err = accl.Open(t.Context(), device, &p, w.Ranks(), i)
		return err
	})
	instead := func(name string) func(*accl.Call) {
		return func(c *accl.Call) { c.Scenario = p.Operation(name).Value }
	}
	root := func(c *accl.Call) { c.RootSrcDst = 1 }
	for _, test := range []struct {
		name, protocol string
		spoil          func(c *accl.Call)
	}{
		{"copy", "", instead("nop")},
		{"combine", "", instead("copy")},
		{"bcast", Compressed, root},
		{"reduce", "", root},
		{"allreduce", Compressed, func(c *accl.Call) { c.FunctionCode++ }},
		{"gather", "", instead("nop")},
		{"alltoall", "", instead("allgather")},
	} {
		operation := operation{name: test.name}
		r := row{operation: &operation, shape: p.Operation(test.name), protocol: test.protocol,
			dtype: accl.TypeFloat32, bytes: 4096}
		spoil = nil
		if _, err := b.run(&r); err == nil || !strings.Contains(err.Error(), "has no account") {
			t.Errorf("%s: %v", test.name, err) // right, but only simulated hardware has accounts
		}
		spoil = test.spoil
		if _, err := b.point(&r); err == nil || !strings.Contains(err.Error(), test.name+" of 4096 bytes") ||
			!strings.Contains(err.Error(), "result") {
			t.Errorf("%s does something else: %v", test.name, err)
		}
	}
}
