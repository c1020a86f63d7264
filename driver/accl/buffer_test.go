package accl_test

import (
	"errors"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

func TestBuffer(t *testing.T) {
	ctx := within(t)
	e, d := opened(t, "u55c_tcp")
	b, err := accl.Alloc[int32](ctx, e, 8, accl.At(0x5000))
	assert.NilError(t, err)
	if b.Len() != 8 || b.Address() != 0x5000 || b.DType() != accl.TypeInt32 || b.InHostMemory() || b.Err() != nil {
		t.Errorf("%d elements of %s at 0x%X", b.Len(), b.DType(), b.Address())
	}
	device := d.memory[0x5000].mem
	assert.Check(t, slices.Equal(device, make([]byte, 32)), "the device has % X before anybody has written", device)
	for i := range b.Host() {
		b.Host()[i] = int32(0x01020300 + i)
	}
	part := b.Slice(2, 4)
	if part.Len() != 2 || part.Address() != 0x5008 || &part.Host()[0] != &b.Host()[2] || cap(part.Host()) != 2 {
		t.Errorf("slice of %d elements at 0x%X", part.Len(), part.Address())
	}
	assert.NilError(t, part.SyncToDevice(ctx))
	want := []byte{7: 0, 8: 2, 3, 2, 1, 3, 3, 2, 1, 31: 0} // little-endian
	assert.Check(t, slices.Equal(device, want), "the device has % X", device)
	copy(device, []byte{0xFF, 0xFF, 0xFF, 0xFF})
	device[8] = 9
	assert.NilError(t, part.Slice(0, 1).SyncFromDevice(ctx))
	assert.Check(t, b.Host()[0] == 0x01020300 && b.Host()[2] == 0x01020309, "the host has %X", b.Host())
	assert.NilError(t, b.SyncFromDevice(ctx))
	assert.Check(t, b.Host()[0] == -1, "the host has %X", b.Host())
	assert.Check(t, is.ErrorIs(part.Free(), accl.ErrArgument), "free of a slice")
	if _, err := accl.Alloc[int32](ctx, e, 8, accl.At(0x5000)); !errors.Is(err, errTaken) {
		t.Errorf("an address twice: %v", err)
	}
	assert.NilError(t, b.Free())
	for name, err := range map[string]error{"Free": b.Free(), "SyncToDevice": b.SyncToDevice(ctx),
		"SyncFromDevice of a slice": part.SyncFromDevice(ctx)} {
		assert.Check(t, is.ErrorIs(err, accl.ErrFreed), "%s after Free", name)
	}
	if bad := b.Slice(3, 2); !errors.Is(bad.Err(), accl.ErrCount) || bad.Len() != 0 ||
		!errors.Is(bad.SyncToDevice(ctx), accl.ErrCount) {
		t.Errorf("slice that there is not: %v", bad.Err())
	}
}

func TestAllocOptions(t *testing.T) {
	ctx := within(t)
	e, d := opened(t, "u55c_tcp")
	raw, err := accl.Alloc[float64](ctx, e, 2, accl.NoPrealloc())
	assert.NilError(t, err)
	assert.Check(t, len(d.copies()) == 0 && d.memory[raw.Address()].mem[0] == 0xEE, "NoPrealloc writes device memory")
	host, err := accl.Alloc[float64](ctx, e, 2, accl.HostOnly())
	assert.NilError(t, err)
	if !host.InHostMemory() || host.SyncToDevice(ctx) != nil || host.SyncFromDevice(ctx) != nil || len(d.copies()) != 0 {
		t.Error("a buffer in host memory is copied")
	}
	empty, err := accl.Alloc[float64](ctx, e, 0)
	assert.Assert(t, err == nil && empty.Len() == 0, "%v", err)
	if _, err := e.Copy(ctx, empty, empty, 0); err != nil {
		t.Errorf("copy of nothing: %v", err)
	}
	type pair struct{ A, B int32 }
	if b, err := accl.AllocAs[pair](ctx, e, accl.TypeInt64, 3); err != nil || b.Len() != 3 {
		t.Errorf("a struct of 8 bytes: %v", err)
	}
	for name, try := range map[string]func() error{
		"size":     func() error { _, err := accl.AllocAs[int32](ctx, e, accl.TypeInt64, 1); return err },
		"pointers": func() error { _, err := accl.AllocAs[*int64](ctx, e, accl.TypeInt64, 1); return err },
		"struct with pointers": func() error {
			_, err := accl.AllocAs[struct{ p *int }](ctx, e, accl.TypeInt64, 1)
			return err
		},
		"words of the machine": func() error { _, err := accl.AllocAs[int](ctx, e, accl.TypeInt64, 1); return err },
		"unknown":              func() error { _, err := accl.Alloc[accl.BFloat16](ctx, e, 1); return err },
	} {
		assert.Check(t, is.ErrorIs(try(), accl.ErrType), "%s", name)
	}
	for _, n := range []int{-1, 1 << 61} {
		if _, err := accl.Alloc[float32](ctx, e, n); !errors.Is(err, accl.ErrCount) {
			t.Errorf("%d elements: %v", n, err)
		}
	}
	for _, name := range []string{"u280_2022", "u55c_udp"} {
		// a generation without host operands, a platform without host memory
		e, _ := opened(t, name)
		if _, err := accl.Alloc[float32](ctx, e, 1, accl.HostOnly()); !errors.Is(err, accl.ErrUnsupported) {
			t.Errorf("%s: host memory: %v", name, err)
		}
	}
	assert.NilError(t, e.Close(ctx))
	if _, err := accl.Alloc[float32](ctx, e, 1); !errors.Is(err, accl.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	assert.Check(t, errors.Join(raw.SyncToDevice(ctx), raw.Free(), host.Free(), empty.Free()),
		"the program's buffers outlive the engine")
}

func TestTypeOf(t *testing.T) {
	got := []accl.DType{
		accl.TypeOf[float32](), accl.TypeOf[float64](), accl.TypeOf[int32](), accl.TypeOf[int64](),
		accl.TypeOf[accl.Float16](), accl.TypeOf[accl.BFloat16](),
	}
	if want := []accl.DType{"float32", "float64", "int32", "int64", "float16", "bfloat16"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
