package emu

// move moves units that lie together: from the operands through conversion
// and reduction to the result. It returns how many.
func (j *job) move() (n int, w wait, code uint32) {
	n = int(min(uint64(j.block), j.units))
	var in [3][]byte
	var out [3][]byte
	for i := range j.inputs {
		o := &j.operands[i]
		if in[i], w, code = o.view(n); len(in[i]) == 0 {
			return 0, w, code
		}
		n = min(n, len(in[i])/o.unit)
	}
	for i := range j.outputs {
		o := &j.outlets[i]
		if out[i], w, code = o.room(n); len(out[i]) == 0 {
			return 0, w, code
		}
		n = min(n, len(out[i])/o.unit)
	}
	for i := range j.outputs {
		out[i] = out[i][:n*j.outlets[i].unit]
	}
	j.slice(n)
	if j.outputs > 0 {
		j.compute(n, &in, out[:j.outputs])
		if code = j.e.functions.plugins.failed; code != 0 {
			j.e.functions.plugins.failed = 0
			return 0, waitNone, code
		}
	}
	for i := range j.inputs {
		j.operands[i].drop(n * j.operands[i].unit)
	}
	if j.lender.net != nil {
		j.lender.ready += uint64(n * j.innerUnit)
	}
	for i := range j.outputs {
		if w, code = j.outlets[i].put(out[i]); code != 0 {
			return n, w, code
		}
	}
	return n, waitNone, 0
}

// compute fills out from in, n units each. What needs no conversion on its way
// out is computed in place.
func (j *job) compute(n int, in *[3][]byte, out [][]byte) {
	var target []byte
	met := 0 // the first output of what is computed
	if j.m.apart() {
		if c := j.operands[1].convert; c != nil {
			c(out[0], in[1][:n*j.operands[1].unit])
		} else {
			copy(out[0], in[1])
		}
		if met = 1; met == len(out) {
			return
		}
	}
	if j.m.beside() && len(out) == 2 { // else the memory is lent
		if c := j.operands[2].convert; c != nil {
			c(out[1], in[2][:n*j.operands[2].unit])
		} else {
			copy(out[1], in[2])
		}
		out = out[:1]
	}
	for i := met; i < len(out); i++ {
		if j.outlets[i].convert == nil && target == nil {
			target = out[i]
		}
	}
	inner := in[0][:n*j.operands[0].unit]
	if j.reduce != nil {
		inner = j.reduced(n, in, target)
	} else if c := j.operands[0].convert; c != nil {
		if target == nil {
			target = j.e.scratch(0, n*j.innerUnit)
		}
		c(target, inner)
		inner = target
	}
	for i := met; i < len(out); i++ {
		switch c := j.outlets[i].convert; {
		case c != nil:
			c(out[i], inner)
		case &out[i][0] != &inner[0]:
			copy(out[i], inner)
		}
	}
}

// reduced is the reduction of both operands, in target if that is not nil.
func (j *job) reduced(n int, in *[3][]byte, target []byte) []byte {
	var inner [2][]byte
	for i := range inner {
		o := &j.operands[i]
		inner[i] = in[i][:n*o.unit]
		if o.convert != nil {
			converted := j.e.scratch(i, n*j.innerUnit)
			o.convert(converted, inner[i])
			inner[i] = converted
		}
	}
	if j.reduce.fn == nil {
		return inner[0] // looped back
	}
	if target == nil {
		target = j.e.scratch(resultLane, n*j.innerUnit)
	}
	j.reduce.fn(target, inner[0], inner[1])
	return target
}

// scratch is memory for one step of a pipeline.
func (e *Engine) scratch(lane, n int) []byte {
	if cap(e.scratches[lane]) < n {
		e.scratches[lane] = make([]byte, max(n, segmentBytes))
	}
	return e.scratches[lane][:n]
}
