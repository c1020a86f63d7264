package accl_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestWrongUse: mistakes are errors that say what they are, and do not reach the
// engine.
func TestWrongUse(t *testing.T) {
	ctx := within(t)
	x, d := newBench(t, "u55c_tcp")
	other, _ := opened(t, "u55c_tcp")
	foreign, err := accl.Alloc[float32](ctx, other, 10)
	assert.NilError(t, err)
	gone, err := accl.Alloc[float32](ctx, x.e, 10)
	assert.NilError(t, err)
	assert.NilError(t, gone.Free())
	d.copies()
	e, s := x.e, accl.KernelStream(accl.TypeFloat32)
	var missing *accl.Buffer[float32]
	for _, c := range []struct {
		name string
		call func() (*accl.Request, error)
		want error
		says string
	}{
		{"count larger than source", func() (req, error) { return e.Copy(ctx, x.a.Slice(0, 5), x.b, 6) }, accl.ErrCount,
			"operand 0: wrong argument: count: 6 elements take 24 bytes, and the buffer has 20"},
		{"count larger than result", func() (req, error) { return e.Copy(ctx, x.a, x.b.Slice(0, 5), 6) },
			accl.ErrCount, "result"},
		{"count larger than operand 1", func() (req, error) { return e.Combine(ctx, x.a, x.b.Slice(0, 5), x.c, 6, accl.Sum) },
			accl.ErrCount, "operand 1"},
		{"blocks larger than source", func() (req, error) { return e.ReduceScatter(ctx, x.a, x.b, 11, accl.Sum) },
			accl.ErrCount, "33 elements"},
		{"blocks larger than result", func() (req, error) { return e.AllGather(ctx, x.a, x.b, 11) }, accl.ErrCount,
			"33 elements"},
		{"blocks larger than the root's source", func() (req, error) { return e.Scatter(ctx, x.a, x.b, 11, 1) },
			accl.ErrCount, "33 elements"},
		{"blocks larger than the root's result", func() (req, error) { return e.Gather(ctx, x.a, x.b, 11, 1) }, accl.ErrCount,
			"33 elements"},
		{"blocks of alltoall", func() (req, error) { return e.AllToAll(ctx, x.a, x.b, 11) }, accl.ErrCount, "33 elements"},
		{"negative count", func() (req, error) { return e.Copy(ctx, x.a, x.b, -1) }, accl.ErrCount, "-1"},
		{"count beyond 32 bits", func() (req, error) { return e.Copy(ctx, s, s, math.MaxUint32+1) },
			accl.ErrCount, "4294967296"},
		{"slice that there is not", func() (req, error) { return e.Copy(ctx, x.a.Slice(28, 31), x.b, 3) }, accl.ErrCount,
			"28 to 31 of a buffer of 30"},
		{"slice of a slice that there is not",
			func() (req, error) { return e.Copy(ctx, x.a.Slice(-1, 3).Slice(0, 1), x.b, 1) }, accl.ErrCount, "-1 to 3"},
		{"root below", func() (req, error) { return e.Bcast(ctx, x.a, 1, -1) }, accl.ErrRank, "-1 of 3"},
		{"root above", func() (req, error) { return e.Reduce(ctx, x.a, x.b, 1, 3, accl.Sum) }, accl.ErrRank, "3 of 3"},
		{"destination", func() (req, error) { return e.Send(ctx, x.a, 1, 3) }, accl.ErrRank, ""},
		{"source", func() (req, error) { return e.Recv(ctx, x.a, 1, 3) }, accl.ErrRank, ""},
		{"put to nobody", func() (req, error) { return e.StreamPut(ctx, x.a, 1, 3, 0) }, accl.ErrRank, ""},
		{"stream above", func() (req, error) { return e.StreamPut(ctx, x.a, 1, 0, 247) }, accl.ErrTag, "247"},
		{"types that are unrelated", func() (req, error) { return e.Copy(ctx, x.a, x.i, 1) }, accl.ErrType,
			"float32 and int64"},
		{"three types", func() (req, error) { return e.Combine(ctx, x.a, x.h, x.i, 1, accl.Sum) }, accl.ErrType,
			"float32 and float16 and int64"},
		{"compression to something larger",
			func() (req, error) { return e.Send(ctx, x.h, 1, 0, accl.Compress(accl.TypeFloat32)) }, accl.ErrType, ""},
		{"compression of what has none",
			func() (req, error) { return e.Send(ctx, x.i, 1, 0, accl.Compress(accl.TypeFloat16)) }, accl.ErrType, ""},
		{"compression to the unknown", func() (req, error) { return e.Send(ctx, x.a, 1, 0, accl.Compress("float8")) },
			accl.ErrType, `"float8"`},
		{"stream of an unknown type", func() (req, error) { return e.Copy(ctx, accl.KernelStream("float8"), x.a, 1) },
			accl.ErrType, `"float8"`},
		{"stream without a type", func() (req, error) { return e.Copy(ctx, accl.Stream{}, accl.Stream{}, 1) },
			accl.ErrOperand, ""},
		{"unknown reduction", func() (req, error) { return e.AllReduce(ctx, x.a, x.b, 1, "product") },
			accl.ErrFunc, `"product"`},
		{"no operand", func() (req, error) { return e.Copy(ctx, nil, x.b, 1) }, accl.ErrOperand,
			"operand 0: wrong argument: operand: it is missing"},
		{"no result", func() (req, error) { return e.AllReduce(ctx, x.a, missing, 1, accl.Sum) }, accl.ErrOperand, "result"},
		{"no source at the root", func() (req, error) { return e.Scatter(ctx, nil, x.b, 1, 1) }, accl.ErrOperand,
			"operand 0"},
		{"no result at the root", func() (req, error) { return e.Gather(ctx, x.a, accl.Absent(accl.TypeFloat32), 1, 1) },
			accl.ErrOperand, "result"},
		{"operand 1 from a stream", func() (req, error) { return e.Combine(ctx, x.a, s, x.b, 1, accl.Sum) }, accl.ErrOperand,
			"kernel stream"},
		{"bcast of a stream", func() (req, error) { return e.Bcast(ctx, s, 1, 1) }, accl.ErrOperand, "kernel stream"},
		{"reduce_scatter of a stream", func() (req, error) { return e.ReduceScatter(ctx, s, x.a, 1, accl.Sum) },
			accl.ErrOperand, "kernel stream"},
		{"allgather to a stream", func() (req, error) { return e.AllGather(ctx, x.a, s, 1) }, accl.ErrOperand,
			"kernel stream"},
		{"buffer of another engine", func() (req, error) { return e.Copy(ctx, foreign, x.b, 1) }, accl.ErrOperand,
			"another engine"},
		{"buffer that was freed", func() (req, error) { return e.Copy(ctx, x.a, gone, 1) }, accl.ErrFreed, ""},
		{"slice of what was freed", func() (req, error) { return e.Copy(ctx, gone.Slice(0, 1), x.a, 1) }, accl.ErrFreed, ""},
		{"tag of a collective", func() (req, error) { return e.Bcast(ctx, x.a, 1, 1, accl.WithTag(3)) },
			accl.ErrOption, "WithTag"},
		{"compression of a copy", func() (req, error) { return e.Copy(ctx, x.a, x.b, 1, accl.Compress(accl.TypeFloat16)) },
			accl.ErrOption, "Compress"},
		{"compression of nothing", func() (req, error) { return e.Barrier(ctx, accl.Compress(accl.TypeFloat16)) },
			accl.ErrOption, "Compress"},
		{"operand 1 of a copy", func() (req, error) { return e.Copy(ctx, x.a, x.b, 1, accl.FromFPGA1()) },
			accl.ErrOption, "FromFPGA1"},
		{"result of a send", func() (req, error) { return e.Send(ctx, x.a, 1, 0, accl.ToFPGA()) }, accl.ErrOption, "ToFPGA"},
		{"operand of a recv", func() (req, error) { return e.Recv(ctx, x.a, 1, 0, accl.FromFPGA()) },
			accl.ErrOption, "FromFPGA"},
		{"negative client", func() (req, error) { return e.Nop(ctx, accl.OnClient(-1)) }, accl.ErrOption, "client"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := c.call()
			assert.Check(t, r == nil && errors.Is(err, c.want) && strings.Contains(err.Error(), c.says),
				"%v, want %v that says %q", err, c.want, c.says)
			assert.Check(t, c.want == accl.ErrFreed || errors.Is(err, accl.ErrArgument),
				"%v is no %v", err, accl.ErrArgument)
			if calls := d.taken(); len(calls) != 0 {
				t.Errorf("it reached the engine: %+v", calls)
			}
			if copies := d.copies(); len(copies) != 0 {
				t.Errorf("it copied: %s", copies)
			}
		})
	}
	// Nothing holds the buffers.
	assert.NilError(t, errors.Join(x.a.Free(), x.b.Free(), x.c.Free(), x.h.Free(), x.i.Free()))
}

