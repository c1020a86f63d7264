package kernels

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
	"github.com/cclforge/cclforge/verify/synth"
)

// made is a small platform with a processor, empty for the default.
func madeWith(t testing.TB, processor string) *design.Design {
	t.Helper()
	if processor != "" {
		processor = "processor = \"" + processor + "\"\n"
	}
	return designtest.Made(t, "m", map[string]string{"m.hcl": `platform "m" {
  board = "u55c"
  cclo {
` + processor + `}
  poe "udp" {}
}
`})
}

// engine are the sources of the engine's kernel, and all of the platform.
func engineOf(t testing.TB, d *design.Design) (synth.Kernel, synth.Sources) {
	t.Helper()
	all, err := synth.Rendered(d)
	assert.NilError(t, err)
	own, err := synth.KernelsOf(d, all)
	assert.NilError(t, err)
	at := slices.IndexFunc(own, func(k synth.Kernel) bool { return k.ID == "ccl_offload" })
	assert.Assert(t, at >= 0, "there is no engine")
	return own[at], all
}

func TestEachProcessorHasItsFiles(t *testing.T) {
	ownCore := func(name string) bool {
		return strings.HasPrefix(path.Base(name), "rv32_") && path.Base(name) != "rv32_ram.sv"
	}
	for _, processor := range []string{"", "own", "microblaze_v"} {
		k, all := engineOf(t, madeWith(t, processor))
		vendor := processor == "microblaze_v"
		if got := slices.ContainsFunc(slices.Collect(maps.Keys(k.Sources)), ownCore); got == vendor {
			t.Errorf("%q: our own core is part of the kernel: %v", processor, got)
		}
		for name, want := range map[string]bool{
			"ccl_offload/cpu/rv32_ram.sv": true, "ccl_offload/cpu/control_processor.sv": !vendor,
			"ccl_offload/cpu/rv32_core.sv": !vendor, "ccl_offload/cpu/rv32_pkg.sv": !vendor,
			"microblaze_v/control_processor.sv": vendor, "microblaze_v/microblaze_v_core.sv": vendor,
			"microblaze_v/microblaze_v_pkg.sv": vendor,
		} {
			if (all[name] != nil) != want || (k.Sources[name] != nil) != want {
				t.Errorf("%q: %s is there: %v, and in the kernel: %v", processor, name, all[name] != nil, k.Sources[name] != nil)
			}
		}
		for name, want := range map[string]bool{"sim/cclo_microblaze_v.sv": vendor, "sim/rv32_core.sv": vendor,
			"sim/rv32_pkg.sv": vendor, "sim/rv32_ram.sv": false} {
			if (all[name] != nil) != want || k.Sources[name] != nil {
				t.Errorf("%q: %s is there: %v, and in the kernel: %v", processor, name, all[name] != nil, k.Sources[name] != nil)
			}
		}
		if got, want := slices.Sorted(maps.Keys(k.BlackBoxes(all))),
			[]string{"sim/cclo_microblaze_v.sv"}; vendor != slices.Equal(got, want) {
			t.Errorf("%q: modules of others: %v", processor, got)
		}
	}
}

// The option changes nothing but the processor and what says so: inspection has the hash of the design.
func TestTheRestStaysTheSame(t *testing.T) {
	_, own := engineOf(t, madeWith(t, ""))
	_, said := engineOf(t, madeWith(t, "own"))
	_, vendor := engineOf(t, madeWith(t, "microblaze_v"))
	for name, text := range own {
		assert.Check(t, is.Equal(string(said[name]), string(text)), "%s changes by saying the default", name)
		if other, there := vendor[name]; there && string(other) != string(text) && name != "ccl_offload/regs/inspection.sv" {
			t.Errorf("%s is another one with MicroBlaze V", name)
		}
	}
}

func TestHardwareWithMicroBlazeIsClean(t *testing.T) {
	if err := verilate.Available(t.Context()); err != nil {
		t.Skip(err)
	}
	k, all := engineOf(t, madeWith(t, "microblaze_v"))
	with := maps.Clone(k.Sources) // the kernel as it is packaged, and what stands in for the IP
	maps.Copy(with, k.Vendor(all))
	for name, sources := range map[string]synth.Sources{k.Module: with, "platform_top": all} {
		paths, err := verilate.Place(sources)
		assert.NilError(t, err)
		slices.SortStableFunc(paths, func(a, b string) int { // what tells simulations comes first
			first := func(p string) int { return map[bool]int{true: 0, false: 1}[strings.HasSuffix(p, "sim/simulation.sv")] }
			return first(a) - first(b)
		})
		assert.Check(t, verilate.Lint(t.Context(), name, nil, paths...))
	}
}

// Synthesis sees the IP's ports alone; the RAM stays block RAM of ours, at its place.
func TestProcessorIsReadByYosys(t *testing.T) {
	if err := synth.Available(); err != nil {
		t.Skip(err)
	}
	d := madeWith(t, "microblaze_v")
	k, all := engineOf(t, d)
	with := maps.Clone(k.Sources)
	maps.Copy(with, k.BlackBoxes(all))
	for name := range with {
		if !slices.Contains([]string{"cclo_pkg.sv", "microblaze_v", "sim"}, strings.SplitN(name, "/", 2)[0]) &&
			name != "ccl_offload/cpu/rv32_ram.sv" {
			delete(with, name)
		}
	}
	sources, err := verilate.Place(with)
	assert.NilError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	memories, err := synth.Elaborate(ctx, t.TempDir(), "control_processor", sources...)
	assert.NilError(t, err)
	ram := func(m synth.Memory) bool {
		return strings.HasSuffix(m.Name, ".memory") && m.Width*m.Words == 8*int(d.ABI().Memory("local_ram").Size)
	}
	assert.Check(t, len(memories) == 1 && ram(memories[0]) && !memories[0].Unregistered, "memories: %+v", memories)
}
