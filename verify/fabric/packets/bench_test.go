package packets_test

import (
	"errors"
	"testing"

	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/packets"
)

// One rank sends to another as fast as both can.
func BenchmarkPort(b *testing.B) {
	for name, payload := range map[string]int{"64B": 64, "4032B": 4032, "64KiB": 64 << 10} {
		b.Run(name, func(b *testing.B) {
			ports := openAll(b, 2, packets.Options{})
			wake := make(chan struct{}, 1)
			tell := func() {
				select {
				case wake <- struct{}{}:
				default:
				}
			}
			ports[0].Notify(tell)
			ports[1].Notify(tell)
			data := noise(1, payload)
			b.SetBytes(int64(payload))
			b.ReportAllocs()
			for sent, received := 0, 0; received < b.N; {
				busy := true
				if sent < b.N {
					err := ports[0].Send(1, message(uint32(sent), data))
					if err == nil {
						sent++
						busy = false
					} else if !errors.Is(err, fabric.ErrBusy) {
						b.Fatal(err)
					}
				}
				for ports[1].Receive() != nil {
					received++
					busy = false
				}
				if busy {
					<-wake
				}
			}
		})
	}
}
