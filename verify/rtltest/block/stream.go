package block

import (
	"bytes"
	"fmt"
)

// Output watches a stream that the module makes.
type Output struct {
	Bench        *Bench
	Valid, Ready string
	Fields       []string
	held         [][]byte // the fields of an offer that was not taken yet
}

// NewOutput watches a stream by the names of its ports: valid, ready, and the fields
// that must not change before they are taken.
func NewOutput(b *Bench, valid, ready string, fields ...string) *Output {
	return &Output{Bench: b, Valid: valid, Ready: ready, Fields: fields}
}

// Taken tells, after a step, whether the stream handed something over in it. An offer
// that waits must stay as it is.
func (o *Output) Taken() (bool, error) {
	b := o.Bench
	valid := b.Is(o.Valid)
	if o.held != nil {
		if !valid {
			return false, fmt.Errorf("%s falls before it was taken", o.Valid)
		}
		for i, f := range o.Fields {
			if now := b.Bytes(f); !bytes.Equal(now, o.held[i]) {
				return false, fmt.Errorf("%s changes from %X to %X before it was taken", f, o.held[i], now)
			}
		}
		o.held = nil
	}
	if !valid {
		return false, nil
	}
	if b.Is(o.Ready) {
		return true, nil
	}
	o.held = [][]byte{}
	for _, f := range o.Fields {
		o.held = append(o.held, b.Bytes(f))
	}
	return false, nil
}

// Forget is for resets: an offer that waited may disappear.
func (o *Output) Forget() { o.held = nil }

// Input gives a stream to the module. An offer stays until it is taken; without one,
// the fields are random.
type Input struct {
	Bench        *Bench
	Valid, Ready string
	Fields       []string
	offered      bool
}

// NewInput gives a stream by the names of its ports.
func NewInput(b *Bench, valid, ready string, fields ...string) *Input {
	return &Input{Bench: b, Valid: valid, Ready: ready, Fields: fields}
}

// Offered tells whether an offer waits.
func (i *Input) Offered() bool { return i.offered }

// Offer offers the fields, which are set.
func (i *Input) Offer() {
	i.offered = true
	i.Bench.Set(i.Valid, 1)
}

// Taken tells, after a step, whether the offer was taken in it.
func (i *Input) Taken() bool {
	if !i.offered || !i.Bench.Is(i.Ready) {
		return false
	}
	i.Withdraw()
	return true
}

// Withdraw withdraws the offer: for resets.
func (i *Input) Withdraw() {
	i.offered = false
	i.Bench.Set(i.Valid, 0)
}
