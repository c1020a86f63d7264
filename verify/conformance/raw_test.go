package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/world"
)

// raw places calls that the driver would refuse.
type raw struct {
	*bench
	comm, arith uint32 // the world, and the configuration of float32 and float32
	mixed       uint32 // that of float32 and float16
}

// shorter makes limits small, but leaves everything in the exchange memory where
// it is.
func shorter(p *accl.Platform) {
	count := p.RxBuffers.Count
	small(p)
	p.RxBuffers.Count = count
}

// newRaw is a configured world of two ranks.
func newRaw(ctx context.Context, t *testing.T, on where, name string, o world.Options) *raw {
	t.Helper()
	r := &raw{bench: on.bench(ctx, t, setup{platform: name, ranks: 2, edit: shorter, world: o, vars: hostMemory(name)})}
	r.comm = r.engines[0].World().Address()
	for i, c := range r.p.Configs {
		switch {
		case c.Uncompressed == accl.TypeFloat32 && c.Compressed == accl.TypeFloat32:
			r.arith = r.p.Exchange.ConfigOffsets[i]
		case c.Uncompressed == accl.TypeFloat32 && c.Compressed == accl.TypeFloat16:
			r.mixed = r.p.Exchange.ConfigOffsets[i]
		}
	}
	return r
}

