package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
	"github.com/cclforge/cclforge/verify/vitis/standin"
)

func render(t *testing.T, only string) []workspace.Rendered {
	t.Helper()
	space := workspace.New("", t.Logf, platforms.FS)
	all, err := space.Render(context.Background(), workspace.Selection{Only: only})
	assert.NilError(t, err)
	return all
}

// kernelsOf are those of a design as the linker reads them: the descriptions that are
// packaged, and for the others what their ports are. Streams that are open in the
// design may be.
func kernelsOf(t *testing.T, r workspace.Rendered) []*standin.Kernel {
	t.Helper()
	packaged := map[string][]byte{}
	for _, f := range r.Files {
		packaged[f.Path] = f.Content
	}
	used := map[string]bool{}
	for _, s := range r.Design.Streams {
		for _, p := range []*design.Port{s.From, s.To} {
			used[p.Instance.Kernel.Name+"."+p.Name] = true
		}
	}
	var all []*standin.Kernel
	for _, k := range r.Design.Kernels() {
		text := packaged["vitis/"+k.ID+".xml"]
		if text == nil {
			var err error
			text, err = standin.KernelXML(k, func(port string) bool { return !used[k.Name+"."+port] })
			assert.NilError(t, err)
		}
		x, err := standin.ParseKernel(text)
		assert.NilError(t, err, "%s", k.ID)
		all = append(all, x)
	}
	return all
}

func configuration(t *testing.T, text string) (*Given, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "link.cfg")
	assert.NilError(t, os.WriteFile(file, []byte(text), 0o666))
	return ReadConfig([]string{file})
}

func board(r workspace.Rendered) *standin.Shell {
	s := standin.ShellOf(r.Design.Platform.Board)
	return &s
}

func text(r workspace.Rendered) string {
	for _, f := range r.Files {
		if f.Path == "vitis/link.cfg" {
			return string(f.Content)
		}
	}
	return ""
}

// TestAccepts links all shipped platforms: each instance and each stream is there.
func TestAccepts(t *testing.T) {
	for _, r := range render(t, "") {
		d := r.Design
		if d.Platform.POEs[0].Kind == "rdma" {
			continue
		}
		c, err := configuration(t, text(r))
		assert.NilError(t, err, d.Platform.Name)
		sys, err := Check(c, kernelsOf(t, r), board(r))
		assert.NilError(t, err, d.Platform.Name)
		assert.DeepEqual(t, []int{len(sys.Instances), len(sys.Streams), len(sys.Banks)},
			[]int{len(d.Instances), len(d.Streams), len(d.Memories)})
	}
}

