package emit

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/templates"
)

// compiled is a platform whose kernels are C++ where that is possible.
func compiled(t *testing.T, more string) *design.Design {
	t.Helper()
	text := fmt.Sprintf(`platform "compiled" {
  board       = "u55c"
  clock       = 250
  host_memory = true
  cclo {
    count         = 2
    kernel_stream = "vadd_put"
  }
  poe "tcp" {}
  poe "tcp" { port = 1 }
  arithmetic "reduce_ops" {}
  source = { vadd_put = "hls", reduce_ops = "hls", hp_compression = "hls", loopback = "hls" }
  %s
}
`, more)
	return designtest.Text(t, "compiled", text)
}

const plainLanes = `compression "hp_compression" { lanes = 3 }`

// A kernel has the same pins in RTL and in C++, so that the link sees no difference.
func TestKernelsInCppHaveThePinsOfTheirRTL(t *testing.T) {
	files := filesOf(t, rtl, compiled(t, plainLanes))
	for _, name := range []string{"vadd_put", "reduce_ops", "hp_compression"} {
		path := "rtl/" + name + "/" + name + ".sv"
		text, err := fs.ReadFile(templates.FS, path)
		assert.NilError(t, err)
		pins := func(text []byte) []pin {
			m, err := parseModule(name, text)
			assert.NilError(t, err)
			slices.SortFunc(m.Pins, func(a, b pin) int { return strings.Compare(a.Name, b.Name) })
			return m.Pins
		}
		if got, want := pins([]byte(files[path])), pins(text); !slices.Equal(got, want) {
			t.Errorf("%s has the pins %v, its RTL has %v", name, got, want)
		}
		for other := range files {
			assert.Check(t, !strings.HasPrefix(other, "rtl/"+name+"/") || other == path,
				"%s is RTL of %s, which is in C++", other, name)
		}
	}
}

func TestComponentsAreNumberedAsTheTopLevelNumbersThem(t *testing.T) {
	d := compiled(t, plainLanes)
	top := filesOf(t, rtl, d)[topFile]
	components := Components(d)
	if len(components) != 2*(1+3+1+2) { // for each engine plugins, a kernel, and what closes two streams of UDP
		t.Errorf("%d components", len(components))
	}
	for n, i := range components {
		want := fmt.Sprintf(".COMPONENT(%d), .INSTANCE(%q)", n, i.Name)
		assert.Check(t, strings.Count(top, want) == 1, "the top level lacks %s", want)
	}
	for scope, want := range []string{".M_AXI_GMEM_SPACE(0)) vadd_0_0", ".M_AXI_GMEM_SPACE(2)) vadd_1_0"} {
		assert.Check(t, is.Contains(top, want), "the memory of engine %d", scope)
	}
}

// coded is the beginning of a compression with elements of several.
const coded = `
  type "code" { bytes = 2 }
  compression "hp_compression" {
    conversion "float32" "code" {
      tdest     = 3
      ratio_log = 3
      cpp       = "float32_to_float16"
    }
    conversion "code" "float32" {
      tdest     = 2
      ratio_log = 3
      cpp       = "float16_to_float32"
    }`

func TestModulesOfKernelsInCppSayWhatTheirStreamsAreFor(t *testing.T) {
	files := filesOf(t, rtl, compiled(t, coded+"\n}"))
	for path, lines := range map[string][]string{
		"rtl/reduce_ops/reduce_ops.sv": {
			`sim_hls_port(COMPONENT, 0, "in0", 1'b0, 512, 8);`, `sim_hls_port(COMPONENT, 2, "out_r", 1'b1, 512, 0);`,
			`sim_hls_plugin(COMPONENT, 32'b11, 2);`,
		},
		"rtl/hp_compression/hp_compression.sv": {
			`sim_hls_plugin(COMPONENT, 32'b1, 1);`, `sim_hls_ratio(COMPONENT, 3, 32, 2);`, `sim_hls_ratio(COMPONENT, 2, 2, 32);`,
		},
		"rtl/vadd_put/vadd_put.sv": {
			`sim_hls_calls(COMPONENT, 0, 1);`, `sim_hls_argument(COMPONENT, 1, 32'h1C, 64, M_AXI_GMEM_SPACE);`,
			`sim_hls_argument(COMPONENT, 5, 32'h40, 32, -1);`, `.WORDS(13),`, `.WRITABLE(13'b1010101011011)`,
		},
		"rtl/ccl_offload/engine_pkg.sv": {
			`4'd3) conversion = {1'b1, 3'd5, 3'd1};`, `4'd2) conversion = {1'b1, 3'd1, 3'd5};`,
		},
	} {
		for _, line := range lines {
			assert.Check(t, is.Contains(files[path], line), "%s lacks", path)
		}
	}
}

// Our RTL makes no element of several.
func TestPluginsInRTLDoNotConvertSeveralElementsAtATime(t *testing.T) {
	d := compiled(t, coded+`
    conversion "float32" "float16" {
      tdest   = 1
      one_way = true
    }
  }`)
	for _, k := range d.Kernels() {
		k.Source = platform.SourceRTL
	}
	text := filesOf(t, rtl, d)["rtl/ccl_offload/engine_pkg.sv"]
	if !strings.Contains(text, "4'd1) conversion") || strings.Contains(text, "4'd3) conversion") {
		t.Errorf("%s", text[:bytes.IndexByte([]byte(text), '\n')])
	}
}
