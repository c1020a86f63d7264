package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// atOnce is how many words of the exchange memory are asked for at the same time: the
// hardware answers a question in so many batches of cycles, however many there are.
const atOnce = 64

// depth is how much of an exchange memory is looked at.
type depth int

const (
	little depth = iota // a word, and what a host has written, if it did lately
	known               // what stands at fixed places, and what a host has ever written
	whole               // everything
)

// offsets are those of the words to be read, at least one: an engine that has answered
// has told of all that it did before.
func (n *names) offsets(hosts [2]*host, d depth) []uint32 {
	set := map[uint32]bool{n.exchange.Base: true}
	if d == whole {
		for at := n.exchange.Base; at < n.exchange.Base+n.exchange.Size; at += wordBytes {
			set[at] = true
		}
	}
	if d != little {
		for _, w := range n.exchange.Words {
			for i := range uint32(w.Count * w.Width / 8 / wordBytes) {
				set[w.At+wordBytes*i] = true
			}
		}
	}
	for _, h := range hosts {
		h.mu.Lock()
		if d != little || h.rewrote {
			maps.Copy(set, h.written)
			h.rewrote = false
		}
		h.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(set))
}

// read reads words of the exchange memory. Others are as they were read before.
func (h *host) read(ctx context.Context, offsets []uint32) (map[uint32]uint32, error) {
	values, errs := make([]uint32, len(offsets)), make([]error, len(offsets))
	for first := 0; first < len(offsets); first += atOnce {
		var group sync.WaitGroup
		for i := first; i < min(first+atOnce, len(offsets)); i++ {
			group.Go(func() { values[i], errs[i] = h.device.ReadReg(ctx, offsets[i]) })
		}
		group.Wait()
	}
	out := map[uint32]uint32{}
	maps.Copy(out, h.words)
	for i, at := range offsets {
		out[at] = values[i]
	}
	h.words = out
	return out, errors.Join(errs...)
}

// count reads the counters that are compared.
func (h *host) count(ctx context.Context, n *names) (values []uint32, _ error) {
	for _, c := range n.counters {
		if err := h.device.WriteReg(ctx, n.detail, c.number); err != nil {
			return nil, err
		}
		v, err := h.device.ReadReg(ctx, n.detail)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// countTries are how often counters are read until they are the same: for a moment after an
// answer one engine may have done what the other one is about to do.
const countTries = 200

// count reads the counters of both engines of a rank.
func (p *Pair) count(ctx context.Context, hosts [2]*host) (values [2][]uint32, err error) {
	for range countTries {
		for side, h := range hosts {
			if values[side], err = h.count(ctx, p.names); err != nil {
				return values, err
			}
		}
		if slices.Equal(values[0], values[1]) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return values, nil
}

// sameCounts compares the counters of what the engines have done.
func sameCounts(s *state, n *names) error {
	for i, e := range s.counts[0] {
		if h := s.counts[1][i]; e != h {
			return fmt.Errorf("counter %s is %d in the emulator, and %d in the hardware in cycle %d", n.counters[i].name, e, h,
				s.cycle)
		}
	}
	return nil
}

// sameWords compares the exchange memories.
func sameWords(s *state, words map[uint32]word) error {
	type sums [2]int
	counts := map[string]map[uint32]*sums{} // of what is counted, by name and value
	for _, at := range slices.Sorted(maps.Keys(s.words[0])) {
		w, known := words[at]
		if !known {
			w.name = "a word that nobody knows"
		}
		switch w.may {
		case same:
			if e, h := s.words[0][at], s.words[1][at]; e != h {
				return fmt.Errorf("0x%X of the exchange memory, %s, is 0x%X in the emulator, and 0x%X in the hardware in cycle %d",
					at, w.name, e, h, s.cycle)
			}
		case counted:
			if counts[w.column] == nil {
				counts[w.column] = map[uint32]*sums{}
			}
			for side := range 2 {
				v := s.words[side][at]
				if counts[w.column][v] == nil {
					counts[w.column][v] = &sums{}
				}
				counts[w.column][v][side]++
			}
		}
	}
	for column, values := range counts {
		for _, v := range slices.Sorted(maps.Keys(values)) {
			if n := values[v]; n[0] != n[1] {
				return fmt.Errorf("%s is 0x%X in %d of them in the emulator, and in %d in the hardware in cycle %d", column,
					v, n[0], n[1], s.cycle)
			}
		}
	}
	return nil
}
