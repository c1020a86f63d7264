package designjson

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

func written(t *testing.T, d *design.Design) []byte {
	t.Helper()
	text, err := Marshal(d)
	assert.NilError(t, err)
	return text
}

func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"u55c_tcp", "u280_axis3x", "u280_manual", "u55c_rdma"} {
		d := designtest.Load(t, name, nil)
		text := written(t, d)
		want, err := convert(d)
		assert.NilError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		var got File
		assert.NilError(t, decoder.Decode(&got), "%s", name)
		assert.Check(t, is.DeepEqual(*want, got), "%s: -written +read", name)
		assert.Check(t, bytes.Equal(text, written(t, designtest.Load(t, name, nil))),
			"%s: written twice, the files differ", name)
	}
}

// graph is how another tool would read the file, knowing only the manual.
type graph struct {
	Platform struct {
		Variables map[string]any `json:"variables"`
	} `json:"platform"`
	Kernels []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"kernels"`
	Instances []struct {
		Name   string `json:"name"`
		Kernel string `json:"kernel"`
		SLR    *int   `json:"slr"`
	} `json:"instances"`
	Streams []struct {
		From  struct{ Instance, Port string } `json:"from"`
		To    struct{ Instance, Port string } `json:"to"`
		Depth int                             `json:"fifo_depth"`
	} `json:"streams"`
	MemoryLinks []struct {
		Instance, Port, Memory string
		First                  int `json:"first_bank"`
		Last                   int `json:"last_bank"`
	} `json:"memory_links"`
}

// A tool can write the link configuration out of the file. The lines are those
// of contracts/link-examples/u55c-tcp.cfg.
func TestLinkLinesFromFile(t *testing.T) {
	var g graph
	assert.NilError(t, json.Unmarshal(written(t, designtest.Load(t, "u55c_tcp", nil)), &g))
	var lines []string
	for _, in := range g.Instances {
		lines = append(lines, fmt.Sprintf("slr=%s:SLR%d", in.Name, *in.SLR))
	}
	for _, s := range g.Streams {
		line := fmt.Sprintf("stream_connect=%s.%s:%s.%s", s.From.Instance, s.From.Port, s.To.Instance, s.To.Port)
		if s.Depth > 0 {
			line += fmt.Sprintf(":%d", s.Depth)
		}
		lines = append(lines, line)
	}
	for _, m := range g.MemoryLinks {
		lines = append(lines, fmt.Sprintf("sp=%s.%s:%s[%d:%d]", m.Instance, m.Port, m.Memory, m.First, m.Last))
	}
	for _, want := range []string{
		"slr=cmac:SLR1", "slr=ccl_offload_0:SLR0", "slr=lb_udp_meta:SLR1",
		"sp=extdma_0_1.m_axi_0:HBM[0:5]", "sp=poe_0.m01_axi:HBM[6:6]",
		"stream_connect=cmac.axis_net_rx:poe_0.axis_net_rx",
		"stream_connect=ccl_offload_0.m_axis_arith_op1:arith_0.in1",
		"stream_connect=poe_0.m_axis_tcp_rx_meta:ccl_offload_0.s_axis_eth_rx_meta:512",
	} {
		assert.Check(t, slices.Contains(lines, want), "no line %s", want)
	}
	// 14 instances, 43 streams and 4 memory ports in the example.
	assert.Check(t, len(lines) == 14+43+4, "%d lines, want %d", len(lines), 14+43+4)
}

func TestNullAndVariables(t *testing.T) {
	var g graph
	d := designtest.Load(t, "u50_tcp", map[string]cty.Value{"hw_emu": cty.True, "user_kernel": cty.StringVal("vadd_put")})
	assert.NilError(t, json.Unmarshal(written(t, d), &g))
	for _, in := range g.Instances {
		if in.SLR != nil {
			t.Errorf("%s has SLR %d in hardware emulation", in.Name, *in.SLR)
		}
	}
	assert.Check(t, g.Platform.Variables["hw_emu"] == true && g.Platform.Variables["user_kernel"] == "vadd_put",
		"variables are %v", g.Platform.Variables)
}

// Every key in a file is documented, and every documented key is in a file.
func TestKeysAreThoseOfTheFile(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	d.Platform.Tuning = []platform.Tuning{{Name: "gather_fan_in", Value: 4}}
	d.Platform.Build.Vivado = []platform.Setting{{Name: "prop.run.impl_1.STRATEGY", Value: "Performance_Explore"}}
	d.Platform.Build.PostLink = []platform.SourceFile{{Name: "more.tcl", Path: "platforms/more.tcl"}}
	for _, in := range d.Instances {
		if in.Kernel.HLS != nil {
			in.Kernel.Source = "hls"
		}
	}
	var content any
	assert.NilError(t, json.Unmarshal(written(t, d), &content))
	found := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				key := strings.TrimPrefix(path+"."+k, ".")
				found[key] = true
				if key != "platform.variables" {
					walk(key, e)
				}
			}
		case []any:
			for _, e := range v {
				walk(path+"[]", e)
			}
		}
	}
	walk("", content)
	for _, k := range Keys() {
		assert.Check(t, found[k.Path], "%s is documented, but not in the file", k.Path)
		assert.Check(t, k.Doc != "" && k.Type != "", "%s has no documentation", k.Path)
		delete(found, k.Path)
	}
	for key := range found {
		t.Errorf("%s is in the file, but not documented", key)
	}
}

func TestFilesInCPPAreNamedWithTheirHashes(t *testing.T) {
	d := designtest.Load(t, "u55c_tcp", nil)
	for _, in := range d.Instances {
		if in.Kernel.ID == "reduce_ops" {
			in.Kernel.Source = "hls"
		}
	}
	f, err := convert(d)
	assert.NilError(t, err)
	for _, k := range f.Kernels {
		if k.ID != "reduce_ops" {
			assert.Check(t, is.Equal(len(k.Files), 0), "%s is not linked in C++, but has %v", k.ID, k.Files)
			continue
		}
		text, err := fs.ReadFile(platforms.FS, "kernels/reduce_ops.hpp")
		assert.NilError(t, err)
		want := Source{"platforms/kernels/reduce_ops.hpp", fmt.Sprintf("%x", sha256.Sum256(text))}
		assert.Check(t, len(k.Files) != 0 && k.Files[0] == want, "got %v, want %v first", k.Files, want)
	}
}

// The build of a kernel of somebody else can be repeated from the file alone.
func TestBuildsOfOthers(t *testing.T) {
	f, err := convert(designtest.Load(t, "u250_udp", nil))
	assert.NilError(t, err)
	for _, k := range f.Kernels {
		switch {
		case k.ID == "cmac_0":
			x := k.XO
			if x.Git != k.Origin || len(x.Revision) != 40 ||
				x.Command != "make all DEVICE=xilinx_u250_gen3x16_xdma_4_1_202210_1 INTERFACE=0" ||
				x.Produces != "Ethernet/_x.xilinx_u250_gen3x16_xdma_4_1_202210_1/cmac_0.xo" ||
				x.PostLink != "Ethernet/post_sys_link.tcl" {
				t.Errorf("cmac_0 is built from %+v", x)
			}
		case k.Source != "xo" && k.XO.Git != "":
			t.Errorf("%s is %s, but built from %s", k.ID, k.Source, k.XO.Git)
		}
	}
}

func TestBreakLines(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`{"a":1,"b":[]}` + "\n", "{\n  \"a\": 1,\n  \"b\": []\n}\n"},
		{`{"a":[{"x":"{,]\"\\","y":[1,2]},{}]}`,
			"{\n  \"a\": [\n    {\"x\": \"{,]\\\"\\\\\", \"y\": [1, 2]},\n    {}\n  ]\n}"},
		{`{"a":[{"b":[{"c":1}]}]}`, "{\n  \"a\": [\n    {\"b\": [\n      {\"c\": 1}\n    ]}\n  ]\n}"},
	} {
		assert.Check(t, is.DeepEqual(test.want, string(breakLines([]byte(test.in)))), "%s: -want +", test.in)
	}
}
