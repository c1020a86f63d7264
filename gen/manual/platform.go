package manual

import (
	"fmt"
	"strings"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designjson"
	"github.com/cclforge/cclforge/gen/platform"
)

// Platform is what the manual says about one platform.
type Platform struct {
	Facts          Table
	Variables      Table
	Instances      Table
	Kernels        Table
	Arguments      []Entry
	Streams        Table
	Memories       Table
	Functions      Table
	Conversions    Table
	Configurations Table
	Exchange       Table
	Room           Room
	Tuning         Table
	Limits         Table
	Shell          string // that the design is built into; "" for none
	Switched       bool   // a switch takes the place of streams between network engines
}

// Room is what the tables of the exchange memory leave free.
type Room struct {
	Free, Size             uint32 // bytes
	Ranks, MaxRanks, Comms int
}

// DescribePlatform prepares the manual of a platform.
func DescribePlatform(d *design.Design) (*Platform, error) {
	p := d.Platform
	values, err := variables(p)
	if err != nil {
		return nil, err
	}
	out := &Platform{
		Facts: facts(d), Variables: values, Instances: instances(d), Streams: streams(d), Memories: memories(d),
		Functions: functions(p), Conversions: conversions(p), Configurations: configurations(d),
		Exchange: exchangeMap(d), Tuning: tuning(p), Limits: limits(p),
		Room: Room{
			Free: d.Exchange.Limit - d.Exchange.End, Size: d.ABI().Memory(abi.Exchange).Size,
			Ranks: p.Capacity.Ranks, MaxRanks: d.Exchange.MaxRanks, Comms: p.Capacity.Communicators,
		},
	}
	if d.Shell != nil && !p.HWEmu {
		out.Shell = Text(d.Shell.Name)
	}
	out.Switched = len(p.POEs) > 0 && p.POEs[0].Kind == "axis" && p.CCLO.Count > 1
	out.Kernels, out.Arguments = kernels(d)
	return out, nil
}

func variables(p *platform.Platform) (Table, error) {
	t := newTable("Variable", "Value", "Type", "Default", "Meaning")
	values, err := designjson.Variables(p.Variables)
	if err != nil {
		return t, err
	}
	for _, v := range p.Declared {
		t.add(Code(v.Name), Code(string(values[v.Name])), Code(v.Type), Code(v.Default), Text(v.Description))
	}
	return t, nil
}

func facts(d *design.Design) Table {
	p := d.Platform
	t := newTable("", "")
	t.add("Board", Code(p.Board.Name)+" "+Text(p.Board.Doc))
	t.add("FPGA part", Code(p.Board.Part))
	t.add("Vitis platform", Code(p.Board.Shell))
	t.add("SLRs", number(p.Board.SLRs))
	t.add("Interface", fmt.Sprintf("[%s](#%s)", Text(p.ABI.Name), anchor("Interface "+p.ABI.Name)))
	t.add("Clock", fmt.Sprintf("%d MHz", p.Clock))
	t.add("Engines", number(p.CCLO.Count))
	t.add("DMA", fmt.Sprintf("%s, %d for each engine", Text(p.CCLO.DMA), p.CCLO.DMAEngines))
	if p.CCLO.Processor == platform.ProcessorMicroBlazeV {
		t.add("Control processor", "MicroBlaze V")
	}
	t.add("Rx buffers", fmt.Sprintf("%d of %d bytes for each engine", p.CCLO.RxBuffers.Count, p.CCLO.RxBuffers.Size))
	if p.CCLO.Trace > 0 {
		t.add("Trace", fmt.Sprintf("%d events for each engine", p.CCLO.Trace))
	}
	t.add("Kernel stream", Code(p.CCLO.KernelStream))
	for _, poe := range p.POEs {
		if poe.Kind == "axis" {
			t.add("Network", "switch between the engines of the card")
		} else {
			t.add("Network", fmt.Sprintf("%s on Ethernet port %d", strings.ToUpper(poe.Kind), poe.Port))
		}
	}
	t.add("Host memory", yesNo(p.HostMemory))
	t.add("Hardware emulation", yesNo(p.HWEmu))
	t.add("Hardware id", mask(d.HardwareID)+hardwareFields(d))
	return t
}

// hardwareFields spells out the fields of the hardware id that are not zero.
func hardwareFields(d *design.Design) string {
	var out strings.Builder
	for _, f := range d.ABI().Layout(abi.HardwareID).Fields {
		if v := f.Of(d.HardwareID); v != 0 {
			fmt.Fprintf(&out, ", %s %d", Code(f.Name), v)
		}
	}
	return out.String()
}

func instances(d *design.Design) Table {
	t := newTable("Instance", "Kernel", "Role", "Engine>", "SLR>")
	for _, in := range d.Instances {
		t.add(Code(in.Name), Code(in.Kernel.Name), Text(strings.ReplaceAll(in.Role, "_", " ")), index(in.Scope),
			index(in.SLR))
	}
	return t
}

// index is a dash for -1.
func index(n int) string {
	if n < 0 {
		return "–"
	}
	return number(n)
}

var sources = map[string]string{"rtl": "RTL", "hls": "HLS", "xo": "external"}

