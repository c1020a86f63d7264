package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/hls"
)

// batch is how many beats are given to a kernel at a time.
const batch = 64

// errStalls says that a kernel does not go on.
var errStalls = errors.New("it stalls")

// components measures kernels alone, with beats that are there already.
func (r *pluginsReport) components(ctx context.Context, d *design.Design) error {
	a, c := d.Platform.Arithmetic, d.Platform.Compression
	tdest := -1
	for _, f := range a.Functions {
		for _, t := range f.TDEST {
			if f.Name == "sum" && t.Type == "float32" {
				tdest = t.TDEST
			}
		}
	}
	if tdest < 0 {
		return fmt.Errorf("%s has no sum of float32", a.Kernel)
	}
	if err := r.component(ctx, d, a.Kernel, "sum of float32", tdest); err != nil {
		return err
	}
	for _, conv := range c.Conversions {
		if conv.From == "float32" && conv.To == "float16" {
			return r.component(ctx, d, c.Kernel, "float32 to float16", conv.TDEST)
		}
	}
	return fmt.Errorf("%s has no conversion from float32 to float16", c.Kernel)
}

func (r *pluginsReport) component(ctx context.Context, d *design.Design, kernel, operation string, tdest int) error {
	began := time.Now()
	library, err := hls.Library(ctx, d, kernel)
	if err != nil {
		return err
	}
	r.BuildSeconds += time.Since(began).Seconds()
	c, err := hls.Open(library, batch)
	if err != nil {
		return err
	}
	defer c.Close()
	in, out := make([]hls.Beat, batch), make([]hls.Beat, batch)
	for i := range in {
		in[i] = hls.Beat{Keep: ^uint64(0), Dest: uint32(tdest)}
	}
	return r.measure(kernel, operation, "component", func() error {
		for left := r.Bytes / beatBytes; left > 0; {
			n := min(left, batch)
			for i, p := range c.Ports() {
				if !p.Output && c.Put(i, in[:n]) != n {
					return fmt.Errorf("%w: %s; %s", errStalls, c.Run(), c.Progress())
				}
			}
			c.Run()
			for i, p := range c.Ports() {
				if p.Output {
					c.Get(i, out)
				}
			}
			left -= n
		}
		return nil
	})
}
