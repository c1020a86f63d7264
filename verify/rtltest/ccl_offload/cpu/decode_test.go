package cpu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestDecode(t *testing.T) { set.Check(t, "rv32_decode", decode) }

// form is how an instruction has its registers and its immediate.
type form byte

const (
	formR form = iota // rd, rs1, rs2
	formI             // rd, rs1, immediate
	formS             // rs1, rs2, offset
	formB             // rs1, rs2, distance
	formU             // rd, upper
	formJ             // rd, distance
	formC             // rd, CSR
	formN             // nothing
)

// instructions are those of the manual: the bits that make them out, and which
// bits these are.
var instructions = []struct {
	name       string
	mask, bits uint32
	form       form
	is         string // what the decoder calls it; "" is arithmetic or nothing
}{
	{"lui", 0x7F, 0x37, formU, "upper"}, {"auipc", 0x7F, 0x17, formU, "upper"},
	{"jal", 0x7F, 0x6F, formJ, "jal"}, {"jalr", 0x707F, 0x67, formI, "jalr"},
	{"beq", 0x707F, 0x0063, formB, "branch"}, {"bne", 0x707F, 0x1063, formB, "branch"},
	{"blt", 0x707F, 0x4063, formB, "branch"},
	{"bge", 0x707F, 0x5063, formB, "branch"}, {"bltu", 0x707F, 0x6063, formB, "branch"},
	{"bgeu", 0x707F, 0x7063, formB, "branch"},
	{"lb", 0x707F, 0x0003, formI, "load"}, {"lh", 0x707F, 0x1003, formI, "load"}, {"lw", 0x707F, 0x2003, formI, "load"},
	{"lbu", 0x707F, 0x4003, formI, "load"}, {"lhu", 0x707F, 0x5003, formI, "load"},
	{"sb", 0x707F, 0x0023, formS, "store"}, {"sh", 0x707F, 0x1023, formS, "store"}, {"sw", 0x707F, 0x2023, formS, "store"},
	{"addi", 0x707F, 0x0013, formI, ""}, {"slti", 0x707F, 0x2013, formI, ""}, {"sltiu", 0x707F, 0x3013, formI, ""},
	{"xori", 0x707F, 0x4013, formI, ""}, {"ori", 0x707F, 0x6013, formI, ""}, {"andi", 0x707F, 0x7013, formI, ""},
	{"slli", 0xFE00707F, 0x00001013, formI, ""}, {"srli", 0xFE00707F, 0x00005013, formI, ""},
	{"srai", 0xFE00707F, 0x40005013, formI, ""},
	{"add", 0xFE00707F, 0x00000033, formR, ""}, {"sub", 0xFE00707F, 0x40000033, formR, "subtract"},
	{"sll", 0xFE00707F, 0x00001033, formR, ""},
	{"slt", 0xFE00707F, 0x00002033, formR, ""}, {"sltu", 0xFE00707F, 0x00003033, formR, ""},
	{"xor", 0xFE00707F, 0x00004033, formR, ""},
	{"srl", 0xFE00707F, 0x00005033, formR, ""}, {"sra", 0xFE00707F, 0x40005033, formR, "sra"},
	{"or", 0xFE00707F, 0x00006033, formR, ""},
	{"and", 0xFE00707F, 0x00007033, formR, ""},
	{"mul", 0xFE00707F, 0x02000033, formR, "multiply"}, {"mulh", 0xFE00707F, 0x02001033, formR, "multiply"},
	{"mulhsu", 0xFE00707F, 0x02002033, formR, "multiply"}, {"mulhu", 0xFE00707F, 0x02003033, formR, "multiply"},
	{"div", 0xFE00707F, 0x02004033, formR, "divide"}, {"divu", 0xFE00707F, 0x02005033, formR, "divide"},
	{"rem", 0xFE00707F, 0x02006033, formR, "divide"}, {"remu", 0xFE00707F, 0x02007033, formR, "divide"},
	{"fence", 0x707F, 0x000F, formN, ""}, {"fence.i", 0x707F, 0x100F, formN, "fence_i"},
	{"ecall", 0xFFFFFFFF, 0x00000073, formN, "ecall"}, {"ebreak", 0xFFFFFFFF, 0x00100073, formN, "ebreak"},
	{"wfi", 0xFFFFFFFF, 0x10500073, formN, ""},
	// csrrs, csrrsi, csrrc and csrrci of x0 or 0: reads of cycle, time, instret, and their high halves.
	{"rdcycle", 0xFFFFA07F, 0xC0002073, formC, "counter"}, {"rdtime", 0xFFFFA07F, 0xC0102073, formC, "counter"},
	{"rdinstret", 0xFFFFA07F, 0xC0202073, formC, "counter"}, {"rdcycleh", 0xFFFFA07F, 0xC8002073, formC, "counter"},
	{"rdtimeh", 0xFFFFA07F, 0xC8102073, formC, "counter"}, {"rdinstreth", 0xFFFFA07F, 0xC8202073, formC, "counter"},
}

