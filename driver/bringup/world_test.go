package bringup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

const patience = 60 * time.Second // a busy machine takes its time

var testSecret = []byte("0123456789abcdef")

// options are those of the ranks of a world on the loopback device.
func options(t testing.TB, size int) []Options {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	t.Cleanup(func() { listener.Close() })
	all := make([]Options, size)
	for i := range all {
		all[i] = Options{
			Rank: i, Size: size, Meet: listener.Addr().String(), Secret: testSecret, Job: "7", Timeout: patience,
			Self: Member{
				Engine:     accl.Rank{IP: netip.AddrFrom4([4]byte{10, 0, 0, 1}), Port: uint16(5500 + i)},
				Generation: "accl-2024", Stack: "tcp", Platform: "u55c_tcp", Hash: "aa", HardwareID: 0x10 + uint32(i),
				HardwareMask: 0xFFFFFFF0,
				Data:         []byte{byte(i)},
			},
		}
	}
	all[0].Listener = listener
	return all
}

// join has ranks join at the same time. Rank 0, the first, does not wait for ranks that
// are to hear why others have failed.
func join(ctx context.Context, t testing.TB, all []Options) ([]*World, []error) {
	t.Helper()
	worlds, errs := make([]*World, len(all)), make([]error, len(all))
	var first, group sync.WaitGroup
	waits, cancel := context.WithCancel(ctx)
	defer cancel()
	first.Go(func() { worlds[0], errs[0] = Join(waits, all[0]) })
	for i, o := range all[1:] {
		group.Go(func() { worlds[1+i], errs[1+i] = Join(ctx, o) })
	}
	group.Wait()
	if errors.Join(errs[1:]...) != nil {
		cancel()
	}
	first.Wait()
	t.Cleanup(func() { leave(worlds) })
	return worlds, errs
}

func leave(worlds []*World) {
	var group sync.WaitGroup
	for _, w := range worlds {
		if w != nil {
			group.Go(func() { w.Close() })
		}
	}
	group.Wait()
}

// up is a world of which all ranks have joined.
func up(t testing.TB, all []Options) []*World {
	t.Helper()
	worlds, errs := join(t.Context(), t, all)
	assert.NilError(t, errors.Join(errs...))
	return worlds
}

// ready has ranks say whether they are.
func ready(ctx context.Context, worlds []*World, own map[int]error) []error {
	errs := make([]error, len(worlds))
	var group sync.WaitGroup
	for i, w := range worlds {
		group.Go(func() { errs[i] = w.Ready(ctx, own[i]) })
	}
	group.Wait()
	return errs
}

// alike checks that all have the same error.
func alike(t *testing.T, errs []error, kind error, step Step, rank int, texts ...string) {
	t.Helper()
	for i, err := range errs {
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Errorf("%d: %v is no *Error", i, err)
			continue
		}
		assert.Check(t, errors.Is(err, kind) && e.Step == step && e.Rank == rank && err.Error() == errs[0].Error(),
			"%d: %v; expected is %v of rank %d in step %s, as the first has it: %v", i, err, kind, rank, step, errs[0])
		for _, text := range texts {
			assert.Check(t, is.Contains(err.Error(), text), "%d: %v", i, err)
		}
	}
}

func TestAWorldComesUp(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			all := options(t, size)
			if size == 1 {
				all[0].Listener, all[0].Meet, all[0].Secret = nil, "", nil
			}
			all[size-1].Self.Sessions = make([]uint32, size)
			all[size-1].Self.Sessions[0] = 77
			var steps []Step
			all[size-1].Progress = func(s Step) { steps = append(steps, s) }
			worlds := up(t, all)
			for i, w := range worlds {
				members := w.Members()
				assert.Assert(t, w.Rank() == i && w.Size() == size && len(members) == size,
					"rank %d of %d with %d members", w.Rank(), w.Size(), len(members))
				for j, m := range members {
					if m.Rank != j || m.Engine != all[j].Self.Engine || m.HardwareID != all[j].Self.HardwareID ||
						!slices.Equal(m.Data, all[j].Self.Data) || m.Address != worlds[0].Members()[j].Address {
						t.Errorf("rank %d has %+v for %d", i, m, j)
					}
				}
			}
			assert.Check(t, is.Equal(worlds[0].Ranks()[size-1].Session, uint32(77)))
			assert.NilError(t, errors.Join(ready(t.Context(), worlds, nil)...))
			assert.Check(t, worlds[0].Ready(t.Context(), errors.New("too late")), "said again")
			want := []Step{StepMeet, StepProve, StepJoin, StepConfigure, StepReady, StepRun}
			if size == 1 {
				want = slices.DeleteFunc(want, func(s Step) bool { return s == StepProve })
			}
			assert.Check(t, slices.Equal(slices.Compact(steps), want), "%v", steps)
			leave(worlds)
			for i, w := range worlds {
				for err := range w.Left() {
					t.Errorf("rank %d: %v", i, err)
				}
				assert.Check(t, w.Err(), "rank %d", i)
				assert.Check(t, is.ErrorIs(w.Ready(t.Context(), nil), ErrClosed), "after Close")
			}
		})
	}
}

