package rv32

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

// TestDisassemble has what TestDecodeAgainstBinutils does not compare, and an instruction of each format.
func TestDisassemble(t *testing.T) {
	for _, test := range []struct { // as GNU binutils write them with -M no-aliases
		pc, instr uint32
		want      string
	}{
		{0x0, 0xfffff537, "lui a0,0xfffff"},
		{0x8, 0x7fe000ef, "jal ra,0x806"},
		{0x14, 0x800780e7, "jalr ra,-2048(a5)"},
		{0x18, 0x7eb50fe3, "beq a0,a1,0x1016"},
		{0x28, 0x01186163, "bltu a6,a7,0x2a"},
		{0x38, 0x80022603, "lw a2,-2048(tp)"},
		{0x54, 0x02d12023, "sw a3,32(sp)"},
		{0x58, 0xfff58513, "addi a0,a1,-1"},
		{0x60, 0x8007b713, "sltiu a4,a5,-2048"},
		{0x70, 0x01fc9c13, "slli s8,s9,0x1f"},
		{0x78, 0x411fdf13, "srai t5,t6,0x11"},
		{0x7c, 0x00c58533, "add a0,a1,a2"},
		{0xac, 0x027322b3, "mulhsu t0,t1,t2"},
		{0xc4, 0x0ff0000f, "fence iorw,iorw"},
		{0xc8, 0x0310000f, "fence rw,w"},
		{0xcc, 0x0000100f, "fence.i"},
		{0xd0, 0x10500073, "wfi"},
		{0xd4, 0x00000073, "ecall"},
		{0xdc, 0xc0002573, "csrrs a0,cycle,zero"},
		{0xe0, 0xc81025f3, "csrrs a1,timeh,zero"},
		{0xe4, 0xc8203673, "csrrc a2,instreth,zero"},
		{0xe8, 0x300716f3, "csrrw a3,0x300,a4"},
		{0xec, 0x340fd073, "csrrwi zero,0x340,31"},
		{0xf0, 0xc02067f3, "csrrsi a5,instret,0"},
		{0xf4, 0xc010f873, "csrrci a6,time,1"},
		{0, 0x00000000, ".word 0x00000000"},
		{0, 0xffffffff, ".word 0xffffffff"},
		{0, 0x00052007, ".word 0x00052007"},
		{0, 0x0000000f, "fence unknown,unknown"},
	} {
		assert.Check(t, is.Equal(Disassemble(test.instr, test.pc), test.want), "%08x at 0x%x", test.instr, test.pc)
	}
}

// tool finds a program of the RISC-V toolchain or skips the test.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath("riscv64-unknown-elf-" + name)
	if err != nil {
		t.Skipf("needs the RISC-V toolchain: %v", err)
	}
	return path
}

// TestDecodeAgainstBinutils compares random words with objdump, also in what
// is no instruction.
func TestDecodeAgainstBinutils(t *testing.T) {
	objdump := tool(t, "objdump")
	r := rand.New(rand.NewPCG(5, 6))
	opcodes := []uint32{0x37, 0x17, 0x6f, 0x67, 0x63, 0x63, 0x03, 0x03, 0x23, 0x13, 0x13, 0x13, 0x33, 0x33, 0x33, 0x33,
		0x73, 0x07, 0x2f, 0x3b, 0x1b}
	words := make([]uint32, 20000)
	for i := range words {
		w := r.Uint32()&^0x7f | opcodes[r.IntN(len(opcodes))]
		switch r.IntN(4) {
		case 0:
			w &^= 0xfe000000
		case 1:
			w = w&^0xfe000000 | 1<<25
		case 2:
			w = w&^0xfe000000 | 1<<30
		}
		words[i] = w
	}
	var image bytes.Buffer
	assert.NilError(t, binary.Write(&image, binary.LittleEndian, words))
	file := filepath.Join(t.TempDir(), "words.bin")
	assert.NilError(t, os.WriteFile(file, image.Bytes(), 0o666))
	out, err := exec.Command(objdump, "-D", "-z", "-b", "binary", "-m", "riscv:rv32", "-M", "no-aliases", file).Output()
	assert.NilError(t, err)
	ours := map[string]bool{}
	for _, name := range mnemonics {
		ours[name] = true
	}
	line := regexp.MustCompile(`(?m)^ *([0-9a-f]+):\t([0-9a-f]{8}) +\t(.*)$`)
	comment, target, csr := regexp.MustCompile(` #.*| <.*`), regexp.MustCompile(`,0x0*([0-9a-f]+)$`), regexp.MustCompile(
		`^(csr\w+ \w+),\w+,`)
	seen, legal := 0, 0
	for _, m := range line.FindAllStringSubmatch(string(out), -1) {
		word := words[seen]
		pc := uint32(4 * seen)
		seen++
		want := comment.ReplaceAllString(strings.ReplaceAll(m[3], "\t", " "), "")
		got := Disassemble(word, pc)
		if strings.HasPrefix(got, ".word") {
			long := word>>25&1 == 1 && word&0x7f == 0x13 // a shift by 32 and more, which is for 64 bits
			assert.Check(t, !ours[strings.Fields(want)[0]] || long, "%08x is not decoded: %s", word, want)
			continue
		}
		legal++
		want, got = target.ReplaceAllString(want, ",0x$1"), target.ReplaceAllString(got, ",0x$1")
		if strings.HasPrefix(got, "csr") { // of which binutils know more names
			want, got = csr.ReplaceAllString(want, "$1,,"), csr.ReplaceAllString(got, "$1,,")
		}
		assert.Check(t, is.Equal(got, want), "%08x at 0x%x", word, pc)
	}
	assert.Check(t, seen == len(words) && legal >= len(words)/4,
		"%d of %d words compared, %d instructions", seen, len(words), legal)
}

// TestAssembler holds the encoder of these tests against the decoder.
func TestAssembler(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		for _, i := range rv32test.Random(r, rv32test.Mix{})[:50] {
			in := decode(i.Word())
			if got := (ins{Name: mnemonics[in.op], Rd: int(in.rd), Rs1: int(in.rs1), Rs2: int(in.rs2),
				Imm: int32(in.imm)}); got != i {
				t.Fatalf("%08x: %+v, want %+v", i.Word(), got, i)
			}
		}
	}
}
