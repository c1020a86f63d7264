package rtlsim

import "github.com/cclforge/cclforge/verify/world/engine"

// kernelBytes is what is on its way from and to a user kernel outside of the
// hardware.
const kernelBytes = 16 << 20

// kernel is both kernel streams of an engine on the host's side: into the engine, and out of it.
type kernel struct{ in, out *engine.Stream }

func newKernel(e *Engine) kernel {
	return kernel{
		in:  engine.NewStream(e.beat, kernelBytes, e.card.stir),
		out: engine.NewStream(e.beat, kernelBytes, func() { e.post(e.kernelOut) }),
	}
}

// kernelIn hands beats to the hardware.
func (e *Engine) kernelIn() {
	for p := e.kernel.in.Head(); len(p.Data) > 0; p = e.kernel.in.Head() {
		last := int32(0)
		if p.Last {
			last = 1
		}
		n := int(e.f.KernelPush(e.model, e.number, p.TDEST, &p.Data[0], uint64(len(p.Data)/e.beat), last)) * e.beat
		if n == 0 {
			return
		}
		e.kernel.in.Drop(n)
	}
}

// kernelOut takes beats from the hardware while there is room.
func (e *Engine) kernelOut() {
	to := e.kernel.out
	if e.o.Loop {
		to = e.kernel.in
		defer e.card.stir()
	}
	for to.Room() > 0 {
		data := make([]byte, 64*e.beat)
		var tdest uint32
		n := int(e.f.KernelPull(e.model, e.number, &data[0], uint64(len(data)/e.beat), &tdest)) * e.beat
		if n == 0 {
			return
		}
		to.Put(engine.Piece{TDEST: tdest, Data: data[:n:n], Last: e.o.Loop})
	}
}