// broken are link configurations that the linker refuses, made from that of u55c_tcp.
var broken = []struct{ name, from, to, says string }{
	{"unknown kernel", "nk=hostctrl:1:", "nk=hostcontrol:1:", "--nk tag applied to an invalid kernel name: hostcontrol"},
	{"fewer names than instances", "nk=loopback:3:", "nk=loopback:4:", "asks for 4 instances and names 3"},
	{"more names than instances", "nk=loopback:3:", "nk=loopback:2:", "asks for 2 instances and names 3"},
	{"no number of instances", "nk=loopback:3:", "nk=loopback:three:", "invalid number of instances"},
	{"no instance at all", "nk=hostctrl:1:hostctrl_0_0", "nk=hostctrl:0", "invalid number of instances"},
	{"the same name twice", "nk=hostctrl:1:hostctrl_0_0", "nk=hostctrl:1:arith_0",
		"instance name more than once: arith_0"},
	{"a kernel twice", "nk=hostctrl:1:hostctrl_0_0", "nk=hostctrl:1:hostctrl_0_0\nnk=hostctrl:1:h",
		"more than once for kernel: hostctrl"},
	{"a name that is none", "nk=hostctrl:1:hostctrl_0_0", "nk=hostctrl:1:0hostctrl", "invalid instance name"},
	{"place of nothing", "slr=arith_0:SLR0", "slr=arith_9:SLR0",
		"--slr tag applied to an invalid kernel instance: arith_9"},
	{"no such SLR", "slr=arith_0:SLR0", "slr=arith_0:SLR3", "invalid SLR"},
	{"an SLR that is none", "slr=arith_0:SLR0", "slr=arith_0:0", "invalid SLR"},
	{"two SLRs", "slr=arith_0:SLR0", "slr=arith_0:SLR0\nslr=arith_0:SLR1", "--slr tag given more than once"},
	{"memory of nothing", "sp=extdma_0_0.m_axi_0", "sp=extdma_9_0.m_axi_0",
		"--sp tag applied to an invalid kernel instance: extdma_9_0"},
	{"no such memory port", "sp=extdma_0_0.m_axi_0", "sp=extdma_0_0.m_axi_7",
		"[CFGEN 83-2292] --sp tag applied to an invalid port or argument name: m_axi_7"},
	{"memory for a stream", "sp=extdma_0_0.m_axi_0", "sp=extdma_0_0.s_axis_s2mm", "[CFGEN 83-2292]"},
	{"memory for registers", "sp=extdma_0_0.m_axi_0", "sp=extdma_0_0.s_axi_control", "[CFGEN 83-2292]"},
	{"a bank too many", "sp=poe_0.m00_axi:HBM[6]", "sp=poe_0.m00_axi:HBM[32]", "invalid memory resource"},
	{"a range past the end", "sp=extdma_0_0.m_axi_0:HBM[0:5]", "sp=extdma_0_0.m_axi_0:HBM[30:35]",
		"invalid memory resource"},
	{"a range backwards", "sp=extdma_0_0.m_axi_0:HBM[0:5]", "sp=extdma_0_0.m_axi_0:HBM[5:0]", "invalid memory resource"},
	{"a memory of another board", "sp=poe_0.m00_axi:HBM[6]", "sp=poe_0.m00_axi:DDR[0]", "invalid memory resource"},
	{"a bank that is none", "sp=poe_0.m00_axi:HBM[6]", "sp=poe_0.m00_axi:HBM[six]", "Malformed --sp"},
	{"no such sender", "stream_connect=hostctrl_0_0.cmd:", "stream_connect=hostctrl_1_0.cmd:",
		"[CFGEN 83-2291] --sc tag applied with invalid master kernel instance: hostctrl_1_0"},
	{"no such receiver", ":hostctrl_0_0.sts", ":hostctrl_1_0.sts",
		"[CFGEN 83-2291] --sc tag applied with invalid slave kernel instance: hostctrl_1_0"},
	{"no such port", "hostctrl_0_0.cmd:", "hostctrl_0_0.command:", "invalid master port name: command"},
	{"registers as a stream", "hostctrl_0_0.cmd:", "hostctrl_0_0.s_axi_control:", "invalid master port name"},
	{"backwards", "hostctrl_0_0.cmd:ccl_offload_0.s_axis_call_req", "ccl_offload_0.s_axis_call_req:hostctrl_0_0.cmd",
		"wrong direction"},
	{"output to output", "hostctrl_0_0.cmd:ccl_offload_0.s_axis_call_req",
		"hostctrl_0_0.cmd:ccl_offload_0.m_axis_call_ack", "wrong direction"},
	{"input to input", "ccl_offload_0.m_axis_call_ack:hostctrl_0_0.sts", "ccl_offload_0.s_axis_krnl:hostctrl_0_0.sts",
		"wrong direction"},
	{"widths that do not fit", "ccl_offload_0.m_axis_dma0_mm2s_cmd:extdma_0_0.s_axis_mm2s_cmd",
		"ccl_offload_0.m_axis_dma0_mm2s_cmd:extdma_0_0.s_axis_s2mm",
		"[BD 41-237] Bus Interface property TDATA_NUM_BYTES does not match"},
	{"a sender twice", "stream_connect=hostctrl_0_0.cmd:ccl_offload_0.s_axis_call_req",
		"stream_connect=hostctrl_0_0.cmd:ccl_offload_0.s_axis_call_req\nstream_connect=hostctrl_0_0.cmd:lb_user_krnl_0.in",
		"uses a port more than once: hostctrl_0_0.cmd"},
	{"a receiver twice", "stream_connect=arith_0.out_r:ccl_offload_0.s_axis_arith_res",
		"stream_connect=arith_0.out_r:ccl_offload_0.s_axis_krnl", "uses a port more than once: ccl_offload_0.s_axis_krnl"},
	{"an open receiver", "stream_connect=ccl_offload_0.m_axis_arith_op1:arith_0.in1\n", "",
		`[CFGEN 83-2284] No stream resources found that can accomodate compute unit "arith_0.in1"`},
	{"an open sender", "stream_connect=ccl_offload_0.m_axis_arith_op1:arith_0.in1\n", "",
		`compute unit "ccl_offload_0.m_axis_arith_op1"`},
	{"an instance in a circle",
		"stream_connect=ccl_offload_0.m_axis_krnl:lb_user_krnl_0.in\nstream_connect=lb_user_krnl_0.out:ccl_offload_0.s_axis_krnl", "stream_connect=lb_user_krnl_0.out:lb_user_krnl_0.in", "connects a kernel instance to itself"},
	{"a FIFO without depth", "s_axis_eth_notification:512", "s_axis_eth_notification:deep", "invalid FIFO depth"},
	{"a FIFO of no words", "s_axis_eth_notification:512", "s_axis_eth_notification:0", "invalid FIFO depth"},
	{"a FIFO of negative depth", "s_axis_eth_notification:512", "s_axis_eth_notification:-1", "invalid FIFO depth"},
	{"a field too many", "s_axis_eth_notification:512", "s_axis_eth_notification:512:1", "Malformed --sc"},
	{"a field too few", "stream_connect=arith_0.out_r:ccl_offload_0.s_axis_arith_res", "stream_connect=arith_0.out_r",
		"Malformed --sc"},
	{"unknown key", "[connectivity]", "[connectivity]\nnkernels=a:1", "unrecognised option 'connectivity.nkernels'"},
	{"unknown section", "[connectivity]", "[conectivity]", "unrecognised section"},
	{"no value", "slr=arith_0:SLR0", "slr=", "required argument"},
	{"no equals sign", "slr=arith_0:SLR0", "slr arith_0:SLR0", "invalid line"},
	{"profile of nothing", "[connectivity]", "[profile]\ndata=all:arith_9:all\n[connectivity]", "no compute unit arith_9"},
	{"profile of no port", "[connectivity]", "[profile]\ndata=all:arith_0:in9\n[connectivity]", "no interface in9"},
	{"profile of no kernel", "[connectivity]", "[profile]\nstall=adder:all\n[connectivity]", "no kernel adder"},
	{"probe of nothing", "[connectivity]", "[debug]\nchipscope=arith_0:in9\n[connectivity]", "no interface in9"},
	{"no such script", "[connectivity]", "[linkhook]\ndo_last=vpl.impl.route_design,/nowhere/a.tcl\n[connectivity]",
		"[v++ 60-602] Source file does not exist: /nowhere/a.tcl"},
	{"no such step", "[connectivity]", "[linkhook]\ndo_last=vpl.impl.rout_design,/dev/null\n[connectivity]",
		"no step 'vpl.impl.rout_design'"},
}

