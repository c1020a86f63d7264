package rtlsim

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/synth"
)

var platformsFlag = flag.String("sim.platforms", "",
	"platforms that are linted, as names with commas between; \"\" for all")

func lint(ctx context.Context, files synth.Sources, module string) error {
	paths, err := verilate.Place(files)
	if err != nil {
		return err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return first(a) - first(b) })
	return verilate.Lint(ctx, module, nil, paths...)
}

// cleaner checks hardware with every warning that Verilator has, once what is the
// same on several platforms.
type cleaner struct{ seen sync.Map }

// check checks a platform with the models around the ports of its kernels, and each
// kernel by itself, as it is packaged.
func (c *cleaner) check(t *testing.T, name string, d *design.Design) {
	t.Helper()
	files, own := hardware(t, d)
	c.once(t, name, outside(t, files, own), top)
	for _, k := range own {
		c.once(t, name+"/"+k.ID, k.Sources, k.Module)
	}
}

// hardware are the files of a platform, and its kernels.
func hardware(t *testing.T, d *design.Design) (synth.Sources, []synth.Kernel) {
	t.Helper()
	files, err := synth.Rendered(d)
	assert.NilError(t, err)
	assert.Assert(t, files[top+".sv"] != nil, "%s has no top level", d.Platform.Name)
	own, err := synth.KernelsOf(d, files)
	assert.NilError(t, err)
	return files, own
}

// outside are the files of a platform with the ports of kernels in the place of kernels,
// whose insides are checked by themselves.
func outside(t *testing.T, files synth.Sources, own []synth.Kernel) synth.Sources {
	t.Helper()
	ports := maps.Clone(files)
	for _, k := range own {
		name := path.Join(k.ID, k.Module+".sv")
		header, _, ok := bytes.Cut(ports[name], []byte("\n);\n"))
		assert.Assert(t, ok, "%s: no end of the ports", name)
		ports[name] = slices.Concat([]byte("// verilator lint_off UNUSED\n// verilator lint_off UNDRIVEN\n"), header,
			[]byte("\n);\nendmodule\n// verilator lint_on UNUSED\n// verilator lint_on UNDRIVEN\n"))
	}
	return ports.Below(top)
}

func (c *cleaner) once(t *testing.T, name string, files synth.Sources, module string) {
	t.Helper()
	if _, again := c.seen.LoadOrStore(files.Key(module), true); again {
		return
	}
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		assert.Check(t, lint(t.Context(), files, module))
	})
}

// sample are platforms whose engines differ.
var sample = []string{"u55c_tcp", "u55c_udp", "u55c_rdma", "u280_2022", "u280_manual"}

// TestPlatformsAreClean checks the hardware of every platform.
func TestPlatformsAreClean(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	var c cleaner
	names := nightly.Of(sample, designtest.Library(t).PlatformNames())
	if *platformsFlag != "" {
		names = strings.Split(*platformsFlag, ",")
	}
	for _, name := range names {
		c.check(t, name, designtest.Load(t, name, nil))
	}
	for _, v := range []struct {
		name, platform, variable string
		value                    cty.Value
	}{
		{"host memory", "u55c_tcp", "host_memory", cty.True},
		{"user kernel", "u55c_tcp", "user_kernel", cty.StringVal("vadd_put")},
	} {
		if nightly.Enabled() && slices.Contains(names, v.platform) {
			c.check(t, v.name, designtest.Load(t, v.platform, map[string]cty.Value{v.variable: v.value}))
		}
	}
}

// TestWholePlatformsAreClean checks kernels and what is around them together: a loop may
// lead through several of them.
func TestWholePlatformsAreClean(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("short")
	}
	for _, name := range nightly.Of(sample[:1], designtest.Library(t).PlatformNames()) {
		files, _ := hardware(t, designtest.Load(t, name, nil))
		assert.Check(t, lint(t.Context(), files, top), "%s", name)
	}
}

// TestCombinationsAreClean checks hardware of which a part is left out, or there are
// more or fewer than on the platforms.
func TestCombinationsAreClean(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("short")
	}
	const sums = `arithmetic "reduce_ops" {}`
	lanes := func(n int) string { return fmt.Sprintf(`compression "hp_compression" { lanes = %d }`, n) }
	var c cleaner
	for n, v := range []struct {
		name, board, abi, cclo, poe string
		more                        string
	}{
		{"tcp_alone", "u55c", "accl-2024", "trace = 0\nactivity = false", "tcp", ""},
		{"udp_two_engines", "u55c", "accl-2024", "count = 2", "udp", "poe \"udp\" { port = 1 }\n" + sums + "\n" + lanes(1)},
		{"rdma_two_lanes", "u55c", "accl-2024", "dma_engines = 2", "rdma", lanes(2)},
		{"udp_2022_sums", "u280", "accl-2022", "dma_engines = 3", "udp", sums},
		{"tcp_2022_one_lane", "u280", "accl-2022", "dma_engines = 2", "tcp", lanes(1)},
		{"tcp_2021_alone", "u280", "accl-2021", `dma = "internal"`, "tcp", ""},
		{"plugins_in_cpp", "u55c", "accl-2024", "count = 2", "tcp", sums + "\n" + lanes(3) + `
source = { reduce_ops = "hls", hp_compression = "hls", loopback = "hls" }
poe "tcp" { port = 1 }`},
		{"user_kernel_in_cpp", "u55c", "accl-2024", `kernel_stream = "vadd_put"`, "udp", `source = { vadd_put = "hls" }`},
	} {
		if !nightly.Sampled(n, 4) {
			continue
		}
		text := fmt.Sprintf("platform %q {\nboard = %q\nabi = %q\nclock = 250\ncclo {\n%s\n}\npoe %q {}\n%s\n}\n", v.name,
			v.board, v.abi, v.cclo, v.poe, v.more)
		c.check(t, v.name, designtest.Text(t, v.name, text))
	}
}
