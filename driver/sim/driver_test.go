package sim_test

import (
	"errors"
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
)

// The driver runs on a server that knows registers, memory and how to copy.
func TestTheDriverOnAForeignServer(t *testing.T) {
	for _, platform := range []string{platform2022, platform2024} {
		p := platformOf(t, platform)
		s := newServer(t)
		s.words[0x1FF8] = p.HardwareID.Value
		const hostOp0, hostResult = 1 << 8, 4 << 8
		s.work = func(r object) (uint32, func() bool) {
			number := func(name string) int { return int(r[name].(float64)) }
			switch number("scenario") {
			case 0: // config
				return 0, nil
			case 1: // copy, here of float32
				flags, n := number("stream_flags"), 4*number("count")
				data := s.read(flags&hostOp0 != 0, uint64(number("addr_0")), n)
				s.mu.Lock()
				defer s.mu.Unlock()
				for i, v := range data {
					*s.byteAt(flags&hostResult != 0, uint64(number("addr_2")+i), true) = v
				}
				return 0, nil
			}
			return 1 << 14, nil // COLLECTIVE_NOT_IMPLEMENTED
		}
		d := s.start().open(platform)
		ctx := within(t)
		ranks := accl.LocalRanks(1)
		e, err := accl.Open(ctx, d, p, ranks, 0, accl.GivenSessions())
		assert.NilError(t, err)
		type placing struct{ from, to []accl.AllocOption }
		host := []accl.AllocOption{accl.HostOnly()}
		placings := []placing{{}}
		if p.HostMemory {
			placings = append(placings, placing{host, nil}, placing{nil, host}, placing{host, host})
		}
		for i, where := range placings {
			src, err := accl.Alloc[float32](ctx, e, 100, where.from...)
			assert.NilError(t, err)
			dst, err := accl.Alloc[float32](ctx, e, 100, where.to...)
			assert.NilError(t, err)
			for k := range src.Host() {
				src.Host()[k] = float32(i*1000 + k)
			}
			if _, err := e.Copy(ctx, src, dst, 100); err != nil || !slices.Equal(src.Host(), dst.Host()) {
				t.Errorf("%s, placing %d: %v, %v", platform, i, dst.Host()[:3], err)
			}
			clear(dst.Host())
			if err := dst.SyncFromDevice(ctx); err != nil || !slices.Equal(src.Host(), dst.Host()) {
				t.Errorf("%s, placing %d: %v, %v", platform, i, dst.Host()[:3], err)
			}
			assert.NilError(t, errors.Join(src.Free(), dst.Free()))
		}
		var failed *accl.CallError
		_, err = e.Nop(ctx)
		assert.Check(t, errors.As(err, &failed) && failed.Has("COLLECTIVE_NOT_IMPLEMENTED"), "%s: %v", platform, err)
		assert.NilError(t, e.Close(ctx))
	}
}
