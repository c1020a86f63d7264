package fabric_test

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
)

// BenchmarkPacket sends a packet and receives it, in one goroutine.
func BenchmarkPacket(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind.String(), func(b *testing.B) {
			_, ports := world(b, kind, 2, fabric.Options{})
			ports[0].Notify(func() {})
			ports[1].Notify(func() {})
			p := numbered(0, 4032)
			b.ReportAllocs()
			for b.Loop() {
				assert.NilError(b, ports[0].Send(1, p))
				p = ports[1].Receive()
			}
		})
	}
}

// BenchmarkStream has a goroutine at each end.
func BenchmarkStream(b *testing.B) {
	_, ports := world(b, fabric.TCP, 2, fabric.Options{})
	room, arrived := newBell(ports[0]), newBell(ports[1])
	b.ReportAllocs()
	b.ResetTimer()
	n := b.N
	go func() {
		p := numbered(0, 4032)
		for range n {
			q := *p
			for errors.Is(ports[0].Send(1, &q), fabric.ErrBusy) {
				<-room
			}
		}
	}()
	for received := 0; received < n; {
		if ports[1].Receive() == nil {
			<-arrived
			continue
		}
		received++
	}
}