func number(t *testing.T, codes []accl.Code, name string) uint32 {
	t.Helper()
	for _, c := range codes {
		if c.Name == name {
			return c.Value
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

func (r *raw) op(name string) uint32 {
	r.t.Helper()
	o := r.p.Operation(name)
	assert.Assert(r.t, o != nil, "there is no operation %s", name)
	return o.Value
}

func (r *raw) config(name string, count uint32) accl.Call {
	r.t.Helper()
	return accl.Call{Scenario: r.op("config"), FunctionCode: number(r.t, r.p.ConfigFunctions, name), Count: count,
		Tag: r.p.TagAny}
}

// call places a call and waits for the answer.
func (r *raw) call(ctx context.Context, rank, client int, c accl.Call) accl.ReturnCode {
	r.t.Helper()
	ticket, err := r.Device(rank).Start(ctx, client, c)
	assert.NilError(r.t, err)
	code, err := r.Device(rank).Wait(ctx, ticket)
	assert.NilError(r.t, err)
	return code
}

// ended checks how a call has ended.
func (r *raw) ended(what string, got, want accl.ReturnCode) {
	r.t.Helper()
	assert.Check(r.t, got == want, "%s: %s, not %s", what, accl.BitNames(r.p.Describe(got)),
		accl.BitNames(r.p.Describe(want)))
}

// register is the offset of a word of the exchange memory.
func (r *raw) register(name string) uint32 {
	r.t.Helper()
	for _, w := range r.p.Exchange.Words {
		if w.Name == name {
			return w.At
		}
	}
	r.t.Fatalf("%s has no word %s", r.p.Generation, name)
	return 0
}

func (r *raw) read(ctx context.Context, rank int, off uint32) uint32 {
	r.t.Helper()
	v, err := r.Device(rank).ReadReg(ctx, off)
	assert.NilError(r.t, err)
	return v
}

// rxCount is where the number of rx buffers stands.
func (r *raw) rxCount() uint32 {
	r.t.Helper()
	for _, table := range r.p.Exchange.Tables {
		if table.Name == "rx_buffers" {
			return table.At + 4*uint32(slices.Index(table.Header, "count"))
		}
	}
	r.t.Fatal("no rx buffers")
	return 0
}

// refusals are calls that firmware must refuse, each with a bit of the return code.
func (r *raw) refusals() []refusal {
	const far = 1 << 60 // no memory is there
	all := []refusal{
		{"unknown operation", accl.Call{Scenario: 99}, "COLLECTIVE_NOT_IMPLEMENTED"},
		{"unknown config function", accl.Call{FunctionCode: 77}, "COLLECTIVE_NOT_IMPLEMENTED"},
		{"function beyond the last", accl.Call{Scenario: r.op("combine"), ArithCfg: r.arith, FunctionCode: 2, Count: 1},
			"ARITH"},
		{"a very large function", accl.Call{Scenario: r.op("combine"), ArithCfg: r.arith, FunctionCode: 0xFFFFFFFF,
			Count: 1}, "ARITH"},
		{"communicator behind the exchange memory", accl.Call{Scenario: r.op("allreduce"),
			Comm: r.p.Exchange.Base + r.p.Exchange.Bytes, ArithCfg: r.arith, Count: 1}, "CONFIG_SWITCH"},
		{"communicator far away", accl.Call{Scenario: r.op("allreduce"), Comm: 0xFFFFFFF0, ArithCfg: r.arith, Count: 1},
			"CONFIG_SWITCH"},
		{"communicator that is none", accl.Call{Scenario: r.op("allreduce"), Comm: r.arith, ArithCfg: r.arith, Count: 1},
			"CONFIG_SWITCH"},
		{"misaligned communicator", accl.Call{Scenario: r.op("allreduce"), Comm: r.comm + 2, ArithCfg: r.arith, Count: 1},
			"CONFIG_SWITCH"},
		{"arithmetic configuration far away", accl.Call{Scenario: r.op("copy"), ArithCfg: 0xFFFFFF00, Count: 1},
			"CONFIG_SWITCH"},
		{"misaligned arithmetic configuration", accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith + 1, Count: 1},
			"CONFIG_SWITCH"},
		{"root outside", accl.Call{Scenario: r.op("bcast"), Comm: r.comm, ArithCfg: r.arith, RootSrcDst: 2, Count: 1},
			"CONFIG_SWITCH"},
		{"destination outside", accl.Call{Scenario: r.op("send"), Comm: r.comm, ArithCfg: r.arith, RootSrcDst: 0xFFFFFFFF,
			Count: 1, Tag: r.p.TagAny}, "CONFIG_SWITCH"},
		{"put beyond the last stream", accl.Call{Scenario: r.op("send"), Comm: r.comm, ArithCfg: r.arith, RootSrcDst: 1,
			Count: 1, Tag: r.p.MaxPutTag + 1, StreamFlags: r.p.StreamFlags.Result}, "CONFIG_SWITCH"},
		{"collective from the kernel stream", accl.Call{Scenario: r.op("allgather"), Comm: r.comm, ArithCfg: r.arith,
			Count: 1, StreamFlags: r.p.StreamFlags.Op0}, "COLLECTIVE_NOT_IMPLEMENTED"},
		{"more bytes than a word counts", accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith, Count: 1 << 30}, "DMA_SIZE"},
		{"operand where no memory is", accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith, Count: 100, Addr0: far},
			"DMA_DECODE"},
		{"result where no memory is", accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith, Count: 100, Addr2: far},
			"DMA_DECODE"},
		{"nothing on the kernel stream", accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith, Count: 100,
			StreamFlags: r.p.StreamFlags.Op0}, "KRNL_TIMEOUT_STS"},
		{"nothing to receive", accl.Call{Scenario: r.op("recv"), Comm: r.comm, ArithCfg: r.arith, RootSrcDst: 1, Count: 1,
			Tag: 5}, "RECEIVE_TIMEOUT"},
	}
	if r.p.Operation("alltoall") == nil {
		all = append(all, refusal{"operation of another generation",
			accl.Call{Scenario: 13, Comm: r.comm, ArithCfg: r.arith}, "COLLECTIVE_NOT_IMPLEMENTED"})
	}
	if r.p.Features.Rendezvous {
		all = append(all,
			refusal{"eager limit below an rx buffer",
				r.config("set_max_eager_msg_size", uint32(r.p.RxBuffers.Bytes)-1), "EAGER_THRESHOLD_INVALID"},
			refusal{"rendezvous limit not above the eager one",
				r.config("set_max_rendezvous_msg_size", uint32(r.p.RxBuffers.Bytes)), "RENDEZVOUS_THRESHOLD_INVALID"})
	}
	return all
}

type refusal struct {
	name string
	call accl.Call
	want string
}

// TestRefused makes calls that the firmware must refuse, with the right bit of
// the return code; after each of them the engine works.
func TestRefused(t *testing.T) { refused(t, all) }

func refused(t *testing.T, on where) {
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		r := newRaw(ctx, t, on, name, impatient(300*time.Millisecond))
		for _, test := range r.refusals() {
			r.ended(test.name, r.call(ctx, 0, 0, test.call), r.code(test.want))
			assert.Check(t, is.Equal(r.read(ctx, 0, r.register("return_code")), uint32(r.code(test.want))),
				"%s: the word return_code", test.name)
			r.ended("nop after "+test.name, r.call(ctx, 0, 0, accl.Call{Scenario: r.op("nop")}), 0)
			assert.Check(t, is.Equal(r.read(ctx, 0, r.register("return_code")), uint32(0)),
				"nop after %s: the word return_code", test.name)
		}
		r.works(ctx, random(t))
	})
}

// TestFailingSends sends what is in no memory, in one message or transfer and in
// several: the sender says so, and nothing else, though it waits for the receiver.
func TestFailingSends(t *testing.T) { failingSends(t, all) }

