package standin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/verify/fakecards/xclbin"
)

// linked writes a device binary without firmware, and the map of one memory.
func linked(t *testing.T, dir string) {
	t.Helper()
	bits := Bitstream{Design: "d", RAMs: map[string]string{}}
	data, err := bits.Bytes()
	assert.NilError(t, err)
	f := xclbin.File{UUID: strings.Repeat("0a", 16), Platform: "xilinx_u55c_gen3x16_xdma_base_3", Version: "2.16.204"}
	f.Set("BITSTREAM", data)
	f.Set("CONNECTIVITY", xclbin.Connectivity(nil))
	text, err := XclbinBytes(&f)
	assert.NilError(t, err)
	const mmi = `<?xml version="1.0"?><MemInfo Version="1" Minor="1"><Processor Endianness="Little" InstPath="e0"><AddressSpace Name="r" Begin="0" End="15">
<BusBlock><BitLane MemType="RAMB36" Placement="X0Y0"><DataWidth MSB="31" LSB="0"/><AddressRange Begin="0" End="3"/></BitLane></BusBlock></AddressSpace></Processor></MemInfo>`
	for name, content := range map[string]string{"a.xclbin": string(text), "m.mmi": mmi,
		"f.mem": "@00000000\n00000013 deadbeef\n", "big.mem": "@00000000\n" + strings.Repeat("00000013\n", 5),
		"odd.mem": "@0\n0x13\n", "early.mem": "00000013\n", "meta.json": `{"platform":"p"}`, "cut.xclbin": string(
			text[:len(text)-9])} {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
}

// TestImage puts a program into a binary, in the way of users, and in ways that are
// refused.
func TestImage(t *testing.T) {
	in := Install(t, t.TempDir(), Options{})
	dir := t.TempDir()
	linked(t, dir)
	for _, step := range []struct{ tool, args, says string }{
		{"xclbinutil", "--input cut.xclbin --info", "it is cut"},
		{"xclbinutil", "--input a.xclbin --dump-section PDI:RAW:a.bit", "Section 'PDI' does not exist"},
		{"xclbinutil", "--input a.xclbin --dump-section BITS:RAW:a.bit", "Section 'BITS' isn't a valid section name"},
		{"xclbinutil", "--input a.xclbin --dump-section BITSTREAM:JSON:a.bit", "does not support the format type: JSON"},
		{"xclbinutil", "--input a.xclbin --dump-section BITSTREAM", "Expected format <section>:<format>:<file>"},
		{"xclbinutil", "--input a.xclbin --dump-section BITSTREAM:RAW:a.bit", ""},
		{"xclbinutil", "--input a.xclbin --dump-section BITSTREAM:RAW:a.bit", "already exists"},
		{"updatemem", "-meminfo m.mmi -data f.mem -proc e1 -bit a.bit -out b.bit",
			"the processor 'e1' is not in the memory map"},
		{"updatemem", "-meminfo m.mmi -data big.mem -proc e0 -bit a.bit -out b.bit", "do not fit"},
		{"updatemem", "-meminfo m.mmi -data odd.mem -proc e0 -bit a.bit -out b.bit", "value"},
		{"updatemem", "-meminfo m.mmi -data early.mem -proc e0 -bit a.bit -out b.bit", "before the first address"},
		{"updatemem", "-meminfo m.mmi -data meta.json -proc e0 -bit a.bit -out b.bit", "neither .elf nor .mem"},
		{"updatemem", "-meminfo m.mmi -data f.mem -proc e0 -bit a.xclbin -out b.bit", "synchronisation word"},
		{"updatemem", "-meminfo m.mmi -data f.mem -data f.mem -proc e0 -bit a.bit -out b.bit", "in pairs"},
		{"updatemem", "-meminfo m.mmi -data f.mem -proc e0 -bit a.bit -out b.bit", ""},
		{"updatemem", "-meminfo m.mmi -data f.mem -proc e0 -bit a.bit -out b.bit", "already exists"},
		{"xclbinutil", "--input a.xclbin --add-section BITSTREAM:RAW:b.bit --output c.xclbin", "already exists"},
		{"xclbinutil", "--input a.xclbin --replace-section USER_METADATA:RAW:meta.json --output c.xclbin", "does not exist"},
		{"xclbinutil", "--input a.xclbin --replace-section BITSTREAM:RAW:f.mem --output c.xclbin", "is no bitstream"},
		{"xclbinutil",
			"--input a.xclbin --replace-section BITSTREAM:RAW:b.bit --add-replace-section USER_METADATA:RAW:meta.json " +
				"--output c.xclbin", ""},
		{"xclbinutil", "--input a.xclbin --output c.xclbin", "already exists"},
		{"xclbinutil", "--quiet --force --info c.info --input c.xclbin", ""},
	} {
		status, said := call(t, in, dir, step.tool, strings.Fields(step.args)...)
		assert.Check(t, (status == 0) == (step.says == "") && strings.Contains(said, step.says),
			"%s %s: exit status %d\n%s\nnot %s", step.tool, step.args, status, said, step.says)
	}
	l, err := Inspect(filepath.Join(dir, "c.xclbin"))
	assert.NilError(t, err)
	if l.Memories["e0"] == "" || len(l.Memories) != 1 || l.Metadata["platform"] != "p" || l.Design != "d" ||
		l.UUID == strings.Repeat("0a", 16) {
		t.Errorf("the result is %+v", l)
	}
	text, err := os.ReadFile(filepath.Join(dir, "c.info"))
	assert.Check(t, err == nil && strings.Contains(string(text), "UUID (xclbin):          "+l.UUID[:8]+"-"),
		"what is said of it: %v\n%s", err, text)
}
