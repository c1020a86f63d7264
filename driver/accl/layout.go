package accl

import "fmt"

// layout has the places of the host's tables in the exchange memory.
type layout struct {
	slots   []slot // for communicators
	configs []uint32
	next    uint32 // first free byte
}

// slot is room for a communicator.
type slot struct {
	at    uint32
	ranks int
	used  bool
}

// plan lays out the exchange memory for a world of some ranks: as the platform reserves it
// if the ranks fit, so that kernels find configurations at the expected places, and as
// tightly as possible otherwise.
func (w *wire) plan(x *Exchange, rxBuffers, ranks int, configs []ArithConfig) (layout, error) {
	start := uint64(w.rx.at) + w.rx.bytes(rxBuffers)
	l, end := w.lay(start, max(1, x.Communicators), max(ranks, x.Ranks), configs)
	if end <= uint64(x.Limit) {
		return l, nil
	}
	l, end = w.lay(start, 1, ranks, configs)
	if end <= uint64(x.Limit) {
		return l, nil
	}
	fixed := end - uint64(ranks)*uint64(w.communicators.recordBytes())
	fit := uint64(0)
	if fixed < uint64(x.Limit) {
		fit = (uint64(x.Limit) - fixed) / uint64(w.communicators.recordBytes())
	}
	return layout{},
		fmt.Errorf(
			"%w: %d rx buffers, %d ranks and %d arithmetic configurations take %d bytes, and there are %d; %d ranks would fit",
			ErrExchangeFull, rxBuffers, ranks, len(configs), end-uint64(w.rx.at), uint64(x.Limit)-uint64(w.rx.at), fit)
}

// lay places communicators of a size and configurations one behind the other.
func (w *wire) lay(at uint64, communicators, ranks int, configs []ArithConfig) (layout, uint64) {
	var l layout
	for range communicators {
		l.slots = append(l.slots, slot{at: uint32(at), ranks: ranks})
		at += w.communicators.bytes(ranks)
	}
	for _, c := range configs {
		l.configs = append(l.configs, uint32(at))
		at += w.arithmetic.bytes(len(c.FunctionTDEST))
	}
	l.next = uint32(at)
	return l, at
}

// take finds room for a communicator.
func (l *layout) take(w *wire, x *Exchange, ranks int) (uint32, error) {
	for i := range l.slots {
		if s := &l.slots[i]; !s.used && s.ranks >= ranks {
			s.used = true
			return s.at, nil
		}
	}
	end := uint64(l.next) + w.communicators.bytes(ranks)
	if end > uint64(x.Limit) {
		return 0, fmt.Errorf("%w: a communicator of %d ranks takes %d bytes, and %d of %d are free",
			ErrExchangeFull, ranks, w.communicators.bytes(ranks), x.Limit-l.next, x.Limit-w.rx.at)
	}
	at := l.next
	l.next = uint32(end)
	return at, nil
}
