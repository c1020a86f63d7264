package pins

import (
	"errors"
	"fmt"
)

// Page is a register page: the pins of its request and response.
type Page struct{ Request, Response string }

// PageIn and PageOut are the widths of these pins.
const (
	PageIn  = 1 + 1 + 8 + 32
	PageOut = 1 + 1 + 32
)

// ErrRegister says that there is no such register, or not this way.
var ErrRegister = errors.New("no such register")

// Start begins an access; the offset is that in the page.
func (b *Bench) Start(p Page, write bool, offset, data uint32) {
	w := uint64(0)
	if write {
		w = 1
	}
	b.Pack(p.Request, Field{1, 1}, Field{1, w}, Field{8, uint64(offset)}, Field{32, uint64(data)})
}

// Ended tells whether the access has ended in the last cycle, and ends it.
func (b *Bench) Ended(p Page) (data uint32, ended bool, err error) {
	v := b.Unpack(p.Response, 1, 1, 32)
	if v[0] == 0 {
		return 0, false, nil
	}
	b.Set(p.Request, 0)
	if v[1] != 0 {
		err = ErrRegister
	}
	return uint32(v[2]), true, err
}

// Access makes an access and runs step, which runs a cycle, until its end.
func (b *Bench) Access(p Page, step func(), write bool, offset, data uint32) (uint32, error) {
	b.Start(p, write, offset, data)
	for range 10000 {
		step()
		if v, ended, err := b.Ended(p); ended {
			return v, err
		}
	}
	return 0, fmt.Errorf("an access to offset 0x%X does not end", offset)
}

// Rhythm says when a stream is active, at random, with stretches of nothing and
// of full rate between.
type Rhythm struct {
	Random func(n int) int
	Pauses int // of 256 cycles
	left   int
	now    int
}

// Next tells whether the stream is active in the next cycle.
func (r *Rhythm) Next() bool {
	if r.Pauses == 0 {
		return true
	}
	if r.left == 0 {
		r.left = 1 + r.Random(32)
		r.now = []int{0, r.Pauses, r.Pauses, 256}[r.Random(4)]
	}
	r.left--
	return r.Random(256) >= r.now
}
