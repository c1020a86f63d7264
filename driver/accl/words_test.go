package accl_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// bench is what calls are made of: rank 1 of 3, and buffers of 30 elements.
type bench struct {
	e       *accl.Engine
	a, b, c *accl.Buffer[float32]
	h       *accl.Buffer[accl.Float16]
	i       *accl.Buffer[int64]
	host    *accl.Buffer[float32]
}

// Addresses of a bench's buffers.
const (
	at  = 0x7_0000_0000
	atA = at + 0x1000*iota
	atB
	atC
	atH
	atI
	atHost
)

func newBench(t testing.TB, name string, o ...accl.OpenOption) (*bench, *device) {
	t.Helper()
	e, d := opened(t, name, o...)
	x := &bench{e: e}
	x.a, x.b, x.c = alloc[float32](t, e, d, 30, accl.At(atA)), alloc[float32](t, e, d, 30, accl.At(atB)), alloc[float32](t,
		e, d, 30, accl.At(atC))
	x.h, x.i = alloc[accl.Float16](t, e, d, 30, accl.At(atH)), alloc[int64](t, e, d, 30, accl.At(atI))
	if p := e.Platform(); p.Features.HostOperands && p.HostMemory {
		x.host = alloc[float32](t, e, d, 30, accl.At(atHost), accl.HostOnly())
	}
	return x, d
}

// step is an operation and the call that it becomes on accl-2024. Comm and
// ArithCfg are names: 'w' for the world, and the configurations 'f' float32, 'h'
// float16, 'i' int64, 'm' float32 and float16, 0 for none.
type step struct {
	name     string
	do       func(ctx context.Context, x *bench) (*accl.Request, error)
	want     accl.Call
	copies   []string // "A>" to the device, "<A" from it, "*" the call
	lacks    []string // generations without the operation
	hostOnly bool     // needs host memory
}

type (
	ctx = context.Context
	req = *accl.Request
)

