package xrt

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// device is a small driver of an engine: it posts calls one at a time.
type device struct {
	c                   *client
	card                uintptr
	xcl, engine, caller uintptr
	group               uintptr

	mu      sync.Mutex
	started uint32
}

func newDevice(c *client, card int, number string) *device {
	d := &device{c: c, card: c.open(card)}
	d.xcl, d.engine = c.unit(d.card, "ccl_offload:ccl_offload_"+number)
	_, d.caller = c.unit(d.card, "hostctrl:hostctrl_"+number+"_0")
	d.started = c.read(d.xcl, d.caller, 0x84)
	return d
}

func (d *device) ReadReg(_ context.Context, off uint32) (uint32, error) {
	return d.c.read(d.xcl, d.engine, off), nil
}

func (d *device) WriteReg(_ context.Context, off, v uint32) error {
	d.c.write(d.xcl, d.engine, off, v)
	return nil
}

func (d *device) Start(ctx context.Context, client int, call accl.Call) (accl.Ticket, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for at, v := range map[uint32]uint32{
		0x10: call.Scenario, 0x18: call.Count, 0x20: call.Comm, 0x28: call.RootSrcDst, 0x30: call.FunctionCode,
		0x38: call.Tag, 0x40: call.ArithCfg,
		0x48: call.CompressionFlags, 0x50: call.StreamFlags, 0x58: uint32(call.Addr0), 0x5C: uint32(call.Addr0 >> 32),
		0x64: uint32(call.Addr1), 0x68: uint32(call.Addr1 >> 32), 0x70: uint32(call.Addr2), 0x74: uint32(call.Addr2 >> 32),
	} {
		d.c.write(d.xcl, d.caller, at, v)
	}
	d.c.write(d.xcl, d.caller, 0x80, 1)
	for d.c.read(d.xcl, d.caller, 0x84) == d.started {
		time.Sleep(time.Millisecond)
	}
	d.started++
	return accl.Ticket(d.started), nil
}

func (d *device) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	for int32(d.c.read(d.xcl, d.caller, 0x88)-uint32(t)) < 0 {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		time.Sleep(100 * time.Microsecond)
	}
	return accl.ReturnCode(d.c.read(d.xcl, d.caller, 0x100+4*(uint32(t-1)%32))), nil
}

func (d *device) Alloc(_ context.Context, spec accl.MemSpec) (accl.Memory, error) {
	flags, group := uintptr(0), d.group
	switch {
	case spec.Host:
		flags = 1 << 29
	case spec.Peer:
		flags = 1 << 30
	}
	b := &bo{d: d, handle: d.c.must("xrtBOAlloc", d.card, uintptr(spec.Bytes), flags, group), direct: flags != 0}
	b.bytes = view(d.c.must("xrtBOMap", b.handle), spec.Bytes)
	return b, nil
}

func (d *device) Close() error {
	d.c.ok("xrtDeviceClose", d.card)
	return nil
}

// bo is a buffer.
type bo struct {
	d      *device
	handle uintptr
	bytes  []byte
	direct bool
}

func (b *bo) Addr() uint64 {
	at, _ := b.d.c.do("xrtBOAddress", b.handle) // the first of HBM is 0
	return at
}

func (b *bo) Bytes() []byte { return b.bytes }

func (b *bo) SyncTo(_ context.Context, offset, bytes int) error {
	if !b.direct {
		b.d.c.ok("xrtBOSync", b.handle, toDevice, uintptr(bytes), uintptr(offset))
	}
	return nil
}

func (b *bo) SyncFrom(_ context.Context, offset, bytes int) error {
	if !b.direct {
		b.d.c.ok("xrtBOSync", b.handle, fromDevice, uintptr(bytes), uintptr(offset))
	}
	return nil
}

func (b *bo) Free() error {
	b.d.c.ok("xrtBOFree", b.handle)
	return nil
}

