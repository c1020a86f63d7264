package examples_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world"
)

// alone opens the engine of an emulated world of one rank, until its end.
func alone(ctx context.Context, o ...accl.OpenOption) (e *accl.Engine, end func() error) {
	w, err := world.Load(ctx, "u55c_tcp", "", 1, world.Options{})
	if err != nil {
		log.Fatal(err)
	}
	platform, err := world.Platform("u55c_tcp", "")
	if err == nil {
		e, err = accl.Open(ctx, w.Device(0), platform, w.Ranks(), 0, o...)
	}
	if err != nil {
		log.Fatal(err)
	}
	return e, w.Close
}

// Copies of one element, 1 KiB and a full rx buffer: between host memory, where
// operands are copied to the card before and results to the host after, and in
// card memory. How long they take prints go tool mage figures.
func Example_copyHostAndCard() {
	const rxbufSize = 16 * 1024
	ctx := context.Background()
	e, end := alone(ctx, accl.WithRxBuffers(16, rxbufSize))
	defer end()
	op0, err := accl.Alloc[float32](ctx, e, rxbufSize)
	if err != nil {
		log.Fatal(err)
	}
	res, err := accl.Alloc[float32](ctx, e, rxbufSize)
	if err != nil {
		log.Fatal(err)
	}
	for i := range op0.Host() {
		op0.Host()[i] = 1.0 * float32(i+1)
	}

	for _, count := range []int{1, 1024 / 4, rxbufSize / 4} {
		clear(res.Host())
		if _, err := e.Copy(ctx, op0, res, count); err != nil {
			log.Fatal(err)
		}
		host := res.Host()[count-1]

		clear(res.Host())
		if err := res.SyncToDevice(ctx); err != nil {
			log.Fatal(err)
		}
		if _, err := e.Copy(ctx, op0, res, count, accl.FromFPGA(), accl.ToFPGA()); err != nil {
			log.Fatal(err)
		}
		before := res.Host()[count-1]
		if err := res.SyncFromDevice(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d elements: the last is %v; on the card, %v here and %v after a sync\n", count, host,
			before, res.Host()[count-1])
	}
	// Output:
	// 1 elements: the last is 1; on the card, 0 here and 1 after a sync
	// 256 elements: the last is 256; on the card, 0 here and 256 after a sync
	// 4096 elements: the last is 4096; on the card, 0 here and 4096 after a sync
}

// The type of the elements does not matter, only their size in bytes: n float32
// and 2n float16 are the same amount of work for the engine.
func Example_copyTypes() {
	const rxbufSize = 16 * 1024
	ctx := context.Background()
	e, end := alone(ctx)
	defer end()
	op32, err := accl.Alloc[float32](ctx, e, rxbufSize/4)
	if err != nil {
		log.Fatal(err)
	}
	op16, err := accl.Alloc[accl.Float16](ctx, e, rxbufSize/2)
	if err != nil {
		log.Fatal(err)
	}
	res32, err := accl.Alloc[float32](ctx, e, rxbufSize/4)
	if err != nil {
		log.Fatal(err)
	}
	res16, err := accl.Alloc[accl.Float16](ctx, e, rxbufSize/2)
	if err != nil {
		log.Fatal(err)
	}
	for i := range op32.Host() {
		op32.Host()[i] = float32(i)
	}
	for i := range op16.Host() {
		op16.Host()[i] = accl.ToFloat16(float32(i%2048) / 4)
	}
	for _, bytes := range []int{4, 1024, rxbufSize} {
		if _, err := e.Copy(ctx, op32, res32, bytes/4); err != nil {
			log.Fatal(err)
		}
		if _, err := e.Copy(ctx, op16, res16, bytes/2); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d bytes: %d of %s end in %v, %d of %s in %v\n", bytes,
			bytes/4, res32.DType(), res32.Host()[bytes/4-1], bytes/2, res16.DType(), res16.Host()[bytes/2-1])
	}
	// Output:
	// 4 bytes: 1 of float32 end in 0, 2 of float16 in 0.25
	// 1024 bytes: 256 of float32 end in 255, 512 of float16 in 127.75
	// 16384 bytes: 4096 of float32 end in 4095, 8192 of float16 in 511.75
}

// An asynchronous copy runs in the engine while the host does work of its own.
func Example_overlap() {
	const rxbufSize = 16 * 1024
	ctx := context.Background()
	e, end := alone(ctx)
	defer end()
	op0, err := accl.Alloc[float32](ctx, e, rxbufSize)
	if err != nil {
		log.Fatal(err)
	}
	res, err := accl.Alloc[float32](ctx, e, rxbufSize)
	if err != nil {
		log.Fatal(err)
	}
	for i := range op0.Host() {
		op0.Host()[i] = 1.0 * float32(i)
	}
	if err := op0.SyncToDevice(ctx); err != nil {
		log.Fatal(err)
	}

	for _, count := range []int{1, 1024 / 4, rxbufSize / 4} {
		handle, err := e.Copy(ctx, op0, res, count, accl.FromFPGA(), accl.ToFPGA(), accl.Async())
		if err != nil {
			log.Fatal(err)
		}
		work := 0 // on the host
		for i := range 100_000 {
			work += i
		}
		if err := handle.Wait(ctx); err != nil {
			log.Fatal(err)
		}
		if err := res.SyncFromDevice(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("copied %d elements, the last is %v; counted to %d meanwhile\n", count, res.Host()[count-1], work)
	}
	// Output:
	// copied 1 elements, the last is 0; counted to 4999950000 meanwhile
	// copied 256 elements, the last is 255; counted to 4999950000 meanwhile
	// copied 4096 elements, the last is 4095; counted to 4999950000 meanwhile
}
