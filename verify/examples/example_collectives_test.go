package examples_test

import (
	"context"
	"fmt"
	"log"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world"
)

// Four instances in one process: a goroutine each runs an allreduce of 1000
// floats, and every result is compared with the sum of all operands.
func Example_collectives() {
	const (
		worldSize = 4
		rxbufSize = 16 * 1024
		count     = 1000
	)
	// Initialize the instances.
	ctx := context.Background()
	w, err := world.Load(ctx, "u280_axis3x", "", worldSize, world.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	platform, err := world.Platform("u280_axis3x", "")
	if err != nil {
		log.Fatal(err)
	}
	instances, err := accl.OpenAll(ctx, w.Devices(), platform, w.Ranks(), accl.WithRxBuffers(16, rxbufSize))
	if err != nil {
		log.Fatal(err)
	}

	// Create buffers in the memory of each, and paint the operands.
	var op0, res [worldSize]*accl.Buffer[float32]
	for n, instance := range instances {
		if op0[n], err = accl.Alloc[float32](ctx, instance, count); err != nil {
			log.Fatal(err)
		}
		if res[n], err = accl.Alloc[float32](ctx, instance, count); err != nil {
			log.Fatal(err)
		}
		for i := range op0[n].Host() {
			op0[n].Host()[i] = 1.0 * float32(i)
		}
	}

	// Run the allreduce on all of them in parallel.
	var goroutines errgroup.Group
	for n, instance := range instances {
		goroutines.Go(func() error {
			_, err := instance.AllReduce(ctx, op0[n], res[n], count, accl.Sum)
			return err
		})
	}
	if err := goroutines.Wait(); err != nil {
		log.Fatal(err)
	}

	// Check the results.
	for n := range instances {
		right := 0
		for i, got := range res[n].Host() {
			var sum float32
			for _, operand := range op0 {
				sum += operand.Host()[i]
			}
			if got == sum {
				right++
			}
		}
		fmt.Printf("instance %d: %d of %d elements are the sum, the last is %v\n", n, right, count, res[n].Host()[count-1])
	}

	// De-initialize the instances.
	for _, instance := range instances {
		if err := instance.Close(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// instance 0: 1000 of 1000 elements are the sum, the last is 3996
	// instance 1: 1000 of 1000 elements are the sum, the last is 3996
	// instance 2: 1000 of 1000 elements are the sum, the last is 3996
	// instance 3: 1000 of 1000 elements are the sum, the last is 3996
}