// Rank 0 may come last.
func TestRank0ComesLate(t *testing.T) {
	all := options(t, 3)
	// The port answers nobody until it is opened again.
	at := all[0].Listener.Addr().String()
	all[0].Listener.Close()
	all[0].Listener = nil
	tried := make(chan struct{}, 3)
	worlds, errs := make([]*World, 3), make([]error, 3)
	var group sync.WaitGroup
	for i := 1; i < 3; i++ {
		all[i].Progress = func(s Step) {
			if s == StepMeet {
				tried <- struct{}{}
			}
		}
		group.Go(func() { worlds[i], errs[i] = Join(t.Context(), all[i]) })
	}
	<-tried
	<-tried
	all[0].Meet = at
	worlds[0], errs[0] = Join(t.Context(), all[0])
	group.Wait()
	assert.NilError(t, errors.Join(errs...))
	leave(worlds)
}

func TestWorldsThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		name  string
		edit  func(all []Options)
		kind  error
		rank  int
		texts []string
	}{
		{"generation", func(all []Options) { all[2].Self.Generation = "accl-2022" }, ErrDiffers, 2,
			[]string{"interface generations differ: accl-2024 on ranks 0, 1 and 3; accl-2022 on rank 2"}},
		{"stack", func(all []Options) { all[0].Self.Stack = "udp" }, ErrDiffers, 0,
			[]string{"network stacks differ: tcp on ranks 1, 2 and 3; udp on rank 0"}},
		{"hash", func(all []Options) { all[3].Self.Hash = "bb" }, ErrDiffers, 3,
			[]string{"u55c_tcp (hash aa) on ranks 0, 1 and 2; u55c_tcp (hash bb) on rank 3"}},
		{"end of a hash", func(all []Options) {
			for i := range all {
				all[i].Self.Hash = strings.Repeat("a", 63) + fmt.Sprint(min(i, 1))
			}
		}, ErrDiffers, 0, []string{"platforms differ"}},
		{"no hash", func(all []Options) { all[1].Self.Platform, all[1].Self.Hash = "", "" }, ErrDiffers, 1,
			[]string{"none on rank 1"}},
		{"hardware", func(all []Options) { all[1].Self.HardwareID = 0x21 }, ErrDiffers, 1,
			[]string{"0x00000020 under the mask 0xFFFFFFF0 on rank 1"}},
		{"address twice", func(all []Options) { all[3].Self.Engine = all[1].Self.Engine }, ErrDiffers, 3,
			[]string{"ranks 1 and 3 are both 10.0.0.1:5501"}},
		{"address missing", func(all []Options) { all[3].Self.Engine = accl.Rank{} }, ErrDiffers, 3,
			[]string{"no address on rank 3"}},
		{"refusal", func(all []Options) { all[2].Self = Member{Refuses: "no world"} }, ErrNotReady, 2,
			[]string{"it takes no part: no world"}},
		{"size", func(all []Options) { all[2].Size = 5 }, ErrSize, 2, []string{"one of 5 ranks", "one of 4"}},
		{"rank twice", func(all []Options) { all[3].Rank = 2 }, ErrDuplicate, 2,
			[]string{"twice: the other one is at 127.0.0.1:"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := options(t, 4)
			test.edit(all)
			_, errs := join(t.Context(), t, all)
			alike(t, errs, test.kind, StepJoin, test.rank, test.texts...)
		})
	}
}