// steps are all operations with all their options, by the interface contract.
var steps = []step{
	{name: "copy", do: func(c ctx, x *bench) (req, error) { return x.e.Copy(c, x.a, x.b, 10) },
		want:   accl.Call{Scenario: 1, Count: 10, ArithCfg: 'f', Addr0: atA, Addr2: atB},
		copies: []string{"A> 40", "*", "<B 40"}},
	{name: "copy of nothing", do: func(c ctx, x *bench) (req, error) { return x.e.Copy(c, x.a, x.b, 0) },
		want: accl.Call{Scenario: 1, ArithCfg: 'f', Addr0: atA, Addr2: atB}, copies: []string{"*"}},
	{name: "copy in device memory", do: func(c ctx, x *bench) (req, error) {
		return x.e.Copy(c, x.a, x.b, 10, accl.FromFPGA(), accl.ToFPGA())
	}, want: accl.Call{Scenario: 1, Count: 10, ArithCfg: 'f', Addr0: atA, Addr2: atB}, copies: []string{"*"}},
	{name: "copy of a slice",
		do:     func(c ctx, x *bench) (req, error) { return x.e.Copy(c, x.a.Slice(3, 8), x.b.Slice(25, 30), 5) },
		want:   accl.Call{Scenario: 1, Count: 5, ArithCfg: 'f', Addr0: atA + 12, Addr2: atB + 100},
		copies: []string{"A+12> 20", "*", "<B+100 20"}},
	{name: "copy that compresses", do: func(c ctx, x *bench) (req, error) { return x.e.Copy(c, x.a, x.h, 10) },
		want:   accl.Call{Scenario: 1, Count: 10, ArithCfg: 'm', CompressionFlags: 4, Addr0: atA, Addr2: atH},
		copies: []string{"A> 40", "*", "<H 20"}},
	{name: "copy that decompresses", do: func(c ctx, x *bench) (req, error) { return x.e.Copy(c, x.h, x.a, 10) },
		want:   accl.Call{Scenario: 1, Count: 10, ArithCfg: 'm', CompressionFlags: 1, Addr0: atH, Addr2: atA},
		copies: []string{"H> 20", "*", "<A 40"}},
	{name: "copy from the stream", do: func(c ctx, x *bench) (req, error) {
		return x.e.Copy(c, accl.KernelStream(accl.TypeInt64), x.i, 10)
	}, want: accl.Call{Scenario: 1, Count: 10, ArithCfg: 'i', StreamFlags: 1, Addr2: atI}, copies: []string{"*", "<I 80"}},
	{name: "copy to the stream", do: func(c ctx, x *bench) (req, error) {
		return x.e.Copy(c, x.i, accl.KernelStream(accl.TypeInt64), 10)
	}, want: accl.Call{Scenario: 1, Count: 10, ArithCfg: 'i', StreamFlags: 2, Addr0: atI}, copies: []string{"I> 80", "*"}},
	{name: "copy from stream to stream", do: func(c ctx, x *bench) (req, error) {
		return x.e.Copy(c, accl.KernelStream(accl.TypeFloat16), accl.KernelStream(accl.TypeFloat32), 10)
	}, want: accl.Call{Scenario: 1, Count: 10, ArithCfg: 'm', CompressionFlags: 1, StreamFlags: 3}, copies: []string{"*"}},
	{name: "copy to host memory", hostOnly: true,
		do:     func(c ctx, x *bench) (req, error) { return x.e.Copy(c, x.a, x.host, 10) },
		want:   accl.Call{Scenario: 1, Count: 10, ArithCfg: 'f', StreamFlags: 0x400, Addr0: atA, Addr2: atHost},
		copies: []string{"A> 40", "*"}},

	{name: "combine", do: func(c ctx, x *bench) (req, error) { return x.e.Combine(c, x.a, x.b, x.c, 10, accl.Max) },
		want:   accl.Call{Scenario: 2, Count: 10, FunctionCode: 1, ArithCfg: 'f', Addr0: atA, Addr1: atB, Addr2: atC},
		copies: []string{"A> 40", "B> 40", "*", "<C 40"}},
	{name: "combine, operand 0 on the device", do: func(c ctx, x *bench) (req, error) {
		return x.e.Combine(c, x.a, x.b, x.c, 10, accl.Sum, accl.FromFPGA())
	}, want: accl.Call{Scenario: 2, Count: 10, ArithCfg: 'f', Addr0: atA, Addr1: atB, Addr2: atC},
		copies: []string{"B> 40", "*", "<C 40"}},
	{name: "combine, operand 1 on the device", do: func(c ctx, x *bench) (req, error) {
		return x.e.Combine(c, x.a, x.b, x.c, 10, accl.Sum, accl.FromFPGA1(), accl.ToFPGA())
	}, want: accl.Call{Scenario: 2, Count: 10, ArithCfg: 'f', Addr0: atA, Addr1: atB, Addr2: atC},
		copies: []string{"A> 40", "*"}},
	{name: "combine of types",
		do:     func(c ctx, x *bench) (req, error) { return x.e.Combine(c, x.a, x.h, x.c, 10, accl.Sum) },
		want:   accl.Call{Scenario: 2, Count: 10, ArithCfg: 'm', CompressionFlags: 2, Addr0: atA, Addr1: atH, Addr2: atC},
		copies: []string{"A> 40", "H> 20", "*", "<C 40"}},
	{name: "combine of streams", do: func(c ctx, x *bench) (req, error) {
		return x.e.Combine(c, accl.KernelStream(accl.TypeFloat32), x.b, accl.KernelStream(accl.TypeFloat32), 10, accl.Sum)
	}, want: accl.Call{Scenario: 2, Count: 10, ArithCfg: 'f', StreamFlags: 3, Addr1: atB}, copies: []string{"B> 40", "*"}},
	{name: "combine in host memory", hostOnly: true, do: func(c ctx, x *bench) (req, error) {
		return x.e.Combine(c, x.host, x.host, x.host, 10, accl.Sum)
	}, want: accl.Call{Scenario: 2, Count: 10, ArithCfg: 'f', StreamFlags: 0x700, Addr0: atHost, Addr1: atHost,
		Addr2: atHost}, copies: []string{"*"}},

	{name: "send", do: func(c ctx, x *bench) (req, error) { return x.e.Send(c, x.a, 10, 2) },
		want:   accl.Call{Scenario: 3, Count: 10, Comm: 'w', RootSrcDst: 2, ArithCfg: 'f', Addr0: atA},
		copies: []string{"A> 40", "*"}},
	{name: "send with a tag, compressed", do: func(c ctx, x *bench) (req, error) {
		return x.e.Send(c, x.a, 10, 2, accl.WithTag(0), accl.Compress(accl.TypeFloat16), accl.FromFPGA())
	}, want: accl.Call{Scenario: 3, Count: 10, Comm: 'w', RootSrcDst: 2, Tag: 1, ArithCfg: 'm', CompressionFlags: 8,
		Addr0: atA}, copies: []string{"*"}},
	{name: "send of what is compressed", do: func(c ctx, x *bench) (req, error) {
		return x.e.Send(c, x.h, 10, 2, accl.Compress(accl.TypeFloat16))
	}, want: accl.Call{Scenario: 3, Count: 10, Comm: 'w', RootSrcDst: 2, ArithCfg: 'h', Addr0: atH},
		copies: []string{"H> 20", "*"}},
	{name: "send from the stream", do: func(c ctx, x *bench) (req, error) {
		return x.e.Send(c, accl.KernelStream(accl.TypeFloat32), 10, 2)
	}, want: accl.Call{Scenario: 3, Count: 10, Comm: 'w', RootSrcDst: 2, ArithCfg: 'f', StreamFlags: 1},
		copies: []string{"*"}},
	{name: "send from host memory", hostOnly: true,
		do:     func(c ctx, x *bench) (req, error) { return x.e.Send(c, x.host, 10, 2) },
		want:   accl.Call{Scenario: 3, Count: 10, Comm: 'w', RootSrcDst: 2, ArithCfg: 'f', StreamFlags: 0x100, Addr0: atHost},
		copies: []string{"*"}},
	{name: "put", do: func(c ctx, x *bench) (req, error) { return x.e.StreamPut(c, x.a, 10, 2, 246) },
		want: accl.Call{Scenario: 3, Count: 10, Comm: 'w', RootSrcDst: 2, Tag: 247, ArithCfg: 'f', StreamFlags: 2,
			Addr0: atA}, copies: []string{"A> 40", "*"}},
	{name: "put from the stream", do: func(c ctx, x *bench) (req, error) {
		return x.e.StreamPut(c, accl.KernelStream(accl.TypeFloat32), 10, 2, 0, accl.Compress(accl.TypeFloat16))
	}, want: accl.Call{Scenario: 3, Count: 10, Comm: 'w', RootSrcDst: 2, Tag: 1, ArithCfg: 'm', CompressionFlags: 8,
		StreamFlags: 3}, copies: []string{"*"}},
	{name: "recv", do: func(c ctx, x *bench) (req, error) { return x.e.Recv(c, x.a, 10, 0) },
		want: accl.Call{Scenario: 4, Count: 10, Comm: 'w', ArithCfg: 'f', Addr2: atA}, copies: []string{"*", "<A 40"}},
	{name: "recv of a tag", do: func(c ctx, x *bench) (req, error) {
		return x.e.Recv(c, x.a, 10, 0, accl.WithTag(5), accl.ToFPGA(), accl.OnClient(2))
	}, want: accl.Call{Scenario: 4, Count: 10, Comm: 'w', Tag: 6, ArithCfg: 'f', Addr2: atA}, copies: []string{"*"}},
	{name: "recv to the stream", do: func(c ctx, x *bench) (req, error) {
		return x.e.Recv(c, accl.KernelStream(accl.TypeFloat32), 10, 0, accl.WithTag(9))
	}, want: accl.Call{Scenario: 4, Count: 10, Comm: 'w', Tag: 10, ArithCfg: 'f', StreamFlags: 2}, copies: []string{"*"}},

	{name: "bcast of the root", do: func(c ctx, x *bench) (req, error) { return x.e.Bcast(c, x.a, 10, 1) },
		want:   accl.Call{Scenario: 5, Count: 10, Comm: 'w', RootSrcDst: 1, ArithCfg: 'f', Addr0: atA},
		copies: []string{"A> 40", "*"}},
	{name: "bcast of another", do: func(c ctx, x *bench) (req, error) {
		return x.e.Bcast(c, x.a, 10, 2, accl.Compress(accl.TypeFloat16))
	}, want: accl.Call{Scenario: 5, Count: 10, Comm: 'w', RootSrcDst: 2, ArithCfg: 'm', CompressionFlags: 8, Addr0: atA},
		copies: []string{"*", "<A 40"}},
	{name: "bcast on the device", do: func(c ctx, x *bench) (req, error) {
		return x.e.Bcast(c, x.a, 10, 2, accl.FromFPGA(), accl.ToFPGA())
	}, want: accl.Call{Scenario: 5, Count: 10, Comm: 'w', RootSrcDst: 2, ArithCfg: 'f', Addr0: atA},
		copies: []string{"*"}},
	{name: "bcast from host memory", hostOnly: true,
		do:     func(c ctx, x *bench) (req, error) { return x.e.Bcast(c, x.host, 10, 1) },
		want:   accl.Call{Scenario: 5, Count: 10, Comm: 'w', RootSrcDst: 1, ArithCfg: 'f', StreamFlags: 0x100, Addr0: atHost},
		copies: []string{"*"}},
	{name: "bcast to host memory", hostOnly: true,
		do:     func(c ctx, x *bench) (req, error) { return x.e.Bcast(c, x.host, 10, 0) },
		want:   accl.Call{Scenario: 5, Count: 10, Comm: 'w', ArithCfg: 'f', StreamFlags: 0x400, Addr0: atHost},
		copies: []string{"*"}},

	{name: "scatter of the root", do: func(c ctx, x *bench) (req, error) { return x.e.Scatter(c, x.a, x.b, 10, 1) },
		want:   accl.Call{Scenario: 6, Count: 10, Comm: 'w', RootSrcDst: 1, ArithCfg: 'f', Addr0: atA, Addr2: atB},
		copies: []string{"A> 120", "*", "<B 40"}},
	{name: "scatter of another", do: func(c ctx, x *bench) (req, error) { return x.e.Scatter(c, nil, x.b, 10, 0) },
		want: accl.Call{Scenario: 6, Count: 10, Comm: 'w', ArithCfg: 'f', Addr2: atB}, copies: []string{"*", "<B 40"}},
	{name: "scatter of another type", do: func(c ctx, x *bench) (req, error) {
		return x.e.Scatter(c, accl.Absent(accl.TypeFloat32), x.h, 10, 0)
	}, want: accl.Call{Scenario: 6, Count: 10, Comm: 'w', ArithCfg: 'm', CompressionFlags: 4, Addr2: atH},
		copies: []string{"*", "<H 20"}},
	{name: "gather of the root", do: func(c ctx, x *bench) (req, error) { return x.e.Gather(c, x.a, x.b, 10, 1) },
		want:   accl.Call{Scenario: 7, Count: 10, Comm: 'w', RootSrcDst: 1, ArithCfg: 'f', Addr0: atA, Addr2: atB},
		copies: []string{"A> 40", "*", "<B 120"}},
	{name: "gather of another", do: func(c ctx, x *bench) (req, error) {
		var none *accl.Buffer[float32]
		return x.e.Gather(c, x.a, none, 30, 2) // the result would be too small
	}, want: accl.Call{Scenario: 7, Count: 30, Comm: 'w', RootSrcDst: 2, ArithCfg: 'f', Addr0: atA},
		copies: []string{"A> 120", "*"}},
	{name: "reduce of the root",
		do: func(c ctx, x *bench) (req, error) { return x.e.Reduce(c, x.a, x.b, 10, 1, accl.Max) },
		want: accl.Call{Scenario: 8, Count: 10, Comm: 'w', RootSrcDst: 1, FunctionCode: 1, ArithCfg: 'f', Addr0: atA,
			Addr2: atB}, copies: []string{"A> 40", "*", "<B 40"}},
	{name: "reduce of another", do: func(c ctx, x *bench) (req, error) { return x.e.Reduce(c, x.a, x.b, 10, 2, accl.Sum) },
		want:   accl.Call{Scenario: 8, Count: 10, Comm: 'w', RootSrcDst: 2, ArithCfg: 'f', Addr0: atA},
		copies: []string{"A> 40", "*"}},
	{name: "reduce of streams", do: func(c ctx, x *bench) (req, error) {
		s := accl.KernelStream(accl.TypeFloat32)
		return x.e.Reduce(c, s, s, 10, 1, accl.Sum)
	}, want: accl.Call{Scenario: 8, Count: 10, Comm: 'w', RootSrcDst: 1, ArithCfg: 'f', StreamFlags: 3},
		copies: []string{"*"}},

	{name: "allgather", do: func(c ctx, x *bench) (req, error) { return x.e.AllGather(c, x.a, x.b, 10) },
		want:   accl.Call{Scenario: 9, Count: 10, Comm: 'w', ArithCfg: 'f', Addr0: atA, Addr1: atB, Addr2: atB},
		copies: []string{"A> 40", "*", "<B 120"}},
	{name: "allgather in host memory", hostOnly: true,
		do: func(c ctx, x *bench) (req, error) { return x.e.AllGather(c, x.a, x.host, 10) },
		want: accl.Call{Scenario: 9, Count: 10, Comm: 'w', ArithCfg: 'f', StreamFlags: 0x600, Addr0: atA, Addr1: atHost,
			Addr2: atHost}, copies: []string{"A> 40", "*"}},
	{name: "allreduce", do: func(c ctx, x *bench) (req, error) {
		return x.e.AllReduce(c, x.a, x.b, 10, accl.Sum, accl.Compress(accl.TypeFloat16))
	}, want: accl.Call{Scenario: 10, Count: 10, Comm: 'w', ArithCfg: 'm', CompressionFlags: 8, Addr0: atA, Addr1: atB,
		Addr2: atB}, copies: []string{"A> 40", "*", "<B 40"}},
	{name: "allreduce of a compressed operand", do: func(c ctx, x *bench) (req, error) {
		return x.e.AllReduce(c, x.h, x.b, 10, accl.Sum, accl.Compress(accl.TypeFloat16))
	}, want: accl.Call{Scenario: 10, Count: 10, Comm: 'w', ArithCfg: 'm', CompressionFlags: 1 | 8, Addr0: atH, Addr1: atB,
		Addr2: atB}, copies: []string{"H> 20", "*", "<B 40"}},
	{name: "reduce_scatter",
		do:     func(c ctx, x *bench) (req, error) { return x.e.ReduceScatter(c, x.a, x.b, 10, accl.Max) },
		want:   accl.Call{Scenario: 11, Count: 10, Comm: 'w', FunctionCode: 1, ArithCfg: 'f', Addr0: atA, Addr2: atB},
		copies: []string{"A> 120", "*", "<B 40"}},
	{name: "scan", lacks: []string{"accl-2021", "accl-2022"},
		do:     func(c ctx, x *bench) (req, error) { return x.e.Scan(c, x.a, x.b, 10, accl.Max) },
		want:   accl.Call{Scenario: 14, Count: 10, Comm: 'w', FunctionCode: 1, ArithCfg: 'f', Addr0: atA, Addr2: atB},
		copies: []string{"A> 40", "*", "<B 40"}},
	{name: "exscan", lacks: []string{"accl-2021", "accl-2022"},
		do:     func(c ctx, x *bench) (req, error) { return x.e.ExScan(c, x.a, x.b, 10, accl.Max) },
		want:   accl.Call{Scenario: 15, Count: 10, Comm: 'w', FunctionCode: 1, ArithCfg: 'f', Addr0: atA, Addr2: atB},
		copies: []string{"A> 40", "*", "<B 40"}},
	{name: "alltoall", lacks: []string{"accl-2021"},
		do:     func(c ctx, x *bench) (req, error) { return x.e.AllToAll(c, x.a, x.b, 10) },
		want:   accl.Call{Scenario: 13, Count: 10, Comm: 'w', ArithCfg: 'f', Addr0: atA, Addr1: atB, Addr2: atB},
		copies: []string{"A> 120", "*", "<B 120"}},
	{name: "barrier", lacks: []string{"accl-2021"}, do: func(c ctx, x *bench) (req, error) { return x.e.Barrier(c) },
		want: accl.Call{Scenario: 12, Comm: 'w'}, copies: []string{"*"}},
	{name: "nop", do: func(c ctx, x *bench) (req, error) { return x.e.Nop(c) },
		want: accl.Call{Scenario: 255, Comm: 'w'}, copies: []string{"*"}},
}

