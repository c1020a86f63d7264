package emu

import "github.com/cclforge/cclforge/verify/emu/lanes"

// operand hands out whole units of a source: elements, or bytes if nothing is
// computed. A unit may come in pieces, for example from two messages.
type operand struct {
	src     source
	unit    int             // bytes
	convert lanes.Converter // to the inner form, or nil
	carry   []byte          // of a unit that comes in pieces
	carried int

	// one of these is src
	memory  memorySource
	window  windowSource
	stream  streamSource
	message messageSource
}

// view is at least one and at most max units that lie together.
func (o *operand) view(max int) ([]byte, wait, uint32) {
	if o.carried == 0 {
		b, w, code := o.src.peek(max * o.unit)
		if n := len(b) - len(b)%o.unit; n > 0 {
			return b[:n], waitNone, 0
		}
		if len(b) == 0 {
			return nil, w, code
		}
	}
	if cap(o.carry) < o.unit {
		o.carry = make([]byte, o.unit)
	}
	o.carry = o.carry[:o.unit]
	for o.carried < o.unit {
		b, w, code := o.src.peek(o.unit - o.carried)
		if len(b) == 0 {
			return nil, w, code
		}
		n := copy(o.carry[o.carried:], b)
		o.carried += n
		o.src.drop(n)
	}
	return o.carry, waitNone, 0
}

// drop takes units that were viewed, by their bytes.
func (o *operand) drop(n int) {
	if o.carried > 0 {
		o.carried = 0
		return
	}
	o.src.drop(n)
}

// outlet takes whole units for a sink. A unit may go in pieces, for example
// into two segments.
type outlet struct {
	sink    sink
	unit    int             // bytes
	convert lanes.Converter // from the inner form, or nil
	spill   []byte          // a unit that goes in pieces
	spilled int             // bytes of it that are gone
	pending bool            // there is one
}

// room is where at least one and at most max units go.
func (o *outlet) room(max int) ([]byte, wait, uint32) {
	if w, code := o.flush(); w != waitNone || code != 0 {
		return nil, w, code
	}
	b, w, code := o.sink.room(max * o.unit)
	if n := len(b) - len(b)%o.unit; n > 0 {
		return b[:n], waitNone, 0
	}
	if len(b) == 0 {
		return nil, w, code
	}
	if cap(o.spill) < o.unit {
		o.spill = make([]byte, o.unit)
	}
	o.spill = o.spill[:o.unit]
	return o.spill, waitNone, 0
}

// put says that units of the room b were filled, by their bytes.
func (o *outlet) put(b []byte) (wait, uint32) {
	if len(o.spill) == o.unit && &b[0] == &o.spill[0] {
		o.pending, o.spilled = true, 0
		return o.flush()
	}
	o.sink.put(len(b))
	return waitNone, 0
}

// flush passes on the unit that goes in pieces.
func (o *outlet) flush() (wait, uint32) {
	for o.pending {
		b, w, code := o.sink.room(o.unit - o.spilled)
		if len(b) == 0 {
			return w, code
		}
		n := copy(b, o.spill[o.spilled:])
		o.sink.put(n)
		o.spilled += n
		o.pending = o.spilled < o.unit
	}
	return waitNone, 0
}

// finish is the sink's, after the last unit.
func (o *outlet) finish() (wait, uint32) {
	if w, code := o.flush(); w != waitNone || code != 0 {
		return w, code
	}
	return o.sink.finish()
}
