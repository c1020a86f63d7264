package emit

import (
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/designtest"
)

// lines is the set of connectivity lines of a link configuration. The order of
// the instances within one nk line does not matter to the linker.
func lines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "nk=") {
			head, names, _ := strings.Cut(line[3:], ":")
			count, names, _ := strings.Cut(names, ":")
			list := strings.Split(names, ".")
			slices.Sort(list)
			line = "nk=" + head + ":" + count + ":" + strings.Join(list, ".")
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func TestLinkExamples(t *testing.T) {
	for _, test := range []struct {
		file, platform string
		vars           map[string]cty.Value
	}{
		{"u55c-tcp.cfg", "u55c_tcp", nil},
		{"u280-axis3x.cfg", "u280_axis3x", nil},
		{"u200-udp-vadd-eth1.cfg", "u200_udp", map[string]cty.Value{"user_kernel": cty.StringVal("vadd_put"),
			"ethernet_port": cty.NumberIntVal(1)}},
	} {
		t.Run(test.file, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join("testdata/link-examples", test.file))
			assert.NilError(t, err)
			got := filesOf(t, vitis, designtest.Load(t, test.platform, test.vars))["vitis/link.cfg"]
			same(t, lines(string(want)), lines(got))
		})
	}
}

// alveo is a row of the table of boards in contracts/kernels.md, typed from
// there and not from the board files.
type alveo struct {
	slrs, ports, macSLR, poeSLR, ccloSLR int
	ddr                                  bool
	host                                 bool
}

var cards = map[string]alveo{
	"u50":  {2, 1, 1, 1, 0, false, false},
	"u55c": {3, 2, 1, 1, 0, false, true},
	"u200": {3, 2, 2, 2, 1, true, true},
	"u250": {4, 2, 2, 3, 2, true, true},
	"u280": {3, 2, 2, 2, 1, false, false},
}