func failingSends(t *testing.T, on where) {
	const far = 1 << 60
	on.waits().each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		rng := random(t)
		r := newRaw(ctx, t, on, name, impatient(300*time.Millisecond))
		most := max(r.p.RxBuffers.Bytes, r.p.Limits.MaxEagerBytes, r.p.Limits.MaxRendezvousBytes) / 4
		for _, n := range []int{1, r.p.RxBuffers.Bytes / 4, most, 3 * most} {
			in := alloc(ctx, t, r.engines[1], n)
			codes := make([]accl.ReturnCode, 2)
			r.each(func(rank int, _ *accl.Engine) error {
				c := accl.Call{
					Scenario: r.op([]string{"send", "recv"}[rank]), Comm: r.comm, ArithCfg: r.arith, RootSrcDst: uint32(1 - rank),
					Count: uint32(n), Tag: 3, Addr0: far, Addr2: in.Address(),
				}
				codes[rank] = r.call(ctx, rank, 0, c)
				return nil
			})
			for rank, want := range []accl.ReturnCode{r.code("DMA_DECODE"), r.code("RECEIVE_TIMEOUT")} {
				r.ended(fmt.Sprintf("%d elements: rank %d", n, rank), codes[rank], want)
			}
			r.reset(ctx)
			r.works(ctx, rng)
		}
	})
}

// TestBeforeConfiguration calls an engine that nobody has configured.
func TestBeforeConfiguration(t *testing.T) { beforeConfiguration(t, all) }

func beforeConfiguration(t *testing.T, on where) {
	on.each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		r := &raw{bench: on.bench(ctx, t, setup{platform: name, ranks: 1, world: impatient(300 * time.Millisecond),
			fresh: true, unopened: true})}
		p := r.p
		assert.Check(t, is.Equal(r.read(ctx, 0, r.register("hardware_id")), p.HardwareID.Value), "hardware id")
		for _, test := range []struct {
			name string
			call accl.Call
			want accl.ReturnCode
		}{
			{"nop", accl.Call{Scenario: r.op("nop")}, 0},
			{"set_timeout", r.config("set_timeout", 1000000), 0},
			{"enable_pkt", r.config("enable_pkt", 0), r.code("CONFIG_SWITCH")},
			{"send", accl.Call{Scenario: r.op("send"), Count: 1, Comm: p.Exchange.Base}, r.code("CONFIG_SWITCH")},
			{"allreduce", accl.Call{Scenario: r.op("allreduce"), Count: 1, Comm: p.Exchange.Base}, r.code("CONFIG_SWITCH")},
			{"copy", accl.Call{Scenario: r.op("copy"), Count: 1, ArithCfg: p.Exchange.Base}, r.code("CONFIG_SWITCH")},
			{"reset_periph", r.config("reset_periph", 0), 0},
			{"nop again", accl.Call{Scenario: r.op("nop")}, 0},
		} {
			r.ended(test.name, r.call(ctx, 0, 0, test.call), test.want)
		}
	})
}

// TestResetDropsCalls resets an engine while calls of two clients are parked, and
// more wait than it has open: all are answered, and the host sees that it has to
// configure again.
func TestResetDropsCalls(t *testing.T) { resetDropsCalls(t, all) }

func resetDropsCalls(t *testing.T, on where) {
	on.each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		r := newRaw(ctx, t, on, name, impatient(10*time.Minute)) // a reset does not wait for remote ranks
		dev := r.Device(0)
		var parked []accl.Ticket
		for k := range 50 {
			ticket, err := dev.Start(ctx, r.client(k%2), accl.Call{
				Scenario: r.op("recv"), Comm: r.comm, ArithCfg: r.arith, RootSrcDst: 1, Count: 10, Tag: uint32(k),
			})
			assert.NilError(t, err)
			parked = append(parked, ticket)
		}
		// All that can be have been taken.
		r.ended("nop", r.call(ctx, 1, 0, accl.Call{Scenario: r.op("nop")}), 0)
		time.Sleep(unhurried(20 * time.Millisecond))
		r.ended("reset_periph", r.call(ctx, 0, r.client(2), r.config("reset_periph", 0)), 0)
		for k, ticket := range parked {
			code, err := dev.Wait(ctx, ticket)
			assert.NilError(t, err)
			r.ended(fmt.Sprint("call ", k), code, r.code("NOT_READY"))
		}
		assert.Check(t, is.Equal(r.read(ctx, 0, r.rxCount()), uint32(0)), "the number of rx buffers")
		if r.p.Features.ConfigReady {
			assert.Check(t, is.Equal(r.read(ctx, 0, r.register("config_ready")), uint32(0)))
		}
		send := accl.Call{Scenario: r.op("send"), Comm: r.comm, ArithCfg: r.arith, RootSrcDst: 1, Count: 1}
		r.ended("send before it is configured again", r.call(ctx, 0, 0, send), r.code("CONFIG_SWITCH"))
		r.reset(ctx)
		r.works(ctx, random(t))
	})
}

