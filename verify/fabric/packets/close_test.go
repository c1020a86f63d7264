package packets_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/packets"
)

// No goroutine is left of ports that are closed.
func TestClosedPortsLeaveNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		ports := openAll(t, 2, packets.Options{})
		for i := range 50 {
			send(t, ports[0], 1, message(uint32(i), make([]byte, 5000)))
		}
		receive(t, ports[1])
		ports[0].Close()
		ports[1].Close()
	}
	until(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() <= before })
}

func TestClose(t *testing.T) {
	ports := openAll(t, 2, packets.Options{WindowBytes: 8 << 10})
	var sent, released atomic.Int32
	until(t, "that the other is full", func() bool {
		err := ports[0].Send(1, freed(message(0, make([]byte, 4032)), &released))
		if err == nil {
			sent.Add(1)
		}
		return err != nil && sent.Load() > 0
	})
	var sender sync.WaitGroup
	sender.Go(func() { // as long as it can
		for {
			switch err := ports[0].Send(1, freed(message(0, nil), &released)); {
			case err == nil:
				sent.Add(1)
			case !errors.Is(err, fabric.ErrBusy):
				return
			}
		}
	})
	sender.Go(func() {
		for range 500 {
			ports[1].Receive()
			time.Sleep(10 * time.Microsecond)
		}
	})
	assert.Check(t, ports[0].Close())
	sender.Wait()
	assert.Check(t, released.Load() == sent.Load(), "%d packets were released of %d", released.Load(), sent.Load())
	assert.Check(t, ports[0].Close())
	assert.Check(t, is.ErrorIs(ports[0].Send(1, message(0, nil)), fabric.ErrClosed))
	assert.Check(t, is.ErrorIs(ports[0].Listen(1), fabric.ErrClosed))
	_, err := ports[0].Connect(t.Context(), 1, 1)
	assert.Check(t, errors.Is(err, fabric.ErrClosed), "connect: %v", err)
	p := ports[0].Receive()
	assert.Check(t, p == nil, "received %v", p)
	_, ok := ports[0].Closed()
	assert.Check(t, !ok, "a session was closed, and there are none")
}

// What an engine has sent last arrives, though its program ends.
func TestClosePublishesWhatWasSent(t *testing.T) {
	for range 10 {
		ports := openAll(t, 2, packets.Options{})
		const n = 200
		for i := range n {
			send(t, ports[0], 1, message(uint32(i), make([]byte, 1000)))
		}
		var closing sync.WaitGroup
		closing.Go(func() { ports[0].Close() })
		for i := range n {
			p := receive(t, ports[1])
			assert.Assert(t, number(p) == uint32(i), "received packet %d, want %d", number(p), i)
		}
		closing.Wait()
		ports[1].Close()
	}
}

// What the other does not take is given up after a while.
func TestCloseReleasesWhatCannotBePublished(t *testing.T) {
	t.Parallel() // it waits
	until(t, "that a rank that does not read leaves something unpublished", func() bool {
		ports := openAll(t, 2, packets.Options{WindowBytes: 8 << 10})
		released, sent := fill(t, ports[0])
		begin := time.Now()
		assert.Check(t, ports[0].Close())
		d := time.Since(begin)
		assert.Check(t, d <= 5*time.Second, "closing took %v", d)
		assert.Check(t, released.Load() == sent, "%d packets were released of %d", released.Load(), sent)
		return ports[0].Stats().Published < uint64(sent)
	})
}

func TestCloseDoesNotWaitForRanksThatHaveLeft(t *testing.T) {
	var took []time.Duration
	for len(took) < 5 { // who waits does so each time
		ports := openAll(t, 2, packets.Options{WindowBytes: 8 << 10})
		released, sent := fill(t, ports[0])
		ports[1].Close()
		begin := time.Now()
		ports[0].Close()
		took = append(took, time.Since(begin))
		if released.Load() != sent {
			t.Errorf("%d packets were released of %d", released.Load(), sent)
		}
		if took[len(took)-1] < 900*time.Millisecond {
			return
		}
	}
	t.Errorf("closing took %v", took)
}

// fill sends to rank 1, which does not read, until nothing moves any more, and
// counts the packets that are released and sent.
func fill(t *testing.T, port *packets.Port) (released *atomic.Int32, sent int32) {
	t.Helper()
	released = new(atomic.Int32)
	var still time.Time // since when nothing has moved
	gone := int32(0)
	until(t, "that the way to a rank that does not read is full", func() bool {
		err := port.Send(1, freed(message(0, make([]byte, 4032)), released))
		for ; err == nil; err = port.Send(1, freed(message(0, make([]byte, 4032)), released)) {
			sent++
			gone = -1
		}
		assert.ErrorIs(t, err, fabric.ErrBusy)
		if n := released.Load(); n != gone {
			gone, still = n, time.Now()
		}
		return sent > 0 && time.Since(still) > 100*time.Millisecond
	})
	return released, sent
}
