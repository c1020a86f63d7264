package datapath_test

// keeper is the other port of memory: it takes what slices keep. A command is taken
// when others leave it room, and its beats follow.
type keeper struct {
	valid, ready, address, bytes []uint32
	dataValid, dataReady, data   []uint32
	done, code, idle, due        []uint32
	queue, ended                 []*transfer
	codes                        []uint32 // of commands in order; timeouts aside
	answers                      []uint32
}

var keeperIn = map[string]int{"kept_ready": 1, "kept_data_ready": 1, "kept_done": 1, "kept_code": 32, "kept_idle": 1}

var keeperOut = map[string]int{"kept_valid": 1, "kept_address": 64, "kept_bytes": lengthWidth, "kept_data_valid": 1,
	"kept_data": 512, "kept_due": 1}

func newKeeper(words func(string) []uint32) *keeper {
	k := &keeper{}
	for name, at := range map[string]*[]uint32{
		"kept_valid": &k.valid, "kept_ready": &k.ready, "kept_address": &k.address, "kept_bytes": &k.bytes,
		"kept_data_valid": &k.dataValid, "kept_data_ready": &k.dataReady, "kept_data": &k.data,
		"kept_done": &k.done, "kept_code": &k.code, "kept_idle": &k.idle, "kept_due": &k.due,
	} {
		*at = words(name)
	}
	return k
}

func (k *keeper) drive(w *world) {
	k.ready[0] = flag(len(k.queue)+len(k.ended) < 8 && chance(w.r, w.pace))
	k.dataReady[0] = flag(len(k.queue) > 0 && k.queue[0].at < w.b.Cycle && chance(w.r, w.pace))
	k.idle[0] = flag(len(k.queue)+len(k.ended) == 0)
	k.done[0], k.code[0] = 0, w.r.Uint32()
	if len(k.ended) > 0 && k.ended[0].statusAt <= w.b.Cycle {
		k.done[0], k.code[0] = 1, k.answers[0]
		k.ended, k.answers = k.ended[1:], k.answers[1:]
	}
}

func (k *keeper) observe(w *world) {
	if k.dataValid[0]&1 != 0 && k.dataReady[0] != 0 {
		k.write(w)
	}
	if k.valid[0]&1 == 0 {
		return
	}
	if k.due[0]&1 == 0 {
		w.t.Fatalf("cycle %d: a command to keep something that was not announced", w.b.Cycle)
	}
	if k.ready[0] != 0 {
		k.command(w)
	}
}

func (k *keeper) write(w *world) {
	t := k.queue[0]
	n := min(beatBytes, t.bytes-t.moved)
	for i := range n {
		at := t.address + uint64(t.moved+i)
		w.memory[0][at] = byte(k.data[i/4] >> (i % 4 * 8))
		w.written[0][at]++
	}
	if t.moved += n; t.moved == t.bytes {
		k.queue = k.queue[1:]
		t.statusAt = w.b.Cycle + 1 + uint64(w.r.IntN(60))
		k.ended = append(k.ended, t)
	}
}

func (k *keeper) command(w *world) {
	t := &transfer{address: uint64(k.address[0]) | uint64(k.address[1])<<32, bytes: int(k.bytes[0]), at: w.b.Cycle}
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
