package design_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/lang"
)

var noEnvironment = func(string) (string, bool) { return "", false }

// load elaborates a platform of the shipped library, below further layers.
func load(t testing.TB, name string, layers ...fs.FS) *design.Design {
	t.Helper()
	return designtest.Of(t, designtest.Layered(t, layers...), name, nil)
}

func TestShippedPlatforms(t *testing.T) {
	lib := designtest.Library(t)
	names := lib.PlatformNames()
	want := 5*3 + 3
	assert.Check(t, len(names) == want, "%d platforms, want %d", len(names), want)
	for _, name := range names {
		d, diags := design.Load(lib, name, lang.Inputs{LookupEnv: noEnvironment})
		if len(diags) > 0 {
			t.Errorf("%s: %s", name, diags)
			continue
		}
		checkGraph(t, d)
	}
}

// checkGraph holds what is true of every design, whatever it describes.
func checkGraph(t *testing.T, d *design.Design) {
	t.Helper()
	ends := map[*design.Port]int{}
	for _, s := range d.Streams {
		ends[s.From]++
		ends[s.To]++
		assert.Check(t, s.From.Output && !s.To.Output,
			"%s: a stream runs from %s to %s", d.Platform.Name, s.From.Name, s.To.Name)
	}
	names := map[string]bool{}
	for _, in := range d.Instances {
		assert.Check(t, !names[in.Name], "%s: two instances %s", d.Platform.Name, in.Name)
		names[in.Name] = true
		assert.Check(t, in.SLR >= 0 && in.SLR < d.Platform.Board.SLRs,
			"%s: %s is in SLR %d", d.Platform.Name, in.Name, in.SLR)
		for _, p := range in.Ports {
			assert.Check(t, p.Instance == in, "%s: port %s does not know its instance", d.Platform.Name, p.Name)
			assert.Check(t, ends[p] <= 1, "%s: %s.%s is connected %d times", d.Platform.Name, in.Name, p.Name, ends[p])
		}
	}
}

// The expected values are those of contracts/abi.md, "Default TDEST map" and
// "Default configurations".
func TestDefaultConfigurations(t *testing.T) {
	want := []design.ArithmeticConfig{
		{Uncompressed: "float16", Compressed: "float16", UncompressedBytes: 2, CompressedBytes: 2,
			FunctionTDEST: []int{4, 9}},
		{Uncompressed: "float32", Compressed: "float16", UncompressedBytes: 4, CompressedBytes: 2, CompressorTDEST: 0,
			DecompressorTDEST: 1, ArithmeticIsCompressed: true, FunctionTDEST: []int{4, 9}},
		{Uncompressed: "float32", Compressed: "float32", UncompressedBytes: 4, CompressedBytes: 4,
			FunctionTDEST: []int{0, 5}},
		{Uncompressed: "float64", Compressed: "float64", UncompressedBytes: 8, CompressedBytes: 8,
			FunctionTDEST: []int{1, 6}},
		{Uncompressed: "int32", Compressed: "int32", UncompressedBytes: 4, CompressedBytes: 4, FunctionTDEST: []int{2, 7}},
		{Uncompressed: "int64", Compressed: "int64", UncompressedBytes: 8, CompressedBytes: 8, FunctionTDEST: []int{3, 8}},
	}
	for _, name := range []string{"u55c_tcp", "u280_manual"} {
		assert.Check(t, is.DeepEqual(want, load(t, name).Configs), "%s: -want +", name)
	}
}

func TestHardwareID(t *testing.T) {
	const (
		udp, tcp, rdma                   = 0, 1, 2
		internal, arithmetic, conversion = 1 << 2, 1 << 3, 1 << 4
		streams, external                = 1 << 5, 1 << 7
	)
	for name, want := range map[string]uint32{
		"u50_udp":     udp | arithmetic | conversion | streams | external,
		"u55c_tcp":    tcp | arithmetic | conversion | streams | external,
		"u200_axis3x": tcp | arithmetic | conversion | streams | external,
		"u55c_rdma":   rdma | arithmetic | conversion | streams | external,
		"u280_manual": tcp | arithmetic | conversion | streams | internal,
	} {
		assert.Check(t, is.Equal(load(t, name).HardwareID, want), "%s", name)
	}
}

func TestExchangeLayout(t *testing.T) {
	// 2021: buffers of 9 words after a count, at 0x800; six configurations of 9
	// words; 51 ranks fit, as contracts/abi.md says.
	x := load(t, "u280_manual").Exchange
	communicator := uint32(0x800 + 4 + 16*36)
	configs := communicator + 8 + 32*24
	want := design.ExchangeLayout{
		RxBuffers: 0x800, Communicators: []uint32{communicator},
		ArithmeticConfigs: []uint32{configs, configs + 36, configs + 72, configs + 108, configs + 144, configs + 180},
		End:               configs + 216, Limit: 0xFF8, MaxRanks: 51,
	}
	same(t, want, x)
	// 2024: a header of two words, buffers of 7.
	x = load(t, "u55c_tcp").Exchange
	assert.Check(t, x.RxBuffers == 0 && x.Communicators[0] == 8+16*28 && x.Limit == 0x1F64, "accl-2024: %+v", x)
	// 2022: a header of one word, buffers of 8.
	x = load(t, "u280_2022").Exchange
	assert.Check(t, x.RxBuffers == 0 && x.Communicators[0] == 4+16*32 && x.Limit == 0x1F64, "accl-2022: %+v", x)
}

func instances(d *design.Design) []string {
	var names []string
	for _, in := range d.Instances {
		names = append(names, in.Name)
	}
	slices.Sort(names)
	return names
}

