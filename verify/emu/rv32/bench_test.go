package rv32

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
)

// checksum computes the CRC-32 of count bytes at address from, bit by bit,
// after filling them; then it starts again.
func checksum(from uint32, count int32) []byte {
	return program(
		// fill: from[i] = i*i
		li(a0, from), opi("addi", a1, zero, count), opi("addi", t0, zero, 0),
		op3("mul", t1, t0, t0),
		op3("add", t2, a0, t0),
		store("sb", t1, 0, t2),
		opi("addi", t0, t0, 1),
		branch("blt", t0, a1, -16),
		// crc
		li(a2, 0xedb88320), opi("addi", a3, zero, -1),
		load("lbu", t0, 0, a0), // next byte
		op3("xor", a3, a3, t0),
		opi("addi", t1, zero, 8),
		opi("andi", t2, a3, 1), // next bit
		op3("sub", t2, zero, t2),
		op3("and", t2, t2, a2),
		opi("srli", a3, a3, 1),
		op3("xor", a3, a3, t2),
		opi("addi", t1, t1, -1),
		branch("bne", t1, zero, -24),
		opi("addi", a0, a0, 1),
		opi("addi", a1, a1, -1),
		branch("bne", a1, zero, -48),
		opi("xori", a3, a3, -1),
		bare("ebreak"),
	)
}

// constant is a bus that answers at once.
type constant uint32

func (c constant) Load(uint32, int) (uint32, error) { return uint32(c), nil }
func (c constant) Store(uint32, int, uint32) error  { return nil }

// BenchmarkRun measures a checksum, again and again, and a loop that polls a device.
func BenchmarkRun(b *testing.B) {
	polling := program(upper("lui", a0, 0x20000), load("lw", t0, 0, a0), branch("bne", t0, zero, -4), bare("ebreak"))
	for _, bench := range []struct {
		name  string
		image []byte
	}{
		{"crc", checksum(0x4000, 2000)},
		{"bus", polling},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := New(1<<16, constant(1))
			assert.NilError(b, c.Load(bench.image, nil))
			b.ReportAllocs()
			done := 0
			for b.Loop() {
				n, err := c.Run(1_000_000)
				done += n
				if errors.Is(err, Breakpoint) { // the end: once more
					c.SetPC(0)
				} else if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(done)/b.Elapsed().Seconds()/1e6, "Minstr/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
