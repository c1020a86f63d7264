package synth_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/synth"
)

func of(t *testing.T, platform string) map[string]synth.Kernel {
	t.Helper()
	d := designtest.Load(t, platform, nil)
	all, err := synth.Rendered(d)
	assert.NilError(t, err)
	own, err := synth.KernelsOf(d, all)
	assert.NilError(t, err)
	byID := map[string]synth.Kernel{}
	for _, k := range own {
		if _, twice := byID[k.ID]; twice {
			t.Errorf("%s is there twice", k.ID)
		}
		byID[k.ID] = k
	}
	return byID
}

func TestAKernelIsMadeOfItsOwnSources(t *testing.T) {
	found := of(t, "u280_axis3x")
	for id, folders := range map[string][]string{
		"ccl_offload":        {".", "ccl_offload", "common"},
		"external_dma_1port": {".", "common", "external_dma", "external_dma_1port"},
		"network_krnl_axis":  {".", "common", "network_krnl_axis"},
	} {
		in := map[string]bool{}
		for name := range found[id].Sources {
			folder, _, inside := strings.Cut(name, "/")
			if !inside {
				folder = "."
			}
			in[folder] = true
		}
		if got := slices.Sorted(maps.Keys(in)); !slices.Equal(got, folders) {
			t.Errorf("%s is made of files in %v, want %v", id, got, folders)
		}
	}
	assert.Check(t, is.Equal(found["network_krnl_axis"].Module, "network_krnl"), "the module of network_krnl_axis")
	loopback := slices.Sorted(maps.Keys(found["loopback"].Sources))
	if !slices.Contains(loopback, "loopback/loopback.sv") || slices.Contains(loopback, "common/float_unit.sv") {
		t.Errorf("loopback is made of %v", loopback)
	}
}

func TestSourcesThatSayTheSameHaveOneKey(t *testing.T) {
	key := func(platform string) string {
		return of(t, platform)["ccl_offload"].Sources.Key("ccl_offload")
	}
	assert.Check(t, is.Equal(key("u50_tcp"), key("u280_tcp")), "the board decides, but it is not in the sources")
	assert.Check(t, key("u280_tcp") != key("u280_udp"), "engines of TCP and UDP have one key")
	s := synth.Sources{"a.sv": []byte("// one\nmodule a;\nendmodule\n")}
	other := synth.Sources{"a.sv": []byte("// another\nmodule a;\nendmodule\n")}
	changed := synth.Sources{"a.sv": []byte("// one\nmodule b;\nendmodule\n")}
	assert.Check(t, s.Key("a") == other.Key("a") && s.Key("a") != changed.Key("a") && s.Key("a") != s.Key("b"),
		"the key is not that of the code and its top module")
}
