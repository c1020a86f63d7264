package conformance_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu"
)

// kernelBench is ranks whose kernel streams lead to the test.
func kernelBench(ctx context.Context, t *testing.T, on where, name string, ranks int) *bench {
	t.Helper()
	s := setup{platform: name, ranks: ranks, edit: small}
	if _, built := on.way.(hardware); built {
		s.world.Engine.Kernel = emu.Client // a kernel of the platform would be there itself
	} else {
		s.vars = map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put")}
	}
	b := on.bench(ctx, t, s)
	if _, can := b.devices[0].(accl.KernelPort); !can {
		t.Skipf("over %s nobody but the platform's own kernel is at the kernel streams", on.name())
	}
	return b
}

// kernel is where the test plays the user kernel of a rank.
func (b *bench) kernel(rank int) accl.KernelPort { return b.devices[rank].(accl.KernelPort) }

// push puts elements of message k on a stream into an engine.
func (b *bench) push(ctx context.Context, rank, n, k int) error {
	data := make([]byte, 0, 4*n)
	for i := range n {
		data = binary.LittleEndian.AppendUint32(data, uint32(word(k, i)))
	}
	return b.kernel(rank).Push(ctx, 0, data)
}

// pull takes elements off the stream of an engine and compares them. A call puts
// them there as whole beats of one TDEST.
func (b *bench) pull(ctx context.Context, rank, n int, tdest uint32, want func(i int) int32) error {
	beat := b.p.BeatBytes
	whole := (4*n + beat - 1) / beat * beat
	var data []byte
	for len(data) < whole {
		at, more, err := b.kernel(rank).Pull(ctx, whole-len(data))
		if err != nil {
			return fmt.Errorf("after %d of %d bytes: %w", len(data), whole, err)
		}
		if at != tdest {
			return fmt.Errorf("TDEST %d, not %d", at, tdest)
		}
		data = append(data, more...)
	}
	for i := range n {
		if got := int32(binary.LittleEndian.Uint32(data[4*i:])); got != want(i) {
			return fmt.Errorf("element %d of %d is %d, not %d", i, n, got, want(i))
		}
	}
	return nil
}

func message(k int) func(int) int32 { return func(i int) int32 { return word(k, i) } }

// nothingLeft checks that the streams are empty.
func (b *bench) nothingLeft(ctx context.Context) error {
	for rank := range b.engines {
		short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
		at, data, err := b.kernel(rank).Pull(short, 1<<20)
		cancel()
		if err == nil {
			return fmt.Errorf("rank %d: %d bytes of TDEST %d are left", rank, len(data), at)
		}
	}
	return nil
}

// TestKernelStreams uses kernel streams as operands and results, with a user
// kernel at them.
func TestKernelStreams(t *testing.T) { kernelStreams(t, all) }