func TestCallError(t *testing.T) {
	for _, c := range []struct {
		platform string
		code     accl.ReturnCode
		is, not  []accl.ReturnCode
		want     string
	}{
		{"u55c_tcp", 1<<19 | 1<<0, []accl.ReturnCode{1 << 19, 1, 1<<19 | 1}, []accl.ReturnCode{0, 1 << 11, 1<<19 | 1<<11},
			"allreduce on rank 1 of communicator 0: DMA_MISMATCH: The status of a DMA transfer belongs to another command; " +
				"ARITH: The reduction function does not exist, or arithmetic failed"},
		{"u55c_udp", 1 << 11, []accl.ReturnCode{1 << 11}, nil,
			"allreduce on rank 1 of communicator 0: RECEIVE_TIMEOUT: No message of the remote rank came within the limit" +
				" (the 16 rx buffers of 4096 bytes hold all that was sent to this rank and not yet received; on UDP, what does " +
				"not fit is lost)"},
		{"u280_2022", 1 << 9, nil, nil,
			"allreduce on rank 1 of communicator 0: DEQUEUE_BUFFER_TIMEOUT: No rx buffer was filled or freed within the limit" +
				" (the 16 rx buffers of 4096 bytes hold all that was sent to this rank and not yet received; senders are held " +
				"back when they are full)"},
		{"u280_manual", 1 << 30, nil, nil,
			"allreduce on rank 1 of communicator 0: bit 30: Unknown to this interface generation"},
	} {
		x, d := newBench(t, c.platform)
		d.reply = func(placed) accl.ReturnCode { return c.code }
		r, err := x.e.AllReduce(within(t), x.a, x.b, 10, accl.Sum)
		var failure *accl.CallError
		if !errors.As(err, &failure) || err.Error() != c.want {
			t.Errorf("%v\nwant %s", err, c.want)
			continue
		}
		assert.Check(t, failure.Op == "allreduce" && failure.Rank == 1 && failure.Comm == 0 && failure.Code == c.code,
			"%+v", failure)
		assert.Check(t, r != nil && r.Err() == err && r.Op() == "allreduce", "the request says %v", r)
		for _, code := range c.is {
			if !errors.Is(err, code) {
				t.Errorf("%v is not %v", err, code)
			}
		}
		for _, code := range c.not {
			if errors.Is(err, code) {
				t.Errorf("%v is %v", err, code)
			}
		}
		if copies := named(d.copies()); len(copies) != 2 {
			t.Errorf("a result was copied: %s", copies)
		}
		assert.Check(t, errors.Join(x.a.Free(), x.b.Free()), "after the error")
	}
}