// expectedLink follows the rules of contracts/kernels.md line by line.
func expectedLink(board, network string, vadd, host bool, port int, hwEmu bool) []string {
	c := cards[board]
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	nk := map[string][]string{}
	n := 1
	if network == "axis3x" {
		n = 3
	}
	place := func(instance string, slr int) {
		if !hwEmu {
			add("slr=%s:SLR%d", instance, slr)
		}
	}
	dmaKernel := "external_dma_1port"
	if host {
		dmaKernel = "external_dma_2port"
	}
	for i := range n {
		slr, bank := c.ccloSLR, fmt.Sprintf("HBM[%d:%d]", 6*i, 6*i+5)
		if n > 1 {
			slr = min(i, c.slrs-1)
		}
		if c.ddr {
			bank = fmt.Sprintf("DDR[%d]", slr)
			if n > 1 {
				bank = fmt.Sprintf("DDR[%d]", i)
			}
		}
		cclo, arith, poe := fmt.Sprintf("ccl_offload_%d", i), fmt.Sprintf("arith_%d", i), fmt.Sprintf("poe_%d", i)
		own := func(kernel, instance string) {
			nk[kernel] = append(nk[kernel], instance)
			place(instance, slr)
		}
		own("ccl_offload", cclo)
		own("hostctrl", fmt.Sprintf("hostctrl_%d_0", i))
		own("reduce_ops", arith)
		for lane := range 3 {
			name := fmt.Sprintf("compression_%d_%d", i, lane)
			own("hp_compression", name)
			add("stream_connect=%s.m_axis_compression%d:%s.in_r", cclo, lane, name)
			add("stream_connect=%s.out_r:%s.s_axis_compression%d", name, cclo, lane)
		}
		for dma := range 2 {
			name := fmt.Sprintf("extdma_%d_%d", i, dma)
			own(dmaKernel, name)
			add("sp=%s.m_axi_0:%s", name, bank)
			if host {
				add("sp=%s.m_axi_1:HOST[0]", name)
			}
			for _, stream := range []string{"s2mm", "mm2s_cmd", "s2mm_cmd"} {
				add("stream_connect=%s.m_axis_dma%d_%s:%s.s_axis_%s", cclo, dma, stream, name, stream)
			}
			for _, stream := range []string{"mm2s", "mm2s_sts", "s2mm_sts"} {
				add("stream_connect=%s.m_axis_%s:%s.s_axis_dma%d_%s", name, stream, cclo, dma, stream)
			}
		}
		add("stream_connect=%s.m_axis_arith_op0:%s.in0", cclo, arith)
		add("stream_connect=%s.m_axis_arith_op1:%s.in1", cclo, arith)
		add("stream_connect=%s.out_r:%s.s_axis_arith_res", arith, cclo)
		if vadd {
			arb, user := fmt.Sprintf("arb_%d", i), fmt.Sprintf("vadd_%d_0", i)
			own("client_arbiter", arb)
			own("vadd_put", user)
			add("stream_connect=hostctrl_%d_0.cmd:%s.cmd_clients_0", i, arb)
			add("stream_connect=%s.ack_clients_0:hostctrl_%d_0.sts", arb, i)
			add("stream_connect=%s.cmd_to_cclo:%s.cmd_clients_1:512", user, arb)
			add("stream_connect=%s.ack_clients_1:%s.sts_from_cclo:512", arb, user)
			add("stream_connect=%s.cmd_cclo:%s.s_axis_call_req", arb, cclo)
			add("stream_connect=%s.m_axis_call_ack:%s.ack_cclo", cclo, arb)
			add("stream_connect=%s.m_axis_krnl:%s.data_from_cclo", cclo, user)
			add("stream_connect=%s.data_to_cclo:%s.s_axis_krnl", user, cclo)
		} else {
			loop := fmt.Sprintf("lb_user_krnl_%d", i)
			own("loopback", loop)
			add("stream_connect=hostctrl_%d_0.cmd:%s.s_axis_call_req", i, cclo)
			add("stream_connect=%s.m_axis_call_ack:hostctrl_%d_0.sts", cclo, i)
			add("stream_connect=%s.m_axis_krnl:%s.in", cclo, loop)
			add("stream_connect=%s.out:%s.s_axis_krnl", loop, cclo)
		}
		switch network {
		case "axis3x":
			own("network_krnl", poe)
			add("stream_connect=%s.net_tx:poe_%d.net_rx", poe, (i+1)%n)
		case "tcp":
			nk["network_krnl"] = []string{poe}
			place(poe, c.poeSLR)
		case "udp":
			nk["networklayer"] = []string{poe}
			place(poe, c.poeSLR)
			add("stream_connect=%s.m_axis_eth_tx_data:%s.S_AXIS_sk2nl:512", cclo, poe)
			add("stream_connect=%s.M_AXIS_nl2sk:%s.s_axis_eth_rx_data:512", poe, cclo)
		}
		if network != "udp" {
			for _, stream := range []string{"notification", "rx_meta", "rx_data", "tx_status"} {
				add("stream_connect=%s.m_axis_tcp_%s:%s.s_axis_eth_%s:512", poe, stream, cclo, stream)
			}
			for _, stream := range []string{"read_pkg", "tx_meta", "tx_data"} {
				add("stream_connect=%s.m_axis_eth_%s:%s.s_axis_tcp_%s:512", cclo, stream, poe, stream)
			}
		}
	}
	if network == "tcp" {
		for _, loop := range []string{"lb_udp_txrx", "lb_udp_meta"} {
			nk["loopback"] = append(nk["loopback"], loop)
			place(loop, c.poeSLR)
		}
		add("stream_connect=poe_0.m_axis_udp_rx:lb_udp_txrx.in")
		add("stream_connect=lb_udp_txrx.out:poe_0.s_axis_udp_tx")
		add("stream_connect=poe_0.m_axis_udp_rx_meta:lb_udp_meta.in")
		add("stream_connect=lb_udp_meta.out:poe_0.s_axis_udp_tx_meta")
		nk["tcp_session_handler"] = []string{"session_handler_0"}
		place("session_handler_0", c.poeSLR)
		for _, stream := range []string{"port_status", "open_status"} {
			add("stream_connect=poe_0.m_axis_tcp_%s:session_handler_0.%s:512", stream, stream)
		}
		for _, stream := range []string{"listen_port", "open_connection", "close_connection"} {
			add("stream_connect=session_handler_0.%s:poe_0.s_axis_tcp_%s:512", stream, stream)
		}
		bank := "HBM[6]"
		if board == "u200" {
			bank = "DDR[3]"
		} else if board == "u250" {
			bank = fmt.Sprintf("DDR[%d]", c.poeSLR)
		}
		add("sp=poe_0.m00_axi:%s", bank)
		add("sp=poe_0.m01_axi:%s", bank)
	}
	if network != "axis3x" {
		rx, tx := "poe_0.axis_net_rx", "poe_0.axis_net_tx"
		fromMAC, toMAC := "cmac.axis_net_rx", "cmac.axis_net_tx"
		mac := "cmac_krnl"
		if network == "udp" {
			rx, tx = "poe_0.S_AXIS_eth2nl", "poe_0.M_AXIS_nl2eth"
			fromMAC, toMAC = "cmac.M_AXIS", "cmac.S_AXIS"
			mac = fmt.Sprintf("cmac_%d", port)
		}
		if hwEmu {
			fromMAC, toMAC = "gt_master.M00_AXIS", "gt_slave.S00_AXIS"
			nk["sim_ipc_axis_master_512"] = []string{"gt_master"}
			nk["sim_ipc_axis_slave_512"] = []string{"gt_slave"}
		} else {
			nk[mac] = []string{"cmac"}
			place("cmac", c.macSLR)
		}
		add("stream_connect=%s:%s", fromMAC, rx)
		add("stream_connect=%s:%s", tx, toMAC)
	}
	for kernel, instances := range nk {
		add("nk=%s:%d:%s", kernel, len(instances), strings.Join(instances, "."))
	}
	add("[connectivity]")
	return lines(strings.Join(out, "\n"))
}

