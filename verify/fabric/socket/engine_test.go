package socket_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/socket"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/world"
)

// bench is a world of engines on sockets, opened by the driver.
type bench struct {
	ports   []*port
	ranks   []accl.Rank
	world   *world.World
	engines []*accl.Engine
}

// engines starts ranks of a platform on sockets.
func engines(t testing.TB, platform string, ranks int) *bench {
	t.Helper()
	d := designtest.Load(t, platform, nil)
	p := driverview.Of(d)
	kind, err := world.Network(d)
	assert.NilError(t, err)
	follows, err := emu.Framing(d)
	assert.NilError(t, err)
	b := &bench{}
	var members []world.Member
	for i := range ranks {
		o := socket.Options{Framing: follows}
		open := newTCP
		if kind == fabric.UDP {
			open = newUDP
		}
		port := open(t, o)
		b.ports = append(b.ports, port)
		b.ranks = append(b.ranks, accl.Rank{IP: port.at.Addr(), Port: port.at.Port(), Session: uint32(i)})
		members = append(members, world.Member{Rank: i, Port: port.Port})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*limit)
	t.Cleanup(cancel)
	b.world, err = world.Start(ctx, d, members, emu.Options{RemoteTimeout: limit})
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, b.world.Close(), "close the world")
	})
	var devices []accl.Device
	for i := range ranks {
		devices = append(devices, b.world.Device(i))
	}
	b.engines, err = accl.OpenAll(ctx, devices, &p, b.ranks)
	assert.NilError(t, err)
	return b
}

// each runs something on all ranks at the same time.
func (b *bench) each(t testing.TB, do func(ctx context.Context, i int, e *accl.Engine) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*limit)
	defer cancel()
	ranktest.All(t, len(b.engines), func(i int) error {
		if err := do(ctx, i, b.engines[i]); err != nil {
			return fmt.Errorf("%w\n%v", err, b.ports[i].Port)
		}
		return nil
	})
}

// Every kind of network engine, and every way in which sessions are opened.
func TestEnginesReduceOverSockets(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_2022"} {
		t.Run(platform, func(t *testing.T) {
			leaks(t)
			const ranks = 4
			b := engines(t, platform, ranks)
			for _, n := range []int{1, 1000, 100_000} {
				b.each(t, func(ctx context.Context, _ int, e *accl.Engine) error { return ranktest.Sum[int32](ctx, e, n, 1) })
			}
		})
	}
}

// A rank that dies is an error on the others.
func TestEnginesNoticeThatARankIsGone(t *testing.T) {
	b := engines(t, "u55c_tcp", 2)
	assert.NilError(t, b.world.Engine(1).Close())
	e := b.engines[0]
	ctx, cancel := context.WithTimeout(t.Context(), 3*limit)
	defer cancel()
	src, err := accl.Alloc[int32](ctx, e, 10)
	assert.NilError(t, err)
	start := time.Now()
	if _, err = e.Send(ctx, src, 10, 1); err == nil {
		_, err = e.Send(ctx, src, 10, 1) // the first one may have been on its way
	}
	assert.Check(t, err != nil, "sending to a rank that is gone succeeds")
	d := time.Since(start)
	assert.Check(t, d <= limit+limit/2, "that has taken %v", d)
}

// BenchmarkEngines is a message from one rank to another, all on this machine.
func BenchmarkEngines(b *testing.B) {
	for _, platform := range []string{"u55c_tcp", "u55c_udp"} {
		for _, n := range []int{16, 1 << 22} {
			b.Run(fmt.Sprintf("%s/%d bytes", platform, 4*n), func(b *testing.B) {
				w := engines(b, platform, 2)
				var src, dst [2]*accl.Buffer[float32]
				w.each(b, func(ctx context.Context, i int, e *accl.Engine) (err error) {
					if src[i], err = accl.Alloc[float32](ctx, e, n); err != nil {
						return err
					}
					dst[i], err = accl.Alloc[float32](ctx, e, n)
					return err
				})
				b.SetBytes(int64(4 * n))
				for b.Loop() {
					w.each(b, func(ctx context.Context, i int, e *accl.Engine) (err error) {
						if i == 0 {
							_, err = e.Send(ctx, src[0], n, 1, accl.FromFPGA())
						} else {
							_, err = e.Recv(ctx, dst[1], n, 0, accl.ToFPGA())
						}
						return err
					})
				}
			})
		}
	}
}
