package rtlsim

import (
	"context"
	"sync"

	"github.com/cclforge/cclforge/verify/world/engine"
)

// kernelBytes is what is on its way from and to a user kernel outside of the
// hardware.
const kernelBytes = 16 << 20

// kernel is both kernel streams of an engine on the host's side.
type kernel struct {
	mu      sync.Mutex
	in, out []piece // into the engine, and out of it
	held    int     // bytes of in
	stored  int     // bytes of out
	changed chan struct{}
	waited  bool
	dead    error
}

// piece is some whole beats of one TDEST.
type piece struct {
	tdest uint32
	data  []byte
	last  bool // the message ends here
}

// signal tells all that wait; k.mu is held.
func (k *kernel) signal() {
	if k.waited {
		close(k.changed)
		k.changed, k.waited = make(chan struct{}), false
	}
}

func (k *kernel) wait() <-chan struct{} {
	k.waited = true
	return k.changed
}

func (k *kernel) stop(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dead = err
	k.signal()
}

// push is what a user kernel sends, padded to whole beats.
func (e *Engine) push(ctx context.Context, tdest uint32, data []byte) error {
	k := &e.kernel
	data = append(make([]byte, 0, (len(data)+e.beat-1)/e.beat*e.beat), data...)
	data = data[:cap(data)]
	for len(data) > 0 {
		k.mu.Lock()
		if k.dead != nil {
			k.mu.Unlock()
			return k.dead
		}
		n := min(max(kernelBytes-k.held, 0), len(data))
		if n > 0 {
			k.in = append(k.in, piece{tdest, data[:n:n], n == len(data)})
			k.held += n
		}
		changed := k.wait()
		k.mu.Unlock()
		data = data[n:]
		if n > 0 {
			e.card.stir()
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// pull takes up to max bytes of one TDEST, waiting for the first.
func (e *Engine) pull(ctx context.Context, max int) (uint32, []byte, error) {
	k := &e.kernel
	max -= max % e.beat
	if max <= 0 {
		return 0, nil, engine.ErrBeat
	}
	for {
		k.mu.Lock()
		if len(k.out) > 0 {
			tdest, out := k.out[0].tdest, []byte(nil)
			for len(k.out) > 0 && k.out[0].tdest == tdest && len(out) < max {
				n := min(len(k.out[0].data), max-len(out))
				out = append(out, k.out[0].data[:n]...)
				if k.out[0].data = k.out[0].data[n:]; len(k.out[0].data) == 0 {
					k.out = k.out[1:]
				}
			}
			k.stored -= len(out)
			k.mu.Unlock()
			e.post(e.kernelOut)
			return tdest, out, nil
		}
		dead, changed := k.dead, k.wait()
		k.mu.Unlock()
		if dead != nil {
			return 0, nil, dead
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return 0, nil, context.Cause(ctx)
		}
	}
}

// kernelIn hands beats to the hardware.
func (e *Engine) kernelIn() {
	k := &e.kernel
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.in) > 0 {
		p := &k.in[0]
		last := int32(0)
		if p.last {
			last = 1
		}
		n := int(e.f.KernelPush(e.model, e.number, p.tdest, &p.data[0], uint64(len(p.data)/e.beat), last)) * e.beat
		if n == 0 {
			return
		}
		k.held -= n
		if p.data = p.data[n:]; len(p.data) == 0 {
			k.in = k.in[1:]
		}
		k.signal()
	}
}

// kernelOut takes beats from the hardware while there is room.
func (e *Engine) kernelOut() {
	if e.o.Loop {
		defer e.card.stir()
	}
	k := &e.kernel
	k.mu.Lock()
	defer k.mu.Unlock()
	to, bytes := &k.out, &k.stored
	if e.o.Loop {
		to, bytes = &k.in, &k.held
	}
	for *bytes < kernelBytes {
		data := make([]byte, 64*e.beat)
		var tdest uint32
		n := int(e.f.KernelPull(e.model, e.number, &data[0], uint64(len(data)/e.beat), &tdest)) * e.beat
		if n == 0 {
			return
		}
		*to = append(*to, piece{tdest, data[:n:n], e.o.Loop})
		*bytes += n
		k.signal()
	}
}
