package library

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/nightly"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

const (
	torchRanks = "../../../../driver/python/tests/torch_ranks.py"
	torchTrain = "../../../examples/torch/train.py"
)

// torchRun runs programs of torch.distributed.
type torchRun struct {
	*testing.T
	python, out string
}

func newTorch(t *testing.T) *torchRun {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import numpy, torch.distributed").Run() == nil {
			return &torchRun{t, name, filepath.Dir(newCLib(t).dir)}
		}
	}
	t.Skip("PyTorch is missing: apt-get install python3-torch")
	return nil
}

// run runs a program, which starts the ranks, and returns what they print.
func (r *torchRun) run(world string, program ...string) string {
	r.Helper()
	sets, errs, code := ranktest.Run(r.T, os.Args[0], "python", "--out="+r.out, "--platform=u55c_tcp", world)
	assert.Assert(r, code == 0, "%s", errs)
	out, errs, code := ranktest.Run(r.T, append([]string{"sh", "-c", sets + `exec "$@"`, "sh", r.python, "-B"},
		program...)...)
	assert.Assert(r, code == 0, "%q on %s: %d\n%s\n%s", program, world, code, out, errs)
	return out
}

// TestTorch: all operations, types and reductions, against gloo and plain arithmetic.
func TestTorch(t *testing.T) {
	r := newTorch(t)
	type matrix struct {
		world string
		ranks int
		what  string
	}
	all := []matrix{{"u55c_tcp", 3, "sample"}}
	if nightly.Enabled() {
		all = []matrix{{"u55c_tcp", 2, "everything"}, {"u55c_tcp", 5, "everything"}, {"u50_udp", 3, "everything"},
			{"u280_2022", 4, "everything"}}
	}
	for _, m := range all {
		out := r.run(m.world, torchRanks, fmt.Sprint(m.ranks), m.what)
		assert.Check(t, strings.Count(out, ", 0 wrong\n") == m.ranks, "%v: %s", m, out)
		t.Logf("%v: %s", m, out)
	}
}

// losses are what the example prints.
func (r *torchRun) losses(arguments ...string) []float64 {
	r.Helper()
	var all []float64
	out := r.run("u55c_tcp", append([]string{torchTrain}, arguments...)...)
	for line := range strings.Lines(out) {
		var step int
		var loss float64
		if _, err := fmt.Sscanf(line, "step %d: loss %g", &step, &loss); err == nil && step == len(all) {
			all = append(all, loss)
		}
	}
	assert.Assert(r, len(all) == 10, "%s", out)
	return all
}

// TestTorchTrains: a model that engines and one that gloo trains have the same loss in each step. They add up four
// gradients in another order, so that a gradient differs by up to 3 roundings of float32, 2e-7; ten steps add up at most
// ten times that. With float16 on the wire a rounding is 5e-4, of gradients of which a step takes a twentieth.
func TestTorchTrains(t *testing.T) {
	r := newTorch(t)
	want := r.losses("--backend=gloo")
	assert.Check(t, want[9] < 0.9*want[0], "nothing is learned: %v", want)
	for within, arguments := range map[float64][]string{2e-6: nil, 1e-3: {"--wire=float16"}} {
		got := r.losses(arguments...)
		for step := range want {
			off := math.Abs(got[step]-want[step]) / want[step]
			assert.Check(t, off <= within, "%v, step %d: %v, gloo has %v", arguments, step, got[step], want[step])
		}
		t.Logf("%v: %v; gloo: %v", arguments, got, want)
	}
}

// TestTorchCompresses: half the bytes go over the wire, and the sum is that of float16.
func TestTorchCompresses(t *testing.T) {
	r := newTorch(t)
	here, err := launch.Here(t.Context(), 2)
	assert.NilError(t, err)
	at, err := host.FreePorts(2 * host.PortsPerRank)
	assert.NilError(t, err)
	d, err := world.Design("u55c_tcp", "")
	assert.NilError(t, err)
	h, err := host.Start(t.Context(), d, host.Options{World: here, Serve: true, Endpoints: sim.Endpoints{Port: at}})
	assert.NilError(t, err)
	defer h.Close()
	name := fmt.Sprint("sim:127.0.0.1:", at)
	sent := func(wire string) (bytes uint32) {
		t.Setenv("CCLFORGE_TORCH_WIRE", wire)
		out := r.run(name, torchRanks, "2", "wire")
		var off float64
		_, err := fmt.Sscanf(out, "off by %g", &off)
		assert.Check(t, err == nil && off <= 1 && (off > 1e-3) == (wire != ""), "%v: %s", wire, out)
		text, errs, code := ranktest.Run(t, os.Args[0], "inspect", name, "-n=2", "--json")
		assert.Assert(t, code == 0, "%s", errs)
		var ranks []struct {
			Counters []struct {
				Name  string
				Value uint32
			}
		}
		assert.NilError(t, json.Unmarshal([]byte(text), &ranks))
		for _, c := range ranks[0].Counters {
			if c.Name == "tx_bytes" {
				bytes = c.Value
			}
		}
		return bytes
	}
	whole := sent("")
	half := sent("float16") - whole
	const data = 1 << 20 // of a rank: what goes out in a sum over two
	assert.Check(t, whole >= data && whole < data*9/8 && half >= data/2 && half < data/2*9/8, "%d and %d bytes", whole, half)
}
