// Package driverview is what the Go driver knows of a design. Generated driver
// packages print it, and tests use it without generating anything.
package driverview

import (
	"fmt"
	"slices"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
)

// unchecked are the fields of the hardware id in which engines of a platform
// may differ.
var unchecked = map[string]bool{"debug": true, "revision": true}

// Of describes a design to the driver. What the generation does not have is
// zero.
func Of(d *design.Design) accl.Platform {
	p, g := d.Platform, d.ABI()
	out := accl.Platform{
		Name: p.Name, Generation: g.Name, ClockMHz: p.Clock, Engines: p.CCLO.Count,
		KernelStream: p.CCLO.KernelStream, HostMemory: p.HostMemory, HWEmu: p.HWEmu,
		InternalDMA: p.CCLO.DMA == "internal", DMAEngines: p.CCLO.DMAEngines,
		Features: accl.Features{
			EngineSessions: g.Features["engine_sessions"],
			ConfigReady:    g.Features["config_ready"],
			Rendezvous:     g.Features["rendezvous"],
			HostOperands:   g.Features["host_operands"],
			Tuning:         g.Features["tuning"],
		},
		HardwareID:         hardwareID(d),
		Fault:              fault(g),
		Inspection:         inspection(g),
		CollectiveShape:    layoutFields(g.Layout("collective_shape")),
		Exchange:           exchange(d),
		Operations:         operations(g),
		ConfigFunctions:    codes(g, abi.ConfigFunctions),
		ReduceFunctions:    codes(g, abi.ReduceFunctions),
		Stack:              d.Stack(),
		Stacks:             codes(g, abi.Stacks),
		RxStates:           codes(g, "rx_status"),
		CompressionFlags:   flags(g, "compression_flags", 0),
		StreamFlags:        flags(g, "stream_flags", shift(g, "stream")),
		HostFlags:          flags(g, "host_flags", shift(g, "host")),
		TagAny:             uint32(constant(g, "tag_any")),
		MaxPutTag:          uint32(constant(g, "max_put_tag")),
		BeatBytes:          constant(g, abi.BeatBytes),
		MaxUDPPayloadBytes: constant(g, "max_udp_payload_bytes"),
		RxBuffers:          accl.RxBuffers{Count: p.CCLO.RxBuffers.Count, Bytes: p.CCLO.RxBuffers.Size},
		Limits: accl.Limits{
			TimeoutCycles: p.Limits.TimeoutCycles, RemoteTimeoutMilliseconds: p.Limits.RemoteTimeoutMillis,
			MaxEagerBytes: p.Limits.MaxEagerBytes, MaxRendezvousBytes: p.Limits.MaxRendezvousBytes,
			ResetMilliseconds: constant(g, "reset_milliseconds"),
		},
	}
	if p.Board != nil {
		out.Board, out.Part = p.Board.Name, p.Board.Part
	}
	if set := g.BitSet(abi.ReturnCode); set != nil {
		for _, b := range set.Bits {
			out.ReturnCodes = append(out.ReturnCodes, accl.Bit{At: b.At, Name: b.Name, Meaning: b.Doc, Internal: b.Internal})
		}
	}
	for _, poe := range p.POEs {
		out.Networks = append(out.Networks, poe.Kind)
	}
	plugins(&out, p)
	for _, c := range d.Configs {
		out.Configs = append(out.Configs, accl.ArithConfig{
			Uncompressed: accl.DType(c.Uncompressed), Compressed: accl.DType(c.Compressed),
			UncompressedBytes: c.UncompressedBytes, CompressedBytes: c.CompressedBytes, RatioLog: c.RatioLog,
			CompressorTDEST: c.CompressorTDEST, DecompressorTDEST: c.DecompressorTDEST,
			ArithmeticIsCompressed: c.ArithmeticIsCompressed, FunctionTDEST: c.FunctionTDEST,
		})
	}
	for _, t := range p.Tuning {
		out.Tuning = append(out.Tuning, accl.Setting{Name: t.Name, Value: t.Value})
	}
	return out
}