func TestLinkOfEveryCombination(t *testing.T) {
	combinations := 0
	for board, c := range cards {
		for _, network := range []string{"udp", "tcp", "axis3x"} {
			for bits := range 16 {
				vadd, host, hwEmu := bits&1 != 0, bits&2 != 0, bits&4 != 0
				port := bits >> 3
				if host && !c.host || port >= c.ports {
					continue
				}
				combinations++
				name := fmt.Sprintf("%s_%s", board, network)
				kernel := ""
				if vadd {
					kernel = "vadd_put"
				}
				got := filesOf(t, vitis, designtest.Load(t, name, map[string]cty.Value{
					"user_kernel": cty.StringVal(kernel), "host_memory": cty.BoolVal(host),
					"ethernet_port": cty.NumberIntVal(int64(port)), "hw_emu": cty.BoolVal(hwEmu),
				}))["vitis/link.cfg"]
				assert.Check(t, is.DeepEqual(expectedLink(board, network, vadd, host, port, hwEmu), lines(got)),
					"%s vadd=%t host=%t port=%d hw_emu=%t: -want +", name, vadd, host, port, hwEmu)
			}
		}
	}
	// u50: 1 port, no host; u280: 2 ports, no host; the others: both.
	want := 3 * (4 + 8 + 3*16)
	assert.Check(t, combinations == want, "%d combinations, want %d", combinations, want)
}