// TestPerformanceCounter reads how long the last call took.
func TestPerformanceCounter(t *testing.T) { performanceCounter(t, all) }

func performanceCounter(t *testing.T, on where) {
	ctx := limited(t, time.Minute)
	r := newRaw(ctx, t, on, "u55c_tcp", world.Options{})
	counter := r.register("performance_counter")
	r.call(ctx, 0, 0, accl.Call{Scenario: r.op("nop")})
	nop := r.read(ctx, 0, counter)
	buf := alloc(ctx, t, r.engines[0], 1<<20)
	request, err := r.engines[0].Copy(ctx, buf, buf, 1<<20, accl.FromFPGA(), accl.ToFPGA())
	assert.NilError(t, err)
	long := r.read(ctx, 0, counter)
	cycles, ok := request.Cycles()
	assert.Check(t, nop != 0 && long != 0 && nop != long && ok && cycles == long,
		"nop took %d cycles, a copy %d; the driver says %d, %v", nop, long, cycles, ok)
}

// TestAddresses checks what clients rely on: recv takes its destination from the
// second address too, and calls that pass no addresses touch no memory.
func TestAddresses(t *testing.T) { addresses(t, all) }

func addresses(t *testing.T, on where) {
	on.each(t, generations, func(ctx context.Context, t *testing.T, name string) {
		r := newRaw(ctx, t, on, name, world.Options{})
		const n = 20
		out, in := alloc(ctx, t, r.engines[0], n), alloc(ctx, t, r.engines[1], n)
		fillWords(out, n, 3)
		_, err := r.engines[0].Send(ctx, out, n, 1)
		assert.NilError(t, err)
		r.ended("recv", r.call(ctx, 1, 0, accl.Call{
			Scenario: r.op("recv"), Comm: r.engines[1].World().Address(), ArithCfg: r.arith, RootSrcDst: 0, Count: n,
			Tag: r.p.TagAny, Addr1: in.Address(),
		}), 0)
		assert.NilError(t, in.SyncFromDevice(ctx))
		assert.Check(t, checkWords(in, n, 3))
		before := rxMemory(ctx, t, r)
		r.each(func(rank int, e *accl.Engine) error {
			codes := []uint32{r.op("nop")}
			if r.p.Operation("barrier") != nil {
				codes = append(codes, r.op("barrier"))
			}
			for _, code := range codes {
				ticket, err := r.Device(rank).Start(ctx, 0, accl.Call{Scenario: code, Comm: e.World().Address()})
				if err != nil {
					return err
				}
				if answer, err := r.Device(rank).Wait(ctx, ticket); err != nil || answer != 0 {
					return fmt.Errorf("operation %d: %#x, %w", code, uint32(answer), err)
				}
			}
			return nil
		})
		assert.Check(t, slices.Equal(before, rxMemory(ctx, t, r)), "nop or barrier have changed rx buffers")
	})
}

// rxMemory is what stands in the rx buffers of rank 0.
func rxMemory(ctx context.Context, t *testing.T, r *raw) []byte {
	t.Helper()
	// The first rx buffer is the first memory that was allocated.
	dump, err := r.engines[0].DumpRxBuffers(ctx, true)
	assert.NilError(t, err)
	var out []byte
	for _, d := range dump {
		out = append(out, d.Data...)
	}
	return out
}

// TestStreamThroughKernel runs ext_stream_krnl of accl-2021, which has no place in
// the driver: operand 0 goes through the kernel stream to the result.
func TestStreamThroughKernel(t *testing.T) { streamThroughKernel(t, all) }

func streamThroughKernel(t *testing.T, on where) {
	on.each(t, []string{"u280_manual"}, func(ctx context.Context, t *testing.T, name string) {
		r := newRaw(ctx, t, on, name, world.Options{})
		for _, n := range []int{0, 1, 16, 1000, 50000} {
			in, out := alloc(ctx, t, r.engines[0], n), alloc(ctx, t, r.engines[0], n)
			fillWords(in, n, n)
			assert.NilError(t, in.SyncToDevice(ctx))
			r.ended(fmt.Sprint(n, " elements"), r.call(ctx, 0, 0, accl.Call{
				Scenario: r.op("ext_stream_krnl"), ArithCfg: r.arith, Count: uint32(n), Addr0: in.Address(), Addr2: out.Address(),
			}), 0)
			assert.NilError(t, out.SyncFromDevice(ctx))
			assert.Check(t, checkWords(out, n, n))
		}
	})
}

