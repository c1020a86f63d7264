package emu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/hls"
)

// operation is the code of an operation.
func (r *ranks) operation(name string) uint32 {
	for _, o := range r.engines[0].Platform().Operations {
		if o.Name == name {
			return o.Value
		}
	}
	r.t.Fatalf("there is no operation %s", name)
	return 0
}

// addresses are those of the communicator of all ranks and of the configuration for
// int32.
func (r *ranks) addresses() (comm, config uint64) {
	e := r.engines[0]
	at, err := e.ConfigAddress(accl.TypeInt32, accl.TypeInt32)
	assert.NilError(r.t, err)
	return uint64(e.World().Address()), uint64(at)
}

// vadd calls the kernel of a rank with a count, a destination and addresses.
func (r *ranks) vadd(ctx context.Context, rank int, src, dst, count, destination uint64) error {
	comm, config := r.addresses()
	return accl.CallKernel(ctx, r.emu[rank].Device(), "vadd_put", src, dst, count, destination, comm, config)
}

// take reads a beat of a put.
func take(k *fake, into *[]uint32, tag uint32, t testing.TB) {
	b := k.read("data_from_cclo")
	assert.Check(t, is.Equal(b.Dest, tag))
	for at := 0; at < 64; at += 4 {
		*into = append(*into, uint32(b.Data[at])|uint32(b.Data[at+1])<<8|uint32(b.Data[at+2])<<16|uint32(b.Data[at+3])<<24)
	}
}

// A kernel may have many calls under way; answers come in the order of its calls.
func TestAnswersComeInTheOrderOfTheCalls(t *testing.T) {
	const calls = 100
	var r *ranks
	var codes []uint32
	r = withKernels(t, ranksOptions{}, func(_ int, k *fake) {
		for i := range uint32(calls) {
			op := uint32(255) // nop
			if i%3 == 1 {
				op = 200 // that there is not
			}
			k.send(r.call(accl.Call{Scenario: op})...)
			if i >= 40 { // more than the engine takes at once
				codes = append(codes, k.answer())
			}
		}
		for len(codes) < calls {
			codes = append(codes, k.answer())
		}
	})
	b := ints(t, r.engines[0], 0)
	assert.NilError(t, r.vadd(within(t), 0, b.Address(), b.Address(), 0, 0))
	for i, code := range codes {
		assert.Check(t, (code != 0) == (i%3 == 1), "call %d was answered with 0x%X", i, code)
	}
}

func TestHalfACallIsReportedAndHoldsUpNobody(t *testing.T) {
	var r *ranks
	stay := false
	faults := make(chan error, 1)
	r = withKernels(t, ranksOptions{engine: Options{OnFault: func(err error) { faults <- err }}}, func(_ int, k *fake) {
		words := r.call(accl.Call{Scenario: 255})
		if k.given[2] == 0 {
			k.send(words...)
			assert.Check(t, is.Equal(k.answer(), uint32(0)), "a whole call: 0x")
			return
		}
		k.send(words[:7]...)
		if stay {
			k.answer()
		}
	})
	e := r.engines[0]
	b := ints(t, e, 0)
	others := func() {
		t.Helper()
		if _, err := e.Nop(within(t)); err != nil {
			t.Error(err)
		}
	}
	err := r.vadd(within(t), 0, b.Address(), b.Address(), 1, 0)
	if !errors.Is(err, accl.ErrKernelFailed) ||
		!strings.Contains(err.Error(), "vadd_0_0) has ended after 7 of the 15 words of a call on cmd_to_cclo") {
		t.Error(err)
	}
	if fault := <-faults; !errors.Is(err, fault) {
		t.Errorf("told is %v", fault)
	}
	others()
	assert.Check(t, r.vadd(within(t), 0, b.Address(), b.Address(), 0, 0), "the words are forgotten")
	stay = true
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err = r.vadd(ctx, 0, b.Address(), b.Address(), 1, 0)
	const doing = "waits to read beat 2 of sts_from_cclo (1 read), with 0 calls that are not answered, after 7 of the " +
		"15 words of a call on cmd_to_cclo"
	var stalled *accl.KernelError
	if !errors.As(err, &stalled) || stalled.Doing != doing || stalled.Stream != "sts_from_cclo" || stalled.Beat != 2 ||
		stalled.Failed {
		t.Error(err)
	}
	assert.Check(t, is.Equal(r.emu[0].Stats().Kernels[0].Doing, doing))
	others()
}

// Every rank's kernel puts to the next one, all at the same time, many times.
func TestManyKernelsSideBySide(t *testing.T) {
	const n, rounds, tag = 4, 20, 9
	var r *ranks
	got := make([][]uint32, n)
	r = withKernels(t, ranksOptions{ranks: n}, func(rank int, k *fake) {
		flags := r.engines[0].Platform().StreamFlags
		k.send(r.call(accl.Call{
			Scenario: r.operation("send"), Count: 16, Comm: uint32(k.given[4]), RootSrcDst: uint32(k.given[3]),
			ArithCfg: uint32(k.given[5]),
			Tag:      tag, StreamFlags: flags.Op0 | flags.Result,
		})...)
		k.write("data_to_cclo", hls.Beat{Data: [64]byte{byte(rank), byte(k.given[2])}})
		take(k, &got[rank], tag, t)
		assert.Check(t, is.Equal(k.answer(), uint32(0)), "rank %d: 0x", rank)
	})
	r.each(func(rank int, e *accl.Engine) error {
		b := ints(t, e, 0)
		for i := range uint64(rounds) {
			if err := r.vadd(within(t), rank, b.Address(), b.Address(), i, uint64(rank+1)%n); err != nil {
				return fmt.Errorf("round %d: %w", i, err)
			}
		}
		return nil
	})
	for rank := range n {
		var want []uint32
		for i := range uint32(rounds) {
			want = append(append(want, uint32(rank+n-1)%n|i<<8), make([]uint32, 15)...)
		}
		assert.Check(t, slices.Equal(got[rank], want), "rank %d: %v", rank, got[rank])
	}
}
