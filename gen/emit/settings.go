package emit

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// platformName is the first part of every symbol of a platform.
const platformName = "platform"

// settings lists everything that a platform names, apart from its graph.
func settings(d *design.Design) ([]group, error) {
	configs, err := configGroup(d)
	if err != nil {
		return nil, err
	}
	p := d.Platform
	groups := []group{engineGroup(d), limitGroup(p), exchangeGroup(d), elementGroup(p), selectionGroup(p), configs}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.Symbols) == 0 }), nil
}

// settingsAndPorts lists what kernels need to know: the settings, and the
// widths of ports.
func settingsAndPorts(d *design.Design) ([]group, error) {
	groups, err := settings(d)
	if ports := portGroup(d); len(ports.Symbols) > 0 {
		groups = append(groups, ports)
	}
	return groups, err
}

func platformGroup(doc string, from hcl.Range) group {
	return group{Kind: plainKind, Name: platformName, Doc: doc, from: from}
}

// set adds a setting; its place in the description is the platform's.
func (g *group) set(doc string, value int, f form, path ...string) {
	g.add(g.from, doc, uint64(value), f, append([]string{platformName}, path...)...)
}

// list adds several numbers under one name, unless there are none.
func (g *group) list(doc string, values []uint64, f form, path ...string) {
	if len(values) > 0 {
		g.add(g.from, doc, 0, f, append([]string{platformName}, path...)...).List = values
	}
}

func engineGroup(d *design.Design) group {
	p := d.Platform
	g := platformGroup("What the card and its engines are.", p.Ranges.Block)
	g.set("Clock of the kernels, in MHz.", p.Clock, decimal, "clock_mhz")
	g.set("Engines on the card.", p.CCLO.Count, decimal, "cclo_count")
	g.set("What the engine answers in the hardware id word, source revision 0.", int(d.HardwareID), mask, "hardware_id")
	if f := d.ABI().Layout(abi.HardwareID).Field(abi.Stacks); f != nil {
		g.set("Network stack (enum "+abi.Stacks+").", int(f.Of(d.HardwareID)), decimal, "network_stack")
	}
	var ports []uint64
	for _, poe := range p.POEs {
		if poe.Kind != "axis" {
			ports = append(ports, uint64(poe.Port))
		}
	}
	g.list("Ethernet port of each network engine.", ports, decimal, "ethernet_ports")
	g.set("Whether the DMA engines are part of the engine.", int(oneIf(p.CCLO.DMA == "internal")), truth, "internal_dma")
	g.set("DMA engines of each engine.", p.CCLO.DMAEngines, decimal, "dma_engines")
	g.set("Whether the engines reach host memory.", int(oneIf(p.HostMemory)), truth, "host_memory")
	g.set("Whether it is built for hardware emulation.", int(oneIf(p.HWEmu)), truth, "hw_emu")
	g.set("Whether the engine can reduce.", int(oneIf(p.Arithmetic != nil)), truth, "arithmetic")
	lanes := 0
	if p.Compression != nil {
		lanes = p.Compression.Lanes
	}
	g.set("Compression lanes of each engine.", lanes, decimal, "compression_lanes")
	g.set("Events that the trace of each engine holds; 0 if it has none.", p.CCLO.Trace, decimal, "trace_depth")
	g.set("Whether each engine counts what it does.", int(oneIf(p.CCLO.Activity)), truth, "activity")
	g.set("Rx buffers of each engine.", p.CCLO.RxBuffers.Count, decimal, "rx_buffer_count")
	g.set("Size of an rx buffer.", p.CCLO.RxBuffers.Size, decimal, "rx_buffer_bytes")
	return g
}

func limitGroup(p *platform.Platform) group {
	g := platformGroup("Limits, and thresholds between algorithms.", p.Limits.Range)
	g.set("Limit of waits inside the engine, in cycles.", p.Limits.TimeoutCycles, decimal, "timeout_cycles")
	g.set("Limit of waits for a remote rank, in milliseconds.", p.Limits.RemoteTimeoutMillis, decimal,
		"remote_timeout_milliseconds")
	g.set("Largest message that is sent eagerly; 0 if the generation has no such limit.", p.Limits.MaxEagerBytes,
		decimal, "max_eager_bytes")
	g.set("Largest message that is sent by rendezvous; 0 if the generation has none.", p.Limits.MaxRendezvousBytes,
		decimal, "max_rendezvous_bytes")
	for _, t := range p.Tuning {
		g.set("Value of the tuning word "+t.Name+".", int(t.Value), decimal, abi.TuningGroup, t.Name)
	}
	return g
}

