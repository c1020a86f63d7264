package emu

import (
	"github.com/cclforge/cclforge/verify/hls"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// takeBeats takes the beats at the front of a stream, as a kernel sees them, and returns how many there were.
func takeBeats(s *engine.Stream, beats []hls.Beat) int {
	for n := range beats {
		p := s.Head()
		if len(p.Data) == 0 {
			return n
		}
		b := &beats[n]
		b.Dest, b.Last, b.Keep = p.TDEST, 0, keepFor(s.Beat)
		copy(b.Data[:], p.Data[:s.Beat])
		if len(p.Data) == s.Beat {
			b.Keep = keepFor(s.Beat - p.Pad)
			if p.Last {
				b.Last = 1
			}
		}
		s.Drop(s.Beat)
	}
	return len(beats)
}

// giveBeats puts beats of a kernel on a stream, which has room for them.
func giveBeats(s *engine.Stream, beats []hls.Beat) {
	for len(beats) > 0 {
		n := 1
		for n < len(beats) && beats[n].Dest == beats[0].Dest {
			n++
		}
		data := make([]byte, n*s.Beat)
		for i := range beats[:n] {
			copy(data[i*s.Beat:], beats[i].Data[:s.Beat])
		}
		s.Put(engine.Piece{TDEST: beats[0].Dest, Data: data})
		beats = beats[n:]
	}
}

// keepFor is the TKEEP of a beat with a number of bytes.
func keepFor(bytes int) uint64 { return 1<<bytes - 1 }