// TestCallWords compares the words of every operation, and what is copied
// around it, with the contract of each generation.
func TestCallWords(t *testing.T) {
	for _, name := range platformNames {
		t.Run(name, func(t *testing.T) {
			x, d := newBench(t, name)
			world, config := addresses(name)
			for _, s := range steps {
				if s.hostOnly && x.host == nil {
					continue
				}
				t.Run(s.name, func(t *testing.T) {
					r, err := s.do(within(t), x)
					if slices.Contains(s.lacks, x.e.Platform().Generation) {
						assert.Check(t, errors.Is(err, accl.ErrUnsupported) && len(d.taken()) == 0, "%v", err)
						return
					}
					if err == nil {
						err = r.Err()
					}
					assert.NilError(t, err)
					want := s.want
					if want.Comm != 0 {
						want.Comm = world
					}
					want.ArithCfg = config[rune(want.ArithCfg)]
					want.Tag-- // 0 stands for any, a tag for the one before
					if x.e.Platform().Generation != "accl-2024" {
						if s.want.Scenario != 2 {
							want.Addr1 = 0 // only clients of 2024 repeat the result
						}
						if s.want.Scenario == 12 { // their barrier needs a buffer
							want.Addr0, want.ArithCfg = 0x1_0000_1000+16*4096, config['h']
						}
					}
					calls := d.taken()
					assert.Assert(t, len(calls) == 1, "%d calls", len(calls))
					assert.Check(t, is.DeepEqual(want, calls[0].Call), "-contract +driver")
					if client := calls[0].client; client != 0 != (s.name == "recv of a tag") {
						t.Errorf("client %d", client)
					}
					assert.Check(t, is.DeepEqual(s.copies, named(d.copies())), "copies, -want +")
				})
			}
		})
	}
}

