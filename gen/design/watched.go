package design

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/lang"
)

// everything stands for all instances, kernels, ports or memories where debug cores
// and monitors are put (UG1702, "--debug Options", "--profile Options").
const everything = "all"

// checkWatched reports debug cores and monitors at what the design does not have:
// the linker would stop there, hours later.
func (e *elaboration) checkWatched() {
	for _, s := range e.p.Build.Debug {
		instance, port, _ := strings.Cut(s.Value, ":")
		e.checkWatchedPort(s.Range, "", instance, port)
	}
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
		var ports []string
		for _, p := range in.ports {
			ports = append(ports, p.Name)
		}
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
	var memories []string
	for _, m := range e.p.Board.Memories {
		memories = append(memories, m.Name)
	}
	if !slices.Contains(memories, name) {
		e.errorf(rng, "Unknown memory", "Board %s has no memory %q. %s", e.p.Board.Name, name, lang.Choices(name, memories))
	}
}