func TestMissingRanks(t *testing.T) {
	all := options(t, 3)
	all[0].Timeout = 100 * time.Millisecond
	_, err := Join(t.Context(), all[0])
	alike(t, []error{err}, ErrMissing, StepMeet, 1, "ranks 1 and 2 of 3 have not come to 127.0.0.1:",
		"rank 0 at 127.0.0.1:", "100ms")

	// When one rank does not wait any longer, none does.
	all = options(t, 4)
	there := make(chan struct{}, 3)
	for i := range all {
		all[i].Progress = func(s Step) {
			if s == StepJoin {
				there <- struct{}{}
			}
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	results := make(chan error, 3)
	for _, i := range []int{0, 1, 3} {
		mine := t.Context()
		if i == 1 {
			mine = ctx
		}
		go func() { _, err := Join(mine, all[i]); results <- err }()
	}
	for range 3 {
		<-there
	}
	cancel(errors.New("enough"))
	err = <-results
	e, ok := errors.AsType[*Error](err)
	assert.Assert(t, ok, "%v", err)
	late := options(t, 4)[2] // rank 0 waits for it, to tell it, too
	late.Meet = all[1].Meet
	_, its := Join(t.Context(), late)
	// Whether 0 and 3 have said what they are is open.
	alike(t, []error{err, <-results, <-results, its}, ErrMissing, StepMeet, e.Rank, "2", "not come",
		"rank 1 at 127.0.0.1:", "enough")
}

func TestRank0DoesNotAnswer(t *testing.T) {
	alone := options(t, 2)[1]
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	alone.Meet, alone.Timeout = listener.Addr().String(), time.Second
	listener.Close()
	_, err = Join(t.Context(), alone)
	alike(t, []error{err}, ErrMissing, StepMeet, 0, alone.Meet, "refused")
	ctx, cancel := context.WithCancelCause(t.Context())
	alone.Timeout = patience
	cancel(errors.New("somebody has pressed a key"))
	_, err = Join(ctx, alone)
	alike(t, []error{err}, ErrMissing, StepMeet, 0, "pressed a key")
}

// One that comes when the world has failed hears why, as long as rank 0 is there.
func TestLateRanksHearTheSame(t *testing.T) {
	all := options(t, 3)
	all[1].Size = 4
	results := make(chan error, 3)
	go func() { _, err := Join(t.Context(), all[0]); results <- err }()
	_, err := Join(t.Context(), all[1])
	go func() { _, err := Join(t.Context(), all[2]); results <- err }()
	go func() { all[1].Size = 3; _, err := Join(t.Context(), all[1]); results <- err }()
	alike(t, []error{err, <-results, <-results, <-results}, ErrSize, StepJoin, 1)
}

func TestRanksThatAreNotReady(t *testing.T) {
	worlds := up(t, options(t, 3))
	errs := ready(t.Context(), worlds, map[int]error{1: errors.New("the card\nis hot")})
	alike(t, errs, ErrNotReady, StepConfigure, 1, "cannot configure its engine: the card is hot", "rank 1 at 127.0.0.1:")
	for i, w := range worlds {
		if err := <-w.Left(); err == nil || err.Error() != errs[0].Error() || w.Err().Error() != errs[0].Error() {
			t.Errorf("rank %d: %v, %v", i, err, w.Err())
		}
	}

	// One says nothing, and others do not wait for ever.
	worlds = up(t, options(t, 3))
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, 2)
	go func() { results <- worlds[2].Ready(t.Context(), nil) }()
	go func() { results <- worlds[0].Ready(ctx, nil) }()
	cancel()
	errs = []error{<-results, <-results}
	errs = append(errs, worlds[1].Ready(t.Context(), nil))
	e, ok := errors.AsType[*Error](errs[0])
	assert.Assert(t, ok, "%v", errs[0])
	// Which ones had said it when rank 0 gave up is open, other than for rank 1.
	alike(t, errs, ErrNotReady, StepConfigure, e.Rank, "waits no longer", "rank 0 at")
	assert.Check(t, strings.Contains(errs[0].Error(), "1"), "%v", errs[0])
}
