package examples_test

import (
	"context"
	"fmt"
	"log"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world"
)

// run starts n ranks of a platform, has each do something in a goroutine, and
// prints what they say, in their order.
func run(platform string, n int, do func(ctx context.Context, e *accl.Engine) (string, error), o ...accl.OpenOption) {
	ctx := context.Background()
	w, err := world.Load(ctx, platform, "", n, world.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	p, err := world.Platform(platform, "")
	if err != nil {
		log.Fatal(err)
	}
	engines, err := accl.OpenAll(ctx, w.Devices(), p, w.Ranks(), o...)
	if err != nil {
		log.Fatal(err)
	}
	said := make([]string, n)
	var ranks errgroup.Group
	for i, e := range engines {
		ranks.Go(func() (err error) {
			said[i], err = do(ctx, e)
			return err
		})
	}
	if err := ranks.Wait(); err != nil {
		log.Fatal(err)
	}
	for i, text := range said {
		if text != "" {
			fmt.Printf("rank %d: %s\n", i, text)
		}
	}
}

// numbers allocates a buffer that holds numbers.
func numbers(ctx context.Context, e *accl.Engine, values ...float32) (*accl.Buffer[float32], error) {
	b, err := accl.Alloc[float32](ctx, e, len(values))
	if err != nil {
		return nil, err
	}
	copy(b.Host(), values)
	return b, nil
}
