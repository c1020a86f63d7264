package driverview

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/platform"
)

// ErrGeneration says that a platform was made with another description of its
// interface generation.
var ErrGeneration = errors.New("the interface generation differs")

// Design is the other way round: as much of a design as its driver knows of it,
// which is what an engine does, but not how the card is linked. Its graph is
// empty. Programs that only have a generated driver package emulate its platform
// with it.
func Design(p *accl.Platform, g *abi.Generation) (*design.Design, error) {
	in := &platform.Platform{
		Name: p.Name, Clock: p.ClockMHz, ABI: g, HostMemory: p.HostMemory, HWEmu: p.HWEmu,
		Board: &platform.Board{Name: p.Board, Part: p.Part},
		CCLO: platform.CCLO{
			Count: p.Engines, DMA: "external", DMAEngines: p.DMAEngines, KernelStream: p.KernelStream,
			RxBuffers: platform.RxBuffers{Count: p.RxBuffers.Count, Size: p.RxBuffers.Bytes},
		},
		Capacity: platform.Capacity{Ranks: p.Exchange.Ranks, Communicators: p.Exchange.Communicators},
		Limits: platform.Limits{
			MaxEagerBytes: p.Limits.MaxEagerBytes, MaxRendezvousBytes: p.Limits.MaxRendezvousBytes,
			TimeoutCycles: p.Limits.TimeoutCycles, RemoteTimeoutMillis: p.Limits.RemoteTimeoutMilliseconds,
		},
	}
	if p.InternalDMA {
		in.CCLO.DMA = "internal"
	}
	for _, kind := range p.Networks {
		in.POEs = append(in.POEs, platform.POE{Kind: kind})
	}
	for _, t := range p.Types {
		in.Types = append(in.Types, abi.Type{Name: string(t.Name), Bytes: t.Bytes, Align: t.Align})
	}
	for _, t := range p.Tuning {
		in.Tuning = append(in.Tuning, platform.Tuning{Name: t.Name, Value: t.Value})
	}
	in.Arithmetic = functions(p, g)
	in.Compression = conversions(p)
	d := &design.Design{Platform: in, HardwareID: p.HardwareID.Value}
	d.Exchange.ArithmeticConfigs = p.Exchange.ConfigOffsets
	for _, c := range p.Configs {
		d.Configs = append(d.Configs, design.ArithmeticConfig{
			Uncompressed: string(c.Uncompressed), Compressed: string(c.Compressed),
			UncompressedBytes: c.UncompressedBytes, CompressedBytes: c.CompressedBytes, RatioLog: c.RatioLog,
			CompressorTDEST: c.CompressorTDEST, DecompressorTDEST: c.DecompressorTDEST,
			ArithmeticIsCompressed: c.ArithmeticIsCompressed, FunctionTDEST: c.FunctionTDEST,
		})
	}
	if seen := Of(d); !reflect.DeepEqual(seen, *p) {
		return nil, fmt.Errorf("%w: %s was made with another %s than this one; generate it again", ErrGeneration,
			p.Name, p.Generation)
	}
	return d, nil
}

// functions are the arithmetic plugin, nil if there is none.
func functions(p *accl.Platform, g *abi.Generation) *platform.Arithmetic {
	if len(p.Functions) == 0 {
		return nil
	}
	out := &platform.Arithmetic{}
	for _, f := range p.Functions {
		at := platform.TypeTDEST{Type: string(f.Type), TDEST: f.TDEST}
		if n := len(out.Functions); n > 0 && out.Functions[n-1].Name == string(f.Name) {
			out.Functions[n-1].TDEST = append(out.Functions[n-1].TDEST, at)
			continue
		}
		made := platform.Function{Name: string(f.Name), TDEST: []platform.TypeTDEST{at}}
		if e := g.Enum(abi.ReduceFunctions); e != nil {
			if code := e.Value(string(f.Name)); code != nil {
				made.Code = code.Value
			}
		}
		out.Functions = append(out.Functions, made)
	}
	return out
}

// conversions are the compression plugin, nil if there is none.
func conversions(p *accl.Platform) *platform.Compression {
	if p.CompressionLanes == 0 && len(p.Conversions) == 0 {
		return nil
	}
	out := &platform.Compression{Lanes: p.CompressionLanes}
	for _, c := range p.Conversions {
		out.Conversions = append(out.Conversions, platform.Conversion{
			From: string(c.From), To: string(c.To), TDEST: c.TDEST, RatioLog: c.RatioLog, OneWay: c.OneWay,
		})
	}
	return out
}
