package accl_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// copying is a device that copies from and to any memory of the host.
type copying struct{ *device }

type copier struct{ *memory }

func (d copying) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	m, err := d.device.Alloc(ctx, spec)
	if err != nil {
		return nil, err
	}
	return copier{m.(*memory)}, nil
}

func (c copier) CopyTo(ctx context.Context, offset int, from []byte) error {
	return c.sync(ctx, fmt.Sprint("direct to of ", len(from)), c.mem[offset:], from, 0, len(from))
}

func (c copier) CopyFrom(ctx context.Context, offset int, to []byte) error {
	return c.sync(ctx, fmt.Sprint("direct from of ", len(to)), to, c.mem[offset:], 0, len(to))
}

// TestMemoryOfTheProgram: calls copy it to the device and back, once each way, at any address, and leave what is
// around it alone; a prepared call does so each time.
func TestMemoryOfTheProgram(t *testing.T) {
	ctx := within(t)
	for _, test := range []struct {
		name string
		of   func(*device) accl.Device
		o    []accl.AllocOption
		want []string // copies of a call
	}{
		{"device memory", func(d *device) accl.Device { return d }, nil, []string{"to", "call", "from"}},
		{"device that copies", func(d *device) accl.Device { return copying{d} }, nil,
			[]string{"direct to of 16", "call", "direct from of 16"}},
		{"host memory", func(d *device) accl.Device { return copying{d} }, []accl.AllocOption{accl.HostOnly()},
			[]string{"call"}},
	} {
		p := platformOf(t, "u55c_tcp")
		fake := newDevice(p)
		e, err := accl.Open(ctx, test.of(fake), p, accl.LocalRanks(1), 0)
		assert.NilError(t, err)
		b, err := accl.AllocRaw(ctx, e, accl.TypeFloat64, 4, test.o...)
		assert.NilError(t, err)
		outside := bytes.Repeat([]byte{7}, 19)
		part := b.As(accl.TypeFloat32, 8, 16, outside[1:17])
		assert.NilError(t, part.Err())
		assert.Check(t, part.Len() == 4 && part.Address() == b.Address()+8, "%d at 0x%X", part.Len(), part.Address())
		fake.reply = func(c placed) accl.ReturnCode { // it adds 1 to each byte
			m := fake.memory[b.Address()]
			for i := range m.mem {
				m.mem[i]++
			}
			return 0
		}
		fake.taken()
		fake.copies()
		prepared, err := e.Copy(ctx, part, part, 4, accl.Prepared())
		assert.NilError(t, err)
		assert.NilError(t, prepared.Wait(ctx))
		assert.Check(t, is.Len(fake.copies(), 0), "%s: a call that is prepared is not made", test.name)
		for round := range 3 {
			_, err := prepared.Again(ctx)
			assert.NilError(t, err)
			var ways []string
			for _, line := range fake.copies() {
				way, _, _ := strings.Cut(line, " 0x")
				ways = append(ways, way)
			}
			assert.Check(t, slices.Equal(ways, test.want), "%s: %q", test.name, ways)
			want := append([]byte{7}, bytes.Repeat([]byte{byte(8 + round)}, 16)...)
			assert.Check(t, bytes.Equal(outside, append(want, 7, 7)), "%s, round %d: %v", test.name, round, outside)
		}
		assert.Check(t, is.Len(fake.taken(), 3))
		assert.Check(t, is.ErrorIs(b.As(accl.TypeFloat32, 20, 16, nil).Err(), accl.ErrCount))
		assert.Check(t, is.ErrorIs(b.As(accl.TypeFloat32, 0, 8, outside[:7]).Err(), accl.ErrCount))
		assert.Check(t, is.ErrorIs(b.As(accl.TypeFloat32, 2, 8, nil).Err(), accl.ErrAlignment))
		assert.Check(t, is.ErrorIs(b.As("float3", 0, 8, nil).Err(), accl.ErrType))
		assert.NilError(t, b.Free())
		_, err = prepared.Again(ctx)
		assert.Check(t, is.ErrorIs(err, accl.ErrFreed))
	}
}
