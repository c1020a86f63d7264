package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
)

// lastClient is the last value of ctrl_id: 0 and 1 are host controllers, 2 is the
// kernel command stream.
const lastClient = 2

// Start implements accl.Device. The error is ErrClient for a client other than 0 to 2,
// and a *StatusError if the server refuses the call.
//
// If Blocking is true for the platform, the number of calls in flight is limited to 400,
// or to 1 on a server without return codes in its replies. Start waits for the answer to
// another call at the limit.
func (d *Device) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if client < 0 || client > lastClient {
		return 0, fmt.Errorf("%w: %d, they go from 0 to %d", ErrClient, client, lastClient)
	}
	ctx, free := d.bound(ctx)
	defer free()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	t, err := d.calls.start(ctx, client, c)
	if err != nil {
		return 0, err
	}
	return d.tickets.Add(t), nil
}

// Wait implements accl.Device. The error is ErrTicket for an unknown ticket, or one whose
// answer was returned before.
func (d *Device) Wait(ctx context.Context, n accl.Ticket) (accl.ReturnCode, error) {
	code, err := d.tickets.Wait(ctx, n)
	if err != nil && !errors.Is(err, ErrTicket) && ctx.Err() != nil {
		err = fmt.Errorf("sim: from %s: %w", d.address, err)
	}
	return code, err
}

// code is the return code of a call that has ended. Servers of other projects do not
// report it, but leave it in the exchange memory.
func (d *Device) code(reply Reply) (accl.ReturnCode, error) {
	if reply.Code != nil {
		return accl.ReturnCode(*reply.Code), nil
	}
	v, err := d.ReadReg(d.life, d.returnCode)
	if err != nil {
		return 0, fmt.Errorf("read the return code: %w", err)
	}
	return accl.ReturnCode(v), nil
}
