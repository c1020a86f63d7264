package platform_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

func TestDescribedRegisters(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`register "a" { at = 2 }`, "Registers stand on multiples of 4 bytes; 0x2 is none."},
		{"register \"a\" {\n at = 16\n width = 16\n}", `The register "a" is 32 or 64 bits wide, not 16.`},
		{"register \"a\" {\n at = 16\n count = 0\n}", `The row "a" has 0 registers`},
		{"register \"a\" {\n at = 16\n width = 64\n count = 2\n stride = 4\n}", `Registers of the row "a" are 4 bytes apart`},
		{"register \"a\" {\n at = 16\n bit \"b\" { at = 32 }\n}", `The register "a" has bits 0 to 31, not 32.`},
		{"register \"a\" {\n at = 16\n bit \"b\" { at = 3 }\n bit \"c\" { at = 3 }\n}",
			`The bits "b" and "c" of "a" are both bit 3.`},
		{"register \"a\" {\n at = 16\n bit \"b\" { at = 3 }\n bit \"b\" { at = 4 }\n}", `The bit "b" is already described`},
		{"register \"a\" { at = 16 }\nregister \"a\" { at = 20 }", `The register "a" is already described`},
		{"register \"a\" {\n at = 16\n count = 4\n stride = 8\n}\nregister \"b\" { at = 40 }",
			`The registers "a" and "b" both have the word at 0x28.`},
		{"argument \"b\" {\n at = 24\n type = \"ulong\"\n}\nregister \"a\" { at = 28 }",
			`The registers "b" and "a" both have the word at 0x1C.`},
		{"register \"a\" {\n at = 16\n memory = \"m_axi_3\"\n}", `Kernel mine has no port "m_axi_3".`},
		{`register "a b" { at = 16 }`, `"a b" cannot name a register`},
		{`fact "a b" { value = 1 }`, `"a b" cannot name a fact`},
		{"fact \"a\" { value = 1 }\nfact \"a\" { value = 2 }",
			`The fact "a" is already described in platforms/kernels/mine.hcl, line 4.`},
		{`fact "a" { value = -1 }`, `The fact "a" is -1; expected are 0 to 4294967295.`},
		{`fact "a" { value = 4294967296 }`, `The fact "a" is 4294967296;`},
		{`fact "a" { value = 1.5 }`, "value must be a whole number"},
		{`fact "a" {}`, `"value"`},
	} {
		files := fstest.MapFS{
			"kernels/mine.hcl": {Data: []byte("kernel \"mine\" {\n like = \"called_kernel\"\n source = \"xo\"\n" +
				test.text + "\n}\n")}}
		_, diags := platform.NewLibrary(lang.NewParser(), files, platforms.FS)
		assert.Check(t, diags.HasErrors() && strings.Contains(diags.Error(), test.want),
			"%s:\n%v, want %q", test.text, diags, test.want)
	}
}

// kernel is what a driver knows of a kernel of a platform.
func kernel(t *testing.T, platform, name string) layout.Kernel {
	t.Helper()
	on, err := driverview.Card(designtest.Load(t, platform, nil))
	assert.NilError(t, err)
	k, ok := on.Kernel(name)
	assert.Assert(t, ok, "%s has no %s", platform, name)
	return k
}

// The offsets are those of the public register maps: NetLayers/template.xml and
// Ethernet/template.xml of the UDP stack, network_krnl.xml of the TCP stack, and Vitis HLS
// for the session handler.
func TestRegistersOfKernelsOfOthers(t *testing.T) {
	for _, test := range []struct {
		platform, kernel, register string
		at                         uint32
		bits, count                int
		value                      string
		is                         uint32
	}{
		{"u55c_udp", "networklayer", "mac_address", 0x10, 64, 0, "", 0},
		{"u55c_udp", "networklayer", "app_in_packets", 0x518, 64, 0, "", 0},
		{"u55c_udp", "networklayer", "udp_their_ip", 0x820, 32, 16, "", 0},
		{"u55c_udp", "networklayer", "udp_valid", 0x9A0, 32, 16, "", 0},
		{"u55c_udp", "networklayer", "arp_mac_address", 0x1800, 64, 256, "", 0},
		{"u55c_udp", "cmac_0", "stat_rx_status", 0x204, 32, 0, "remote_fault", 1 << 5},
		{"u55c_udp", "cmac_0", "stat_tx_total_packets_small", 0x588, 64, 0, "", 0},
		{"u55c_udp", "cmac_0", "stat_rx_total_packets_small", 0x690, 64, 0, "", 0},
		{"u55c_udp", "cmac_0", "rsfec_config_enable", 0x107C, 32, 0, "tx", 2},
		{"u55c_tcp", "network_krnl", "axi01_ptr0", 0x34, 64, 0, "", 0},
		{"u55c_tcp", "network_krnl", "control", 0, 32, 0, "idle", 4},
		{"u55c_tcp", "tcp_session_handler", "operation", 0x38, 32, 0, "open_connection", 2},
		{"u55c_tcp", "hostctrl", "control", 0, 32, 0, "done", 2},
	} {
		k := kernel(t, test.platform, test.kernel)
		r, ok := k.Register(test.register)
		assert.Check(t, ok && r.At == test.at && r.Bits == test.bits && r.Count == test.count,
			"%s.%s: %+v, %t", test.kernel, test.register, r, ok)
		if is, ok := r.Value(test.value); ok != (test.value != "") || is != test.is {
			t.Errorf("%s.%s: %s is %d, %t", test.kernel, test.register, test.value, is, ok)
		}
	}
}

// The numbers of the TCP stack are those of its sources: 4 bits of the MAC address are
// added to, a mask of 255.255.255.0, the first of the ports that are its own, and 1024
// sessions with 64 KiB each.
func TestFactsOfKernelsOfOthers(t *testing.T) {
	k := kernel(t, "u55c_tcp", "network_krnl")
	for name, want := range map[string]uint32{"boards": 1 << 4, "listen_ports": 0x8000, "network_bits": 24,
		"buffer_bytes": 1024 << 16} {
		is, ok := k.Fact(name)
		assert.Check(t, ok && is == want, "%s is %d, %t", name, is, ok)
	}
	_, ok := k.Fact("nothing")
	assert.Check(t, !ok, "there is a fact that nobody has described")
}
