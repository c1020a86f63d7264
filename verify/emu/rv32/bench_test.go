package rv32

import (
	"bytes"
	"errors"
	"hash/crc32"
	"testing"
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

// copying copies count words from one address to another, and ends.
func copying(from, to uint32, count int32) []byte {
	return program(
		li(a0, from), li(a1, to), opi("addi", a2, zero, count),
		load("lw", t0, 0, a0),
		store("sw", t0, 0, a1),
		opi("addi", a0, a0, 4),
		opi("addi", a1, a1, 4),
		opi("addi", a2, a2, -1),
		branch("bne", a2, zero, -20),
		bare("ebreak"),
	)
}

// constant is a bus that answers at once.
type constant uint32

func (c constant) Load(uint32, int) (uint32, error) { return uint32(c), nil }
func (c constant) Store(uint32, int, uint32) error  { return nil }

// BenchmarkRun measures loops without end and a compiled program.
func BenchmarkRun(b *testing.B) {
	polling := program(upper("lui", a0, 0x20000), load("lw", t0, 0, a0), branch("bne", t0, zero, -4), bare("ebreak"))
	for _, bench := range []struct {
		name  string
		image func(testing.TB) []byte
	}{
		{"crc", func(testing.TB) []byte { return checksum(0x4000, 2000) }},
		{"copy", func(testing.TB) []byte { return copying(0x4000, 0x8000, 2000) }},
		{"bus", func(testing.TB) []byte { return polling }},
		{"compiled", func(t testing.TB) []byte {
			image, _ := compile(t, "mixed.c", "-O2")
			return image
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := New(1<<16, constant(1))
			if err := c.Load(bench.image(b), nil); err != nil {
				b.Fatal(err)
			}
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

// TestBenchmarkPrograms checks that what is measured computes what it says.
func TestBenchmarkPrograms(t *testing.T) {
	const from, to, count = 0x4000, 0x8000, 500
	c := New(1<<16, nil)
	if err := c.Load(checksum(from, count), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(1_000_000); !errors.Is(err, Breakpoint) {
		t.Fatal(err)
	}
	if want := crc32.ChecksumIEEE(c.RAM()[from:][:count]); c.X(a3) != want || c.RAM()[from+5] != 25 {
		t.Errorf("checksum %08x, want %08x", c.X(a3), want)
	}
	source := bytes.Clone(c.RAM()[from:][:4*count])
	copy(c.RAM(), copying(from, to, count))
	c.Reset()
	if _, err := c.Run(1_000_000); !errors.Is(err, Breakpoint) {
		t.Fatal(err)
	}
	if !bytes.Equal(c.RAM()[to:][:4*count], source) {
		t.Error("the copy differs")
	}
}
