package external_dma_test

import (
	"fmt"
	"testing"
)

func TestConsecutiveCommandsRunAtOneBeatACycle(t *testing.T) {
	const commandBytes, count = 4096, 256 // 1 MiB
	v := variants[0]
	l := load(t, v)
	for _, latency := range []uint32{0, 50} {
		for _, offset := range []uint64{0, 1, 32} {
			t.Run(fmt.Sprintf("latency %d, offset %d", latency, offset), func(t *testing.T) {
				beats := commandBytes / lineBytes // of memory, in a command
				if offset != 0 {
					beats++
				}
				// What starting and ending take beside the beats.
				limit := uint64(count*beats) + 2*uint64(latency) + 60
				for _, write := range []bool{false, true} {
					b := newBench(t, l, v, 0)
					b.memoryLatency(b.handle, 0, latency, 0)
					for i := range count {
						b.issue(write, command{bytes: commandBytes, address: uint64(i)*commandBytes + offset, end: true})
						for at := 0; write && at < commandBytes; at += lineBytes {
							b.send(beat{keep: kept(lineBytes), last: at+lineBytes == commandBytes})
						}
					}
					reads, writes := count, 0
					if write {
						reads, writes = 0, count
					}
					cycles := b.run(b.handle, 1_000_000, uint64(reads), uint64(writes))
					t.Logf("write %v: %d cycles for %d beats of memory", write, cycles, count*beats)
					if cycles > limit {
						t.Errorf("write %v: %d cycles for 1 MiB, want at most %d", write, cycles, limit)
					}
					if text := b.failure(b.handle); text != "" {
						t.Error(text)
					}
				}
			})
		}
	}
}

// TestASmallTransferEndsSoon fixes the cycles from a command to its status when
// the memory answers at once.
func TestASmallTransferEndsSoon(t *testing.T) {
	v := variants[0]
	l := load(t, v)
	for _, c := range []struct {
		bytes       int
		read, write uint64 // cycles
	}{{64, 11, 10}, {1024, 26, 39}, {4096, 74, 87}} {
		for _, write := range []bool{false, true} {
			b := newBench(t, l, v, 0)
			b.issue(write, command{bytes: c.bytes, end: true})
			for at := 0; write && at < c.bytes; at += lineBytes {
				b.send(beat{keep: kept(c.bytes - at), last: at+lineBytes >= c.bytes})
			}
			want, reads, writes := c.read, uint64(1), uint64(0)
			if write {
				want, reads, writes = c.write, 0, 1
			}
			got := b.run(b.handle, 1000, reads, writes)
			t.Logf("write %v, %d bytes: %d cycles", write, c.bytes, got)
			if got > want {
				t.Errorf("write %v, %d bytes: %d cycles, want at most %d", write, c.bytes, got, want)
			}
		}
	}
}
