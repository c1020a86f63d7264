package compare

import (
	"bytes"
	"context"
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
)

// beat is what the engine has put on its kernel stream at once, and when the host
// saw it.
type beat struct {
	tdest uint32
	data  []byte
	cycle uint64
}

// loopBytes are taken off a kernel stream at a time.
const loopBytes = 1 << 16

// Loop is at the kernel streams of a rank until the context ends or the engine
// does: it sends back what comes, as a loopback does, and notes it.
func (l *Log) Loop(ctx context.Context, rank int, streams accl.KernelPort) {
	for {
		tdest, data, err := streams.Pull(ctx, loopBytes)
		if err != nil {
			return
		}
		l.beats(rank, tdest, data)
		if streams.Push(ctx, tdest, data) != nil {
			return
		}
	}
}

// beats notes what came off the kernel stream of a rank.
func (l *Log) beats(rank int, tdest uint32, data []byte) {
	h := &l.hosts[rank]
	h.mu.Lock()
	defer h.mu.Unlock()
	for size := l.beatBytes; len(data) > 0; {
		n := min(size, len(data))
		h.beats = append(h.beats, beat{tdest, bytes.Clone(data[:n]), h.cycle()})
		data = data[n:]
	}
}

// sameBeats compares what came off kernel streams, beat by beat.
func sameBeats(emulated, hardware []beat) error {
	for i := range max(len(emulated), len(hardware)) {
		switch {
		case i >= len(emulated):
			return fmt.Errorf("beat %d of the kernel stream comes from the hardware alone, in cycle %d: %v", i,
				hardware[i].cycle, hardware[i])
		case i >= len(hardware):
			return fmt.Errorf("beat %d of the kernel stream comes from the emulator alone: %v", i, emulated[i])
		case emulated[i].tdest != hardware[i].tdest || !bytes.Equal(emulated[i].data, hardware[i].data):
			return fmt.Errorf("beat %d of the kernel stream is\n\t%v from the emulator, and in cycle %d\n\t%v from the hardware",
				i, emulated[i], hardware[i].cycle, hardware[i])
		}
	}
	return nil
}

// String has the TDEST and the bytes.
func (b beat) String() string { return fmt.Sprintf("TDEST %d, %x", b.tdest, b.data) }
