package bringup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
)

// TestAsk: all ranks ask all ranks at the same time.
func TestAsk(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		all := options(t, size)
		if size == 1 {
			all[0].Listener, all[0].Meet, all[0].Secret = nil, "", nil
		}
		worlds := up(t, all)
		for rank, w := range worlds {
			w.Answer("sum", func(_ context.Context, question []byte) ([]byte, error) {
				return fmt.Appendf(nil, "%s by %d", question, rank), nil
			})
			_, err := w.Ask(t.Context(), 0, "sum", nil)
			assert.Check(t, is.ErrorIs(err, ErrOption), "before all are ready")
		}
		assert.NilError(t, errors.Join(ready(t.Context(), worlds, nil)...))
		var group sync.WaitGroup
		for rank, w := range worlds {
			for to := range size {
				for i := range 100 {
					group.Go(func() {
						got, err := w.Ask(t.Context(), to, "sum", fmt.Appendf(nil, "%d of %d", i, rank))
						want := fmt.Sprintf("%d of %d by %d", i, rank, to)
						assert.Check(t, err == nil && string(got) == want, "%q, %v; expected is %q", got, err, want)
					})
				}
			}
		}
		group.Wait()
	}
}

// TestEqualQuestionsGetOneAnswer: those that come while an answer is under way have the next one, together.
func TestEqualQuestionsGetOneAnswer(t *testing.T) {
	const askers = 40
	worlds := running(t, options(t, 3))
	begun, release := make(chan struct{}, askers), make(chan struct{})
	var times atomic.Int32
	worlds[2].Answer("state", func(context.Context, []byte) ([]byte, error) {
		n := times.Add(1)
		begun <- struct{}{}
		<-release
		return []byte{byte(n)}, nil
	})
	answers := make(chan []byte, askers)
	ask := func(rank int) {
		got, err := worlds[rank].Ask(t.Context(), 2, "state", nil)
		assert.Check(t, err)
		answers <- got
	}
	go ask(0)
	<-begun
	for i := range askers - 1 {
		go ask(i % 2)
	}
	for waiting := 0; waiting < askers-1; {
		worlds[2].mu.Lock()
		waiting = len(worlds[2].questions)
		worlds[2].mu.Unlock()
	}
	close(release)
	var got []byte
	for range askers {
		got = append(got, <-answers...)
	}
	slices.Sort(got)
	assert.DeepEqual(t, got, append([]byte{1}, bytes.Repeat([]byte{2}, askers-1)...))
}

func TestAskEndsBadly(t *testing.T) {
	worlds := running(t, options(t, 5))
	asked := make(chan struct{}, 1)
	for _, w := range worlds {
		w.Answer("size", func(context.Context, []byte) ([]byte, error) { return make([]byte, MaxAsk), nil })
		w.Answer("too large", func(context.Context, []byte) ([]byte, error) { return make([]byte, MaxAsk+1), nil })
		w.Answer("broken", func(context.Context, []byte) ([]byte, error) { return nil, errors.New("the card is hot") })
		w.Answer("slow", func(ctx context.Context, _ []byte) ([]byte, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		})
	}
	got, err := worlds[1].Ask(t.Context(), 2, "size", make([]byte, MaxAsk-len("size\x00")))
	assert.Check(t, err == nil && len(got) == MaxAsk, "%d bytes, %v", len(got), err)
	for _, test := range []struct {
		rank     int
		about    string
		question int // bytes
		kind     error
		text     string
	}{
		{-1, "size", 0, ErrOption, "rank -1 of 5"},
		{5, "size", 0, ErrOption, "rank 5 of 5"},
		{2, "size", MaxAsk, ErrOption, "of 65533 bytes"},
		{2, "size\x00", 0, ErrOption, "about"},
		{2, "weather", 0, ErrAnswer, `rank 2: it answers no questions about "weather"`},
		{2, "too large", 0, ErrAnswer, "rank 2: its answer has 65529 bytes"},
		{2, "broken", 0, ErrAnswer, "rank 2: the card is hot"},
	} {
		_, err := worlds[1].Ask(t.Context(), test.rank, test.about, make([]byte, test.question))
		assert.Check(t, errors.Is(err, test.kind) && strings.Contains(err.Error(), test.text), "%+v: %v", test, err)
	}

	// Who asks in vain waits no longer than it wants to.
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error)
	go func() { _, err := worlds[1].Ask(ctx, 2, "slow", nil); failed <- err }()
	<-asked
	cancel(errors.New("somebody has pressed a key"))
	assert.Check(t, is.ErrorContains(<-failed, "pressed a key"))

	// An asked rank leaves, in order or not; the others can still be asked.
	slow := func(from, to int) {
		t.Helper()
		go func() { _, err := worlds[from].Ask(t.Context(), to, "slow", nil); failed <- err }()
		<-asked
	}
	slow(1, 4)
	worlds[4].Close()
	alike(t, []error{<-failed}, ErrLeft, StepRun, 4, "closed its world")
	_, err = worlds[1].Ask(t.Context(), 4, "size", nil)
	alike(t, []error{err}, ErrLeft, StepRun, 4, "closed its world")
	slow(2, 3)
	drop(worlds[3])
	alike(t, []error{<-failed}, ErrLeft, StepRun, 3, "it has left: its connection has ended")
	<-worlds[1].Left()
	_, err = worlds[1].Ask(t.Context(), 3, "broken", nil)
	alike(t, []error{err}, ErrLeft, StepRun, 3, "it has left: its connection has ended")
	_, err = worlds[1].Ask(t.Context(), 0, "size", nil)
	assert.Check(t, err, "another rank has left")

	// Nobody passes questions on.
	slow(1, 0)
	worlds[0].Close()
	alike(t, []error{<-failed}, ErrLeft, StepRun, 0, "closed its world")
	_, err = worlds[1].Ask(t.Context(), 2, "size", nil)
	alike(t, []error{err}, ErrLeft, StepRun, 0, "closed its world")
	worlds[1].Close()
	_, err = worlds[1].Ask(t.Context(), 2, "size", nil)
	assert.Check(t, is.ErrorIs(err, ErrClosed))
}

// TestRank0StaysAfterFailedCalls: if rank 0 has asked, others that are in calls can ask each other until they leave.
func TestRank0StaysAfterFailedCalls(t *testing.T) {
	for _, failed := range []bool{false, true} {
		worlds := running(t, options(t, 3))
		for rank, w := range worlds {
			w.Answer(reports, func(context.Context, []byte) ([]byte, error) {
				return json.Marshal(said{Report: accl.Report{Busy: rank == 1, Limit: time.Hour}})
			})
		}
		if failed {
			_, err := worlds[0].report(t.Context(), 2)
			assert.NilError(t, err)
		}
		closed := make(chan error)
		go func() { closed <- worlds[0].Close() }()
		_, err := worlds[1].Exchange(t.Context(), nil)
		alike(t, []error{err}, ErrLeft, StepRun, 0, "it has left")
		_, err = worlds[1].report(t.Context(), 2)
		assert.Check(t, (err == nil) == failed, "after a failed call %v: %v", failed, err)
		worlds[1].Close()
		<-closed // rank 2 is in no call
	}
}

// BenchmarkAsk is one question of rank 1 to rank 2, through rank 0.
func BenchmarkAsk(b *testing.B) {
	worlds := running(b, options(b, 3))
	worlds[2].Answer("echo", func(_ context.Context, question []byte) ([]byte, error) { return question, nil })
	for b.Loop() {
		if _, err := worlds[1].Ask(b.Context(), 2, "echo", make([]byte, 4096)); err != nil {
			b.Fatal(err)
		}
	}
}