// addresses are those of the world and of configurations on a platform, by
// hand: after 16 rx buffers, and after a communicator of 32 ranks.
func addresses(platform string) (world uint32, config map[rune]uint32) {
	switch platform {
	case "u280_manual":
		world = 0x804 + 16*36
	case "u280_2022":
		world = 0x4 + 16*32
	default:
		world = 0x8 + 16*28
	}
	first := world + 8 + 32*24
	return world, map[rune]uint32{'h': first, 'm': first + 36, 'f': first + 2*36, 'i': first + 5*36}
}

// named writes copies with the names of buffers.
func named(log []string) []string {
	var out []string
	for _, entry := range log {
		if entry == "call" {
			out = append(out, "*")
			continue
		}
		var way string
		var at, offset uint64
		var bytes int
		if _, err := fmt.Sscanf(entry, "%s 0x%X+%d %d", &way, &at, &offset, &bytes); err != nil {
			out = append(out, err.Error())
			continue
		}
		name := strings.Split("A B C H I Host", " ")[(at-atA)/0x1000]
		if offset != 0 {
			name += fmt.Sprintf("+%d", offset)
		}
		if way == "to" {
			out = append(out, fmt.Sprintf("%s> %d", name, bytes))
		} else {
			out = append(out, fmt.Sprintf("<%s %d", name, bytes))
		}
	}
	return out
}

// TestSwappedArgumentsDoNotCompile: no operation has two numbers of the same type.
func TestSwappedArgumentsDoNotCompile(t *testing.T) {
	operations := 0
	for _, of := range []reflect.Type{reflect.TypeFor[*accl.Comm](), reflect.TypeFor[*accl.Engine]()} {
		for m := range of.Methods() {
			if m.Type.NumOut() != 2 || m.Type.Out(0) != reflect.TypeFor[*accl.Request]() {
				continue
			}
			operations++
			seen := map[reflect.Type]bool{}
			for in := range m.Type.Ins() {
				if number := in.Kind() >= reflect.Int && in.Kind() <= reflect.Float64; number && seen[in] {
					t.Errorf("%v.%s takes more than one %v", of, m.Name, in)
				}
				seen[in] = true
			}
		}
	}
	assert.Check(t, operations >= 2*15, "only %d operations were found", operations)
}
