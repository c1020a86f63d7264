package accl_test

import (
	"bytes"
	"errors"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// packed is an element type that Go has nothing for.
const packed accl.DType = "packed"

// openedWithPacked is rank 1 of 3 on a platform that has the type packed: 24 bytes,
// at multiples of 8, that can be moved and be sent as float32.
func openedWithPacked(t *testing.T) (*accl.Engine, *device) {
	p := *platformOf(t, "u55c_tcp")
	p.Types = append(p.Types[:len(p.Types):len(p.Types)], accl.Type{Name: packed, Bytes: 24, Align: 8})
	p.Configs = append(p.Configs[:len(p.Configs):len(p.Configs)], accl.ArithConfig{
		Uncompressed: packed, Compressed: accl.TypeFloat32, UncompressedBytes: 24, CompressedBytes: 4, CompressorTDEST: 6,
		DecompressorTDEST: 7,
	})
	d := newDevice(&p)
	e, err := accl.Open(within(t), d, &p, accl.LocalRanks(3), 1)
	assert.NilError(t, err)
	d.taken()
	d.copies()
	return e, d
}

func TestRawBuffer(t *testing.T) {
	ctx := within(t)
	e, _ := openedWithPacked(t)
	b, err := accl.AllocRaw(ctx, e, packed, 5, accl.At(0x5008))
	assert.NilError(t, err)
	if b.Len() != 5 || b.ElementBytes() != 24 || len(b.Host()) != 120 || b.DType() != packed || b.Address() != 0x5008 ||
		b.InHostMemory() || b.Err() != nil {
		t.Errorf("%d elements of %d bytes of %s at 0x%X", b.Len(), b.ElementBytes(), b.DType(), b.Address())
	}
	copy(b.At(3), "element three")
	part := b.Slice(3, 5)
	if part.Len() != 2 || part.Address() != 0x5008+72 || !bytes.HasPrefix(part.At(0), []byte("element three")) {
		t.Errorf("a slice of %d elements at 0x%X: %q", part.Len(), part.Address(), part.At(0))
	}
	for _, c := range [][2]int{{-1, 2}, {2, 1}, {0, 6}} {
		bad := b.Slice(c[0], c[1])
		if !errors.Is(bad.Err(), accl.ErrCount) || bad.Len() != 0 ||
			!errors.Is(bad.Slice(0, 0).SyncToDevice(ctx), accl.ErrCount) {
			t.Errorf("elements %v: %v", c, bad.Err())
		}
	}
	assert.Check(t, is.ErrorIs(part.Free(), accl.ErrArgument), "free of a slice")
	assert.NilError(t, b.Free())
	assert.Check(t, is.ErrorIs(b.Free(), accl.ErrFreed))
	var none *accl.RawBuffer
	if _, err := e.Copy(ctx, none, none, 1); !errors.Is(err, accl.ErrOperand) {
		t.Errorf("no buffer: %v", err)
	}
}

func TestRawBuffersThatCannotBe(t *testing.T) {
	ctx := within(t)
	e, d := openedWithPacked(t)
	for _, c := range []struct {
		name string
		t    accl.DType
		n    int
		o    []accl.AllocOption
		want error
	}{
		{"unknown type", "float8", 1, nil, accl.ErrType},
		{"negative", packed, -1, nil, accl.ErrCount},
		{"more than there can be", packed, 1 << 60, nil, accl.ErrCount},
		{"an address that is not aligned", packed, 1, []accl.AllocOption{accl.At(0x5004)}, accl.ErrAlignment},
	} {
		if _, err := accl.AllocRaw(ctx, e, c.t, c.n, c.o...); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := accl.AllocAs[uint64](ctx, e, accl.TypeFloat64, 1, accl.At(0x6004)); !errors.Is(err, accl.ErrAlignment) {
		t.Errorf("float64: %v", err)
	}
	if _, err := accl.AllocRaw(ctx, nil, packed, 1); !errors.Is(err, accl.ErrArgument) {
		t.Errorf("no engine: %v", err)
	}
	before := len(d.memory)
	d.next = 0x2_0000_0004
	if _, err := accl.AllocRaw(ctx, e, packed, 1); !errors.Is(err, accl.ErrAlignment) {
		t.Errorf("a device that does not align: %v", err)
	}
	assert.Check(t, is.Equal(len(d.memory), before), "what the device gave was not given back")
	d.next = 0x2_0000_0000
	if b, err := accl.AllocRaw(ctx, e, packed, 0); err != nil || b.Len() != 0 {
		t.Error(err)
	}
}

// Raw buffers are operands, results, and what others are compressed from.
func TestRawBuffersInCalls(t *testing.T) {
	ctx := within(t)
	e, d := openedWithPacked(t)
	a, err := accl.AllocRaw(ctx, e, packed, 30)
	assert.NilError(t, err)
	b, err := accl.AllocRaw(ctx, e, packed, 30)
	assert.NilError(t, err)
	f, err := accl.Alloc[float32](ctx, e, 30)
	assert.NilError(t, err)
	plain, err := e.ConfigAddress(packed, packed)
	assert.NilError(t, err)
	pair, err := e.ConfigAddress(packed, accl.TypeFloat32)
	assert.NilError(t, err)
	d.copies()
	d.taken()
	for _, c := range []struct {
		name          string
		do            func() (*accl.Request, error)
		config, flags uint32
	}{
		{"allgather", func() (*accl.Request, error) { return e.AllGather(ctx, a, b, 10) }, plain, 0},
		{"bcast", func() (*accl.Request, error) { return e.Bcast(ctx, a, 10, 0) }, plain, 0},
		{"compressed send", func() (*accl.Request, error) { return e.Send(ctx, a, 10, 0, accl.Compress(accl.TypeFloat32)) },
			pair, 8},
		{"copy to the other type", func() (*accl.Request, error) { return e.Copy(ctx, a, f, 10) }, pair, 4},
		{"copy from the other type", func() (*accl.Request, error) { return e.Copy(ctx, f, a, 10) }, pair, 1},
	} {
		if _, err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		calls := d.taken()
		if len(calls) != 1 || calls[0].ArithCfg != c.config || calls[0].CompressionFlags != c.flags || calls[0].Count != 10 {
			t.Errorf("%s: %+v", c.name, calls)
		}
	}
	if _, err := e.AllReduce(ctx, a, b, 10, accl.Sum); !errors.Is(err, accl.ErrFunc) {
		t.Errorf("no reduction of the type: %v", err)
	}
	if _, err := e.Copy(ctx, a, b, 31); !errors.Is(err, accl.ErrCount) {
		t.Errorf("more than there is: %v", err)
	}
}

// Kernels that place calls name communicators and configurations by these addresses.
func TestAddressesForKernels(t *testing.T) {
	for _, name := range platformNames {
		ctx := within(t)
		e, d := opened(t, name)
		p := e.Platform()
		comms, configs := p.Exchange.Tables[1], p.Exchange.Tables[2]
		at := e.World().Address()
		for i, want := range map[int]uint32{0: 3, 1: 1} { // size and local rank
			if got := d.reg(at + 4*uint32(i)); got != want {
				t.Errorf("%s: %s is %d, not %d", name, comms.Header[i], got, want)
			}
		}
		for _, c := range []struct {
			from, to          accl.DType
			bytes, compressed uint32
		}{{accl.TypeFloat32, accl.TypeFloat32, 4, 4}, {accl.TypeFloat32, accl.TypeFloat16, 4, 2}, {accl.TypeInt64,
			accl.TypeInt64, 8, 8}} {
			at, err := e.ConfigAddress(c.from, c.to)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for i, word := range configs.Header {
				want, known := map[string]uint32{"uncompressed_bytes": c.bytes, "compressed_bytes": c.compressed,
					"nfunctions": 2}[word]
				if got := d.reg(at + 4*uint32(i)); known && got != want {
					t.Errorf("%s: %s and %s: %s is %d, not %d", name, c.from, c.to, word, got, want)
				}
			}
		}
		for _, c := range [][2]accl.DType{{accl.TypeFloat16, accl.TypeFloat32}, {"float8", accl.TypeFloat32},
			{accl.TypeFloat32, accl.TypeInt64}} {
			if _, err := e.ConfigAddress(c[0], c[1]); !errors.Is(err, accl.ErrType) {
				t.Errorf("%s: %v: %v", name, c, err)
			}
		}
		assert.NilError(t, e.Close(ctx))
		if _, err := e.ConfigAddress(accl.TypeFloat32, accl.TypeFloat32); !errors.Is(err, accl.ErrClosed) {
			t.Errorf("%s: closed: %v", name, err)
		}
	}
}
