package xclbin

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"gotest.tools/v3/assert"
)

// compiled runs a C program with XRT's own header; it skips the test if the header
// is not installed.
func compiled(t *testing.T, source string) []byte {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("NOT TESTED: the layout against XRT's header, because gcc is not installed")
	}
	probe := exec.CommandContext(t.Context(), "gcc", "-E", "-x", "c", "-")
	probe.Stdin = strings.NewReader("#include <xrt/xclbin.h>\n")
	if err := probe.Run(); err != nil {
		t.Skip("NOT TESTED: the layout against XRT's header, because it is not there: apt-get install libxrt-dev uuid-dev")
	}
	program := filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), "gcc", "-std=gnu11", "-x", "c", "-o", program, "-")
	build.Stdin = strings.NewReader(source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program).Output()
	assert.NilError(t, err)
	return out
}

// TestHeader compares places, sizes and numbers with those of XRT's header.
func TestHeader(t *testing.T) {
	var source, want strings.Builder
	var (
		head    axlf
		section sectionHeader
		ip      ipRecord
		bank    bankRecord
		link    connectionRecord
	)
	source.WriteString("#include <stddef.h>\n#include <stdio.h>\n#include <xrt/xclbin.h>\nint main(void) {\n")
	for _, c := range []struct {
		expression string
		value      int64
	}{
		{"offsetof(struct axlf, m_header)", int64(unsafe.Offsetof(head.Length))},
		{"offsetof(struct axlf, m_header.m_timeStamp)", int64(unsafe.Offsetof(head.Created))},
		{"offsetof(struct axlf, m_header.m_versionPatch)", int64(unsafe.Offsetof(head.Patch))},
		{"offsetof(struct axlf, m_header.m_versionMajor)", int64(unsafe.Offsetof(head.Major))},
		{"offsetof(struct axlf, m_header.m_versionMinor)", int64(unsafe.Offsetof(head.Minor))},
		{"offsetof(struct axlf, m_header.m_mode)", int64(unsafe.Offsetof(head.Mode))},
		{"offsetof(struct axlf, m_header.m_platformVBNV)", int64(unsafe.Offsetof(head.Platform))},
		{"sizeof(((struct axlf *)0)->m_header.m_platformVBNV)", int64(unsafe.Sizeof(head.Platform))},
		{"offsetof(struct axlf, m_header.m_platformVBNV) - 16", int64(unsafe.Offsetof(head.Interface))},
		{"offsetof(struct axlf, m_header.uuid)", int64(unsafe.Offsetof(head.UUID))},
		{"offsetof(struct axlf, m_header.m_numSections)", int64(unsafe.Offsetof(head.Sections))},
		{"offsetof(struct axlf, m_sections)", int64(unsafe.Sizeof(head))},
		{"sizeof(struct axlf_section_header)", int64(unsafe.Sizeof(section))},
		{"offsetof(struct axlf_section_header, m_sectionName)", int64(unsafe.Offsetof(section.Name))},
		{"sizeof(((struct axlf_section_header *)0)->m_sectionName)", int64(unsafe.Sizeof(section.Name))},
		{"offsetof(struct axlf_section_header, m_sectionOffset)", int64(unsafe.Offsetof(section.Offset))},
		{"offsetof(struct axlf_section_header, m_sectionSize)", int64(unsafe.Offsetof(section.Size))},
		{"XCLBIN_MAX_NUM_SECTION", maxSections},
		{"offsetof(struct ip_layout, m_ip_data)", 8},
		{"sizeof(struct ip_data)", int64(unsafe.Sizeof(ip))},
		{"offsetof(struct ip_data, properties)", int64(unsafe.Offsetof(ip.Properties))},
		{"offsetof(struct ip_data, m_base_address)", int64(unsafe.Offsetof(ip.Base))},
		{"offsetof(struct ip_data, m_name)", int64(unsafe.Offsetof(ip.Name))},
		{"offsetof(struct mem_topology, m_mem_data)", 8},
		{"sizeof(struct mem_data)", int64(unsafe.Sizeof(bank))},
		{"offsetof(struct mem_data, m_used)", int64(unsafe.Offsetof(bank.Used))},
		{"offsetof(struct mem_data, m_size)", int64(unsafe.Offsetof(bank.KiB))},
		{"offsetof(struct mem_data, m_base_address)", int64(unsafe.Offsetof(bank.Base))},
		{"offsetof(struct mem_data, m_tag)", int64(unsafe.Offsetof(bank.Tag))},
		{"offsetof(struct connectivity, m_connection)", 4},
		{"sizeof(struct connection)", int64(unsafe.Sizeof(link))},
		{"offsetof(struct connection, m_ip_layout_index)", int64(unsafe.Offsetof(link.IP))},
		{"offsetof(struct connection, mem_data_index)", int64(unsafe.Offsetof(link.Bank))},
		{"BITSTREAM", int64(Bitstream)}, {"EMBEDDED_METADATA", int64(EmbeddedMetadata)}, {"MEM_TOPOLOGY", int64(MemTopology)},
		{"CONNECTIVITY", int64(Connectivity)}, {"IP_LAYOUT", int64(IPLayout)},
		{"CLOCK_FREQ_TOPOLOGY", int64(ClockFreqTopology)},
		{"BUILD_METADATA", int64(BuildMetadata)}, {"KEYVALUE_METADATA", int64(KeyValueMetadata)},
		{"USER_METADATA", int64(UserMetadata)},
		{"PARTITION_METADATA", int64(PartitionMetadata)}, {"SYSTEM_METADATA", int64(SystemMetadata)},
		{"ASK_GROUP_TOPOLOGY", int64(AskGroupTopology)}, {"ASK_GROUP_CONNECTIVITY", int64(AskGroupConnection)},
		{"IP_MB", int64(MicroBlaze)}, {"IP_KERNEL", int64(KernelIP)}, {"IP_DNASC", int64(DNACheck)},
		{"IP_DDR4_CONTROLLER", int64(DDR4Controller)},
		{"IP_MEM_DDR4", int64(MemoryDDR4)}, {"IP_MEM_HBM", int64(MemoryHBM)}, {"IP_MEM_HBM_ECC", int64(MemoryHBMECC)},
		{"IP_PS_KERNEL", int64(ProcessorKernel)},
		{"AP_CTRL_HS", int64(Handshake)}, {"AP_CTRL_CHAIN", int64(Chain)}, {"AP_CTRL_NONE", int64(None)},
		{"AP_CTRL_ME", int64(MicroEngine)},
		{"ACCEL_ADAPTER", int64(AcceleratorAdapter)}, {"FAST_ADAPTER", int64(FastAdapter)},
		{"MEM_DDR3", int64(DDR3)}, {"MEM_DDR4", int64(DDR4)}, {"MEM_DRAM", int64(DRAM)}, {"MEM_STREAMING", int64(Streaming)},
		{"MEM_PREALLOCATED_GLOB", int64(PreallocatedGlobal)}, {"MEM_ARE", int64(Aurora)}, {"MEM_HBM", int64(HBM)},
		{"MEM_BRAM", int64(BlockRAM)},
		{"MEM_URAM", int64(UltraRAM)}, {"MEM_STREAMING_CONNECTION", int64(StreamingConnection)}, {"MEM_HOST", int64(Host)},
		{"MEM_PS_KERNEL", int64(ProcessorMemory)},
		{"XCLBIN_FLAT", int64(Flat)}, {"XCLBIN_PR", int64(PR)}, {"XCLBIN_HW_EMU", int64(HWEmu)},
		{"XCLBIN_SW_EMU", int64(SWEmu)},
		{"IP_CONTROL_MASK", 0xFF00}, {"IP_CONTROL_SHIFT", 8}, {"IP_INTERRUPT_ID_MASK", 0xFE}, {"IP_INTERRUPT_ID_SHIFT", 1},
		{"IP_INT_ENABLE_MASK", 1},
	} {
		fmt.Fprintf(&source, "\tprintf(\"%%s %%ld\\n\", %q, (long)(%s));\n", c.expression, c.expression)
		fmt.Fprintf(&want, "%s %d\n", c.expression, c.value)
	}
	source.WriteString("\treturn 0;\n}\n")
	got := strings.Split(string(compiled(t, source.String())), "\n")
	for i, line := range strings.Split(want.String(), "\n") {
		if i >= len(got) || got[i] != line {
			t.Errorf("the header says %q, want %q", got[min(i, len(got)-1)], line)
		}
	}
}

// TestSamples writes the samples again.
func TestSamples(t *testing.T) {
	for _, name := range []string{"two_sections", "card"} {
		source, err := os.ReadFile("testdata/" + name + ".c.txt")
		assert.NilError(t, err)
		want, err := os.ReadFile("testdata/" + name + ".xclbin")
		assert.NilError(t, err)
		if got := compiled(t, string(source)); !bytes.Equal(got, want) {
			t.Errorf("%s.c.txt writes %d bytes that are not those of %s.xclbin", name, len(got), name)
		}
	}
}
