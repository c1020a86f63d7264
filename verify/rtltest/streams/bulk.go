package streams

import (
	"errors"
	"fmt"
)

// BeatBytes is the size of a beat.
const BeatBytes = 64

// Why a block fails.
var (
	ErrBlock = errors.New("a block is not whole beats, or the inputs differ in length")
	ErrLost  = errors.New("not as many beats came out as should")
)

// Restart resets the kernel before blocks of Bulk.
func (k *Kernel) Restart() { k.restart(k.handle) }

// Bulk sends whole beats for one TDEST, one in every cycle, and fills out with
// what comes of them. A kernel with one input takes no in1. Kernels may run at
// the same time, each in one goroutine.
func (k *Kernel) Bulk(tdest uint8, in0, in1, out []byte) error {
	if in1 == nil {
		in1 = in0
	}
	if len(in0) == 0 || len(out) == 0 || len(in0)%BeatBytes != 0 || len(out)%BeatBytes != 0 || len(in1) != len(in0) {
		return fmt.Errorf("%w: %d and %d bytes in, %d out", ErrBlock, len(in0), len(in1), len(out))
	}
	room := uint64(len(out) / BeatBytes)
	if n := k.bulk(k.handle, tdest, &in0[0], &in1[0], uint64(len(in0)/BeatBytes), &out[0], room); n != room {
		return fmt.Errorf("%w: %d, not %d", ErrLost, n, room)
	}
	return nil
}