func exchangeGroup(d *design.Design) group {
	p, x := d.Platform, d.Exchange
	g := platformGroup("Exchange memory as the host fills it; offsets are the host's.", p.Capacity.Range)
	g.set("Table of rx buffers.", int(x.RxBuffers), address, "rx_table_offset")
	g.set("Communicators there is room for.", len(x.Communicators), decimal, "communicator_count")
	g.list("Each communicator.", widened(x.Communicators), address, "communicator_offsets")
	g.set("Ranks in each communicator.", p.Capacity.Ranks, decimal, "rank_count")
	g.set("Ranks for which there would be room.", x.MaxRanks, decimal, "max_ranks")
	g.set("First byte that is free.", int(x.End), address, "exchange_end")
	g.set("First byte that cannot be used.", int(x.Limit), address, "exchange_limit")
	return g
}

func elementGroup(p *platform.Platform) group {
	g := platformGroup("Element types of buffers.", p.Ranges.Block)
	for _, t := range p.Types {
		g.set(t.Doc, t.Bytes, decimal, "type", t.Name, "bytes")
	}
	return g
}

func selectionGroup(p *platform.Platform) group {
	g := platformGroup("TDESTs that select a function or conversion.", p.Ranges.Block)
	if p.Arithmetic != nil {
		for _, f := range p.Arithmetic.Functions {
			for _, t := range f.TDEST {
				g.set("", t.TDEST, decimal, "function", f.Name, t.Type, "tdest")
			}
		}
	}
	if p.Compression != nil {
		for _, conv := range p.Compression.Conversions {
			g.set("", conv.TDEST, decimal, "conversion", conv.From, conv.To, "tdest")
		}
	}
	return g
}

func configGroup(d *design.Design) (group, error) {
	g := platformGroup("Default arithmetic configurations, as words of the exchange memory.", d.Platform.Ranges.Block)
	g.set("Number of configurations.", len(d.Configs), decimal, "config_count")
	for i, config := range d.Configs {
		words, err := configWords(d.ABI(), config)
		if err != nil {
			return g, err
		}
		name := []string{"config", config.Uncompressed, config.Compressed}
		g.set("", int(d.Exchange.ArithmeticConfigs[i]), address, append(name, "offset")...)
		g.list("", widened(words), decimal, append(name, "words")...)
	}
	return g, nil
}

// configWords lists the words of an arithmetic configuration in the order of
// its table: header, then a record for each function.
func configWords(g *abi.Generation, config design.ArithmeticConfig) ([]uint32, error) {
	values := map[string]int{
		"uncompressed_bytes":  config.UncompressedBytes,
		"compressed_bytes":    config.CompressedBytes,
		"elem_ratio_log":      config.RatioLog,
		"compressor_tdest":    config.CompressorTDEST,
		"decompressor_tdest":  config.DecompressorTDEST,
		"nfunctions":          len(config.FunctionTDEST),
		"arith_is_compressed": int(oneIf(config.ArithmeticIsCompressed)),
	}
	table := g.Memory(abi.Exchange).Table(abi.ArithmeticConfigs)
	var words []uint32
	for _, w := range table.Header {
		value, known := values[w.Name]
		if !known {
			return nil, fmt.Errorf("the table %s of %s has a word %q that no default configuration has a value for",
				table.Name, g.Name, w.Name)
		}
		words = append(words, uint32(value))
	}
	for _, tdest := range config.FunctionTDEST {
		for _, w := range table.Record {
			if w.Name != "tdest" {
				return nil, fmt.Errorf("the table %s of %s has a word %q that no default configuration has a value for",
					table.Name, g.Name, w.Name)
			}
			words = append(words, uint32(tdest))
		}
	}
	return words, nil
}

// portGroup lists the widths of the kernels that are made from sources.
func portGroup(d *design.Design) group {
	g := platformGroup("Ports of the kernels made here: bits of data and of TDEST, bytes of address space.",
		d.Platform.Ranges.Block)
	for _, k := range d.Kernels() {
		if k.Source == platform.SourceXO {
			continue
		}
		for _, port := range k.Ports {
			g.set("", port.Width, decimal, "port", k.ID, port.Name, "width")
			if port.TDEST > 0 {
				g.set("", port.TDEST, decimal, "port", k.ID, port.Name, "tdest_width")
			}
			if port.Range > 0 {
				g.set("", int(port.Range), address, "port", k.ID, port.Name, "bytes")
			}
		}
	}
	return g
}

func widened(list []uint32) []uint64 {
	out := make([]uint64, len(list))
	for i, v := range list {
		out[i] = uint64(v)
	}
	return out
}
