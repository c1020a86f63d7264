package block_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/templates"
)

// within are the modules and packages without a bench of their own, by what checks them and why.
var within = []struct{ folder, why, names string }{
	{"conformance", "the engine as a whole: every test of a Verilated platform",
		"ccl_offload cclo_core"},
	{"proofs", "proved for all inputs and any number of cycles, and part of every Verilated engine",
		"exchange_share kernel_output session_owners slot_writer write_share"},
	{"rtlsim", "a model around platforms in simulation",
		"cclo_microblaze_v cmac_0 cmac_krnl networklayer rdma_stack sim_axi_checker sim_axi_memory " +
			"sim_axi_read sim_axi_write sim_axilite_zero sim_engine_account sim_hls_control sim_hls_input " +
			"sim_hls_output sim_host_axil sim_host_calls sim_host_probe sim_ipc_axis_master_512 " +
			"sim_ipc_axis_slave_512 sim_kernel_port simulation"},
	{"rtlsim", "a package has no behaviour of its own",
		"axilite_pkg cclo_pkg engine_pkg microblaze_v_pkg move_pkg rv32_pkg"},
	{"rtlsim", "a template of assertions inside other files",
		"checks"},
	{"rtlsim", "a template of text inside other files",
		"parts"},
	{"rtlsim", "a template of wrappers around kernels in C++",
		"hls_kernel"},
	{"rtlsim", "assertions that are checked when a platform is compiled: every platform in simulation",
		"cclo_layout_check"},
	{"rtlsim", "wires between a kernel's flat port and the struct inside",
		"axilite_port"},
	{"rtlsim", "the whole platform in simulation",
		"platform_top"},
	{"rtltest/arithmetic", "a package has no behaviour of its own",
		"reduce_ops_pkg"},
	{"rtltest/arithmetic", "part of reduce_ops",
		"float_normaliser float_unit reduce_core reduce_integer reduce_lane reduce_product"},
	{"rtltest/arithmetic", "part of hp_compression",
		"float16_to_float32 float32_to_float16"},
	{"rtltest/ccl_offload/calls", "part of calls, which is checked as a whole",
		"call_queue call_tickets"},
	{"rtltest/ccl_offload/cpu", "part of the control processor, which runs against an instruction set simulator",
		"rv32_align rv32_alu rv32_core rv32_counters rv32_decode rv32_divider rv32_fetch rv32_multiplier " +
			"rv32_posted rv32_registers rv32_trap"},
	{"rtltest/ccl_offload/data", "part of the data path",
		"beat_counter byte_packer dma_reader dma_writer kernel_writer lane operand plugin_feed plugin_share " +
			"slice_retire stream_cutter stream_fork"},
	{"rtltest/ccl_offload/move", "part of the move engine",
		"dispatcher kernel_account move_channel move_check move_order move_queue move_registers move_status " +
			"packet_count packet_cutter slice_size wait_limit"},
	{"rtltest/ccl_offload/regs", "part of session_requests",
		"latest_request"},
	{"rtltest/ccl_offload/rx", "the whole receiving side is driven there",
		"header_parts inbound inbound_payload message_matcher message_recorder message_wants messages " +
			"notices partial_table posted_receive put_joiner rx_buffers rx_registers sender_table"},
	{"rtltest/ccl_offload/tx", "part of network_transmit",
		"tx_refusals"},
	{"rtltest/kernels", "part of the example user kernel, which is checked as a whole",
		"vadd_put_adder vadd_put_call vadd_put_commands vadd_put_registers"},
	{"rtltest/kernels", "around a core that is not ours",
		"microblaze_v_core"},
}

// bench matches a module that a bench names, and parts the list of those inside it that it checks, too.
var (
	bench  = regexp.MustCompile(`(?:Name|Top|Kernel|float|top)(?::\s*|\()"(\w+)"`)
	parts  = regexp.MustCompile(`Parts: +\[\]string\{([^}]*)\}`)
	quoted = regexp.MustCompile(`"(\w+)"`)
)

func TestEveryModuleIsChecked(t *testing.T) {
	checked := map[string]bool{"axis_switch": true, "move_engine": true} // inside the tops of their benches
	err := filepath.WalkDir("..", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range bench.FindAllSubmatch(text, -1) {
			checked[string(m[1])] = true
		}
		for _, list := range parts.FindAllSubmatch(text, -1) {
			for _, m := range quoted.FindAllSubmatch(list[1], -1) {
				checked[string(m[1])] = true
			}
		}
		return err
	})
	assert.NilError(t, err)
	for _, w := range within {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(w.folder))); err != nil {
			t.Error(err)
		}
		for _, name := range strings.Fields(w.names) {
			assert.Check(t, !checked[name], "%s: a bench names it; remove it from the table", name)
			checked[name] = true
		}
	}
	var names []string
	err = fs.WalkDir(templates.FS, "rtl", func(name string, _ fs.DirEntry, err error) error {
		if base, ok := strings.CutSuffix(strings.TrimSuffix(path.Base(name), ".tmpl"), ".sv"); err == nil && ok {
			names = append(names, base)
		}
		return err
	})
	assert.NilError(t, err)
	assert.Assert(t, len(names) >= 100, "only %d modules are found", len(names))
	for _, name := range names {
		assert.Check(t, checked[name],
			"%s: no bench names it; write one, or add it to the table with what checks it", name)
	}
	for _, w := range within {
		for _, name := range strings.Fields(w.names) {
			assert.Check(t, slices.Contains(names, name), "%s: there is no such module; remove it from the table", name)
		}
	}
}
