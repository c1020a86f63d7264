package emu

import (
	"context"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world/engine"
)

const (
	// pluginDepth is how many beats each stream of a plugin holds: far fewer than a
	// packet has, so that streams are full and empty at times, as in hardware.
	pluginDepth = 64
	// pluginPatience is for how many times an engine's patience a plugin may compute
	// without waiting for a stream.
	pluginPatience = 10
)

// Roles of kernels, as designs call them.
const (
	arithmeticRole  = "arithmetic"
	compressionRole = "compression"
)

// plugin is a kernel in C++ on a lane of the engine. The engine's goroutine hands it
// packets, one after the other; one of its own runs it, which is left alone if it
// does not come back.
type plugin struct {
	e       *Engine
	in      *design.Instance
	library string
	code    uint32 // what a move ends with if the kernel has failed
	ports   []hls.Port
	now     *pluginRun // nil if it could not be opened
	before  []uint64   // beats by stream, of those that were opened before
	faults  int
	last    *PluginError
}

// plugins are those of an engine. Lanes of kernels in another form have none.
type plugins struct {
	arithmetic  *plugin
	compression []*plugin // by lane
	failed      uint32    // bits of the return code, of what is being computed
}

// all are the plugins that there are.
func (p *plugins) all() (list []*plugin) {
	for _, l := range append([]*plugin{p.arithmetic}, p.compression...) {
		if l != nil {
			list = append(list, l)
		}
	}
	return list
}

// openPlugins opens the kernels in C++ on the lanes of the engine, which does not run
// yet.
func (e *Engine) openPlugins(ctx context.Context) error {
	libraries := map[string]string{} // by kernel
	for _, in := range e.d.Instances {
		if in.Scope != 0 || in.Role != arithmeticRole && in.Role != compressionRole {
			continue
		}
		library := libraries[in.Kernel.ID]
		if in.Kernel.Source == platform.SourceHLS && library == "" {
			var err error
			if library, err = hls.Library(ctx, e.d, in.Kernel.ID); err != nil {
				return fmt.Errorf("emu: %s: %w", in.Name, err)
			}
			libraries[in.Kernel.ID] = library
		}
		if err := e.openPlugin(in, library); err != nil {
			return fmt.Errorf("emu: %s: %w", in.Name, err)
		}
	}
	return nil
}

// openPlugin opens the kernel on a lane, of which there is a library, or has none there.
func (e *Engine) openPlugin(in *design.Instance, library string) (err error) {
	var p *plugin
	if library != "" {
		p = &plugin{e: e, in: in, library: library, code: e.n.code.arithmetic}
		err = p.open()
	}
	lanes := &e.functions.plugins
	if in.Role == arithmeticRole {
		lanes.arithmetic = p
		return err
	}
	if p != nil {
		p.code = e.n.code.compression
	}
	lanes.compression = append(lanes.compression, p)
	return err
}

// closePlugins ends them.
func (e *Engine) closePlugins() error {
	var errs []error
	for _, p := range e.functions.plugins.all() {
		if p.now != nil {
			errs = append(errs, p.now.close())
			p.now = nil
		}
	}
	return errors.Join(errs...)
}

// pluginStats is what they have done.
func (e *Engine) pluginStats() (list []engine.KernelStats) {
	for _, p := range e.functions.plugins.all() {
		list = append(list, p.stats())
	}
	return list
}

func (p *plugin) stats() engine.KernelStats {
	out := engine.KernelStats{Instance: p.in.Name, Doing: "is closed"}
	for i, beats := range p.before {
		if p.now != nil {
			beats += p.now.c.Moved(i)
		}
		out.Streams = append(out.Streams, engine.StreamStats{Name: p.ports[i].Name, Beats: beats})
	}
	if p.now != nil {
		out.Doing = p.now.state.String()
	}
	if p.last != nil {
		out.Doing += fmt.Sprintf("; mistakes so far: %d, the last: %s", p.faults, p.last.told())
	}
	return out
}

// open opens an instance of the kernel.
func (p *plugin) open() error {
	c, err := hls.Open(p.library, pluginDepth)
	if err != nil {
		return err
	}
	r, err := newPluginRun(c, map[string]int{arithmeticRole: 2, compressionRole: 1}[p.in.Role])
	if err != nil {
		return errors.Join(err, c.Close())
	}
	p.now = r
	if p.ports == nil {
		p.ports, p.before = r.ports, make([]uint64, len(r.ports))
	}
	return nil
}

// conversion is one of the kernel's. Of the wide side, several elements make a unit.
func (p *plugin) conversion(d *design.Design, c platform.Conversion) *conversion {
	tdest := uint32(c.TDEST)
	out := &conversion{
		fn:   func(dst, src []byte) { p.pass(tdest, dst, [2][]byte{src}) },
		from: d.Platform.Type(c.From).Bytes, to: d.Platform.Type(c.To).Bytes,
	}
	if c.Widens {
		out.to <<= c.RatioLog
	} else {
		out.from <<= c.RatioLog
	}
	return out
}

// reduction is one of the kernel's.
func (p *plugin) reduction(d *design.Design, t platform.TypeTDEST) *reduction {
	tdest := uint32(t.TDEST)
	return &reduction{
		fn:    func(dst, a, b []byte) { p.pass(tdest, dst, [2][]byte{a, b}) },
		bytes: d.Platform.Type(t.Type).Bytes,
	}
}

// pass sends a packet through the kernel, from one stream of bytes for each of its
// inputs. If that fails, the kernel is opened afresh and the move ends.
func (p *plugin) pass(tdest uint32, dst []byte, in [2][]byte) {
	if p.now == nil {
		p.e.functions.plugins.failed |= p.code
		return
	}
	fault := p.now.pass(packet{tdest, dst, in}, pluginPatience*p.e.o.Patience)
	if fault == nil {
		return
	}
	p.e.functions.plugins.failed |= p.code
	p.fail(fault)
}

// fail takes note of a fault.
func (p *plugin) fail(fault *PluginError) {
	fault.Instance, fault.Kernel = p.in.Name, p.in.Kernel.Name
	p.faults++
	p.last = fault
	var err error
	if p.now.where.Load() != runLost {
		for i := range p.before {
			p.before[i] += p.now.c.Moved(i)
		}
		err = p.now.close()
	}
	p.now = nil
	err = errors.Join(err, p.open())
	if p.e.o.OnFault == nil {
		return
	}
	p.e.o.OnFault(fault)
	if err != nil {
		p.e.o.OnFault(fmt.Errorf("open %s afresh: %w", p.in.Name, err))
	}
}