// plugins lists element types and what the plugins do with them.
func plugins(out *accl.Platform, p *platform.Platform) {
	for _, t := range p.Types {
		out.Types = append(out.Types, accl.Type{Name: accl.DType(t.Name), Bytes: t.Bytes, Align: t.Align})
	}
	if p.Arithmetic != nil {
		for _, f := range p.Arithmetic.Functions {
			for _, at := range f.TDEST {
				out.Functions = append(out.Functions, accl.Function{Name: accl.Func(f.Name), Type: accl.DType(at.Type),
					TDEST: at.TDEST})
			}
		}
	}
	if p.Compression != nil {
		out.CompressionLanes = p.Compression.Lanes
		for _, c := range p.Compression.Conversions {
			out.Conversions = append(out.Conversions, accl.Conversion{
				From: accl.DType(c.From), To: accl.DType(c.To), TDEST: c.TDEST, RatioLog: c.RatioLog, OneWay: c.OneWay,
			})
		}
	}
}

func hardwareID(d *design.Design) accl.HardwareIDWord {
	layout := d.ABI().Layout(abi.HardwareID)
	out := accl.HardwareIDWord{Value: d.HardwareID, Fields: layoutFields(layout)}
	if layout == nil {
		return out
	}
	for _, f := range layout.Fields {
		if !unchecked[f.Name] {
			out.Mask |= uint32((1<<f.Bits() - 1) << f.Low)
		}
	}
	return out
}

// fault names the words that say why a call failed, if the exchange memory has them.
func fault(g *abi.Generation) []string {
	r, m := g.Record("fault"), g.Memory(abi.Exchange)
	if r == nil || m == nil || !slices.ContainsFunc(m.Words, func(w abi.Word) bool { return w.Name == r.Name }) {
		return nil
	}
	return names(r.Words)
}

// inspection describes the words by which the hardware says how it is.
func inspection(g *abi.Generation) accl.InspectionWords {
	r := g.Record("inspection")
	if r == nil {
		return accl.InspectionWords{}
	}
	return accl.InspectionWords{
		Words: names(r.Words), Magic: uint32(constant(g, "inspection_magic")),
		Restart: uint32(constant(g, "inspection_restart")), State: layoutFields(g.Layout("inspection_state")),
		Causes: codes(g, "trap_cause"), Version: uint32(constant(g, "inspection_version")),
		Stalls: details(g, "stalls"), Stalled: uint32(constant(g, "detail_stalled")), Queues: details(g, "queues"),
		Remotes: details(g, "remotes"), Counters: details(g, "counters"),
		QueueLevel: layoutFields(g.Layout("queue_level")), RemoteWait: layoutFields(g.Layout("remote_wait")),
		Trace: accl.TraceWords{
			State: details(g, "trace"), Kind: layoutFields(g.Layout("trace_event")), Events: traceEvents(g),
			Entries: accl.DetailWords{At: uint32(constant(g, "detail_trace_events")),
				Words: details(g, "trace_entry").Words},
		},
	}
}

// traceNames are the enums and bit sets that name values in arguments of events, by field.
var traceNames = map[string]string{
	"op0": "move_operand", "op1": "move_operand", "result": "move_result", "return_code": abi.ReturnCode,
	"reasons": "network_event", "trap_cause": "trap_cause", "kind": "packet_kind",
}

// traceEvents describes the events of the trace.
func traceEvents(g *abi.Generation) (out []accl.TraceEvent) {
	for _, w := range g.Record("trace_events").Words {
		e := accl.TraceEvent{Name: w.Name, Doc: w.Doc}
		for _, f := range layoutFields(g.Layout("trace_" + w.Name)) {
			named := accl.TraceField{Field: f, Codes: codes(g, traceNames[f.Name])}
			switch set := g.BitSet(traceNames[f.Name]); {
			case f.Name == "operation":
				for _, o := range g.Operations {
					named.Codes = append(named.Codes, accl.Code{Name: o.Name, Value: o.Code})
				}
			case f.Name == "queues":
				named.Bits = true
				for q := range constant(g, "move_queues") {
					named.Codes = append(named.Codes, accl.Code{Name: fmt.Sprint(q), Value: 1 << q})
				}
			case set != nil:
				named.Bits = true
				for _, b := range set.Bits {
					named.Codes = append(named.Codes, accl.Code{Name: b.Name, Value: 1 << b.At})
				}
			}
			e.Argument = append(e.Argument, named)
		}
		out = append(out, e)
	}
	return out
}

