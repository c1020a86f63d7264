package xrt_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	driver "github.com/cclforge/cclforge/driver/xrt"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// program is what a rank does on a card, with everything that the driver has: loading,
// buffers of all kinds, calls, a kernel.
func program(ctx context.Context, h *xrt.Host, p *accl.Platform, d *layout.Design, o driver.Options) (err error) {
	o.Xclbin, o.Library = h.Xclbin, h.Dir()
	c, err := driver.Open(ctx, d, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	dev, err := c.Engine(ctx, p, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	e, err := accl.Open(ctx, dev, p, h.Ranks(), 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close(ctx)) }()
	return ranktest.Combine(ctx, e, nil, []accl.AllocOption{accl.HostOnly()}, []accl.AllocOption{accl.PeerToPeer()})
}

// TestFailures has each call that a program makes of XRT fail, one after the other: the
// program ends with an error that says what failed, or does not need what did, and XRT
// gets everything back that it still takes.
func TestFailures(t *testing.T) {
	d := designtest.Load(t, "u55c_udp", map[string]cty.Value{"host_memory": cty.True})
	p := driverview.Of(d)
	lies, err := driverview.Card(d)
	assert.NilError(t, err)
	for name, o := range map[string]struct {
		empty bool
		driver.Options
	}{
		"loaded by index": {true, driver.Options{}},
		"attached by BDF": {false, driver.Options{Card: "0000:17:00.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(t *testing.T, prepare func(*xrt.Host)) (*xrt.Host, error) {
				h := xrt.Start(t, d, 1, xrt.HostOptions{Empty: o.empty})
				prepare(h)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				return h, program(ctx, h, &p, &lies, o.Options)
			}
			h, err := run(t, func(*xrt.Host) {})
			assert.NilError(t, err)
			xrt.Returned(t, h)
			counts := map[string]int{}
			for _, call := range h.Calls() {
				counts[call.Function] += call.Times
			}
			for function, count := range counts {
				for _, nth := range ranktest.Some(count) {
					t.Run(fmt.Sprint(function, "/", nth), func(t *testing.T) {
						h, err := run(t, func(h *xrt.Host) {
							assert.NilError(t, h.Fail(function, nth, syscall.EIO))
						})
						// XRT keeps what it has refused to take back, and that alone.
						if held := h.Leaks(); len(held) > 0 && (len(held) > 1 || !ends[function]) {
							t.Errorf("not given back: %v", held)
						}
						failed := func(c xrt.Call) bool { return c.Err == syscall.EIO }
						switch {
						case !slices.ContainsFunc(h.Calls(), failed):
							t.Skip("so many registers were not read this time")
						case slices.ContainsFunc(h.Calls(), func(c xrt.Call) bool {
							return failed(c) &&
								slices.Contains(c.Arguments, performanceCounter)
						}):
							if err != nil { // Request.Cycles says that it does not know
								t.Error(err)
							}
						case function == "xrtDeviceGetXclbinUUID":
							if err != nil { // the file is loaded then, whatever was there
								t.Error(err)
							}
						case function == "xclProbe":
							assert.Check(t, errors.Is(err, driver.ErrNoCard) || err == nil, "%v", err)
						case err == nil:
							t.Error("nobody has noticed")
						case !errors.Is(err, driver.ErrRefused) || !strings.Contains(err.Error(), function):
							t.Errorf("the error does not say what failed: %v", err)
						}
					})
				}
			}
			for _, function := range []string{"xclProbe", "xrtDeviceToXclDevice", "xrtBOAlloc", "xrtBOMap", "xrtBOAddress",
				"xrtBOSync", "xrtBOFree",
				"xclIPName2Index", "xclOpenContext", "xclCloseContext", "xclRegRead", "xclRegWrite", "xrtDeviceGetXclbinUUID",
				"xrtDeviceClose"} {
				assert.Check(t, counts[function] != 0, "%s was not tried", function)
			}
		})
	}
}

// performanceCounter is a register whose value a program can do without.
const performanceCounter = 0x1FF0

// ends are functions by which the driver gives things back when nothing comes after.
var ends = map[string]bool{"xclCloseContext": true, "xrtDeviceClose": true}
