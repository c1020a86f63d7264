package fabric_test

import (
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Who wants segments says so; they count as many bytes as they have.
func TestSegments(t *testing.T) {
	eachKind(t, func(t *testing.T, kind fabric.Kind) {
		net, ports := world(t, kind, 3, fabric.Options{WindowBytes: 100})
		ports[1].(fabric.Segmented).TakeSegments()
		for to, want := range []bool{false, kind == fabric.TCP, false, false} {
			if got := ports[0].(fabric.Segmented).Segments(uint32(to)); got != want {
				t.Errorf("port %d takes segments: %t", to, got)
			}
		}
		if kind != fabric.TCP {
			return
		}
		send(t, ports[0], 1, &fabric.Packet{Payload: []byte{1, 2, 3}, Segment: true},
			&fabric.Packet{Payload: make([]byte, 97), Segment: true})
		send(t, ports[0], 1, &fabric.Packet{Payload: []byte{4}, Segment: true}) // the window is not passed yet
		if err := ports[0].Send(1, &fabric.Packet{Payload: []byte{5}, Segment: true}); err != fabric.ErrBusy {
			t.Errorf("behind a full window: %v", err)
		}
		for i, want := range []int{3, 97, 1} {
			if got := ports[1].Receive(); got == nil || !got.Segment || len(got.Payload) != want {
				t.Errorf("segment %d is %+v", i, got)
			}
		}
		if got := net.Stats(0, 1).Bytes; got != 101 {
			t.Errorf("%d bytes are counted", got)
		}
	})
}

// Faults leave segments what they are.
func TestImpairedSegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, inner := world(t, fabric.TCP, 2, fabric.Options{})
		c := everywhere(1, fabric.Faults{Latency: time.Second})
		port := asPorts(impaired(inner, c))[0]
		port.(fabric.Segmented).TakeSegments()
		assert.Check(t, inner[1].(fabric.Segmented).Segments(0) && !port.(fabric.Segmented).Segments(1),
			"an impaired port does not ask the one behind it")
		send(t, port, 1, &fabric.Packet{Payload: []byte{1, 2, 3}, Segment: true})
		time.Sleep(time.Second)
		synctest.Wait()
		got := inner[1].Receive()
		assert.Check(t, got != nil && got.Segment && len(got.Payload) == 3, "received %+v", got)
	})
}
