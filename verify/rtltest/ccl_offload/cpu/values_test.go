package cpu

import (
	"math/bits"
	"math/rand/v2"
)

// resultOf is what arithmetic computes, by the RISC-V manual: what programs are
// written with, not what they are checked against.
func resultOf(name string, a, b uint32) uint32 {
	bit := func(c bool) uint32 {
		if c {
			return 1
		}
		return 0
	}
	high := func(p int64) uint32 { return uint32(uint64(p) >> 32) }
	switch name {
	case "add", "addi":
		return a + b
	case "sub":
		return a - b
	case "slt", "slti":
		return bit(int32(a) < int32(b))
	case "sltu", "sltiu":
		return bit(a < b)
	case "xor", "xori":
		return a ^ b
	case "or", "ori":
		return a | b
	case "and", "andi":
		return a & b
	case "sll", "slli":
		return a << (b & 31)
	case "srl", "srli":
		return a >> (b & 31)
	case "sra", "srai":
		return uint32(int32(a) >> (b & 31))
	case "mul":
		return a * b
	case "mulh":
		return high(int64(int32(a)) * int64(int32(b)))
	case "mulhsu":
		return high(int64(int32(a)) * int64(b))
	case "mulhu":
		return uint32(uint64(a) * uint64(b) >> 32)
	case "div", "rem":
		switch {
		case b == 0 && name == "div":
			return ^uint32(0)
		case b == 0 || a == 1<<31 && b == ^uint32(0) && name == "div":
			return a
		case b == ^uint32(0) && name == "rem":
			return 0
		case name == "div":
			return uint32(int32(a) / int32(b))
		}
		return uint32(int32(a) % int32(b))
	case "divu":
		if b == 0 {
			return ^uint32(0)
		}
		return a / b
	case "remu":
		if b == 0 {
			return a
		}
		return a % b
	}
	panic("result of " + name)
}

// holds tells whether a branch is taken.
func holds(name string, a, b uint32) bool {
	switch name {
	case "beq":
		return a == b
	case "bne":
		return a != b
	case "blt":
		return int32(a) < int32(b)
	case "bge":
		return int32(a) >= int32(b)
	case "bltu":
		return a < b
	case "bgeu":
		return a >= b
	}
	panic("condition of " + name)
}

// partner is the other operand of a branch that has one, so that it is taken or
// not. There may be none.
func partner(r *rand.Rand, k kind, one uint32, isSecond bool) (other uint32, ok bool) {
	tries := []uint32{one, one + 1, one - 1, 0, 1 << 31, 1<<31 - 1, ^uint32(0), r.Uint32(), one ^ 1<<r.IntN(32)}
	r.Shuffle(len(tries), func(i, j int) { tries[i], tries[j] = tries[j], tries[i] })
	for _, other := range tries {
		a, b := one, other
		if isSecond {
			a, b = b, a
		}
		if holds(k.name, a, b) == k.taken {
			return other, true
		}
	}
	return 0, false
}

// some is a value: a corner or any.
func some(r *rand.Rand) uint32 {
	if r.IntN(2) == 0 {
		return corners[r.IntN(len(corners))]
	}
	return r.Uint32() >> r.IntN(32)
}

// immediate is the second operand of an instruction with one, as it is computed with.
func immediate(r *rand.Rand, name string) uint32 {
	switch name {
	case "slli", "srli", "srai":
		return []uint32{0, 1, 31, r.Uint32N(32)}[r.IntN(4)]
	}
	return uint32([]int32{0, 1, -1, 2047, -2048, r.Int32N(4096) - 2048}[r.IntN(6)])
}

// operands are such that arithmetic has a result, or nearly: comparisons make 0
// or 1. The second one fits into an immediate if there is one.
func operands(r *rand.Rand, name string, want uint32) (a, b, made uint32) {
	low := r.Uint32N(2048)
	switch name {
	case "add":
		b = r.Uint32()
		a = want - b
	case "addi":
		b = uint32(r.Int32N(4096) - 2048)
		a = want - b
	case "sub":
		b = r.Uint32()
		a = want + b
	case "xor":
		b = r.Uint32()
		a = want ^ b
	case "xori":
		b = uint32(r.Int32N(4096) - 2048)
		a = want ^ b
	case "or":
		b = want & r.Uint32()
		a = want&^b | want&r.Uint32()
	case "ori":
		b = want & low
		a = want &^ b
	case "and":
		b = want | r.Uint32()
		a = want | ^b&r.Uint32()
	case "andi":
		b = ^uint32(2047) | want&2047 | low
		a = want | ^b&r.Uint32()
	case "sll", "slli":
		b = r.Uint32N(uint32(min(bits.TrailingZeros32(want), 31)) + 1)
		a = want>>b | r.Uint32()&^(^uint32(0)>>b)
	case "srl", "srli":
		b = r.Uint32N(uint32(min(bits.LeadingZeros32(want), 31)) + 1)
		a = want<<b | r.Uint32()&(1<<b-1)
	case "sra", "srai":
		b = r.Uint32N(uint32(bits.LeadingZeros32(want ^ uint32(int32(want)>>31))))
		a = want<<b | r.Uint32()&(1<<b-1)
	case "mul":
		b = r.Uint32() | 1
		inverse := b // Newton: each step doubles the bits that are right, three at first
		for range 4 {
			inverse *= 2 - b*inverse
		}
		a = want * inverse
	case "mulh", "mulhsu":
		a, b = 1<<30, want<<2
		if name == "mulhsu" && r.IntN(2) == 0 {
			a, b = want<<2, 1<<30
		}
	case "mulhu":
		a, b = 1<<31, want<<1
	case "div", "divu":
		b = 1 + r.Uint32N(1<<(bits.LeadingZeros32(want|1<<8)/2))
		a = want * b
	case "rem", "remu":
		b = want + 1 + r.Uint32N(1000)
		a = want
		if want < 1<<15 {
			a += b * r.Uint32N(1000)
		}
	default: // comparisons
		a, b = some(r), some(r)
		if name == "slti" || name == "sltiu" {
			b = immediate(r, name)
		}
	}
	if name == "sll" || name == "srl" || name == "sra" {
		b |= r.Uint32() &^ 31 // what does not count
		return a, b, resultOf(name, a, b)
	}
	return a, b, resultOf(name, a, b)
}
