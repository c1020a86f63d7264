package conformance_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/conformance"
)

// TestDeadPeer ends one rank of a world of several hosts, without a warning: calls
// of the others end, and the others work on without it; then with it, when it has
// been started again.
func TestDeadPeer(t *testing.T) {
	ways := []string{"sockets", "memory", "packets", "processes"}
	if all.name() != "process" {
		ways = []string{all.name()}
	}
	for _, name := range ways {
		t.Run(name, func(t *testing.T) {
			on := goesBy(t, name)
			platforms := []string{"u55c_udp", "u55c_tcp", "u280_2022", "u55c_rdma"}
			if testing.Short() || !nightly.Enabled() {
				platforms = platforms[:2]
			}
			for _, platform := range platforms {
				t.Run(platform, func(t *testing.T) { deadPeer(t, on, platform) })
			}
		})
	}
}

func deadPeer(t *testing.T, on where, platform string) {
	const ranks, dead, n, limit = 4, 3, 2000, 500 * time.Millisecond
	ctx := limited(t, time.Minute)
	b := on.bench(ctx, t, setup{platform: platform, ranks: ranks, edit: small, world: impatient(limit), fresh: true})
	if b.kill == nil {
		t.Skipf("over %s no rank can end alone", on.name())
	}
	var in, out [ranks]*accl.Buffer[int32]
	for i, e := range b.engines {
		in[i], out[i] = alloc(ctx, t, e, n), alloc(ctx, t, e, n)
	}
	time.AfterFunc(100*time.Millisecond, func() {
		assert.Check(t, b.kill(dead))
	})
	errs := b.everywhere(func(rank int, e *accl.Engine) error {
		for k := 0; ; k++ {
			fillWords(in[rank], n, k)
			if _, err := e.AllReduce(ctx, in[rank], out[rank], n, accl.Sum); err != nil {
				return err
			}
			for i, got := range out[rank].Host() {
				if got != ranks*word(k, i) {
					return fmt.Errorf("%w: allreduce %d: element %d is %#x, not %#x", conformance.ErrData, k, i, got, ranks*word(k, i))
				}
			}
		}
	})
	for rank, err := range errs {
		if rank != dead && !onlyBits(err, b.gone()) || errors.Is(err, conformance.ErrData) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if t.Failed() {
		t.Fatal(b.stats())
	}
	b.survive(ctx, dead)

	b.engines[dead] = nil
	assert.NilError(t, closeEngines(b.engines))
	works := func(what string, n int) {
		var err error
		b.engines, err = accl.OpenAll(ctx, b.devices[:n], b.p, b.ranks[:n])
		assert.NilError(t, err, "%s", what)
		for _, op := range []string{"allreduce", "alltoall"} {
			if c := (conformance.Case{Op: op, Op0: accl.TypeInt32, Res: accl.TypeInt32, Count: 3000}); b.p.Operation(op) != nil {
				if op == "allreduce" {
					c.Func = accl.Sum
				}
				b.tryThrice(ctx, c, -1)
			}
		}
	}
	works("the others alone", dead)
	assert.NilError(t, closeEngines(b.engines))
	assert.NilError(t, b.revive(dead))
	works("with it again", ranks)
}
