package kernels

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

const script = "vitis/microblaze_v.tcl"

// ip is Vivado around the script: an IP with the parameters of UG1629 ("MicroBlaze V
// Core Configurability") at their defaults. It takes all, but keeps what kept says.
const ip = `
array set config {
	C_DATA_SIZE 32 C_ADDR_SIZE 32 C_I_LMB 0 C_D_LMB 0 C_I_AXI 0 C_D_AXI 1 C_USE_ICACHE 1 C_USE_DCACHE 1 C_USE_MULDIV 0
	C_USE_COMPRESSION 1 C_ILL_INSTR_EXCEPTION 0 C_MISALIGNED_EXCEPTIONS 0 C_BASE_VECTORS 0x0000000000000000
	C_M_AXI_I_BUS_EXCEPTION 0 C_M_AXI_D_BUS_EXCEPTION 0 C_FAULT_TOLERANT 0 C_OPTIMIZATION 0 C_USE_BARREL 0 C_USE_MMU 0
	C_PMP_ENTRIES 0 C_USE_FPU 0 C_USE_ATOMIC 0 C_USE_INTERRUPT 0 C_DEBUG_ENABLED 1 C_TRACE 0 C_FSL_LINKS 0
}
set made {}
proc get_ipdefs {args} { return %s }
proc create_ip {args} { set ::made $args }
proc get_ips {name} { if {$name ne [dict get $::made -module_name]} { error "there is no $name" }; return $name }
proc list_property {object pattern} { return [lmap name [array names ::config] { set _ CONFIG.$name }] }
proc get_property {name object} { return $::config([string range $name 7 end]) }
proc set_property {dict values object} {
	foreach {name value} $values {
		set name [string range $name 7 end]
		if {![info exists ::config($name)]} { error "no property $name" }
		if {$name ni {%s}} { set ::config($name) $value }
	}
}
proc generate_target {targets object} { puts "generated [get_ips $object]" }
foreach name {%s} { unset config($name) }
source %s
cclo_microblaze_v
puts "made $made"
foreach name [lsort [array names config]] { puts "config $name $config($name)" }
`

// configured is what the script leaves of an IP.
func configured(t *testing.T, definition, kept, missing string) (string, error) {
	t.Helper()
	if err := tcl.Available(); err != nil {
		t.Skip(err)
	}
	files, err := emit.Platform(madeWith(t, "microblaze_v"))
	assert.NilError(t, err)
	at := slices.IndexFunc(files, func(f emit.File) bool { return f.Path == script })
	assert.Assert(t, at >= 0, "there is no %s", script)
	dir := t.TempDir()
	main := filepath.Join(dir, "main.tcl")
	for name, text := range map[string]string{
		filepath.Join(dir, "script.tcl"): string(files[at].Content),
		main:                             fmt.Sprintf(ip, definition, kept, missing, filepath.Join(dir, "script.tcl")),
	} {
		assert.NilError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	out, err := exec.CommandContext(t.Context(), "tclsh", main).CombinedOutput()
	return string(out), err
}

func TestTheVendorsProcessorIsConfigured(t *testing.T) {
	const definition = "xilinx.com:ip:microblaze_riscv:1.0"
	out, err := configured(t, definition, "", "")
	assert.Assert(t, err == nil, "%v\n%s", err, out)
	for _, want := range []string{
		"made -name microblaze_riscv -vendor xilinx.com -library ip -module_name cclo_microblaze_v",
		"generated cclo_microblaze_v",
		// RV32IM on local memory buses alone, with all traps
		"config C_DATA_SIZE 32", "config C_I_LMB 1", "config C_D_LMB 1", "config C_I_AXI 0", "config C_D_AXI 0",
		"config C_USE_MULDIV 1",
		"config C_USE_ICACHE 0", "config C_USE_DCACHE 0", "config C_USE_COMPRESSION 0", "config C_ILL_INSTR_EXCEPTION 2",
		"config C_MISALIGNED_EXCEPTIONS 1",
		"config C_M_AXI_I_BUS_EXCEPTION 1", "config C_M_AXI_D_BUS_EXCEPTION 1", "config C_FAULT_TOLERANT 1",
		"config C_DEBUG_ENABLED 0",
	} {
		assert.Check(t, is.Contains(out, want+"\n"), "there is no %q", want)
	}
	// The hardware around it looks for the vectors where the IP has them.
	_, all := engineOf(t, madeWith(t, "microblaze_v"))
	inRTL := regexp.MustCompile(`BASE_VECTORS = 32'h([0-9A-F]{8});`).FindSubmatch(all["microblaze_v/microblaze_v_pkg.sv"])
	assert.Check(t, inRTL != nil && strings.Contains(out, "config C_BASE_VECTORS 0x00000000"+string(inRTL[1])+"\n"),
		"the vectors of the hardware are at %s", inRTL)
	for _, test := range []struct{ name, definition, kept, missing, want string }{
		{"there is no such IP", "{}", "", "", `2024\.1 or later.*processor = "own"`},
		{"illegal instructions do nothing", definition, "C_ILL_INSTR_EXCEPTION", "",
			"has C_ILL_INSTR_EXCEPTION = 0; the engine needs 2"},
		{"vectors in the RAM", definition, "C_BASE_VECTORS", "",
			"has C_BASE_VECTORS = 0x0000000000000000; the engine needs 0x00000000FFFFFF80"},
		{"no local memory bus", definition, "", "C_D_LMB", "no property C_D_LMB"},
	} {
		if out, err := configured(t, test.definition, test.kept, test.missing); err == nil ||
			!regexp.MustCompile(test.want).MatchString(out) {
			t.Errorf("%s: %v: %s", test.name, err, out)
		}
	}
	for _, test := range []struct{ kept, missing, warning string }{
		{"", "C_FAULT_TOLERANT", ""},
		{"C_M_AXI_D_BUS_EXCEPTION", "", "WARNING: MicroBlaze V has C_M_AXI_D_BUS_EXCEPTION = 0, not 1"},
	} {
		if out, err := configured(t, definition, test.kept, test.missing); err != nil ||
			!strings.Contains(out, test.warning) || test.warning == "" && strings.Contains(out, "WARNING") {
			t.Errorf("%+v: %v: %s", test, err, out)
		}
	}
}
