package xrt

import (
	"maps"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
)

// Networks are models of the network kernels of a card, by the names of their instances.
// Packets of engines travel on the world's own network instead; sessions have the numbers
// that TCP stacks gave them, if these were started.
type Networks struct {
	UDP      map[string]*kernels.UDP // networklayer
	Ethernet map[string]*kernels.Ethernet
	TCP      map[string]*kernels.TCP // network_krnl
}

func onWire(w *kernels.Wire, d *design.Design) *Networks {
	n := &Networks{UDP: map[string]*kernels.UDP{}, Ethernet: map[string]*kernels.Ethernet{},
		TCP: map[string]*kernels.TCP{}}
	var unplugged []*kernels.Ethernet // of UDP stacks
	for _, in := range d.Instances {
		switch in.Kernel.Name {
		case "networklayer":
			c := w.UDP(true)
			n.UDP[in.Name] = c
			unplugged = append(unplugged, c.Ethernet)
		case "network_krnl":
			n.TCP[in.Name] = w.TCP()
		}
	}
	for _, in := range d.Instances {
		if (in.Kernel.Name == "cmac_0" || in.Kernel.Name == "cmac_1") && len(unplugged) > 0 {
			n.Ethernet[in.Name], unplugged = unplugged[0], unplugged[1:]
		}
	}
	return n
}

// tcp is the stack of an engine whose sessions the host opens; nil if there is none, or
// if engines share it.
func (n *Networks) tcp(d *design.Design, scope int) *kernels.TCP {
	var stack *kernels.TCP
	handled := false
	for _, in := range d.Instances {
		if in.Scope != scope {
			continue
		}
		switch in.Role {
		case layout.Network:
			stack = n.TCP[in.Name]
		case layout.Sessions:
			handled = true
		}
	}
	if !handled {
		return nil
	}
	return stack
}

// registers are those of the models, and others in their place.
func (n *Networks) registers(others map[string]layout.Registers) map[string]layout.Registers {
	out := map[string]layout.Registers{}
	for name, c := range n.UDP {
		out[name] = c.Registers()
	}
	for name, c := range n.Ethernet {
		out[name] = c
	}
	for name, c := range n.TCP {
		out[name] = c.Registers()
	}
	maps.Copy(out, others)
	return out
}