// TestCollectives runs an allreduce over ranks on cards, in device memory and in
// memory of the host.
func TestCollectives(t *testing.T) {
	for name, vars := range map[string]map[string]cty.Value{
		"u55c_udp":    nil,
		"u55c_tcp":    {"host_memory": cty.True},
		"u280_axis3x": nil,
	} {
		t.Run(name, func(t *testing.T) {
			const ranks, n = 3, 10_000
			d := designtest.Load(t, name, vars)
			p := driverview.Of(d)
			h := Start(t, d, ranks, HostOptions{})
			c := load(t, h.Server)
			var all, ready sync.WaitGroup
			ready.Add(ranks)
			for rank := range ranks {
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					arrived := sync.OnceFunc(ready.Done)
					defer arrived()
					count := d.Platform.CCLO.Count
					dev := newDevice(c, rank/count, string(rune('0'+rank%count)))
					dev.group = groupOf(t, h, d, rank%count)
					var opener accl.Device = dev
					if d.ABI().Features["engine_sessions"] || name == "u55c_tcp" {
						opener = &withSessions{dev}
					}
					e, err := accl.Open(ctx, opener, &p, h.Ranks(), rank)
					arrived()
					if err != nil {
						t.Error(err)
						return
					}
					ready.Wait() // what is sent before is lost on UDP
					var o []accl.AllocOption
					if len(vars) > 0 {
						o = append(o, accl.HostOnly())
					}
					src, err := accl.Alloc[float32](ctx, e, n, o...)
					if err != nil {
						t.Error(err)
						return
					}
					dst, err := accl.Alloc[float32](ctx, e, n)
					if err != nil {
						t.Error(err)
						return
					}
					for i := range src.Host() {
						src.Host()[i] = float32(rank*i) / 4
					}
					if _, err := e.AllReduce(ctx, src, dst, n, accl.Sum); err != nil {
						t.Errorf("rank %d: %v", rank, err)
						return
					}
					for i, v := range dst.Host() {
						if want := float32(3*i) / 4; v != want {
							t.Errorf("rank %d, element %d: %v, want %v", rank, i, v, want)
							return
						}
					}
					if err := e.Close(ctx); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		})
	}
}

// withSessions opens sessions by the session handler's registers.
type withSessions struct{ *device }

func (d *withSessions) call(operation, ip, port uint32) (uint32, error) {
	c := d.c
	xcl, unit := c.unit(d.card, "tcp_session_handler:session_handler_0")
	c.write(xcl, unit, 0x10, ip)
	c.write(xcl, unit, 0x18, port)
	c.write(xcl, unit, 0x38, operation)
	c.write(xcl, unit, 0, 1)
	for c.read(xcl, unit, 0)&2 == 0 {
		time.Sleep(time.Millisecond)
	}
	var err error
	if c.read(xcl, unit, 0x30) == 0 {
		err = fmt.Errorf("operation %d of %X:%d has failed", operation, ip, port)
	}
	session := c.read(xcl, unit, 0x28)
	uuid := c.uuid(d.card)
	c.ok("xclCloseContext", xcl, pointer(uuid), unit)
	return session, err
}

func (d *withSessions) OpenPort(_ context.Context, port uint16) error {
	_, err := d.call(1, 0, uint32(port))
	return err
}

func (d *withSessions) OpenConnection(_ context.Context, ip uint32, port uint16) (uint32, error) {
	return d.call(2, ip, uint32(port))
}

// groupOf is the number of the group of banks that an engine's DMA reaches.
func groupOf(t testing.TB, h *Host, d *design.Design, number int) uintptr {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.slots[0].layout
	i := slices.IndexFunc(d.Instances, func(in *design.Instance) bool { return in.Role == "dma" && in.Scope == number })
	place, err := l.BufferBank(d.Instances[i].Name, 0)
	if err != nil {
		t.Error(err)
	}
	return uintptr(place.Index)
}
