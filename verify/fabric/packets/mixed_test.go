package packets_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
)

// mixed is a world in which somebody else serves the odd ranks. Our engines are not told:
// they find out.
type mixed struct {
	t       *testing.T
	e       sim.Endpoints
	ours    []int
	engines map[int]*accl.Engine
	foreign map[int]*foreign
}

func newMixed(t *testing.T, platform string, k kind, n int, o ...accl.OpenOption) *mixed {
	t.Helper()
	m := &mixed{t: t, e: endpoints(t, n), engines: map[int]*accl.Engine{}, foreign: map[int]*foreign{}}
	for rank := 0; rank < n; rank += 2 {
		m.ours = append(m.ours, rank)
	}
	d := load(t, platform)
	p := driverview.Of(d)
	w := start(t, d, m.e, k, emu.Options{}, m.ours...)
	for rank := 1; rank < n; rank += 2 {
		m.foreign[rank] = newForeign(t, m.e, rank, k)
		m.foreign[rank].join(m.e, m.ours...)
	}
	var mu sync.Mutex
	each(t, m.ours, func(ctx context.Context, rank int) error {
		engine, err := accl.Open(ctx, w.Device(rank), &p, ranks(m.e), rank, o...)
		mu.Lock()
		defer mu.Unlock()
		m.engines[rank] = engine
		return err
	})
	return m
}

// buffer is one of bytes with some contents: int32 in pieces.
func buffer(ctx context.Context, e *accl.Engine, data []byte) (*accl.Buffer[int32], error) {
	b, err := accl.Alloc[int32](ctx, e, len(data)/4)
	if err == nil {
		copy(bytesOf(b), data)
	}
	return b, err
}

// roundTrip sends from one of ours to a foreign rank and back, and checks both.
func (m *mixed) roundTrip(ctx context.Context, ours, theirs, n int, tag uint32) error {
	e, f := m.engines[ours], m.foreign[theirs]
	out, back := noise(n+int(tag), n), noise(n+int(tag)+1, n)
	src, err := buffer(ctx, e, out)
	if err != nil {
		return err
	}
	dst, err := buffer(ctx, e, make([]byte, n))
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		if got := f.recv(ours, n, tag); !bytes.Equal(got, out) {
			m.t.Errorf("rank %d got other data from %d than was sent", theirs, ours)
		}
		f.send(ours, back, 4, tag)
	})
	if _, err := e.Send(ctx, src, n/4, accl.Peer(theirs), accl.WithTag(accl.Tag(tag))); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if _, err := e.Recv(ctx, dst, n/4, accl.Peer(theirs), accl.WithTag(accl.Tag(tag))); err != nil {
		return fmt.Errorf("recv: %w", err)
	}
	wg.Wait()
	if !bytes.Equal(bytesOf(dst), back) {
		return fmt.Errorf("other data than rank %d has sent", theirs)
	}
	return nil
}

// Our ranks and others' send and receive, small messages and many segments, below
// the eager limit and above.
func TestMixedWorlds(t *testing.T) {
	for _, p := range platforms {
		for _, n := range []int{2, 4} {
			t.Run(fmt.Sprintf("%s of %d", p.name, n), func(t *testing.T) {
				m := newMixed(t, p.name, p.kind, n)
				sizes := []int{100_000, 4, 64, 1000, 4032, 4096, 4100, 40_000, 400_000}
				for rank, f := range m.foreign {
					f.maxSegment = map[bool]int{true: 1472, false: 4096}[p.old || p.udp]
					if rank == 3 { // whatever the others do: a receiver gathers any segmentation
						f.rxBytes, f.maxSegment = 3000, 700
					}
				}
				each(t, m.ours, func(ctx context.Context, rank int) error {
					for i, size := range sizes {
						if err := m.roundTrip(ctx, rank, (rank+1)%n, size, uint32(i)); err != nil {
							return fmt.Errorf("%d bytes: %w", size, err)
						}
					}
					return nil
				})
			})
		}
	}
}