// signed are bits of an instruction, with the sign of the highest one.
func signed(word uint32, high, low int) int32 { return int32(word<<(31-high)) >> (31 - high + low) }

// decode takes instructions apart: each of the manual, those a bit away from them,
// and any words.
func decode(b *block.Bench, r *rand.Rand) error {
	kinds := []string{"ecall", "ebreak", "fence_i", "load", "store", "branch", "jal", "jalr", "upper", "counter",
		"multiply", "divide"}
	for n := range 30_000 {
		in := instructions[n%len(instructions)]
		word := in.bits | r.Uint32()&^in.mask
		switch r.IntN(4) {
		case 0:
			word ^= 1 << r.IntN(32)
		case 1:
			word &^= 31 << 7 // x0
		}
		if r.IntN(8) == 0 {
			word = r.Uint32()
		}
		b.Set("instruction", uint64(word))
		b.Settle()
		at := -1
		for i, x := range instructions {
			if word&x.mask == x.bits {
				at = i
			}
		}
		if b.Is("decoded.illegal") != (at < 0) {
			return fmt.Errorf("%08X is illegal: %t", word, at >= 0)
		}
		x := instructions[max(at, 0)]
		for _, k := range kinds {
			if got := b.Is("decoded." + k); got != (at >= 0 && x.is == k) {
				return fmt.Errorf("%08X (%s) is %s: %t", word, x.name, k, got)
			}
		}
		if at < 0 {
			continue
		}
		if err := operands(b, word, x.form); err != nil {
			return fmt.Errorf("%08X (%s): %w", word, x.name, err)
		}
		arithmetic := x.is == "" || x.is == "subtract" || x.is == "sra"
		funct3 := word >> 12 & 7
		if funct3 == 0 && arithmetic && x.form < formS && b.Is("decoded.subtract") != (x.is == "subtract") {
			return fmt.Errorf("%08X (%s) subtracts: %t", word, x.name, b.Is("decoded.subtract"))
		}
		if funct3 == 5 && arithmetic && x.form < formS &&
			b.Is("decoded.arithmetic") != (x.name == "sra" || x.name == "srai") {
			return fmt.Errorf("%08X (%s) keeps the sign: %t", word, x.name, b.Is("decoded.arithmetic"))
		}
		if b.Get("decoded.funct3") != uint64(funct3) {
			return fmt.Errorf("%08X (%s) has funct3 %d", word, x.name, b.Get("decoded.funct3"))
		}
	}
	return nil
}

// operands checks what an instruction reads and writes.
func operands(b *block.Bench, word uint32, f form) error {
	rd := word >> 7 & 31
	writes := rd != 0 && (f == formR || f == formI || f == formU || f == formJ || f == formC)
	if b.Is("decoded.writes") != writes || writes && b.Get("decoded.rd") != uint64(rd) {
		return fmt.Errorf("it writes x%d: %t", b.Get("decoded.rd"), b.Is("decoded.writes"))
	}
	rs1, rs2 := f == formR || f == formI || f == formS || f == formB, f == formR || f == formS || f == formB
	if rs1 && !b.Is("uses_rs1") || rs2 != b.Is("uses_rs2") {
		return fmt.Errorf("it reads rs1: %t, rs2: %t", b.Is("uses_rs1"), b.Is("uses_rs2"))
	}
	is := func(port string, want int32) error {
		if got := uint32(b.Get(port)); got != uint32(want) {
			return fmt.Errorf("%s is %X, not %X", port, got, uint32(want))
		}
		return nil
	}
	switch f {
	case formI:
		if err := is("immediate", signed(word, 31, 20)); err != nil {
			return err
		}
		return is("offset", signed(word, 31, 20))
	case formS:
		return is("offset", signed(word, 31, 25)<<5|int32(rd))
	case formB:
		return is("distance", signed(word, 31, 31)<<12|int32(word>>7&1)<<11|int32(word>>25&63)<<5|int32(word>>8&15)<<1)
	case formJ:
		return is("distance", signed(word, 31, 31)<<20|int32(word>>12&255)<<12|int32(word>>20&1)<<11|int32(word>>21&1023)<<1)
	case formU:
		return is("upper", int32(word&^0xFFF))
	case formC:
		if got := b.Get("offset") & 0xFFF; got != uint64(word>>20) {
			return fmt.Errorf("the CSR is %X", got)
		}
	}
	return nil
}
