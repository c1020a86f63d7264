package ranks

import (
	"context"
	"errors"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// answers is an engine whose calls end with their count; those of count 99 are not placed.
type answers map[accl.Ticket]accl.ReturnCode

func (a answers) Start(_ context.Context, _ int, c accl.Call) (accl.Ticket, error) {
	if c.Count == 99 {
		return 0, errors.New("full")
	}
	t := accl.Ticket(len(a))
	a[t] = accl.ReturnCode(c.Count)
	return t, nil
}

func (a answers) Wait(_ context.Context, t accl.Ticket) (accl.ReturnCode, error) { return a[t], nil }

// TestHostCalls: calls are kept with how they ended, and in their order if that is known.
func TestHostCalls(t *testing.T) {
	p := driverview.Of(designtest.Load(t, "u55c_tcp", nil))
	h := newHostCalls(&p, answers{})
	start := func(client int, op string, count uint32) accl.Ticket {
		ticket, err := h.Start(t.Context(), client, accl.Call{Scenario: p.Operation(op).Value, Count: count})
		assert.Equal(t, err != nil, count == 99)
		return ticket
	}
	wait := func(ticket accl.Ticket) {
		_, err := h.Wait(t.Context(), ticket)
		assert.NilError(t, err)
	}
	wait(start(0, "nop", 1<<20))
	start(0, "barrier", 99)
	open := start(1, "barrier", 0)
	assert.DeepEqual(t, h.names(), []string{"nop", "barrier"})
	var errs []error
	h.each(func(c *hostCall) {
		assert.Assert(t, !c.end.Before(c.begin))
		errs = append(errs, c.err)
	})
	assert.Error(t, errs[0], "it has failed with PACK_TIMEOUT_STS")
	assert.Assert(t, errors.Is(errs[1], errNotTaken) && len(errs) == 2)
	start(0, "nop", 0)
	assert.Assert(t, h.names() == nil, "two clients have called at a time")
	wait(open)
	h.each(func(c *hostCall) { errs = append(errs, c.err) })
	assert.NilError(t, errs[3])
}