// The first message between ranks of two makes is a large one, which either of them sends.
// What the other does not know would be payload to it, or the header of some.
func TestMixedWorldsFromTheFirstMessage(t *testing.T) {
	for _, p := range platforms {
		t.Run(p.name, func(t *testing.T) {
			const n, tag = 300_000, 5
			m := newMixed(t, p.name, p.kind, 4)
			m.foreign[1].maxSegment, m.foreign[3].maxSegment = 1472, 1472
			each(t, m.ours, func(ctx context.Context, rank int) error {
				e, sends, takes := m.engines[rank], (rank+1)%4, (rank+3)%4
				dst, err := buffer(ctx, e, make([]byte, n))
				if err != nil {
					return err
				}
				posted, err := e.Recv(ctx, dst, n/4, accl.Peer(sends), accl.WithTag(tag), accl.Async())
				if err != nil {
					return err
				}
				src, err := buffer(ctx, e, noise(rank, n))
				if err != nil {
					return err
				}
				sent, err := e.Send(ctx, src, n/4, accl.Peer(takes), accl.WithTag(tag), accl.Async())
				if err != nil {
					return err
				}
				if got := m.foreign[takes].recv(rank, n, tag); !bytes.Equal(got, noise(rank, n)) {
					return fmt.Errorf("rank %d got other data than was sent", takes)
				}
				m.foreign[sends].send(rank, noise(sends, n), 4, tag)
				if err := posted.Wait(ctx); err != nil {
					return fmt.Errorf("recv: %w", err)
				}
				if err := sent.Wait(ctx); err != nil {
					return fmt.Errorf("send: %w", err)
				}
				if !bytes.Equal(bytesOf(dst), noise(sends, n)) {
					return fmt.Errorf("other data than rank %d has sent", sends)
				}
				return nil
			})
			// They know each other now.
			each(t, m.ours, func(ctx context.Context, rank int) error {
				for i, size := range []int{n, 40, n} {
					if err := m.roundTrip(ctx, rank, (rank+3)%4, size, uint32(10+i)); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// Messages of whole rx buffers that are larger than a packet are continued, by
// both sides.
func TestMixedWorldsWithLargeBuffers(t *testing.T) {
	for _, p := range platforms {
		t.Run(p.name, func(t *testing.T) {
			const rx = 64 << 10
			m := newMixed(t, p.name, p.kind, 2, accl.WithRxBuffers(8, rx))
			f := m.foreign[1]
			f.rxBytes, f.maxSegment = rx, rx
			each(t, m.ours, func(ctx context.Context, rank int) error {
				for i, size := range []int{100, 10_000, rx, 3*rx + 444} {
					if err := m.roundTrip(ctx, 0, 1, size, uint32(i)); err != nil {
						return fmt.Errorf("%d bytes: %w", size, err)
					}
				}
				return nil
			})
		})
	}
}

// Messages that come before they are asked for wait, also if there are more than
// rx buffers; tags and any tag match.
func TestMixedWorldsWait(t *testing.T) {
	for _, p := range platforms {
		t.Run(p.name, func(t *testing.T) {
			m := newMixed(t, p.name, p.kind, 2)
			const messages, n = 100, 1000
			f := m.foreign[1]
			for i := range messages {
				tag := uint32(i)
				if i%5 == 0 {
					tag = anyTag
				}
				f.send(0, noise(i, n), 4, tag)
			}
			time.Sleep(100 * time.Millisecond)
			each(t, m.ours, func(ctx context.Context, rank int) error {
				dst, err := buffer(ctx, m.engines[0], make([]byte, n))
				if err != nil {
					return err
				}
				for i := range messages {
					var tag []accl.Option
					if i%2 == 0 {
						tag = append(tag, accl.WithTag(accl.Tag(i)))
					}
					if _, err := m.engines[0].Recv(ctx, dst, n/4, 1, tag...); err != nil {
						return fmt.Errorf("message %d: %w", i, err)
					}
					if !bytes.Equal(bytesOf(dst), noise(i, n)) {
						return fmt.Errorf("message %d has other data", i)
					}
				}
				return nil
			})
		})
	}
}

// Our rank puts to a foreign one, and a foreign one to our kernel stream, in
// several packets.
func TestMixedWorldsPut(t *testing.T) {
	m := newMixed(t, "u55c_tcp", kind{}, 2)
	const n, tag = 6000, 17
	f, e := m.foreign[1], m.engines[0]
	data := noise(1, n)
	each(t, m.ours, func(ctx context.Context, rank int) error {
		src, err := buffer(ctx, e, data)
		if err != nil {
			return err
		}
		if _, err := e.StreamPut(ctx, src, n/4, 1, tag); err != nil {
			return err
		}
		var got []byte
		for len(got) < n {
			b := f.packet(0)
			if want := header(4096, tag, 0, 0, tag+9, 1); len(got) == 0 && !slices.Equal(b[4:12], want[4:12]) ||
				!slices.Equal(b[16:22], want[16:22]) {
				return fmt.Errorf("a put has the header % x", b[:64])
			}
			count := int(uint32(b[0]) | uint32(b[1])<<8)
			b = b[64:]
			for len(b) < count {
				b = append(b, f.packet(0)...)
			}
			got = append(got, b...)
		}
		if !bytes.Equal(got, data) {
			return fmt.Errorf("a put of %d bytes has other data", len(got))
		}
		f.put(0, data, tag) // the stream is looped back
		dst, err := buffer(ctx, e, make([]byte, n))
		if err != nil {
			return err
		}
		if _, err := e.Copy(ctx, accl.KernelStream(accl.TypeInt32), dst, n/4); err != nil {
			return err
		}
		if !bytes.Equal(bytesOf(dst), data) {
			return fmt.Errorf("the kernel stream has other data than was put")
		}
		return nil
	})
}

// bytesOf are the bytes of a buffer's host copy.
func bytesOf(b *accl.Buffer[int32]) []byte {
	h := b.Host()
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(h))), 4*len(h))
}
