package fabric

import "time"

const (
	reorderSpan     = 3
	reorderPatience = time.Millisecond
)

// fate is what the faults do to one packet.
type fate struct {
	lost, duplicated bool
	overtaken        int     // how many later packets are let through before it
	jitter           float64 // of the largest, from 0 to 1
}

func linkKey(from, to uint32) uint64 { return uint64(from)<<32 ^ uint64(to) }

// newDice returns the dice of a link.
func newDice(seed int64, key uint64) dice { return dice(mix(mix(uint64(seed)) ^ key)) }

// decide returns the fate of the k-th packet of a link.
func (f *Faults) decide(lossy bool, link dice, k uint64) fate {
	r := dice(mix(uint64(link) ^ k))
	// Always in the same order, so that one fault does not depend on the others.
	loss, corrupt, duplicate, reorder, span, jitter := r.roll(), r.roll(), r.roll(), r.roll(), r.roll(), r.roll()
	result := fate{jitter: jitter}
	if !lossy {
		return result
	}
	result.lost = loss < f.Loss || corrupt < f.Corrupt
	result.duplicated = duplicate < f.Duplicate
	if reorder < f.Reorder {
		result.overtaken = 1 + int(span*reorderSpan)
	}
	return result
}

// dice is the generator SplitMix64.
type dice uint64

// roll returns a number from 0 up to, not including, 1.
func (d *dice) roll() float64 {
	*d += 0x9E3779B97F4A7C15
	return float64(mix(uint64(*d))>>11) / (1 << 53)
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
