package rv32

import (
	"math"
	"math/big"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// arithmetic says what each operation on two values yields, in Go's own
// arithmetic. Immediates are the second value.
var arithmetic = map[string]func(a, b uint32) uint32{
	"add":    func(a, b uint32) uint32 { return uint32(uint64(a) + uint64(b)) },
	"sub":    func(a, b uint32) uint32 { return uint32(uint64(a) - uint64(b)) },
	"sll":    func(a, b uint32) uint32 { return uint32(uint64(a) << (b % 32)) },
	"slt":    func(a, b uint32) uint32 { return map[bool]uint32{true: 1}[int32(a) < int32(b)] },
	"sltu":   func(a, b uint32) uint32 { return map[bool]uint32{true: 1}[a < b] },
	"xor":    func(a, b uint32) uint32 { return (a | b) &^ (a & b) },
	"srl":    func(a, b uint32) uint32 { return uint32(uint64(a) >> (b % 32)) },
	"sra":    func(a, b uint32) uint32 { return uint32(int64(int32(a)) >> (b % 32)) },
	"or":     func(a, b uint32) uint32 { return ^(^a & ^b) },
	"and":    func(a, b uint32) uint32 { return ^(^a | ^b) },
	"mul":    func(a, b uint32) uint32 { return product(signed(a), signed(b), 0) },
	"mulh":   func(a, b uint32) uint32 { return product(signed(a), signed(b), 32) },
	"mulhsu": func(a, b uint32) uint32 { return product(signed(a), unsigned(b), 32) },
	"mulhu":  func(a, b uint32) uint32 { return product(unsigned(a), unsigned(b), 32) },
	"div": func(a, b uint32) uint32 {
		if b == 0 {
			return math.MaxUint32
		}
		return uint32(new(big.Int).Quo(signed(a), signed(b)).Int64())
	},
	"divu": func(a, b uint32) uint32 {
		if b == 0 {
			return math.MaxUint32
		}
		return uint32(new(big.Int).Quo(unsigned(a), unsigned(b)).Int64())
	},
	"rem": func(a, b uint32) uint32 {
		if b == 0 {
			return a
		}
		return uint32(new(big.Int).Rem(signed(a), signed(b)).Int64())
	},
	"remu": func(a, b uint32) uint32 {
		if b == 0 {
			return a
		}
		return uint32(new(big.Int).Rem(unsigned(a), unsigned(b)).Int64())
	},
}

// immediates names the operation of each instruction with an immediate.
var immediates = map[string]string{
	"addi": "add", "slti": "slt", "sltiu": "sltu", "xori": "xor", "ori": "or", "andi": "and",
	"slli": "sll", "srli": "srl", "srai": "sra",
}

func signed(v uint32) *big.Int   { return big.NewInt(int64(int32(v))) }
func unsigned(v uint32) *big.Int { return big.NewInt(int64(v)) }

// product returns 32 bits of a product from bit low.
func product(a, b *big.Int, low uint) uint32 {
	p := new(big.Int).Mul(a, b)
	p.Rsh(p, low) // rounds down, as two's complement does
	return uint32(p.And(p, unsigned(math.MaxUint32)).Uint64())
}

var corners = []uint32{0, 1, 2, 3, 7, 31, 32, 33, 0x7ff, 0x800, 0xffff, 0x10000, 0x55555555, 0xaaaaaaaa,
	0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffff8000, 0xfffffffe, 0xffffffff}

// machine returns a processor with a program of the given parts in 4 KiB of RAM.
func machine(t testing.TB, bus Bus, parts ...any) *CPU {
	t.Helper()
	c := New(4096, bus)
	assert.NilError(t, c.Load(program(parts...), nil))
	return c
}

func run(t testing.TB, c *CPU, count int) {
	t.Helper()
	if n, err := c.Run(count); n != count || err != nil {
		t.Fatalf("Run(%d) = %d, %v", count, n, err)
	}
}

func TestCounters(t *testing.T) {
	read := func(rd int, csr int32) ins { return opi("csrrs", rd, zero, csr) }
	c := machine(t, nil, read(1, 0xc00), read(2, 0xc01), read(3, 0xc02), read(4, 0xc80), read(5, 0xc81), read(6, 0xc82),
		opi("csrrc", 7, zero, 0xc00), opi("csrrsi", 8, 0, 0xc00), opi("csrrci", 9, 0, 0xc00), read(0, 0xc00), read(10, 0xc00))
	c.retired = 5<<32 - 2
	run(t, c, 11)
	for i, want := range []uint32{0, math.MaxUint32 - 1, math.MaxUint32, 0, 5, 5, 5, 4, 5, 6, 8} {
		if got := c.X(i); got != want {
			t.Errorf("x%d = %d, want %d", i, got, want)
		}
	}
	assert.Check(t, is.Equal(c.Retired(), uint64(5<<32+9)))
	c.Reset()
	assert.Check(t, c.Retired() == 0 && c.PC() == 0 && c.X(10) == 0, "Reset leaves something")
}
