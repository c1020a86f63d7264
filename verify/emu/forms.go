package emu

import "github.com/cclforge/cclforge/verify/emu/lanes"

// lane is a conversion on the way of a move; its fn is nil if there is none.
type lane struct{ fn lanes.Converter }

// forms are the uncompressed (0) and the compressed (1) form of a move, as far as they are
// known, and the way of the result from the inner form to its own.
type forms struct {
	size         [2]int // bytes of a unit; 0 if nothing says so
	used         [2]bool
	result, wire lane
}

func form(compressed bool) int {
	if compressed {
		return 1
	}
	return 0
}

// unit is the least that is moved in a form, in bytes.
func (f *forms) unit(compressed bool) int { return max(f.size[form(compressed)], 1) }

// know takes over the size of units, or compares it with one that is known.
func (f *forms) know(compressed bool, bytes int) bool {
	size := &f.size[form(compressed)]
	if *size == 0 {
		*size = bytes
	}
	return *size == bytes
}

// reduce takes over the size of elements that are reduced, or tells whether a unit
// is whole elements.
func (f *forms) reduce(compressed bool, bytes int) bool {
	size := &f.size[form(compressed)]
	if *size == 0 {
		*size = bytes
	}
	return *size%bytes == 0
}

// setUpLanes finds the conversions and the reduction.
func (j *job) setUpLanes() (*forms, uint32) {
	e, m, f := j.e, &j.m, &j.forms
	*f = forms{}
	fits := true
	for i := range j.inputs {
		var l lane
		l, fits = j.convert(min(i, 1), m.op[i].compressed, m.inner, fits) // what is sent beside has the lane of operand 1
		j.operands[i].convert = l.fn
	}
	if m.resultKind != resultNone && m.resultKind != resultNetwork {
		f.result, fits = j.convert(resultLane, m.inner, m.result.compressed, fits)
	}
	if m.toNetwork() {
		f.wire, fits = j.convert(resultLane, m.inner, m.wire, fits)
	}
	if !fits {
		return nil, e.n.code.compression
	}
	if j.inputs >= 2 && !m.apart() {
		r, ok := e.functions.reduction(e.n.tdest.reduction.get(m.tdest))
		if !ok || r.fn != nil && !f.reduce(m.inner, r.bytes) {
			return nil, e.n.code.arithmetic
		}
		j.reduce = r
	}
	return f, 0
}

// convert finds what a lane does on the way from one form to another. Fits
// tells whether all lanes so far could be found.
func (j *job) convert(n int, from, to, fits bool) (lane, bool) {
	f, t := &j.forms, &j.e.n.tdest
	f.used[form(from)], f.used[form(to)] = true, true
	if from == to || !fits {
		return lane{}, fits
	}
	tdest := t.decompressor
	if to {
		tdest = t.compressor
	}
	c, ok := j.e.functions.conversion(n, tdest.get(j.m.tdest))
	if !ok {
		return lane{}, false
	}
	return lane{c.fn}, f.know(from, c.from) && f.know(to, c.to)
}

// setUpUnits computes how many units the move has: as many in every form that
// is used.
func (j *job) setUpUnits(f *forms) uint32 {
	m, code := &j.m, j.e.n.code.arithmetic
	if f.used[0] && f.used[1] {
		code = j.e.n.code.compression
	}
	first := true
	for _, compressed := range []bool{false, true} {
		if !f.used[form(compressed)] {
			continue
		}
		unit, bytes := uint64(f.unit(compressed)), m.form(compressed)
		if bytes%unit != 0 || !first && bytes/unit != j.units {
			j.units = 0
			return code
		}
		j.units, first = bytes/unit, false
	}
	for i := range j.inputs {
		j.operands[i].unit = f.unit(m.op[i].compressed)
	}
	j.innerUnit = f.unit(m.inner)
	j.block = segmentBytes / max(f.unit(false), f.unit(true))
	return 0
}
