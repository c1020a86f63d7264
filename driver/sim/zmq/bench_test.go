package zmq_test

import (
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/driver/sim/zmq"
)

func BenchmarkRoundTrip(b *testing.B) {
	for _, bytes := range []int{64, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			address := serving(b, zmq.Rep, zmq.Limits{}, echo)
			c, err := zmq.Dial(b.Context(), address, zmq.Req, zmq.Limits{})
			check(b, err)
			defer c.Close()
			body := make([]byte, bytes)
			b.SetBytes(int64(2 * bytes))
			b.ReportAllocs()
			for b.Loop() {
				check(b, c.Send(nil, body))
				if _, err := c.Recv(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPublish(b *testing.B) {
	for _, bytes := range []int{64, 4096, 1 << 20} {
		b.Run(fmt.Sprint(bytes), func(b *testing.B) {
			l := listen(b)
			p := zmq.NewPublisher(l, zmq.Limits{}, 8<<20)
			defer p.Close()
			room := make(chan struct{}, 1)
			p.OnRoom(func() {
				select {
				case room <- struct{}{}:
				default:
				}
			})
			done := make(chan struct{})
			go func() {
				_ = zmq.Subscribe(b.Context(), l.Addr().String(), []string{"a"}, zmq.Limits{}, func(frames [][]byte) {
					if len(frames) == 3 {
						close(done)
					}
				})
			}()
			<-room
			topic, body := []byte("a"), make([]byte, bytes)
			send := func(frames ...[]byte) {
				for p.Publish(frames...) != nil {
					<-room
				}
			}
			b.SetBytes(int64(bytes))
			for b.Loop() {
				send(topic, body)
			}
			send(topic, nil, nil)
			<-done
		})
	}
}
