package emu

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/hls"
)

// closePatience is how long the end of an engine waits for a kernel that computes.
const closePatience = 5 * time.Second

// A kernel that looks at its streams without end is run again after a pause, which
// grows as long as nothing changes.
const (
	leastPause = 20 * time.Microsecond
	mostPause  = 2 * time.Millisecond
)

// hostCall is a call of a kernel by the host.
type hostCall struct {
	arguments []uint64
	started   bool
	before    uint64 // calls that had ended then
	err       error
	ended     chan struct{}
}

// run is the kernel's goroutine. It sleeps when the kernel waits, and nothing that
// it waits for has changed.
func (k *kernel) run() {
	defer close(k.done)
	var answering sync.WaitGroup
	answering.Go(k.calls.answering)
	err := k.turns()
	k.fault(err)
	k.mu.Lock()
	k.dead = err
	k.mu.Unlock()
	k.endCall(err)
	close(k.calls.placed)
	answering.Wait()
}

// turns runs the kernel until the engine ends, or it fails.
func (k *kernel) turns() error {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for again := leastPause; ; again = min(2*again, mostPause) {
		select {
		case <-k.e.done:
			return k.e.calls.failure()
		default:
		}
		if err := k.begin(); err != nil {
			k.endCall(err)
		}
		moved, err := k.feed()
		if err != nil {
			return err
		}
		k.computes(true)
		state := k.c.Run()
		k.computes(false)
		changed := k.note(state) // before anybody can have got what it has sent
		sent, err := k.drain()
		if err != nil {
			return err
		}
		if state.Doing == hls.Failed {
			return k.failure(state)
		}
		if err := k.end(state); err != nil {
			return err
		}
		if moved || sent || changed {
			again = leastPause / 2
			continue
		}
		var look <-chan time.Time
		if state.Doing == hls.Polls { // it may count how often it looks
			pause.Reset(again)
			look = pause.C
		}
		select {
		case <-look:
		case <-k.wake:
		case <-k.e.done:
		}
	}
}

// begin starts the call that the host has placed, if there is one.
func (k *kernel) begin() error {
	k.mu.Lock()
	call := k.call
	k.mu.Unlock()
	if call == nil || call.started {
		return nil
	}
	arguments, err := k.mapped(call.arguments)
	if err != nil {
		return err
	}
	call.before = k.state.now.Calls
	if err := k.c.Start(arguments); err != nil {
		return err
	}
	call.started = true
	return nil
}

// mapped makes pointers of addresses.
func (k *kernel) mapped(given []uint64) (out []uint64, err error) {
	e := k.e
	k.mirror = memory.NewMirror(e.allocators[0].Find,
		func(b []byte, addr uint64) error { return copyOut(b, e.device, addr) },
		func(b []byte, addr uint64) error { return copyIn(e.device, addr, b) })
	out = slices.Clone(given)
	e.do(func() {
		for i, a := range k.kernel.Arguments {
			if !pointer(a) {
				continue
			}
			if out[i], err = k.mirror.Map(given[i]); err != nil {
				err = fmt.Errorf("%w: argument %s: %w", accl.ErrKernelAddress, a.Name, err)
				return
			}
		}
	})
	return out, err
}

// sync brings what the kernel has changed to the engine's memory, and, to read,
// the other way.
func (k *kernel) sync(read bool) error {
	if k.mirror == nil {
		return nil
	}
	var err error
	k.e.do(func() {
		if read {
			err = k.mirror.Refresh()
			return
		}
		err = k.mirror.WriteBack()
	})
	if err != nil {
		return k.failed(err.Error())
	}
	return nil
}

// feed gives the kernel what has come for it, as far as there is room.
func (k *kernel) feed() (moved bool, err error) {
	for i := range k.ports {
		p := &k.ports[i]
		if p.output {
			continue
		}
		n := min(k.c.Count(i), len(k.beats))
		switch {
		case n == 0:
		case p.seat == seatStream:
			if n = takeBeats(p.stream, k.beats[:n]); n > 0 {
				k.c.Put(i, k.beats[:n])
				p.stream.Wake()
				moved = true
			}
		case p.seat == seatAnswers:
			if n = k.calls.answers(k.beats[:n]); n > 0 {
				if err := k.sync(true); err != nil {
					return moved, err
				}
				k.c.Put(i, k.beats[:n])
				moved = true
			}
		}
	}
	return moved, nil
}

// drain takes what the kernel has sent, as far as there is room for it.
func (k *kernel) drain() (moved bool, err error) {
	for i := range k.ports {
		p := &k.ports[i]
		if !p.output {
			continue
		}
		n := min(k.c.Count(i), len(k.beats))
		switch p.seat {
		case seatStream:
			n = min(n, p.stream.Room()/p.stream.Beat)
		case seatCalls:
			n = min(n, k.calls.room())
		}
		if n == 0 {
			continue
		}
		n = k.c.Get(i, k.beats[:n])
		moved = true
		switch p.seat {
		case seatStream:
			giveBeats(p.stream, k.beats[:n])
			p.stream.Wake()
		case seatCalls:
			if err := k.calls.take(k.beats[:n]); err != nil {
				return moved, err
			}
		}
	}
	return moved, nil
}

// end ends the call of the host when the kernel has.
func (k *kernel) end(state hls.State) error {
	k.mu.Lock()
	call := k.call
	k.mu.Unlock()
	if call == nil || !call.started || state.Calls == call.before {
		return nil
	}
	for i, p := range k.ports {
		if p.seat == seatCalls && k.c.Count(i) > 0 && k.calls.room() > 0 {
			return nil // more words come
		}
	}
	if err := k.sync(false); err != nil {
		return err
	}
	err := k.calls.abandoned()
	k.fault(err)
	k.endCall(err)
	return nil
}

// endCall answers the host, if it waits.
func (k *kernel) endCall(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if call := k.call; call != nil {
		call.err = err
		k.call = nil
		close(call.ended)
	}
	k.mirror = nil
}

// fault tells who wants to know what the kernel has done wrong.
func (k *kernel) fault(err error) {
	var failed *accl.KernelError
	if k.e.o.OnFault != nil && errors.As(err, &failed) {
		k.e.o.OnFault(failed)
	}
}

// failed is the error of a kernel that goes on no more.
func (k *kernel) failed(why string) error {
	return &accl.KernelError{Kernel: k.name, Instance: k.instance, Failed: true, Doing: "has failed: " + why}
}

func (k *kernel) failure(s hls.State) error {
	return &accl.KernelError{Kernel: k.name, Instance: k.instance, Failed: true, Doing: s.String()}
}

// closeKernels ends the kernels of an engine that has ended.
func (e *Engine) closeKernels() error {
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	var errs []error
	for _, k := range e.kernels {
		if !k.runs {
			close(k.done)
		}
		select {
		case <-k.done:
			errs = append(errs, k.c.Close())
		case <-patience.C:
			patience.Reset(0)
			errs = append(errs, fmt.Errorf("emu: %w", k.failed("it computes without end, and cannot be stopped")))
		}
	}
	return errors.Join(errs...)
}
