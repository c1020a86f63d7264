package network

import (
	"context"
	"time"
)

// called is a kernel that is started and says when it is done.
type called struct{ *block }

func (k called) idle(ctx context.Context) error {
	return k.wait(ctx, "it has been running from before", func(v uint32) bool {
		return v&k.mask("control", "start") == 0 && v&k.mask("control", "idle") != 0
	})
}

func (k called) start(ctx context.Context) error {
	return k.put(ctx, "control", 0, uint64(k.mask("control", "start")))
}

// done waits for the end. The bit that says so is gone once it was read.
func (k called) done(ctx context.Context) error {
	return k.wait(ctx, "it was started and does not end", func(v uint32) bool {
		return v&k.mask("control", "done") != 0 || v&k.mask("control", "start", "idle") == k.mask("control", "idle")
	})
}

func (k called) wait(ctx context.Context, what string, is func(control uint32) bool) error {
	begin := time.Now()
	err := until(ctx, func() (bool, error) {
		v, err := k.word(ctx, "control")
		return is(v), err
	})
	if err != nil && ended(ctx, err) {
		after, cause := limit(ctx, begin)
		return &Error{Kind: ErrBusy, Rank: -1, Instance: k.instance, Reason: what + ", " + after, Cause: cause}
	}
	return err
}