// details describes a record behind the word detail.
func details(g *abi.Generation, record string) accl.DetailWords {
	out := accl.DetailWords{At: uint32(constant(g, "detail_"+record))}
	for _, w := range g.Record(record).Words {
		out.Words = append(out.Words, accl.DetailWord{Name: w.Name, Doc: w.Doc})
	}
	return out
}

func layoutFields(l *abi.Layout) []accl.Field {
	if l == nil {
		return nil
	}
	var out []accl.Field
	for _, f := range l.Fields {
		out = append(out, accl.Field{Name: f.Name, High: f.High, Low: f.Low})
	}
	return out
}

func exchange(d *design.Design) accl.Exchange {
	out := accl.Exchange{
		Ranks: d.Platform.Capacity.Ranks, Communicators: d.Platform.Capacity.Communicators,
		ConfigOffsets: d.Exchange.ArithmeticConfigs,
	}
	m := d.ABI().Memory(abi.Exchange)
	if m == nil {
		return out
	}
	out.Base, out.Bytes, out.Limit = m.Base, m.Size, m.TableLimit()
	for _, w := range m.Words {
		out.Words = append(out.Words, accl.Word{Name: w.Name, At: w.At, Bits: w.Width, Count: w.Count, Group: w.Group})
	}
	for _, t := range m.Tables {
		out.Tables = append(out.Tables, accl.Table{Name: t.Name, At: t.At, After: t.After, Header: names(t.Header),
			Record: names(t.Record)})
	}
	return out
}

func names(words []abi.RecordWord) []string {
	return lang.Names(words, func(w abi.RecordWord) string { return w.Name })
}

func operations(g *abi.Generation) []accl.Operation {
	var out []accl.Operation
	for _, o := range g.Operations {
		out = append(out, accl.Operation{
			Name: o.Name, Value: o.Code, Op0: use(o.Op0), Op1: use(o.Op1), Result: use(o.Res),
			Peer: accl.PeerRole(o.Peer), Reduces: o.Reduces, Collective: o.Collective(), Local: o.Local, Tagged: o.Tagged,
			InPlace:       accl.InPlace(o.InPlace),
			RepeatsResult: o.RepeatsResult, Method: o.CalledBy(abi.CallerHost),
		})
	}
	return out
}

func use(o abi.Operand) accl.OperandUse {
	return accl.OperandUse{Share: accl.Share(o.Share), At: accl.Place(o.At), Stream: o.Stream}
}

func codes(g *abi.Generation, enum string) []accl.Code {
	e := g.Enum(enum)
	if e == nil {
		return nil
	}
	var out []accl.Code
	for _, v := range e.Values {
		out = append(out, accl.Code{Name: v.Name, Value: v.Value})
	}
	return out
}

// flags are the masks of a bit set, moved to where it stands in its word.
func flags(g *abi.Generation, name string, by int) accl.OperandFlags {
	var out accl.OperandFlags
	set := g.BitSet(name)
	if set == nil {
		return out
	}
	for _, b := range set.Bits {
		mask := uint32(1) << b.At << by
		switch b.Name {
		case "op0":
			out.Op0 = mask
		case "op1":
			out.Op1 = mask
		case "res":
			out.Result = mask
		case "eth":
			out.Ethernet = mask
		}
	}
	return out
}

// shift is where a part of the call's word stream_flags begins.
func shift(g *abi.Generation, part string) int {
	if f := g.Layout("stream_word").Field(part); f != nil {
		return f.Low
	}
	return 0
}

func constant(g *abi.Generation, name string) int {
	if c := g.Constant(name); c != nil {
		return int(c.Value)
	}
	return 0
}
