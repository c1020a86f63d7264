package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
)

// mostSaid is the largest size of a rank's error text, in bytes.
const mostSaid = 2000

// GreetAll runs Greet on all ranks of a world, which all call it when they are ready. It
// shows whether packets arrive, on networks that do not report it. All ranks get the same
// error, which matches ErrMessages.
func GreetAll(ctx context.Context, w *bringup.World, e *accl.Engine) error {
	var says string
	if err := Greet(ctx, e, w.Ranks(), w.Rank()); err != nil {
		says = strings.ReplaceAll(err.Error(), "\n", "; ")
		says = says[:min(len(says), mostSaid)]
	}
	all, err := w.Exchange(ctx, []byte(says))
	if err != nil {
		return err
	}
	var errs []string
	for rank, text := range all {
		if len(text) > 0 {
			errs = append(errs, fmt.Sprintf("rank %d: %s", rank, text))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("%w: %s", ErrMessages, strings.Join(errs, "; "))
	}
	return nil
}

// Greet sends a message to each other rank and waits for one of each. All ranks call it
// at about the same time. The engine's limit for remote ranks bounds the wait. The errors
// name the ranks whose message has not arrived, with their addresses and ports.
func Greet(ctx context.Context, e *accl.Engine, ranks []accl.Rank, local int) error {
	p := e.Platform()
	if len(ranks) < 2 || len(p.Types) == 0 {
		return nil
	}
	// What is in them makes no difference: nothing goes over from the host, and back.
	src, err := accl.AllocRaw(ctx, e, p.Types[0].Name, 1)
	if err != nil {
		return err
	}
	dst, err := accl.AllocRaw(ctx, e, p.Types[0].Name, 1)
	if err != nil {
		return errors.Join(err, src.Free())
	}
	sent, came := make([]*accl.Request, len(ranks)), make([]*accl.Request, len(ranks))
	errs := make([]error, len(ranks))
	for i := 1; i < len(ranks); i++ {
		to, from := (local+i)%len(ranks), (local+len(ranks)-i)%len(ranks)
		sent[to], errs[to] = e.Send(ctx, src, 1, accl.Peer(to), accl.Async(), accl.FromFPGA())
		var failed error
		came[from], failed = e.Recv(ctx, dst, 1, accl.Peer(from), accl.Async(), accl.ToFPGA())
		errs[from] = errors.Join(errs[from], failed)
	}
	var out []error
	for i, at := range ranks {
		for _, request := range []*accl.Request{sent[i], came[i]} {
			if request != nil {
				errs[i] = errors.Join(errs[i], request.Wait(ctx))
			}
		}
		if errs[i] != nil {
			out = append(out, fmt.Errorf("between it and rank %d at %v: %w", i, netip.AddrPortFrom(at.IP.Unmap(), at.Port),
				errs[i]))
		}
	}
	if len(out) > 0 {
		return errors.Join(out...) // calls that have not ended may still use the memory
	}
	return errors.Join(src.Free(), dst.Free())
}
