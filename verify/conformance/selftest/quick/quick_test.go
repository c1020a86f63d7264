package quick

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/world"
)

// generated is what a generated demo passes to Main.
func generated(t testing.TB, name, vars string) (Open, Load) {
	p, err := world.Platform(name, vars)
	assert.NilError(t, err)
	open := func(ctx context.Context, dev accl.Device, ranks []accl.Rank, local int, o ...accl.OpenOption) (*accl.Engine,
		error) {
		return accl.Open(ctx, dev, p, ranks, local, o...)
	}
	load := func(ctx context.Context, ranks int) (*world.World, error) {
		return world.Load(ctx, name, vars, ranks, world.Options{})
	}
	return open, load
}

// Every network, generation and kind of stream runs the demo without a fault,
// each with what it has.
func TestEverythingIsRight(t *testing.T) {
	for n, c := range []struct {
		name, vars string
		ranks      int
		has, lacks []string
	}{
		{"u55c_tcp", "", 4, []string{"nop", "barrier", "alltoall", "stream put", "allreduce max", "float32/float16"}, nil},
		{"u55c_tcp", `{user_kernel = "vadd_put"}`, 2, []string{"stream put"}, nil},
		{"u55c_tcp", "", 1, []string{"alltoall"}, nil},
		{"u280_manual", "", 3, []string{"allreduce sum"}, []string{"barrier", "alltoall"}},
		{"u55c_udp", "", 3, []string{"alltoall"}, nil},
		{"u55c_rdma", "", 3, []string{"alltoall"}, nil},
		{"u280_axis3x", "", 3, []string{"alltoall"}, nil},
		{"u280_2022", "", 3, []string{"barrier", "allreduce sum"}, nil},
	} {
		if n >= 4 && !nightly.Enabled() {
			break // the conformance tests have all of them, too
		}
		t.Run(c.name+c.vars, func(t *testing.T) {
			open, load := generated(t, c.name, c.vars)
			var out strings.Builder
			assert.Check(t, Run(t.Context(), &out, open, load, c.ranks))
			for _, text := range c.has {
				assert.Check(t, is.Contains(out.String(), text))
			}
			for _, text := range c.lacks {
				assert.Check(t, !strings.Contains(out.String(), "\n"+text), "%s, which the generation lacks", text)
			}
			if t.Failed() || testing.Verbose() {
				t.Logf("\n%s", out.String())
			}
		})
	}
}

// lying is a device whose memory does not hold what the engine wrote.
type lying struct {
	accl.Device
	accl.SessionOpener
}

type lyingMemory struct{ accl.Memory }

func (d lying) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	m, err := d.Device.Alloc(ctx, spec)
	return lyingMemory{m}, err
}

func (m lyingMemory) SyncFrom(ctx context.Context, offset, bytes int) error {
	err := m.Memory.SyncFrom(ctx, offset, bytes)
	if bytes > 0 {
		m.Bytes()[offset] ^= 1
	}
	return err
}

func TestWrongResultsAreFound(t *testing.T) {
	open, load := generated(t, "u55c_tcp", "")
	lies := func(ctx context.Context, dev accl.Device, ranks []accl.Rank, local int, o ...accl.OpenOption) (*accl.Engine,
		error) {
		if local == 1 {
			dev = lying{dev, dev.(accl.SessionOpener)}
		}
		return open(ctx, dev, ranks, local, o...)
	}
	var out strings.Builder
	err := Run(t.Context(), &out, lies, load, 2)
	assert.Check(t, is.ErrorIs(err, ErrDiffers))
	for line := range strings.Lines(out.String()) {
		// Nothing but calls without a result is right.
		if strings.Contains(line, "  ok  ") && !strings.HasPrefix(line, "nop") && !strings.HasPrefix(line, "barrier") {
			t.Errorf("not found: %s", line)
		}
	}
	assert.Check(t, is.Contains(out.String(), "rank 1, operand 0, on the device: element -1 is "), "no place in")
}

func TestInterrupt(t *testing.T) {
	open, load := generated(t, "u55c_tcp", "")
	ctx, cancel := context.WithCancel(t.Context())
	w := writerFunc(func(p []byte) (int, error) {
		if strings.HasPrefix(string(p), "copy") {
			cancel()
		}
		return len(p), nil
	})
	assert.Check(t, is.ErrorIs(Run(ctx, w, open, load, 2), context.Canceled))
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
