package emu

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fabric"
)

const benchBytes = 16 << 20

// live runs two engines in goroutines of their own; the test drives their
// registers from within.
func live(b testing.TB, o fabric.Options) (from, to *rig) {
	net := fabric.NewNet(fabric.TCP, o)
	image := answering(b)
	rigs := make([]*rig, 2)
	for rank := range rigs {
		e, err := boot(b, b.Context(), net, rank, Options{Image: image})
		assert.NilError(b, err)
		rigs[rank] = &rig{Engine: e, t: b, rank: rank}
		e.do(func() { rigs[rank].configure(2, 16) })
	}
	return rigs[0], rigs[1]
}

// until polls an engine.
func (r *rig) until(done func() bool) {
	for {
		var is bool
		r.do(func() { is = done() })
		if is {
			return
		}
		time.Sleep(20 * time.Microsecond)
	}
}

func BenchmarkMoveMemory(b *testing.B) {
	r := newWorld(b, worldOptions{engines: 1}).rigs[0]
	r.write(0, random(1, benchBytes))
	r.set("move", "bytes", benchBytes)
	r.set64("move", "result_address", 1<<30)
	b.SetBytes(benchBytes)
	for b.Loop() {
		r.issue("op0=memory", "result=memory")
		r.run()
	}
}

func BenchmarkMoveSum(b *testing.B) {
	r := newWorld(b, worldOptions{engines: 1}).rigs[0]
	r.set("move", "bytes", benchBytes)
	r.set64("move", "op1_address", 1<<30)
	r.set64("move", "result_address", 1<<31)
	r.write(0, make([]byte, benchBytes))
	r.write(1<<30, make([]byte, benchBytes))
	b.SetBytes(benchBytes)
	for b.Loop() {
		r.issue("op0=memory", "op1=memory", "result=memory")
		r.run()
	}
}

// BenchmarkMoveRendezvous sends 16 MiB from one engine to another.
func BenchmarkMoveRendezvous(b *testing.B) {
	for _, payload := range []int{4032, 64 << 10} {
		b.Run(fmt.Sprint(payload), func(b *testing.B) {
			from, to := live(b, fabric.Options{MaxPayload: payload})
			from.write(0, random(1, benchBytes))
			from.do(func() {
				from.set("move", "destination", 1)
				from.set64("move", "remote_address", 0)
			})
			b.SetBytes(benchBytes)
			for b.Loop() {
				to.do(func() { to.open(0, 0, 0, benchBytes) })
				from.do(func() {
					from.set("move", "packet_index", 0)
					from.set("move", "bytes", benchBytes)
					from.issue("op0=memory", "result=network", "message_type=rendezvous_data")
					from.set("move", "bytes", 0)
					from.set("move", "header_count", benchBytes)
					from.issue("result=network", "message_type=rendezvous_done")
				})
				to.until(func() bool { _, done := to.window(0); return done == 1 })
			}
		})
	}
}

// BenchmarkMoveEager sends 1 MiB in segments of 4 KiB through rx buffers.
func BenchmarkMoveEager(b *testing.B) {
	from, to := live(b, fabric.Options{})
	const total = 1 << 20
	from.write(0, random(1, total))
	from.do(func() {
		from.set("move", "destination", 1)
		from.set("move", "bytes", total)
		from.set("move", "segment_bytes", 4096)
	})
	to.do(func() {
		to.set("move", "source", 0)
		to.set("move", "bytes", total)
	})
	b.SetBytes(total)
	moves := uint32(0)
	for b.Loop() {
		var wg sync.WaitGroup
		moves++
		wg.Go(func() { from.do(func() { from.issue("op0=memory", "result=network") }) })
		to.do(func() { to.issue("op0=message", "result=memory") })
		to.until(func() bool { c, _ := to.queue(0); return c == moves })
		wg.Wait()
	}
}

// BenchmarkMoveSmall is the cost of a move of 64 bytes by itself.
func BenchmarkMoveSmall(b *testing.B) {
	r := newWorld(b, worldOptions{engines: 1}).rigs[0]
	r.o.OnMove = nil
	r.set("move", "bytes", 64)
	control := r.control("op0=memory", "result=memory")
	r.set64("move", "result_address", 1<<30)
	for b.Loop() {
		r.mover.issue(control)
		r.turn()
	}
}