func kernelStreams(t *testing.T, on where) {
	type env struct {
		b      *bench
		e      [2]*accl.Engine
		buf    [2]*accl.Buffer[int32] // hold messages 0 and 1
		out    [2]*accl.Buffer[int32]
		n      int
		offset uint32 // of TDESTs of puts
	}
	stream := accl.KernelStream(accl.TypeInt32)
	tests := []struct {
		name string
		run  func(ctx context.Context, v *env) error
	}{
		{"copy to the stream", func(ctx context.Context, v *env) error {
			_, err := v.e[0].Copy(ctx, v.buf[0], stream, v.n)
			return errors.Join(err, v.b.pull(ctx, 0, v.n, 0, message(0)))
		}},
		{"copies from the stream", func(ctx context.Context, v *env) error {
			for k := range 2 {
				if err := v.b.push(ctx, 0, v.n, 5+k); err != nil {
					return err
				}
			}
			for k := range 2 {
				if _, err := v.e[0].Copy(ctx, stream, v.out[0], v.n); err != nil {
					return err
				}
				if err := checkWords(v.out[0], v.n, 5+k); err != nil {
					return err
				}
			}
			return nil
		}},
		{"copy through", func(ctx context.Context, v *env) error {
			if err := v.b.push(ctx, 0, v.n, 7); err != nil {
				return err
			}
			_, err := v.e[0].Copy(ctx, stream, stream, v.n)
			return errors.Join(err, v.b.pull(ctx, 0, v.n, 0, message(7)))
		}},
		{"combine", func(ctx context.Context, v *env) error {
			if err := v.b.push(ctx, 0, v.n, 7); err != nil {
				return err
			}
			_, err := v.e[0].Combine(ctx, stream, v.buf[0], stream, v.n, accl.Sum)
			return errors.Join(err, v.b.pull(ctx, 0, v.n, 0, func(i int) int32 { return word(7, i) + word(0, i) }))
		}},
		{"send from the stream", func(ctx context.Context, v *env) error {
			if err := v.b.push(ctx, 0, v.n, 9); err != nil {
				return err
			}
			r, err := v.e[0].Send(ctx, stream, v.n, 1, accl.Async())
			if err != nil {
				return err
			}
			if _, err := v.e[1].Recv(ctx, v.out[1], v.n, 0); err != nil {
				return err
			}
			return errors.Join(r.Wait(ctx), checkWords(v.out[1], v.n, 9))
		}},
		{"receive to the stream", func(ctx context.Context, v *env) error {
			for _, tag := range []uint32{0, 33, 255} {
				r, err := v.e[0].Send(ctx, v.buf[0], v.n, 1, accl.WithTag(accl.Tag(tag)), accl.Async())
				if err != nil {
					return err
				}
				_, err = v.e[1].Recv(ctx, stream, v.n, 0, accl.WithTag(accl.Tag(tag)))
				if err := errors.Join(err, r.Wait(ctx), v.b.pull(ctx, 1, v.n, tag, message(0))); err != nil {
					return fmt.Errorf("tag %d: %w", tag, err)
				}
			}
			return nil
		}},
		{"reduce", func(ctx context.Context, v *env) error {
			errs := v.b.everywhere(func(rank int, e *accl.Engine) error {
				if err := v.b.push(ctx, rank, v.n, 20+rank); err != nil {
					return err
				}
				var result accl.Operand
				if rank == 1 {
					result = stream
				}
				_, err := e.Reduce(ctx, stream, result, v.n, 1, accl.Sum)
				return err
			})
			return errors.Join(errors.Join(errs...),
				v.b.pull(ctx, 1, v.n, 0, func(i int) int32 { return word(20, i) + word(21, i) }))
		}},
		{"put", func(ctx context.Context, v *env) error {
			for _, to := range []int{1, 0} {
				for _, s := range []uint32{0, 9, v.b.p.MaxPutTag} {
					_, err := v.e[0].StreamPut(ctx, v.buf[0], v.n, accl.Peer(to), accl.Tag(s))
					if err := errors.Join(err, v.b.pull(ctx, to, v.n, s+v.offset, message(0))); err != nil {
						return fmt.Errorf("to rank %d, stream %d: %w", to, s, err)
					}
				}
			}
			return nil
		}},
		{"put from the stream", func(ctx context.Context, v *env) error {
			for to := range 2 {
				if err := v.b.push(ctx, 0, v.n, 11); err != nil {
					return err
				}
				_, err := v.e[0].StreamPut(ctx, stream, v.n, accl.Peer(to), 77)
				if err := errors.Join(err, v.b.pull(ctx, to, v.n, 77+v.offset, message(11))); err != nil {
					return fmt.Errorf("to rank %d: %w", to, err)
				}
			}
			return nil
		}},
		{"put beyond the last stream", func(ctx context.Context, v *env) error {
			if _, err := v.e[0].StreamPut(ctx, v.buf[0], v.n, 1, accl.Tag(v.b.p.MaxPutTag)+1); !errors.Is(err, accl.ErrTag) {
				return fmt.Errorf("ErrTag, not %w", err)
			}
			return nil
		}},
	}
	on.each(t, later, func(ctx context.Context, t *testing.T, name string) {
		b := kernelBench(ctx, t, on, name, 2)
		v := &env{b: b}
		if b.p.Generation == "accl-2022" {
			v.offset = 9
		}
		for rank := range 2 {
			v.e[rank] = b.engines[rank]
			v.buf[rank], v.out[rank] = alloc(ctx, t, v.e[rank], 5000), alloc(ctx, t, v.e[rank], 5000)
			fillWords(v.buf[rank], 5000, rank)
		}
		// One beat and less, some segments, and more than goes eagerly.
		for _, n := range []int{1, 16, 20, 300, 2049, 5000} {
			for _, test := range tests {
				v.n = n
				if b.p.Stack == "udp" && n > 300 && test.name == "receive to the stream" {
					continue // it comes eagerly, and may not fit into the rx buffers
				}
				assert.NilError(t, test.run(ctx, v), "%s, %d elements", test.name, n)
				assert.NilError(t, b.nothingLeft(ctx), "%s, %d elements", test.name, n)
			}
		}
	})
}
