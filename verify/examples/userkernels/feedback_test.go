package userkernels_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/cclforge/cclforge/driver/accl"
)

// Gradients that are sent again and again arrive whole in the end: the kernel
// remembers what it has dropped.
func TestDroppedGradientsAreSentLater(t *testing.T) {
	const elements, steps = 1024, 40 // as many elements as the kernel has a memory for
	gradient := gradients(3)[:elements]
	run(t, "feedback", 2, func(ctx context.Context, r engine) error {
		b, err := accl.Alloc[float32](ctx, r.Engine, elements)
		if err != nil {
			return err
		}
		if r.Rank() == 0 {
			copy(b.Host(), gradient)
			for range steps {
				if _, err := r.Send(ctx, b, elements, 1, accl.Compress(top2)); err != nil {
					return err
				}
			}
			return nil
		}
		left, total := make([]float32, elements), make([]float32, elements)
		for step := range steps {
			if _, err := r.Recv(ctx, b, elements, 0, accl.Compress(top2)); err != nil {
				return err
			}
			due := make([]float32, elements)
			for i := range due {
				due[i] = gradient[i] + left[i]
			}
			sent := kept(due)
			if err := differ(fmt.Sprintf("step %d", step), b.Host(), sent); err != nil {
				return err
			}
			for i := range due {
				left[i] = due[i] - sent[i]
				total[i] += sent[i]
			}
		}
		for i := range total {
			if missing := total[i] - steps*gradient[i]; missing > steps/2 || missing < -steps/2 {
				return fmt.Errorf("element %d: %v of %v have arrived", i, total[i], steps*gradient[i])
			}
		}
		return nil
	})
}
