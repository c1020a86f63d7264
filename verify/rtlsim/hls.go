package rtlsim

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// component is an instance of a kernel in C++. The model numbers them in the order
// of the design.
type component struct {
	instance *design.Instance
	library  string // path
	streams  []string
}

// components builds the kernels in C++ of a design.
func components(ctx context.Context, d *design.Design) ([]component, error) {
	var list []component
	built := map[string]string{}
	for _, i := range emit.Components(d) {
		id := i.Kernel.ID
		if built[id] == "" {
			library, err := hls.Library(ctx, d, id)
			if err != nil {
				return nil, err
			}
			built[id] = library
		}
		c := component{instance: i, library: built[id]}
		for _, p := range i.Ports {
			if p.Protocol == design.AXIS {
				c.streams = append(c.streams, p.Name)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// argument is the plusarg that says where the library is.
func (c component) argument() string { return fmt.Sprintf("+hls_%s=%s", c.instance.Name, c.library) }

// kernelState is what a component does. The card's goroutine calls it.
func (c *Card) kernelState(number int) hls.State {
	own, doing := c.components[number], uint32(0)
	s := hls.State{Port: -1}
	port := int32(-1)
	c.f.KernelState(c.model, int32(number), &doing, &port, &s.Calls)
	s.Doing = hls.Doing(doing)
	if port >= 0 && int(port) < len(own.streams) {
		s.Port, s.Stream = int(port), own.streams[port]
		s.Moved = c.f.KernelBeats(c.model, int32(number), uint32(port))
	}
	if s.Doing == hls.Failed {
		text := make([]byte, 1<<12)
		s.Text = string(text[:c.f.KernelText(c.model, int32(number), &text[0], uint64(len(text)))])
	}
	return s
}

// kernelStats are those of the kernels in C++ that belong to an engine. The card's
// goroutine calls it.
func (e *Engine) kernelStats() []engine.KernelStats {
	var list []engine.KernelStats
	for n, c := range e.card.components {
		if max(c.instance.Scope, 0) != int(e.number) {
			continue
		}
		s := engine.KernelStats{Instance: c.instance.Name, Doing: e.card.kernelState(n).String()}
		for port, name := range c.streams {
			s.Streams = append(s.Streams,
				engine.StreamStats{Name: name, Beats: e.f.KernelBeats(e.model, int32(n), uint32(port))})
		}
		list = append(list, s)
	}
	return list
}

// noteKernels keeps what kernels do: of a card that has ended there is nothing else.
func (e *Engine) noteKernels() {
	s := e.kernelStats()
	e.mu.Lock()
	e.stats.Kernels = s
	e.mu.Unlock()
}

// kernelHere stands for a library of a kernel in a recording.
func kernelHere(n int) string { return fmt.Sprintf("{kernel %d}", n) }

// withoutKernels puts placeholders into arguments of a model, and tells the libraries
// that these stand for.
func withoutKernels(arguments string, list []component) (text string, libraries []string) {
	known := map[string]bool{}
	for _, c := range list {
		if !known[c.library] {
			known[c.library] = true
			arguments = strings.ReplaceAll(arguments, "="+c.library, "="+kernelHere(len(libraries)))
			libraries = append(libraries, c.library)
		}
	}
	return arguments, libraries
}

// withKernels writes libraries to files and puts their names into arguments; remove
// removes them.
func withKernels(arguments string, libraries [][]byte) (text string, remove func(), err error) {
	var names []string
	remove = func() {
		for _, name := range names {
			os.Remove(name)
		}
	}
	for n, content := range libraries {
		name, err := writeTemporary("cclforge-kernel-*.so", content)
		if err != nil {
			remove()
			return "", nil, err
		}
		names = append(names, name)
		arguments = strings.ReplaceAll(arguments, kernelHere(n), name)
	}
	return arguments, remove, nil
}
