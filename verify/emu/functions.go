package emu

import (
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu/lanes"
)

// resultLane is the compression lane of results; those of the operands are 0
// and 1.
const resultLane = 2

// conversion is what a TDEST of the compression lanes does.
type conversion struct {
	fn       lanes.Converter // nil: loops back
	from, to int             // bytes of a unit: of what is turned into each other
}

// reduction is what a TDEST of the arithmetic lane does.
type reduction struct {
	fn    lanes.Reducer // nil: operand 0 loops back
	bytes int           // of an element
}

// functions are the plugins of a platform. Tables behind them are built at
// first use.
type functions struct {
	d           *design.Design
	plugins     plugins                // lanes that are kernels in C++
	conversions map[uint32]*conversion // by lane and TDEST
	reductions  map[uint32]*reduction
}

func newFunctions(d *design.Design) *functions {
	return &functions{d: d, conversions: map[uint32]*conversion{}, reductions: map[uint32]*reduction{}}
}

// conversion of a lane; false if the platform has none with this TDEST or its
// types are not known here.
func (f *functions) conversion(lane int, tdest uint32) (*conversion, bool) {
	c := f.d.Platform.Compression
	if c == nil || lane >= c.Lanes {
		return &conversion{from: 1, to: 1}, tdest == 0
	}
	key := tdest<<2 | uint32(lane)
	if _, there := f.conversions[key]; !there {
		f.conversions[key] = f.findConversion(lane, tdest)
	}
	found := f.conversions[key]
	return found, found != nil
}

func (f *functions) findConversion(lane int, tdest uint32) *conversion {
	for _, c := range f.d.Platform.Compression.Conversions {
		if uint32(c.TDEST) != tdest {
			continue
		}
		if lane < len(f.plugins.compression) && f.plugins.compression[lane] != nil {
			return f.plugins.compression[lane].conversion(f.d, c)
		}
		if c.RatioLog != 0 {
			continue
		}
		from, okFrom := f.elementBytes(c.From)
		to, okTo := f.elementBytes(c.To)
		if fn, ok := lanes.Convert(c.From, c.To); ok && okFrom && okTo {
			return &conversion{fn, from, to}
		}
	}
	return nil
}

// reduction by TDEST; false as with conversion.
func (f *functions) reduction(tdest uint32) (*reduction, bool) {
	if f.d.Platform.Arithmetic == nil {
		return &reduction{bytes: 1}, tdest == 0
	}
	if _, there := f.reductions[tdest]; !there {
		f.reductions[tdest] = f.findReduction(tdest)
	}
	found := f.reductions[tdest]
	return found, found != nil
}

func (f *functions) findReduction(tdest uint32) *reduction {
	for _, fn := range f.d.Platform.Arithmetic.Functions {
		for _, t := range fn.TDEST {
			if uint32(t.TDEST) != tdest {
				continue
			}
			if f.plugins.arithmetic != nil {
				return f.plugins.arithmetic.reduction(f.d, t)
			}
			bytes, known := f.elementBytes(t.Type)
			if reduce, ok := lanes.Reduce(fn.Name, t.Type); ok && known {
				return &reduction{reduce, bytes}
			}
		}
	}
	return nil
}

// elementBytes is the size of a type; false if the platform and the lanes do
// not mean the same by its name.
func (f *functions) elementBytes(name string) (int, bool) {
	bytes, ok := lanes.ElementBytes(name)
	t := f.d.Platform.Type(name)
	return bytes, ok && t != nil && t.Bytes == bytes
}
