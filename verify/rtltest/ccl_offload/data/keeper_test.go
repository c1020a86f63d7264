package datapath_test

// keeper is the other port of memory: it takes what slices keep. A command is taken
// when others leave it room, and its beats follow.
type keeper struct {
	queue, ended []*transfer
	codes        []uint32 // of commands in order; timeouts aside
	answers      []uint32
}

func (k *keeper) drive(w *world) {
	w.b.Put("kept_ready", len(k.queue)+len(k.ended) < 8 && chance(w.r, w.pace))
	w.b.Put("kept_data_ready", len(k.queue) > 0 && k.queue[0].at < w.b.Cycle && chance(w.r, w.pace))
	w.b.Put("kept_idle", len(k.queue)+len(k.ended) == 0)
	w.b.Set("kept_done", 0)
	w.b.Scramble(w.r, "kept_code")
	if len(k.ended) > 0 && k.ended[0].statusAt <= w.b.Cycle {
		w.b.Set("kept_done", 1)
		w.b.Set("kept_code", uint64(k.answers[0]))
		k.ended, k.answers = k.ended[1:], k.answers[1:]
	}
}

func (k *keeper) observe(w *world) {
	if w.b.Is("kept_data_valid") && w.b.Is("kept_data_ready") {
		k.write(w)
	}
	if !w.b.Is("kept_valid") {
		return
	}
	if !w.b.Is("kept_due") {
		w.t.Fatalf("cycle %d: a command to keep something that was not announced", w.b.Cycle)
	}
	if w.b.Is("kept_ready") {
		k.command(w)
	}
}

func (k *keeper) write(w *world) {
	t := k.queue[0]
	n := min(beatBytes, t.bytes-t.moved)
	for i, v := range w.b.Bytes("kept_data")[:n] {
		at := t.address + uint64(t.moved+i)
		w.memory[0][at] = v
		w.written[0][at]++
	}
	if t.moved += n; t.moved == t.bytes {
		k.queue = k.queue[1:]
		t.statusAt = w.b.Cycle + 1 + uint64(w.r.IntN(60))
		k.ended = append(k.ended, t)
	}
}

func (k *keeper) command(w *world) {
	t := &transfer{address: w.b.Get("kept_address"), bytes: int(w.b.Get("kept_bytes")), at: w.b.Cycle}
	if t.bytes == 0 || t.address < sourceBytes || t.address+uint64(t.bytes) > memoryBytes {
		w.t.Fatalf("cycle %d: %d bytes are kept at %#x", w.b.Cycle, t.bytes, t.address)
	}
	code := uint32(0)
	if !w.lates && w.fault(false) != fine {
		code = w.l.code["DMA_SLAVE"]
	}
	k.codes, k.answers = append(k.codes, code), append(k.answers, code)
	k.queue = append(k.queue, t)
}