// TestStreamThroughKernelAtOnce runs ext_stream_krnl for several clients, and copies for
// some of them: what one sends through the kernel is not what another gets, and none
// waits for ever.
func TestStreamThroughKernelAtOnce(t *testing.T) { streamThroughKernelAtOnce(t, all) }

func streamThroughKernelAtOnce(t *testing.T, on where) {
	on.each(t, []string{"u280_manual"}, func(ctx context.Context, t *testing.T, name string) {
		r := newRaw(ctx, t, on, name, world.Options{})
		const clients, n = 16, 20000 // more than the kernel streams hold
		var group sync.WaitGroup
		for k := range clients {
			in, out := alloc(ctx, t, r.engines[0], n), alloc(ctx, t, r.engines[0], n)
			fillWords(in, n, 1000*k)
			assert.NilError(t, in.SyncToDevice(ctx))
			rng := random(t, k)
			group.Go(func() {
				for range on.times(200) {
					c := accl.Call{Scenario: r.op("ext_stream_krnl"), ArithCfg: r.arith, Count: n, Addr0: in.Address(),
						Addr2: out.Address()}
					if rng.IntN(3) > 0 {
						c.Scenario = r.op("copy")
					}
					ticket, err := r.Device(0).Start(ctx, r.client(k), c)
					if err != nil {
						t.Error(err)
						return
					}
					code, err := r.Device(0).Wait(ctx, ticket)
					if err != nil || code != 0 {
						t.Errorf("client %d: %s, %v", k, accl.BitNames(r.p.Describe(code)), err)
						return
					}
					if err := out.SyncFromDevice(ctx); err != nil {
						t.Error(err)
						return
					}
					if err := checkWords(out, n, 1000*k); err != nil {
						t.Errorf("client %d: %v", k, err)
						return
					}
					clear(out.Host())
					if err := out.SyncToDevice(ctx); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
	})
}

// bare is a platform without arithmetic, compression and kernel stream.
const bare = `
platform "bare_tcp" {
  board = "u55c"
  clock = 250
  cclo {}
  poe "tcp" {}
}
`

// TestWithout asks for what the platform was built without. It is none of those
// that programs know.
func TestWithout(t *testing.T) {
	ctx := limited(t, time.Minute)
	d := designtest.Text(t, "bare_tcp", bare)
	if _, built := all.way.(hardware); !built {
		all.way = process{}
	} else if len(all.of("u55c_tcp")) == 0 {
		t.Skip("it is a TCP platform")
	}
	r := &raw{bench: all.bench(ctx, t, setup{design: d, ranks: 1})}
	e, p := r.engines[0], r.p
	r.comm = e.World().Address()
	id := p.DecodeHardwareID(p.HardwareID.Value)
	dump, err := e.DumpExchangeMemory(ctx)
	assert.NilError(t, err)
	// The driver writes a configuration to move each type; the first is behind
	// the communicators.
	for i := range dump.Words {
		if at := dump.Base + uint32(4*i); at > r.comm && i+1 < len(dump.Words) && dump.Words[i] == 4 &&
			dump.Words[i+1] == 4 && dump.Words[i+2] == 0 {
			r.arith = at
			break
		}
	}
	assert.Assert(t, r.arith != 0, "no arithmetic configuration")
	for _, test := range []struct {
		name string
		call accl.Call
		skip bool
		want string
	}{
		{"reduction", accl.Call{Scenario: r.op("combine"), ArithCfg: r.arith, Count: 1}, id.Arithmetic, "ARITH"},
		{"compression", accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith, Count: 1,
			CompressionFlags: p.CompressionFlags.Op0}, id.Compression, "COMPRESSION"},
		{"kernel stream", accl.Call{Scenario: r.op("copy"), ArithCfg: r.arith, Count: 1, StreamFlags: p.StreamFlags.Op0},
			id.KernelStreams, "COLLECTIVE_NOT_IMPLEMENTED"},
	} {
		if test.skip {
			t.Logf("the platform has %s", test.name)
			continue
		}
		r.ended(test.name, r.call(ctx, 0, 0, test.call), r.code(test.want))
	}
	assert.Check(t, !id.Arithmetic || !id.Compression, "nothing is left out")
	buf := alloc(ctx, t, e, 10)
	_, err = e.Combine(ctx, buf, buf, buf, 10, accl.Sum)
	assert.Check(t, err != nil && !errors.As(err, new(*accl.CallError)), "the driver places a reduction: %v", err)
}
