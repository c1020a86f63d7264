package moves_test

const beat = 64

// kernelSlice takes and puts beats of the kernel streams: a slice only comes
// when they are there, and when there is room.
func (w *world) kernelSlice(m *move, size func(bool) uint64, last bool) {
	if w.in[inFlushing] != 0 {
		return
	}
	for _, op := range m.op {
		if op.kind != kernel {
			continue
		}
		total := w.inPart + size(op.compressed)
		if total > w.inBeats*beat {
			w.fail("%v takes %d bytes of the kernel stream, which has %d", m, total, w.inBeats*beat)
			return
		}
		w.inBeats -= total / beat
		w.inPart = total % beat
		if last && w.inPart > 0 {
			w.inBeats--
			w.inPart = 0
		}
	}
	if m.toKernel() {
		total := w.outPart + size(m.result.compressed)
		beats := (total + beat - 1) / beat
		started := (w.outPart + beat - 1) / beat
		if beats-started > w.outRoom {
			w.fail("%v puts %d beats on the kernel stream, which has room for %d", m, beats-started, w.outRoom)
			return
		}
		w.outRoom -= beats - started
		w.outPart = total % beat
		w.outFull += total / beat
		if last && w.outPart > 0 {
			w.outFull++
			w.outPart = 0
		}
	}
}

// kernelEnd is what becomes of the kernel streams at the end of a cycle.
func (w *world) kernelEnd() {
	if w.in[inFlushing] != 0 {
		w.inBeats, w.inPart, w.outRoom, w.outPart, w.outFull = 0, 0, kernelBeats, 0, 0
		return
	}
	if w.out[outKernelInDrop] != 0 {
		if w.inPart == 0 {
			w.fail("nothing of a beat is left to be dropped")
			return
		}
		w.inPart = 0
		w.inBeats--
	}
	if w.out[outKernelOutDrop] != 0 {
		if w.outPart == 0 {
			w.fail("no part of a beat is there to be dropped")
			return
		}
		w.outPart = 0
		w.outRoom++
	}
	w.inBeats += w.in[inKernelPushed]
	w.outFull -= w.in[inKernelPopped]
	w.outRoom += w.in[inKernelPopped]
}

// settle is how many cycles a flush of the data path lasts at least.
const settle = 8

// flush begins, or goes on until nothing is under way.
func (w *world) flush() {
	switch {
	case !w.mode.flushes:
	case w.in[inFlushing] != 0:
		busy := len(w.path) > 0 || w.out[outSliceValid] != 0 || w.in[inRetireValid] != 0
		w.in[inFlushing] = flag(busy || w.now < w.flushed+settle)
	case w.r.IntN(1500) == 0:
		w.in[inFlushing], w.flushed = 1, w.now
	}
}