// connects checks where streams of a design go to, by where they come from.
func connects(t *testing.T, d *design.Design, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, s := range d.Streams {
		if from := s.From.Instance.Name + "." + s.From.Name; want[from] != "" {
			got[from] = s.To.Instance.Name + "." + s.To.Name
		}
	}
	same(t, want, got)
}

func same(t *testing.T, want, got any) {
	t.Helper()
	assert.Check(t, is.DeepEqual(want, got), "-want +")
}

// A board, a user kernel and a network engine of the user's own take HCL files
// and no Go.
func TestUsersOwnBoardAndKernels(t *testing.T) {
	d := designtest.Made(t, "mine", designtest.Files(t, "testdata/own.txtar"))
	checkGraph(t, d)
	want := []string{
		"ccl_offload_0", "ccl_offload_1", "cmac_0", "cmac_1", "extdma_0_0", "extdma_0_1", "extdma_1_0", "extdma_1_1",
		"filter_0", "filter_1", "hostctrl_0_0", "hostctrl_1_0", "lb_arith_0", "lb_arith_1",
		"lb_compression_0_0", "lb_compression_0_1", "lb_compression_0_2", "lb_compression_1_0", "lb_compression_1_1",
		"lb_compression_1_2",
		"stack_0", "stack_1",
	}
	same(t, want, instances(d))
	connects(t, d, map[string]string{
		"ccl_offload_1.m_axis_krnl":         "filter_1.from_engine",
		"filter_1.to_engine":                "ccl_offload_1.s_axis_krnl",
		"ccl_offload_1.m_axis_eth_tx_data":  "stack_1.tx",
		"stack_1.eth_tx":                    "cmac_1.S_AXIS",
		"cmac_0.M_AXIS":                     "stack_0.eth_rx",
		"ccl_offload_0.m_axis_arith_op0":    "lb_arith_0.in",
		"lb_arith_0.out":                    "ccl_offload_0.s_axis_arith_res",
		"ccl_offload_0.m_axis_compression2": "lb_compression_0_2.in",
	})
	for _, m := range d.Memories {
		if first := 2 * m.Port.Instance.Scope; m.Memory != "PLRAM" || m.First != first || m.Last != first+1 {
			t.Errorf("%s is at %s[%d:%d]", m.Port.Instance.Name, m.Memory, m.First, m.Last)
		}
	}
}

func TestLanesWithoutPluginLoopBack(t *testing.T) {
	own := fstest.MapFS{"one_lane.hcl": {Data: []byte(`
platform "one_lane" {
  board = "u55c"
  poe "tcp" {}
  compression "hp_compression" { lanes = 1 }
}`)}}
	d := load(t, "one_lane", own)
	connects(t, d, map[string]string{
		"ccl_offload_0.m_axis_compression0": "compression_0_0.in_r",
		"ccl_offload_0.m_axis_compression1": "lb_compression_0_1.in",
		"lb_compression_0_2.out":            "ccl_offload_0.s_axis_compression2",
	})
}

// The manual's form has both stacks; the one not chosen is closed in loop-back.
func TestManualForm(t *testing.T) {
	d := load(t, "u280_manual")
	if names := instances(d); slices.ContainsFunc(names, func(n string) bool {
		return strings.HasPrefix(n, "extdma") || strings.HasPrefix(n, "hostctrl") || strings.HasPrefix(n, "session_handler")
	}) {
		t.Errorf("instances %v", names)
	}
	connects(t, d, map[string]string{
		"ccl_offload_0.m_axis_udp_tx_data":         "lb_udp_0.in",
		"lb_udp_0.out":                             "ccl_offload_0.s_axis_udp_rx_data",
		"ccl_offload_0.m_axis_tcp_tx_data":         "poe_0.s_axis_tcp_tx_data",
		"ccl_offload_0.m_axis_tcp_open_connection": "poe_0.s_axis_tcp_open_connection",
		"ccl_offload_0.m_axis_arith_op":            "arith_0.in_r",
	})
	ports := map[string]int{}
	for _, m := range d.Memories {
		if m.Port.Instance.Name == "ccl_offload_0" {
			ports[m.Port.Name] = m.Last - m.First + 1
		}
	}
	same(t, map[string]int{"m_axi_0": 6, "m_axi_1": 6, "m_axi_2": 6}, ports)
}

// TestDebugOfAHang: one word stands for the ports of engines that tell why a call hangs.
func TestDebugOfAHang(t *testing.T) {
	d := designtest.Text(t, "two", `platform "two" {
  board = "u55c"
  cclo { count = 2 }
  poe "tcp" {}
  poe "tcp" { port = 1 }
  build {
    debug { chipscope = ["cmac_0", "hang"] }
  }
}
`)
	assert.Check(t, d.Platform.Build.Hang && d.Instances[0].Kernel.Nets["core.halted"] == 1, "no nets are watched")
	var got []string
	for _, s := range d.Platform.Build.Debug {
		got = append(got, s.Line())
	}
	want := []string{"chipscope=cmac_0"}
	for _, engine := range []string{"ccl_offload_0", "ccl_offload_1"} {
		for _, port := range []string{"s_axis_call_req", "m_axis_call_ack", "m_axis_dma0_mm2s_cmd", "m_axis_dma1_mm2s_cmd",
			"s_axis_dma0_mm2s_sts", "s_axis_dma1_mm2s_sts", "m_axis_dma0_s2mm_cmd", "m_axis_dma1_s2mm_cmd",
			"s_axis_dma0_s2mm_sts", "s_axis_dma1_s2mm_sts", "s_axis_eth_notification", "m_axis_eth_read_pkg",
			"s_axis_eth_rx_meta", "m_axis_eth_tx_meta", "s_axis_eth_tx_status"} {
			want = append(want, "chipscope="+engine+":"+port)
		}
	}
	assert.DeepEqual(t, got, want)
}
