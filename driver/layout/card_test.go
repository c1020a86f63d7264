package layout

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

var two = Design{
	Kernels: []Kernel{{Name: "hostctrl", Registers: []Register{{Name: "control"}, {Name: "count", At: 0x18, Bits: 32}}}},
	Instances: []Instance{
		{Name: "ccl_offload_0", Kernel: "ccl_offload", Role: Engine}, {Name: "extdma_0_0", Role: DMA},
		{Name: "extdma_0_1", Role: DMA},
		{Name: "ccl_offload_1", Kernel: "ccl_offload", Role: Engine, CCLO: 1}, {Name: "extdma_1_0", Role: DMA, CCLO: 1},
		{Name: "switch", Role: Network, CCLO: -1},
	},
}

func TestInstances(t *testing.T) {
	names := func(list []Instance) (out []string) {
		for _, in := range list {
			out = append(out, in.Name)
		}
		return out
	}
	got := two.Engines()
	assert.Check(t, got == 2, "%d engines", got)
	if got := names(two.Of(0, DMA)); !slices.Equal(got, []string{"extdma_0_0", "extdma_0_1"}) {
		t.Errorf("DMA engines of engine 0: %q", got)
	}
	if got := names(two.Of(1, Network)); got != nil {
		t.Errorf("networks of engine 1: %q", got)
	}
	in, ok := two.Instance("ccl_offload_1")
	assert.Check(t, ok && in.CCLO == 1, "%+v %v", in, ok)
	in, ok = two.Instance("ccl_offload_2")
	assert.Check(t, !ok, "%+v", in)
}

func TestRegisters(t *testing.T) {
	k, ok := two.Kernel("hostctrl")
	assert.Assert(t, ok, "no kernel")
	at, err := k.Find("count", "control")
	assert.Check(t, err == nil && len(at) == 2 && at[0].At == 0x18 && at[1].At == 0, "%v, %v", at, err)
	_, err = k.Find("count", "tag", "comm")
	assert.Check(t, is.ErrorContains(err, `hostctrl has no registers ["tag" "comm"]`))
	if _, ok := two.Kernel("hostctrls"); ok {
		t.Error("a kernel that is not there")
	}
}
