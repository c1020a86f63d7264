package coyote

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/driver/layout"
)

// Path is the path of a region's file.
func (o Options) Path(d *layout.Driver) string { return fmt.Sprintf(d.File, o.Card, o.Region) }

// Regions lists the regions that the shell's driver shows on this host, by card; none if
// it is not loaded. System is as in Options.
func Regions(d *layout.Driver, system System) ([]Options, error) {
	of := system
	if of == nil {
		of = own()
	}
	files, err := of.Files(strings.ReplaceAll(d.File, "%d", "*"))
	if err != nil {
		return nil, fmt.Errorf("list the files of the driver of the shell %s: %w", d.Shell, err)
	}
	var out []Options
	for _, file := range files {
		o := Options{System: system}
		// Sscanf takes more than Sprintf gives.
		if _, err := fmt.Sscanf(file, d.File, &o.Card, &o.Region); err == nil && o.Path(d) == file {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b Options) int {
		return cmp.Or(cmp.Compare(a.Card, b.Card), cmp.Compare(a.Region, b.Region))
	})
	return out, nil
}

// View is a region that is inspected, whatever its design is. It keeps other processes of
// this project from the region until Close, and takes nothing else of it.
type View struct{ c *Card }

// Look opens a region for inspection. The error matches ErrBusy if a process has it.
func Look(d *layout.Driver, o Options) (*View, error) {
	c, err := lock(d, o)
	if err != nil {
		return nil, err
	}
	return &View{c}, nil
}

// Built lists the parts that a shell was built with.
type Built struct {
	Regions     int  // number of regions of the card
	HostStreams bool // the shell reaches host memory
	CardStreams bool // the shell reaches card memory
	RDMA        bool
	AVX         bool // registers are written by AVX instructions
}

// Built reads the parts that the shell was built with.
func (v *View) Built(ctx context.Context) (Built, error) {
	has, err := v.c.ask(ctx, "configuration")
	return Built{
		Regions: int(has["regions"]), HostStreams: has["host_streams"] != 0, CardStreams: has["card_streams"] != 0,
		RDMA: has["rdma"] != 0, AVX: has["avx"] != 0,
	}, err
}

// Expect maps the registers of a design's kernels, if the shell can hold the design. Only
// the hardware id of its engines shows whether it does.
func (v *View) Expect(ctx context.Context, d *layout.Design) error {
	if len(d.Driver) != 1 {
		return fmt.Errorf("%w: %s is in no shell", ErrDesign, d.Platform)
	}
	v.c.design, v.c.driver = d, &d.Driver[0]
	if err := v.c.check(ctx); err != nil {
		return err
	}
	return v.c.mapped("application", &v.c.application)
}

// Address returns the addresses of the network, which are zero before a program has set
// them.
func (v *View) Address(ctx context.Context) (netip.Addr, net.HardwareAddr, error) {
	return v.c.Address(ctx)
}

// Registers returns the registers of an instance of the expected design.
func (v *View) Registers(instance string) (layout.Registers, error) {
	if v.c.application == nil {
		return nil, fmt.Errorf("%w: no design is expected on %s", ErrDesign, v.c.name)
	}
	return v.c.Registers(instance)
}

// Close releases the region.
func (v *View) Close() error { return v.c.Close() }
