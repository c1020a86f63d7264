package emu

import "github.com/cclforge/cclforge/verify/hls"

// take takes the beats at the front, as a kernel sees them, and returns how many
// there were.
func (s *stream) take(beats []hls.Beat) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < len(beats) && len(s.pieces) > 0 {
		p := s.pieces[0]
		b := &beats[n]
		b.Dest, b.Last, b.Keep = p.tdest, 0, keepFor(s.beat)
		copy(b.Data[:], p.data[:s.beat])
		if len(p.data) == s.beat {
			b.Keep = keepFor(s.beat - p.pad)
			if p.last {
				b.Last = 1
			}
		}
		s.shorten(s.beat)
		n++
	}
	return n
}

// give puts beats of a kernel on the stream, which has room for them.
func (s *stream) give(beats []hls.Beat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(beats) > 0 {
		n := 1
		for n < len(beats) && beats[n].Dest == beats[0].Dest {
			n++
		}
		data := make([]byte, n*s.beat)
		for i := range beats[:n] {
			copy(data[i*s.beat:], beats[i].Data[:s.beat])
		}
		s.append(piece{tdest: beats[0].Dest, data: data})
		beats = beats[n:]
	}
}

// keepFor is the TKEEP of a beat with a number of bytes.
func keepFor(bytes int) uint64 { return 1<<bytes - 1 }