// TestConfigError: errors of config calls name the function.
func TestConfigError(t *testing.T) {
	p := platformOf(t, "u280_2022")
	p.Limits.RemoteTimeoutMilliseconds = 40
	d := newDevice(p)
	tries := 0
	d.reply = func(placed) accl.ReturnCode { tries++; return 1 << 17 }
	_, err := accl.Open(within(t), d, p, accl.LocalRanks(2), 1)
	var failure *accl.CallError
	if !errors.As(err, &failure) || failure.Op != "open_con" || !failure.Has("OPEN_CON_NOT_SUCCEEDED") ||
		failure.Rank != 1 {
		t.Errorf("%v", err)
	}
	assert.Check(t, tries >= 2, "it gave up after %d attempts", tries)
	assert.Check(t, d.allocated() == 0, "%d pieces of memory left", d.allocated())
	assert.Check(t, d.reg(0x1FF4) == 0, "the engine is left configured")
}

// TestNoStreams: an engine without kernel streams is not asked for them.
func TestNoStreams(t *testing.T) {
	p := platformOf(t, "u55c_tcp")
	p.HardwareID.Value &^= 1 << 5
	d := newDevice(p)
	e, err := accl.Open(within(t), d, p, accl.LocalRanks(2), 0)
	assert.NilError(t, err)
	b := alloc[float32](t, e, d, 1)
	if _, err := e.Copy(within(t), accl.KernelStream(accl.TypeFloat32), b, 1); !errors.Is(err, accl.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

// TestDeadDevice: what the device says is passed on, and buffers are free again.
func TestDeadDevice(t *testing.T) {
	x, d := newBench(t, "u55c_tcp")
	d.refuse = errTaken
	if _, err := x.e.Copy(within(t), x.a, x.b, 1); !errors.Is(err, errTaken) ||
		!strings.Contains(err.Error(), "copy: place the call") {
		t.Errorf("%v", err)
	}
	if _, err := x.e.Copy(within(t), x.a, x.b, 1, accl.Async()); !errors.Is(err, errTaken) {
		t.Errorf("%v", err)
	}
	if _, err := x.e.HardwareID(within(t)); !errors.Is(err, errTaken) {
		t.Errorf("%v", err)
	}
	if err := x.e.Reset(within(t)); !errors.Is(err, errTaken) {
		t.Errorf("%v", err)
	}
	assert.NilError(t, errors.Join(x.a.Free(), x.b.Free()))
	if err := x.e.Close(context.Background()); !errors.Is(err, errTaken) {
		t.Errorf("%v", err)
	}
}