// kernels lists the kernels in use, and the arguments of those that have any.
func kernels(d *design.Design) (Table, []Entry) {
	t := newTable("Kernel", "Source", "Control", "What it is")
	var entries []Entry
	for _, k := range d.Kernels() {
		what := Text(k.Doc)
		if k.Origin != "" {
			what += " From " + Code(k.Origin) + "."
		}
		t.add(Code(k.Name), sources[k.Source], Code(k.Control), what)
		if len(k.Arguments) > 0 {
			entries = append(entries, Entry{Title: "Arguments of " + Text(k.ID), Tables: []Table{arguments(k)}})
		}
	}
	return t, entries
}

func arguments(k *design.Kernel) Table {
	t := newTable("Offset", "Name", "Bits>", "Type", "Port", "Meaning")
	for _, a := range k.Arguments {
		t.add(hex(a.At), Code(a.Name), number(a.Width), Code(a.Type), Code(a.Port), Text(a.Doc))
	}
	return t
}

func streams(d *design.Design) Table {
	t := newTable("Group", "From", "To", "Bits>", "TDEST>", "FIFO>")
	for _, s := range d.Streams {
		width := number(s.From.Width)
		if s.From.Width != s.To.Width {
			width = fmt.Sprintf("%d to %d", s.From.Width, s.To.Width)
		}
		from, to := Code(s.From.FullName()), Code(s.To.FullName())
		t.add(Text(s.Group), from, to, width, orDash(min(s.From.TDEST, s.To.TDEST)), orDash(s.Depth))
	}
	return t
}

func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return number(n)
}

func memories(d *design.Design) Table {
	t := newTable("Port", "Bits>", "Banks")
	for _, m := range d.Memories {
		t.add(Code(m.Port.FullName()), number(m.Port.Width), Code(m.Banks()))
	}
	return t
}

// functions has a row for each element type and a column for each function.
func functions(p *platform.Platform) Table {
	if p.Arithmetic == nil {
		return newTable("Type")
	}
	columns := []string{"Type"}
	for _, f := range p.Arithmetic.Functions {
		columns = append(columns, fmt.Sprintf("%s (%d)>", Code(f.Name), f.Code))
	}
	t := newTable(columns...)
	for _, typ := range p.Types {
		row, known := []string{Code(typ.Name)}, false
		for _, f := range p.Arithmetic.Functions {
			cell := "–"
			for _, x := range f.TDEST {
				if x.Type == typ.Name {
					cell, known = number(x.TDEST), true
				}
			}
			row = append(row, cell)
		}
		if known {
			t.add(row...)
		}
	}
	return t
}

func conversions(p *platform.Platform) Table {
	t := newTable("From", "To", "TDEST>")
	if p.Compression == nil || p.Compression.Lanes == 0 {
		return t
	}
	for _, c := range p.Compression.Conversions {
		to := Code(c.To)
		if c.OneWay {
			to += ", one way"
		}
		t.add(Code(c.From), to, number(c.TDEST))
	}
	return t
}

func configurations(d *design.Design) Table {
	t := newTable("Address", "Uncompressed", "Compressed", "Ratio (log2)>", "Compressor TDEST>", "Decompressor TDEST>",
		"Reduces", "Function TDESTs")
	for i, c := range d.Configs {
		form := "uncompressed"
		if c.ArithmeticIsCompressed {
			form = "compressed"
		}
		tdests := make([]string, len(c.FunctionTDEST))
		for n, tdest := range c.FunctionTDEST {
			tdests[n] = number(tdest)
		}
		if len(tdests) == 0 {
			form = "–"
		}
		t.add(hex(d.Exchange.ArithmeticConfigs[i]), typed(c.Uncompressed, c.UncompressedBytes),
			typed(c.Compressed, c.CompressedBytes),
			number(c.RatioLog), number(c.CompressorTDEST), number(c.DecompressorTDEST), form, strings.Join(tdests, ", "))
	}
	return t
}

func typed(name string, bytes int) string { return fmt.Sprintf("%s, %d B", Code(name), bytes) }

func tuning(p *platform.Platform) Table {
	t := newTable("Word", "Value>")
	for _, x := range p.Tuning {
		t.add(Code(x.Name), number(x.Value))
	}
	return t
}

func limits(p *platform.Platform) Table {
	t := newTable("Limit", "Value>", "Meaning")
	if n := p.Limits.MaxEagerBytes; n > 0 {
		t.add("Eager messages", fmt.Sprintf("%d bytes", n), "Messages up to this size are sent at once, into rx buffers.")
	}
	if n := p.Limits.MaxRendezvousBytes; n > 0 {
		t.add("Rendezvous messages", fmt.Sprintf("%d bytes", n),
			"Messages up to this size are written into the receiver's buffer.")
	}
	if n := p.Limits.TimeoutCycles; n > 0 {
		micros := float64(n) / float64(max(p.Clock, 1))
		t.add("Waits inside an engine", fmt.Sprintf("%d cycles", n), fmt.Sprintf("%.4g µs at %d MHz.", micros, p.Clock))
	}
	if n := p.Limits.RemoteTimeoutMillis; n > 0 {
		t.add("Waits for a remote rank", fmt.Sprintf("%d ms", n), "Then the call fails.")
	}
	return t
}
