package accl_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// distant is a device whose host memory is that of another host: what it gives
// out there has a copy here.
type distant struct{ *device }

type distantMemory struct{ accl.Memory }

func (distantMemory) Mirrored() bool { return true }

func (d distant) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	spec.Host = false
	m, err := d.device.Alloc(ctx, spec)
	return distantMemory{m}, err
}

// TestMirroredHostMemory: buffers in host memory are copied only where the device
// has a copy of them, and calls know them as host memory in both cases.
func TestMirroredHostMemory(t *testing.T) {
	ctx := within(t)
	p := platformOf(t, "u55c_tcp")
	for _, mirrored := range []bool{false, true} {
		fake := newDevice(p)
		var dev accl.Device = fake
		if mirrored {
			dev = distant{fake}
		}
		e, err := accl.Open(ctx, dev, p, accl.LocalRanks(1), 0)
		assert.NilError(t, err)
		fake.copies()
		fake.taken()
		src, err := accl.Alloc[int32](ctx, e, 4, accl.HostOnly())
		assert.NilError(t, err)
		dst, err := accl.Alloc[int32](ctx, e, 4, accl.HostOnly())
		assert.NilError(t, err)
		if _, err := e.Copy(ctx, src, dst, 4); err != nil {
			t.Fatal(err)
		}
		assert.NilError(t, dst.SyncToDevice(ctx))
		var ways []string
		for _, line := range fake.copies() {
			way, _, _ := strings.Cut(line, " ")
			ways = append(ways, way)
		}
		want := []string{"call"}
		if mirrored {
			want = []string{"to", "to", "to", "call", "from", "to"}
		}
		assert.Check(t, slices.Equal(ways, want), "mirrored %v: %v, expected %v", mirrored, ways, want)
		calls := fake.taken()
		if flags := p.HostFlags.Op0 | p.HostFlags.Result; len(calls) != 1 || calls[0].StreamFlags != flags ||
			!src.InHostMemory() {
			t.Errorf("mirrored %v: %+v", mirrored, calls)
		}
	}
}
