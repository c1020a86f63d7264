package emu

// collective is which collective a message belongs to, as its header carries it:
// all 0 outside collectives.
type collective struct{ number, count, shape uint32 }

// inside tells whether messages with a context belong to collectives.
func inside(context uint32) bool { return context&1 != 0 }

// before tells whether ranks have agreed on numbers anew since the collective. The upper half of numbers
// counts agreements, and wraps.
func (c collective) before(d collective) bool { return int16(c.number>>16-d.number>>16) < 0 }

// request is what a move, or firmware, asks for among the messages of a rank.
type request struct {
	context, tag uint32
	collective   collective
}

// answer is what a message is to a request.
type answer uint8

const (
	foreign  answer = iota // none of its communicator
	outdated               // from before an agreement: to be dropped
	mismatch               // of another collective
	wrongTag
	match
)

// answer compares a message with the request. Only requests outside collectives
// take messages of engines that know no contexts.
func (q request) answer(n *numbers, context, tag uint32, c collective) answer {
	switch {
	case context != q.context && (context != 0 || inside(q.context)):
		return foreign
	case inside(q.context) && c.before(q.collective):
		return outdated
	case inside(q.context) && c != q.collective:
		return mismatch
	case !n.tagsMeet(tag, q.tag):
		return wrongTag
	}
	return match
}

// tagsMeet tells whether a message with one tag answers a request for the other.
func (n *numbers) tagsMeet(a, b uint32) bool { return a == b || a == n.tagAny || b == n.tagAny }