func TestRefuses(t *testing.T) {
	r := render(t, "u55c_tcp")[0]
	all, sh := kernelsOf(t, r), board(r)
	for _, b := range broken {
		whole := flat(text(r))
		changed := strings.Replace(whole, b.from, b.to, 1)
		if changed == whole {
			t.Errorf("%s: %q is not in the configuration", b.name, b.from)
			continue
		}
		c, err := configuration(t, changed)
		if err == nil {
			_, err = Check(c, all, sh)
		}
		assert.Check(t, is.ErrorContains(err, b.says), "%s", b.name)
	}
}

func flat(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if l := strings.TrimSpace(line); l != "" && l[0] != '#' {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

// TestOtherForms: lines may come in any order, and commas between instances are
// what newer documentation shows.
func TestOtherForms(t *testing.T) {
	r := render(t, "u55c_tcp")[0]
	lines := strings.Split(strings.TrimSpace(strings.TrimPrefix(flat(text(r)), "[connectivity]\n")), "\n")
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	for i, l := range lines {
		if strings.HasPrefix(l, "nk=") {
			lines[i] = strings.ReplaceAll(l, ".", ",")
		}
		lines[i] = strings.Replace(lines[i], "stream_connect=", "sc=", 1)
	}
	c, err := configuration(t, "[connectivity]\n"+strings.Join(lines, "\n")+"\n")
	assert.NilError(t, err)
	_, err = Check(c, kernelsOf(t, r), board(r))
	assert.Check(t, err)
}