func TestKernelXML(t *testing.T) {
	type doc struct {
		Kernel struct {
			Name    string `xml:"name,attr"`
			Control string `xml:"hwControlProtocol,attr"`
			Ports   []struct {
				Name  string `xml:"name,attr"`
				Mode  string `xml:"mode,attr"`
				Type  string `xml:"portType,attr"`
				Width int    `xml:"dataWidth,attr"`
				Range string `xml:"range,attr"`
			} `xml:"ports>port"`
			Args []struct {
				Name      string `xml:"name,attr"`
				ID        int    `xml:"id,attr"`
				Qualifier int    `xml:"addressQualifier,attr"`
				Port      string `xml:"port,attr"`
				Offset    string `xml:"offset,attr"`
				Size      string `xml:"size,attr"`
			} `xml:"args>arg"`
		} `xml:"kernel"`
	}
	parse := func(t *testing.T, platform, kernel string, vars map[string]cty.Value) doc {
		var v doc
		if err := xml.Unmarshal([]byte(filesOf(t, vitis, designtest.Load(t, platform, vars))["vitis/"+kernel+".xml"]),
			&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	t.Run("engine", func(t *testing.T) {
		v := parse(t, "u55c_tcp", "ccl_offload", nil)
		assert.Check(t, v.Kernel.Name == "ccl_offload" && v.Kernel.Control == "user_managed",
			"kernel %s, control %s", v.Kernel.Name, v.Kernel.Control)
		// Widths of contracts/kernels.md.
		want := map[string]int{"s_axi_control": 32, "s_axis_call_req": 32, "m_axis_call_ack": 32, "s_axis_krnl": 512,
			"m_axis_krnl":      512,
			"m_axis_arith_op0": 512, "m_axis_arith_op1": 512, "s_axis_arith_res": 512,
			"s_axis_eth_rx_data": 512, "m_axis_eth_tx_data": 512, "s_axis_eth_notification": 128, "m_axis_eth_read_pkg": 32,
			"s_axis_eth_rx_meta": 16, "m_axis_eth_tx_meta": 32, "s_axis_eth_tx_status": 64}
		for i := range 3 {
			want[fmt.Sprintf("m_axis_compression%d", i)], want[fmt.Sprintf("s_axis_compression%d", i)] = 512, 512
		}
		for i := range 2 {
			for port, width := range map[string]int{"m_axis_dma%d_mm2s_cmd": 104, "s_axis_dma%d_mm2s_sts": 8,
				"s_axis_dma%d_mm2s":     512,
				"m_axis_dma%d_s2mm_cmd": 104, "s_axis_dma%d_s2mm_sts": 32, "m_axis_dma%d_s2mm": 512} {
				want[fmt.Sprintf(port, i)] = width
			}
		}
		got := map[string]int{}
		for _, p := range v.Kernel.Ports {
			got[p.Name] = p.Width
			if stream := p.Type == "stream"; stream && (p.Mode == "write_only") != strings.HasPrefix(p.Name, "m_") {
				t.Errorf("port %s has mode %s", p.Name, p.Mode)
			}
			assert.Check(t, p.Name != "s_axi_control" || p.Range == "0x2000", "range of s_axi_control is %s", p.Range)
		}
		same(t, want, got)
		for i, a := range v.Kernel.Args {
			assert.Check(t, a.ID == i, "argument %s has id %d at place %d", a.Name, a.ID, i)
		}
	})
	t.Run("data mover", func(t *testing.T) {
		// Xilinx/ACCL, kernels/plugins/external_dma/gen_files.py.
		want := map[string]string{"m_axi_0": "6 0x020", "m_axi_1": "7 0x030"}
		got := map[string]string{}
		host := map[string]cty.Value{"host_memory": cty.True}
		for _, a := range parse(t, "u55c_tcp", "external_dma_2port", host).Kernel.Args {
			if a.Qualifier == pointerArgument {
				got[a.Name] = fmt.Sprintf("%d %s", a.ID, a.Offset)
			}
		}
		same(t, want, got)
	})
	t.Run("host controller", func(t *testing.T) {
		v := parse(t, "u55c_tcp", "hostctrl", nil)
		offsets := map[string]string{}
		for _, a := range v.Kernel.Args {
			if a.Qualifier == scalarArgument {
				offsets[a.Name] = a.Offset
			}
		}
		// The contract's "function" is a keyword of SystemVerilog.
		want := map[string]string{"scenario": "0x010", "count": "0x018", "comm": "0x020", "root_src_dst": "0x028",
			"function_code": "0x030", "tag": "0x038",
			"arithcfg": "0x040", "compression_flags": "0x048", "stream_flags": "0x050", "addr_0": "0x058", "addr_1": "0x064",
			"addr_2": "0x070"}
		if diff := cmp.Diff(want, offsets); diff != "" || v.Kernel.Control != "ap_ctrl_hs" {
			t.Errorf("control %s, offsets -want +got:\n%s", v.Kernel.Control, diff)
		}
	})
	t.Run("manual form", func(t *testing.T) {
		v := parse(t, "u280_manual", "ccl_offload_manual", nil)
		pointers := map[string]string{}
		for _, a := range v.Kernel.Args {
			if a.Qualifier == pointerArgument {
				pointers[a.Name] = a.Port
			}
		}
		want := map[string]string{"addr_0": "m_axi_0", "addr_1": "m_axi_1", "addr_2": "m_axi_2"}
		if diff := cmp.Diff(want, pointers); diff != "" || v.Kernel.Name != "ccl_offload" {
			t.Errorf("kernel %s, pointers -want +got:\n%s", v.Kernel.Name, diff)
		}
	})
}

func TestRDMAIsNotLinkedByVitis(t *testing.T) {
	files, err := vitis(designtest.Load(t, "u55c_rdma", nil))
	assert.Check(t, err == nil && len(files) == 0, "%d files, error %v", len(files), err)
}
