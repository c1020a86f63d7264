package emu

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cclforge/cclforge/verify/hls"
)

// Where the goroutine of a plugin is.
const (
	runOutside int32 = iota
	runInside        // in the kernel
	runLost          // in the kernel, and nobody waits for it any more
)

// pluginRun is an opened instance of a kernel, and the goroutine that runs it.
type pluginRun struct {
	c       *hls.Component
	ports   []hls.Port
	inputs  []int // their ports
	output  int
	state   hls.State
	given   []uint64   // beats by port that all packets before have had
	beats   []hls.Beat // on their way
	packets chan packet
	faults  chan *PluginError // an answer to each packet
	limit   *time.Timer
	where   atomic.Int32
	steps   atomic.Uint64 // how often the kernel has come back
}

// packet is what goes through a plugin at a time.
type packet struct {
	tdest uint32
	dst   []byte
	in    [2][]byte
}

// newPluginRun runs a component that has some streams in and one out.
func newPluginRun(c *hls.Component, inputs int) (*pluginRun, error) {
	r := &pluginRun{
		c: c, ports: c.Ports(), output: -1, given: make([]uint64, len(c.Ports())), beats: make([]hls.Beat, pluginDepth),
		packets: make(chan packet), faults: make(chan *PluginError, 1), limit: time.NewTimer(time.Hour),
	}
	r.limit.Stop()
	outputs := 0
	for i, port := range r.ports {
		if port.Width != 8*beatBytes {
			return nil, fmt.Errorf("the stream %s is %d bits wide, and the engine's %d", port.Name, port.Width, 8*beatBytes)
		}
		if port.Output {
			r.output = i
			outputs++
			continue
		}
		r.inputs = append(r.inputs, i)
	}
	if outputs != 1 || len(r.inputs) != inputs {
		return nil, fmt.Errorf("the kernel has %d streams in and %d out, where %d and 1 are expected", len(r.inputs),
			outputs, inputs)
	}
	go r.serve()
	return r, nil
}

// serve drives packets until there will be none any more.
func (r *pluginRun) serve() {
	for p := range r.packets {
		fault := r.drive(p)
		if r.where.Load() == runLost {
			r.c.Close()
			return
		}
		r.faults <- fault
	}
}

// run runs the kernel; false if nobody waits for it any more.
func (r *pluginRun) run() bool {
	r.where.Store(runInside)
	r.state = r.c.Run()
	r.steps.Add(1)
	return r.where.CompareAndSwap(runInside, runOutside)
}

// pass has the goroutine drive a packet. A kernel that does not come back for some
// time is left where it is.
func (r *pluginRun) pass(p packet, patience time.Duration) *PluginError {
	r.packets <- p
	steps := r.steps.Load()
	for {
		r.limit.Reset(patience)
		select {
		case fault := <-r.faults:
			r.limit.Stop()
			return fault
		case <-r.limit.C:
		}
		if now := r.steps.Load(); now != steps {
			steps = now
			continue
		}
		if r.where.CompareAndSwap(runInside, runLost) {
			return &PluginError{
				Stream: r.ports[r.output].Name, Beat: 1,
				Does:    fmt.Sprintf("has computed for %v without waiting for a stream", patience),
				Expects: "waits for a packet of " + beatsIn(len(p.dst)),
			}
		}
	}
}

// close ends the goroutine, which has no packet, and the kernel.
func (r *pluginRun) close() error {
	close(r.packets)
	return r.c.Close()
}
