package rv32

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compile builds a program of testdata and returns its image and ELF file.
func compile(t testing.TB, source string, options ...string) (image, file []byte) {
	t.Helper()
	gcc := tool(t, "gcc")
	out := filepath.Join(t.TempDir(), "program.elf")
	args := append([]string{"-march=rv32im", "-misa-spec=2.2", "-mabi=ilp32", "-nostdlib", "-ffreestanding",
		"-Wall", "-Werror",
		"-fno-tree-loop-distribute-patterns", "-Wl,-T,testdata/link.ld", "-Wl,--no-relax", "-o", out, filepath.Join(
			"testdata", source)}, options...)
	if text, err := exec.Command(gcc, append(args, "-lgcc")...).CombinedOutput(); err != nil {
		t.Fatalf("compiling %s: %v\n%s", source, err, text)
	}
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_LOAD || p.Filesz == 0 {
			continue
		}
		image = append(image, make([]byte, max(0, int(p.Vaddr+p.Filesz)-len(image)))...)
		if _, err := p.ReadAt(image[p.Vaddr:p.Vaddr+p.Filesz], 0); err != nil {
			t.Fatal(err)
		}
	}
	return image, file
}

// mixed computes what testdata/mixed.c computes.
func mixed() []uint32 {
	seed := uint32(12345)
	next := func() uint32 {
		seed = seed*1664525 + 1013904223
		return seed
	}
	var results []uint32
	put := func(v uint32) { results = append(results, v) }
	put64 := func(v uint64) { put(uint32(v)); put(uint32(v >> 32)) }

	values := make([]int32, 400)
	for i := range values {
		values[i] = int32(next())
	}
	slices.Sort(values)
	var raw []byte
	for i, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, uint32(v))
		if i%100 == 0 {
			put(uint32(v))
		}
	}
	put(crc32.ChecksumIEEE(raw))
	var a, b uint32
	for i := 0; i < len(raw); i += 2 {
		a = (a + uint32(binary.LittleEndian.Uint16(raw[i:]))) % 255
		b = (b + a) % 255
	}
	put(uint32(uint16(b<<8 | a)))

	for i := range 4 {
		high := next()
		a := uint64(high)<<32 | uint64(next())
		b := uint64(next()>>(8*i))<<16 | 1
		put64(a / b)
		put64(a % b)
		put64(uint64(int64(a) / -int64(b)))
		put64(a * b)
		put64(uint64(int64(a) >> (b >> 20 & 63)))
	}
	sum := 0.0
	for i := 1; i <= 50; i++ {
		sum += 1 / float64(i)
	}
	put64(math.Float64bits(sum))

	var total int32
	for i := range uint32(1000) {
		a, b := int32(next()), total>>(i%5*6)
		total *= 31
		switch i % 8 {
		case 0:
			total += a + b
		case 1:
			total += a - b
		case 2:
			total += a * b
		case 3:
			if b == 0 {
				total++
			} else {
				total += a / b
			}
		case 4:
			if b == 0 {
				total += 2
			} else {
				total += a % b
			}
		case 5:
			total += a >> (b & 31)
		case 6:
			total += int32(int8(a)) ^ int32(int16(b))
		case 7:
			if a < b {
				total++
			}
		}
	}
	put(uint32(total))
	put(uint32(len(results)))
	return results
}

func TestCompiledProgram(t *testing.T) {
	want := mixed()
	for _, level := range []string{"-O0", "-O1", "-O2", "-O3", "-Os"} {
		t.Run(level, func(t *testing.T) {
			image, file := compile(t, "mixed.c", level)
			sym, err := ReadSymbols(file)
			if err != nil {
				t.Fatal(err)
			}
			c := New(1<<16, nil)
			if err := c.Load(image, sym); err != nil {
				t.Fatal(err)
			}
			n, err := c.Run(10_000_000)
			wantTrap(t, err, Trap{Cause: Breakpoint, PC: c.PC(), Instr: c.word(c.PC()), Func: "_start+0xc"})
			at := c.X(a0)
			got := make([]uint32, len(want))
			for i := range got {
				got[i] = binary.LittleEndian.Uint32(c.RAM()[at+uint32(4*i):])
			}
			if !slices.Equal(got, want) {
				t.Errorf("results\n%x, want\n%x", got, want)
			}
			t.Logf("%d instructions", n)
		})
	}
}

// TestFunctionOfTrap breaks a compiled program in the middle of a function.
func TestFunctionOfTrap(t *testing.T) {
	image, file := compile(t, "mixed.c", "-O1", "-fno-inline")
	sym, err := ReadSymbols(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := sym.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	if sym, err = ParseSymbols(text); err != nil { // as it is embedded
		t.Fatal(err)
	}
	at, ok := sym.Addr("crc")
	if !ok {
		t.Fatalf("no function crc in\n%s", text)
	}
	clear(image[at+8 : at+12])
	c := New(1<<16, nil)
	if err := c.Load(image, sym); err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(10_000_000)
	wantTrap(t, err, Trap{Cause: IllegalInstruction, PC: at + 8, Func: "crc+0x8"})
	if !strings.Contains(err.Error(), "crc+0x8") {
		t.Errorf("the message lacks the function: %v", err)
	}
}
