package rates

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/server/host"
)

// What is measured of the ways, and what it should be.
const (
	aimProtocolAllreduce = 2   // ms, of 1 KiB on four ranks, through the protocol
	aimSync              = 1   // ms, a buffer of 16 KiB to the device or back
	aimStream            = 0.5 // of what a plain Go TCP stream carries

	syncBytes   = 16 << 10
	streamBytes = 16 << 20
	bulkBytes   = 1 << 20
)

// ways are all ways, the shortest first.
var ways = []way{
	inProcess,
	{"protocol", func(ctx context.Context, d *design.Design, ranks int) (*reached, error) {
		return serve(ctx, d, ranks, host.Local, true)
	}},
	{"memory", func(ctx context.Context, d *design.Design, ranks int) (*reached, error) {
		return serve(ctx, d, ranks, host.Memory, false)
	}},
	{"sockets", func(ctx context.Context, d *design.Design, ranks int) (*reached, error) {
		return serve(ctx, d, ranks, host.Sockets, false)
	}},
	{"protocol and sockets", func(ctx context.Context, d *design.Design, ranks int) (*reached, error) {
		return serve(ctx, d, ranks, host.Sockets, true)
	}},
}

// serve starts ranks in this process whose packets, or whose host, or both,
// use sockets on the loopback address.
func serve(ctx context.Context, d *design.Design, ranks int, network host.Network, protocol bool) (*reached, error) {
	base, err := host.FreePorts(host.PortsPerRank * ranks)
	if err != nil {
		return nil, err
	}
	here, err := launch.Here(ctx, ranks)
	if err != nil {
		return nil, err
	}
	h, err := host.Start(ctx, d, host.Options{World: here, Network: network, Serve: protocol,
		Endpoints: sim.Endpoints{Port: base}})
	if err != nil {
		return nil, err
	}
	r := &reached{world: h.World(), devices: h.World().Devices(), ranks: h.Ranks(), close: h.Close}
	if !protocol {
		return r, nil
	}
	p := driverview.Of(d)
	if r.devices, err = sim.OpenWorld(ctx, &p, h.Endpoints()); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	r.close = func() error {
		var errs []error
		for _, dev := range r.devices {
			errs = append(errs, dev.Close())
		}
		return errors.Join(append(errs, h.Close())...)
	}
	return r, nil
}

// WayPoint is what a way takes on a number of ranks.
type WayPoint struct {
	Way   string `json:"way"`
	Ranks int    `json:"ranks"`
	// Calls is how many calls without data a rank makes in a second, one after
	// the other, while all others do the same.
	Calls float64 `json:"calls_per_s"`
	// Small and Bulk are allreduces of 1 KiB and 1 MiB, their data on the host:
	// copies to the device and back count.
	Small Times `json:"allreduce_1KiB"`
	Bulk  Times `json:"allreduce_1MiB"`
}

// waysOn compares the ways on a number of ranks, for some time each.
func (r *Compared) waysOn(ctx context.Context, d *design.Design, ranks int, enough time.Duration,
	progress func(string)) error {
	for _, w := range ways {
		progress(fmt.Sprintf("%s, %d ranks", w.name, ranks))
		point, err := w.measure(ctx, d, ranks, enough)
		if err != nil {
			return fmt.Errorf("measure %s on %d ranks: %w", w.name, ranks, err)
		}
		r.Ways = append(r.Ways, point)
	}
	return nil
}

func (w way) measure(ctx context.Context, d *design.Design, ranks int, enough time.Duration) (
	point WayPoint, err error) {
	g, err := w.group(ctx, d, ranks)
	if err != nil {
		return point, err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	point = WayPoint{Way: w.name, Ranks: ranks}
	if point.Calls, err = g.callRate(ctx, enough); err != nil {
		return point, err
	}
	for _, size := range []struct {
		bytes int
		to    *Times
	}{{smallAllreduce, &point.Small}, {bulkBytes, &point.Bulk}} {
		op, c := g.ofBytes("allreduce", size.bytes)
		c.FromFPGA, c.ToFPGA = false, false
		err := g.repeat(ctx, op, c, func(r *repeated) error {
			times, err := r.measure(ctx, enough)
			*size.to = summary(times, size.bytes)
			return err
		})
		if err != nil {
			return point, err
		}
	}
	return point, nil
}

// callRate has all ranks make calls for a time, and counts those of one.
func (g *group) callRate(ctx context.Context, enough time.Duration) (float64, error) {
	counts := make([]int, len(g.engines))
	start := time.Now()
	err := g.w.Each(func(i int) error {
		for ; counts[i] < fewestRuns || time.Since(start) < enough; counts[i]++ {
			if _, err := g.engines[i].Nop(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / float64(len(counts)) / time.Since(start).Seconds(), err
}

// protocolFigures repeats what there are aims for, and measures copies to the
// device and back.
func (r *Compared) protocolFigures(ctx context.Context, d *design.Design) (err error) {
	for _, p := range r.Ways {
		if p.Way == "protocol" && p.Ranks == 4 {
			r.figure("allreduce of 1 KiB, four ranks, through the protocol", p.Small.Median/1e3, "ms",
				aimProtocolAllreduce, false)
		}
	}
	g, err := ways[1].group(ctx, d, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	b, err := accl.Alloc[float32](ctx, g.engines[0], syncBytes/elementBytes)
	if err != nil {
		return err
	}
	for _, way := range []struct {
		name string
		copy func(context.Context) error
	}{{"to the device", b.SyncToDevice}, {"from the device", b.SyncFromDevice}} {
		times, err := again(ctx, way.copy)
		if err != nil {
			return err
		}
		r.figure("16 KiB "+way.name+", through the protocol", summary(times, 0).Median/1e3, "ms", aimSync, false)
	}
	return nil
}

// again does something for a time and says how long it took each time.
func again(ctx context.Context, do func(context.Context) error) ([]time.Duration, error) {
	var times []time.Duration
	for begin := time.Now(); time.Since(begin) < figureTime || len(times) < fewestRuns; {
		start := time.Now()
		if err := do(ctx); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}
