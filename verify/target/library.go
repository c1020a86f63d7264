package target

import (
	"context"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/driver/capi"
)

// Library opens worlds for the C interface.
func Library(ctx context.Context, o capi.Options) (*capi.World, error) {
	w, err := Open(ctx, Options{On: o.World, Platform: o.Platform, Vars: o.Variables, Ranks: o.Ranks,
		Address: o.Address, Timeout: o.Timeout, Env: o.Env, Open: o.Open})
	if errors.Is(err, ErrText) {
		return nil, fmt.Errorf("%w: %w", capi.ErrWorld, err)
	}
	if err != nil {
		return nil, err
	}
	of := &capi.World{Engines: w.Engines, Joined: w.joined}
	var cancel context.CancelFunc
	of.Context, cancel = w.Context(context.Background())
	of.Close = func() error {
		defer cancel()
		return w.Close()
	}
	return of, nil
}
