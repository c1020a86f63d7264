package design

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

// everything stands for all instances, kernels, ports or memories where debug cores
// and monitors are put (UG1702, "--debug Options", "--profile Options").
const everything = "all"

// hang stands for what the review of a hang needs of every engine: the nets that kernels name,
// and what a System ILA has slots for, the streams of calls, DMA commands and network without data.
const hang = "hang"

// checkWatched reports debug cores and monitors at what the design does not have:
// the linker would stop there, hours later.
func (e *elaboration) checkWatched() {
	var debug []platform.Setting
	for _, s := range e.p.Build.Debug {
		if s.Name == "chipscope" && s.Value == hang {
			debug = append(debug, e.hangs(s)...)
			continue
		}
		debug = append(debug, s)
		instance, port, _ := strings.Cut(s.Value, ":")
		e.checkWatchedPort(s.Range, "", instance, port)
	}
	e.p.Build.Debug = debug
	for _, s := range e.p.Build.Profile {
		parts := strings.Split(s.Value, ":")
		switch s.Name {
		case "data":
			e.checkWatchedPort(s.Range, parts[0], parts[1], parts[2])
		case "stall", "exec":
			e.checkWatchedPort(s.Range, parts[0], parts[1], "")
		case "memory":
			e.checkWatchedMemory(s.Range, s.Value)
		}
	}
}

// hangs are the ports that hang stands for. Emulation shows all nets.
func (e *elaboration) hangs(s platform.Setting) (ports []platform.Setting) {
	e.p.Build.Hang = !e.p.HWEmu
	for _, in := range e.instances {
		for _, p := range in.ports {
			_, join, _ := strings.Cut(p.join, "/") // behind the scope
			group, _, _ := strings.Cut(join, "/")
			if in.Role == roleEngine && p.Width < int(8*e.p.ABI.Constant(abi.BeatBytes).Value) &&
				slices.Contains([]string{"control", "dma", "network"}, group) {
				s.Value = in.Name + ":" + p.Name
				ports = append(ports, s)
			}
		}
	}
	return ports
}

// checkWatchedPort checks a kernel, an instance of it and a port of that; each may
// be empty or all.
func (e *elaboration) checkWatchedPort(rng hcl.Range, kernel, name, port string) {
	var kernels, instances []string
	for _, in := range e.instances {
		kernels, instances = append(kernels, in.Kernel.Name), append(instances, in.Name)
	}
	if kernel != "" && kernel != everything && !slices.Contains(kernels, kernel) {
		slices.Sort(kernels)
		e.errorf(rng, "Unknown kernel", "This platform has no kernel %q. %s", kernel,
			lang.Choices(kernel, slices.Compact(kernels)))
		return
	}
	if name == everything {
		return
	}
	in, ok := e.byName[name]
	switch {
	case !ok:
		e.errorf(rng, "Unknown instance", "This platform has no instance %q. %s", name, lang.Choices(name, instances))
	case kernel != "" && kernel != everything && in.Kernel.Name != kernel:
		e.errorf(rng, "Unknown instance", "The instance %s is one of kernel %s, not of %s.", name, in.Kernel.Name, kernel)
	case port != "" && port != everything:
		ports := lang.Names(in.Ports, func(p *Port) string { return p.Name })
		if !slices.Contains(ports, port) {
			e.errorf(rng, "Unknown port", "The instance %s of kernel %s has no port %q. %s", name, in.Kernel.ID, port,
				lang.Choices(port, ports))
		}
	}
}

func (e *elaboration) checkWatchedMemory(rng hcl.Range, value string) {
	name, _, _ := strings.Cut(value, "[")
	if name == everything {
		return
	}
	memories := lang.Names(e.p.Board.Memories, func(m platform.BoardMemory) string { return m.Name })
	if !slices.Contains(memories, name) {
		e.errorf(rng, "Unknown memory", "Board %s has no memory %q. %s", e.p.Board.Name, name, lang.Choices(name, memories))
	}
}
