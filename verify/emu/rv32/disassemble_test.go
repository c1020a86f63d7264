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

	"github.com/cclforge/cclforge/verify/emu/rv32/rv32test"
)

func TestDisassemble(t *testing.T) {
	names := map[string]bool{}
	for _, test := range []struct { // as GNU binutils write them with -M no-aliases
		pc, instr uint32
		want      string
	}{
		{0x0, 0xfffff537, "lui a0,0xfffff"},
		{0x4, 0x12345f97, "auipc t6,0x12345"},
		{0x8, 0x7fe000ef, "jal ra,0x806"},
		{0xc, 0x8000006f, "jal zero,0xfff0000c"},
		{0x10, 0x7ffff2ef, "jal t0,0x10000e"},
		{0x14, 0x800780e7, "jalr ra,-2048(a5)"},
		{0x18, 0x7eb50fe3, "beq a0,a1,0x1016"},
		{0x1c, 0x81b41063, "bne s0,s11,0xfffff01c"},
		{0x20, 0x0062c463, "blt t0,t1,0x28"},
		{0x24, 0xfe105ce3, "bge zero,ra,0x1c"},
		{0x28, 0x01186163, "bltu a6,a7,0x2a"},
		{0x2c, 0xfe317fe3, "bgeu sp,gp,0x2a"},
		{0x30, 0xfff40503, "lb a0,-1(s0)"},
		{0x34, 0x7ff49583, "lh a1,2047(s1)"},
		{0x38, 0x80022603, "lw a2,-2048(tp)"},
		{0x3c, 0x000e4683, "lbu a3,0(t3)"},
		{0x40, 0x006ed703, "lhu a4,6(t4)"},
		{0x44, 0xfea40fa3, "sb a0,-1(s0)"},
		{0x48, 0x7eb49fa3, "sh a1,2047(s1)"},
		{0x4c, 0x80c22023, "sw a2,-2048(tp)"},
		{0x50, 0x00d12fa3, "sw a3,31(sp)"},
		{0x54, 0x02d12023, "sw a3,32(sp)"},
		{0x58, 0xfff58513, "addi a0,a1,-1"},
		{0x5c, 0x7ff6a613, "slti a2,a3,2047"},
		{0x60, 0x8007b713, "sltiu a4,a5,-2048"},
		{0x64, 0xfff9c913, "xori s2,s3,-1"},
		{0x68, 0x055aea13, "ori s4,s5,85"},
		{0x6c, 0x00fbfb13, "andi s6,s7,15"},
		{0x70, 0x01fc9c13, "slli s8,s9,0x1f"},
		{0x74, 0x000ddd13, "srli s10,s11,0x0"},
		{0x78, 0x411fdf13, "srai t5,t6,0x11"},
		{0x7c, 0x00c58533, "add a0,a1,a2"},
		{0x80, 0x40f706b3, "sub a3,a4,a5"},
		{0x84, 0x007312b3, "sll t0,t1,t2"},
		{0x88, 0x0124a433, "slt s0,s1,s2"},
		{0x8c, 0x015a39b3, "sltu s3,s4,s5"},
		{0x90, 0x018bcb33, "xor s6,s7,s8"},
		{0x94, 0x01bd5cb3, "srl s9,s10,s11"},
		{0x98, 0x41eede33, "sra t3,t4,t5"},
		{0x9c, 0x01f8e833, "or a6,a7,t6"},
		{0xa0, 0x003170b3, "and ra,sp,gp"},
		{0xa4, 0x02c58533, "mul a0,a1,a2"},
		{0xa8, 0x02f716b3, "mulh a3,a4,a5"},
		{0xac, 0x027322b3, "mulhsu t0,t1,t2"},
		{0xb0, 0x0324b433, "mulhu s0,s1,s2"},
		{0xb4, 0x035a49b3, "div s3,s4,s5"},
		{0xb8, 0x038bdb33, "divu s6,s7,s8"},
		{0xbc, 0x03bd6cb3, "rem s9,s10,s11"},
		{0xc0, 0x03eefe33, "remu t3,t4,t5"},
		{0xc4, 0x0ff0000f, "fence iorw,iorw"},
		{0xc8, 0x0310000f, "fence rw,w"},
		{0xcc, 0x0000100f, "fence.i"},
		{0xd0, 0x10500073, "wfi"},
		{0xd4, 0x00000073, "ecall"},
		{0xd8, 0x00100073, "ebreak"},
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
		if got := Disassemble(test.instr, test.pc); got != test.want {
			t.Errorf("%08x at 0x%x: %q, want %q", test.instr, test.pc, got, test.want)
		}
		names[strings.Fields(test.want)[0]] = true
	}
	for _, name := range mnemonics {
		if name != "" && !names[name] {
			t.Errorf("%s is not tested", name)
		}
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
	if err := binary.Write(&image, binary.LittleEndian, words); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "words.bin")
	if err := os.WriteFile(file, image.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-z", "-b", "binary", "-m", "riscv:rv32", "-M", "no-aliases", file).Output()
	if err != nil {
		t.Fatal(err)
	}
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
			if name := strings.Fields(want)[0]; ours[name] && !long {
				t.Errorf("%08x is not decoded: %s", word, want)
			}
			continue
		}
		legal++
		want, got = target.ReplaceAllString(want, ",0x$1"), target.ReplaceAllString(got, ",0x$1")
		if strings.HasPrefix(got, "csr") { // of which binutils know more names
			want, got = csr.ReplaceAllString(want, "$1,,"), csr.ReplaceAllString(got, "$1,,")
		}
		if got != want {
			t.Errorf("%08x at 0x%x: %q, want %q", word, pc, got, want)
		}
	}
	if seen != len(words) || legal < len(words)/4 {
		t.Errorf("%d of %d words compared, %d instructions", seen, len(words), legal)
	}
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
