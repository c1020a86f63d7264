package external_dma

import "strings"

// ports says what a module calls a port of a channel or of AXI4.
type ports func(string) string

// kernel are names of a channel (mm2s or s2mm) at the kernels around the data
// mover; its stream is a slave or a master.
func kernel(channel, stream string) ports {
	return func(port string) string {
		of, what, _ := strings.Cut(port, "_")
		if what == "memory" {
			what = "dest"
		}
		switch of {
		case "command":
			return "s_axis_" + channel + "_cmd_t" + what
		case "stream":
			return stream + "_axis_" + channel + "_t" + what
		case "status":
			return "m_axis_" + channel + "_sts_t" + what
		}
		return port
	}
}

// axi4 are the names of a memory's port.
func axi4(memory string) ports {
	short := strings.NewReplacer("address", "addr", "length", "len", "response", "resp", "strobes", "strb")
	return func(port string) string {
		of, what, _ := strings.Cut(port, "_")
		return "m_axi_" + memory + "_" + of + short.Replace(what)
	}
}

// control are the names of the registers' port.
func control(port string) string { return "s_axi_control_" + port }

// all are names of several ports.
func (p ports) all(names ...string) []string {
	var named []string
	for _, n := range names {
		named = append(named, p(n))
	}
	return named
}
