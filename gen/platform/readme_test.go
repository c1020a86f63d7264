package platform_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// What the guide shows of builds and of kernels of others is as it says.
func TestExamplesOfTheGuide(t *testing.T) {
	text, err := os.ReadFile("../../platforms/BUILD.md")
	assert.NilError(t, err)
	_, guide, ok := strings.Cut(string(text), "\n## Build\n")
	assert.Assert(t, ok, "the guide has no chapter Build")
	var build, xo string
	for guide != "" {
		var example string
		if _, guide, ok = strings.Cut(guide, "```hcl\n"); !ok {
			break
		}
		example, guide, _ = strings.Cut(guide, "```\n")
		switch {
		case strings.HasPrefix(example, "platform \"mine\"") && build == "":
			build = example
		case strings.HasPrefix(example, "xo {"):
			xo = example
		}
	}
	assert.Assert(t, build != "" && xo != "", "examples: %q, %q", build, xo)
	files := fstest.MapFS{"mine.hcl": {Data: []byte(build)}}
	for i, block := range strings.Split(xo, "\n\n") {
		name := string(rune('a' + i))
		files["kernels/"+name+"_filter.hcl"] = &fstest.MapFile{
			Data: []byte("kernel \"" + name + "_filter\" {\n  like = \"user_kernel\"\n  source = \"xo\"\n" + block + "\n}\n")}
	}
	lib := designtest.Layered(t, files)
	p, diags := lib.Load("mine", lang.Inputs{})
	assert.Assert(t, !diags.HasErrors(), "%v", diags)
	b := p.Build
	if b.Timing != platform.TimingReport || b.Firmware != platform.FirmwareImage || b.Slurm.Partition != "fpga" ||
		len(b.Debug) != 1 ||
		len(b.Vivado) != 1 || b.Vivado[0].Line() != "prop=run.impl_1.STRATEGY=Performance_ExtraTimingOpt" {
		t.Errorf("the build is %+v", b)
	}
	r := b.Steps["link"]
	assert.Check(t, r.CPUs == 16 && r.Memory == 96<<10 && r.Time.Hours() == 36, "a link takes %+v", r)
	// The defaults are those of the guide's table.
	_, table, _ := strings.Cut(string(text), "| step | what it does |")
	for kind, r := range b.Steps {
		row := "| `" + string(kind) + "` |"
		_, rest, ok := strings.Cut(table, row)
		line, _, _ := strings.Cut(rest, "\n")
		if !ok {
			t.Errorf("the guide has no row for %s", kind)
			continue
		}
		if kind == "link" {
			continue
		}
		cells := strings.Split(line, "|")
		memory, err := platform.ParseMemory(strings.TrimSpace(cells[2]))
		limit, wrong := platform.ParseTime(strings.TrimSpace(cells[3]))
		assert.Check(t, err == nil && wrong == nil && memory == r.Memory && limit == r.Time,
			"the guide says%s of %s, and it takes %+v", line, kind, r)
	}
}

func TestBuildsAsDescribed(t *testing.T) {
	text := "platform \"p\" {\n  board = \"u55c\"\n  hw_emu = EMU\n\n  poe \"tcp\" {}\n\n  build {\n    jobs = 3\n\n   " +
		" slurm {\n      partition = \"a\"\n      account = \"b\"\n" +
		"      qos = \"c\"\n      constraint = \"d|e\"\n      options = [\"--exclusive\"]\n    }\n  }\n}\n"
	for emulated, firmware := range map[string]string{"false": platform.FirmwareImage, "true": platform.FirmwareKernel} {
		lib, _ := platform.NewLibrary(lang.NewParser(),
			fstest.MapFS{"p.hcl": {Data: []byte(strings.Replace(text, "EMU", emulated, 1))}}, platforms.FS)
		p, diags := lib.Load("p", lang.Inputs{})
		assert.Assert(t, !diags.HasErrors(), "%v", diags)
		want := platform.Slurm{Partition: "a", Account: "b", QOS: "c", Constraint: "d|e", Options: []string{"--exclusive"}}
		if b := p.Build; b.Firmware != firmware || b.Jobs != 3 || !reflect.DeepEqual(b.Slurm, want) {
			t.Errorf("emulated %s: %+v", emulated, b)
		}
	}
}

func TestAmountsAndTimes(t *testing.T) {
	for text, want := range map[string]int{"1M": 1, "512M": 512, "64G": 65536, "1T": 1 << 20, "16T": 16 << 20} {
		got, err := platform.ParseMemory(text)
		assert.Check(t, err == nil && got == want, "%s: got %d MiB, %v", text, got, err)
	}
	for text, want := range map[string]float64{"1m": 1, "90m": 90, "12h": 720, "1d": 1440, "1d12h30m": 2190, "2h5m": 125} {
		got, err := platform.ParseTime(text)
		assert.Check(t, err == nil && got.Minutes() == want, "%s: got %s, %v", text, got, err)
	}
	for _, text := range []string{"", "0G", "64", "64g", "G", "-1G", "1.5G", "17T", "999999999T", "64 G", "064G"} {
		got, err := platform.ParseMemory(text)
		assert.Check(t, err != nil, "%q is %d MiB", text, got)
	}
	for _, text := range []string{"", "0h", "12", "h", "30m12h", "1w", "31d", "9999d9999h99999m", "12h ", "1.5h"} {
		got, err := platform.ParseTime(text)
		assert.Check(t, err != nil, "%q is %s", text, got)
	}
}

func TestVersionsAreOrderedByNumbers(t *testing.T) {
	for _, test := range [][2]string{{"2022.1", "2022.2"}, {"2022.2", "2023.1"}, {"2022.1", "2022.1.1"},
		{"2022.9", "2022.10"}} {
		assert.Check(t, platform.CompareVersions(test[0], test[1]) < 0 && platform.CompareVersions(test[1], test[0]) > 0,
			"%s is not before %s", test[0], test[1])
	}
	assert.Check(t, is.Equal(platform.CompareVersions("2022.1", "2022.1.0"), 0), "2022.1 is not 2022.1.0")
}

// A user's tools take the place of the shipped ones.
func TestOwnTools(t *testing.T) {
	own := fstest.MapFS{
		"tools/vitis.hcl": {
			Data: []byte(
				"toolchain \"own\" {\n  tool \"cc\" {\n    doc = \"x\"\n    source = \"y\"\n  }\n\n  version \"2022.1\" { hls = " +
					"\"cc\" }\n}\n")}}
	lib, _ := platform.NewLibrary(lang.NewParser(), own, platforms.FS)
	assert.Check(t, lib.Toolchain != nil && len(lib.Toolchain.Versions) == 1 && lib.Toolchain.Tool("v++") == nil,
		"the tools are %+v", lib.Toolchain)
	shipped := designtest.Library(t)
	versions := shipped.Toolchain.Versions
	assert.Check(t, versions[0].Version == "2022.1" && versions[len(versions)-1].Version == "2026.1",
		"versions %s to %s", versions[0].Version, versions[len(versions)-1].Version)
	f := shipped.Toolchain.Nearest("2023.1.1")
	assert.Check(t, f.Version == "2023.1", "the nearest is %s", f.Version)
	f = shipped.Toolchain.Nearest("2019.2")
	assert.Check(t, f.Version == "2022.1", "the nearest is %s", f.Version)
}
