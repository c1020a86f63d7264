package rv32

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
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

// pairs returns all pairs of corner values and some random ones.
func pairs() [][2]uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	var list [][2]uint32
	for _, a := range corners {
		for _, b := range corners {
			list = append(list, [2]uint32{a, b})
		}
	}
	for range 200 {
		list = append(list, [2]uint32{r.Uint32(), r.Uint32() >> r.UintN(32)})
	}
	return list
}

// machine returns a processor with a program of the given parts in 4 KiB of RAM.
func machine(t testing.TB, bus Bus, parts ...any) *CPU {
	t.Helper()
	c := New(4096, bus)
	if err := c.Load(program(parts...), nil); err != nil {
		t.Fatal(err)
	}
	return c
}

func run(t testing.TB, c *CPU, count int) {
	t.Helper()
	if n, err := c.Run(count); n != count || err != nil {
		t.Fatalf("Run(%d) = %d, %v", count, n, err)
	}
}

func TestRegisterArithmetic(t *testing.T) {
	for name, want := range arithmetic {
		c := machine(t, nil, op3(name, a0, a1, a2), op3(name, a1, a1, a2), op3(name, zero, a1, a2))
		for _, p := range pairs() {
			c.SetPC(0)
			c.SetX(a1, p[0])
			c.SetX(a2, p[1])
			run(t, c, 3)
			if got, want := c.X(a0), want(p[0], p[1]); got != want || c.X(a1) != want {
				t.Errorf("%s 0x%x, 0x%x = 0x%x, in place 0x%x, want 0x%x", name, p[0], p[1], got, c.X(a1), want)
			}
			if c.X(0) != 0 || c.X(a2) != p[1] || c.PC() != 12 {
				t.Fatalf("%s: x0 = 0x%x, second operand 0x%x, pc 0x%x", name, c.X(0), c.X(a2), c.PC())
			}
		}
		same := machine(t, nil, op3(name, a0, a0, a0))
		for _, v := range corners {
			same.SetPC(0)
			same.SetX(a0, v)
			run(t, same, 1)
			if got := same.X(a0); got != want(v, v) {
				t.Errorf("%s a0, a0, a0 with 0x%x = 0x%x, want 0x%x", name, v, got, want(v, v))
			}
		}
	}
}

func TestImmediateArithmetic(t *testing.T) {
	for name, operation := range immediates {
		values := []int32{-2048, -2047, -1365, -33, -32, -31, -1, 0, 1, 2, 15, 30, 31, 32, 33, 1365, 2046, 2047}
		if encodings[name].Format == 'H' {
			values = []int32{0, 1, 2, 15, 16, 30, 31}
		}
		for _, imm := range values {
			c := machine(t, nil, opi(name, a0, a1, imm), opi(name, zero, a1, imm))
			for _, a := range corners {
				c.SetPC(0)
				c.SetX(a1, a)
				run(t, c, 2)
				if got, want := c.X(a0), arithmetic[operation](a, uint32(imm)); got != want || c.X(0) != 0 {
					t.Errorf("%s 0x%x, %d = 0x%x, want 0x%x; x0 = %d", name, a, imm, got, want, c.X(0))
				}
			}
		}
	}
}

func TestDivisionByManual(t *testing.T) { // the table of the manual, beside the reference above
	const low = 0x80000000
	for _, test := range []struct {
		name       string
		a, b, want uint32
	}{
		{"div", 7, 0, 0xffffffff}, {"divu", 7, 0, 0xffffffff}, {"rem", 7, 0, 7}, {"remu", 7, 0, 7},
		{"div", low, 0xffffffff, low}, {"rem", low, 0xffffffff, 0}, {"divu", low, 0xffffffff, 0},
		{"remu", low, 0xffffffff, low}, {"rem", 0xfffffff9, 2, 0xffffffff}, {"div", 0xfffffff9, 2, 0xfffffffd},
		{"rem", 7, 0xfffffffe, 1}, {"div", low, 0, 0xffffffff}, {"rem", low, 0, low},
	} {
		c := machine(t, nil, op3(test.name, a0, a1, a2))
		c.SetX(a1, test.a)
		c.SetX(a2, test.b)
		run(t, c, 1)
		if got := c.X(a0); got != test.want {
			t.Errorf("%s 0x%x, 0x%x = 0x%x, want 0x%x", test.name, test.a, test.b, got, test.want)
		}
	}
}

func TestUpperImmediate(t *testing.T) {
	for _, imm := range []uint32{0, 0x1000, 0x7ffff000, 0x80000000, 0xfffff000} {
		c := machine(t, nil, bare("wfi"), bare("fence"), bare("fence.i"),
			upper("lui", a0, imm), upper("auipc", a1, imm), upper("lui", zero, imm), upper("auipc", zero, imm))
		run(t, c, 7)
		if c.X(a0) != imm || c.X(a1) != imm+16 || c.X(0) != 0 {
			t.Errorf("0x%x: lui 0x%x, auipc at 16 0x%x, x0 %d", imm, c.X(a0), c.X(a1), c.X(0))
		}
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
	if c.Retired() != 5<<32+9 {
		t.Errorf("retired %d", c.Retired())
	}
	c.Reset()
	if c.Retired() != 0 || c.PC() != 0 || c.X(10) != 0 {
		t.Error("Reset leaves something")
	}
}
