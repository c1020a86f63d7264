package design

import (
	"cmp"
	"slices"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/platform"
)

// configure derives the default arithmetic configurations from the TDEST maps:
// every type that can be reduced, and every pair of types that can be
// converted both ways, with arithmetic on the compressed type if there is any.
func (e *elaboration) configure() {
	size := func(name string) int {
		if t := e.p.Type(name); t != nil {
			return t.Bytes
		}
		return 0
	}
	var out []ArithmeticConfig
	for _, t := range e.p.Types {
		if tdests := e.functionTDEST(t.Name); len(tdests) > 0 {
			out = append(out, ArithmeticConfig{
				Uncompressed: t.Name, Compressed: t.Name, UncompressedBytes: t.Bytes, CompressedBytes: t.Bytes,
				FunctionTDEST: tdests,
			})
		}
	}
	if c := e.p.Compression; c != nil && c.Lanes > 0 {
		for _, forth := range c.Conversions {
			back := slices.IndexFunc(c.Conversions, func(b platform.Conversion) bool {
				return b.From == forth.To &&
					b.To == forth.From
			})
			if back < 0 || forth.Widens {
				continue
			}
			config := ArithmeticConfig{
				Uncompressed: forth.From, Compressed: forth.To,
				UncompressedBytes: size(forth.From), CompressedBytes: size(forth.To), RatioLog: forth.RatioLog,
				CompressorTDEST: forth.TDEST, DecompressorTDEST: c.Conversions[back].TDEST,
			}
			config.FunctionTDEST = e.functionTDEST(forth.To)
			config.ArithmeticIsCompressed = len(config.FunctionTDEST) > 0
			if !config.ArithmeticIsCompressed {
				config.FunctionTDEST = e.functionTDEST(forth.From)
			}
			out = append(out, config)
		}
	}
	slices.SortStableFunc(out, func(a, b ArithmeticConfig) int {
		return cmp.Or(cmp.Compare(a.Uncompressed, b.Uncompressed), cmp.Compare(a.Compressed, b.Compressed))
	})
	e.design.Configs = out
}

// functionTDEST lists the TDESTs of a type by reduction function.
func (e *elaboration) functionTDEST(typeName string) []int {
	if e.p.Arithmetic == nil {
		return nil
	}
	var out []int
	for _, f := range e.p.Arithmetic.Functions {
		for _, t := range f.TDEST {
			if t.Type == typeName {
				out = append(out, t.TDEST)
			}
		}
	}
	return out
}

// layOut fills the exchange memory as the host does and checks that all fits.
func (e *elaboration) layOut() {
	if e.p.Capacity.Ranks == 0 {
		return
	}
	m := e.p.ABI.Memory(abi.Exchange)
	rx, comms, configs := m.Table(abi.RxBuffers), m.Table(abi.Communicators), m.Table(abi.ArithmeticConfigs)
	x := &e.design.Exchange
	x.RxBuffers, x.Limit = rx.At, m.TableLimit()

	at := uint64(rx.At) + uint64(rx.HeaderBytes()) + uint64(e.p.CCLO.RxBuffers.Count)*uint64(rx.RecordBytes())
	rxEnd := at
	each := uint64(comms.HeaderBytes()) + uint64(e.p.Capacity.Ranks)*uint64(comms.RecordBytes())
	for range e.p.Capacity.Communicators {
		x.Communicators = append(x.Communicators, uint32(at))
		at += each
	}
	var configBytes uint64
	for _, c := range e.design.Configs {
		x.ArithmeticConfigs = append(x.ArithmeticConfigs, uint32(at+configBytes))
		configBytes += uint64(configs.HeaderBytes()) + uint64(len(c.FunctionTDEST))*uint64(configs.RecordBytes())
	}
	end := at + configBytes

	n := uint64(e.p.Capacity.Communicators)
	spare := int64(x.Limit) - int64(rxEnd+configBytes+n*uint64(comms.HeaderBytes()))
	if spare > 0 {
		x.MaxRanks = int(uint64(spare) / (n * uint64(comms.RecordBytes())))
	}
	if end <= uint64(x.Limit) {
		x.End = uint32(end)
		return
	}
	room := uint64(x.Limit - rx.At)
	e.errorf(e.p.Capacity.Range, "Exchange memory overflow",
		"%d rx buffers, %d communicators of %d ranks and %d arithmetic configurations take %d bytes, but %s has %d. With "+
			"these buffers and communicators %d ranks would fit; set capacity { ranks = ... } or fewer rx buffers.",
		e.p.CCLO.RxBuffers.Count, n, e.p.Capacity.Ranks, len(e.design.Configs), end-uint64(rx.At), e.p.ABI.Name,
		room, x.MaxRanks)
}
