package tcl_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

const (
	mmiScript = "vitis/firmware_mmi.tcl"
	buildFile = "vitis/build.cfg"
	ramBytes  = 0x20000
	ramWords  = ramBytes / 4
)

type memInfo struct {
	Processors []struct {
		Path   string `xml:"InstPath,attr"`
		Spaces []struct {
			Begin  int `xml:"Begin,attr"`
			End    int `xml:"End,attr"`
			Blocks []struct {
				Lanes []struct {
					Type  string `xml:"MemType,attr"`
					Place string `xml:"Placement,attr"`
					Width struct {
						MSB int `xml:"MSB,attr"`
						LSB int `xml:"LSB,attr"`
					} `xml:"DataWidth"`
					Range struct {
						Begin int `xml:"Begin,attr"`
						End   int `xml:"End,attr"`
					} `xml:"AddressRange"`
				} `xml:"BitLane"`
			} `xml:"BusBlock"`
		} `xml:"AddressSpace"`
	} `xml:"Processor"`
	Options []struct {
		Name  string `xml:"Name,attr"`
		Value string `xml:"Val,attr"`
	} `xml:"Config>Option"`
}

// updated does what updatemem does (UG1580, "Bit-Lane Definitions"): the digits of a
// memory file are bits, and the lanes of a bus block take them in the order in which
// they stand there, the highest bits first; block after block. It returns the words
// of each block RAM from its first address on.
func updated(t testing.TB, info memInfo, processor string, mem []byte) map[string][]uint32 {
	t.Helper()
	fields := strings.Fields(string(mem))
	assert.Equal(t, fields[0], "@00000000", "the memory file begins with")
	words := fields[1:]
	rams := map[string][]uint32{}
	for _, p := range info.Processors {
		if p.Path != processor {
			continue
		}
		for _, b := range p.Spaces[0].Blocks {
			first, last := b.Lanes[0].Range.Begin, b.Lanes[0].Range.End
			for a := first; a <= last; a++ {
				digits := "00000000"
				if a < len(words) {
					digits = words[a]
				}
				value, err := strconv.ParseUint(digits, 16, 32)
				if err != nil || len(digits) != 8 {
					t.Fatalf("%q in the memory file", digits)
				}
				left := 32
				for _, l := range b.Lanes {
					wide := l.Width.MSB - l.Width.LSB + 1
					left -= wide
					site := l.Type + "_" + l.Place
					rams[site] = append(rams[site], uint32(value>>left)&uint32(1<<wide-1))
				}
			}
		}
	}
	return rams
}

func mmi(t testing.TB, engines string, setup string) (memInfo, error) {
	t.Helper()
	files := rendered(t, designtest.Load(t, engines, nil))
	dir := place(t, files, mmiScript, buildFile)
	runs := filepath.Join(dir, "_x/link/vivado/vpl/prj/prj.runs/impl_1")
	assert.NilError(t, os.MkdirAll(runs, 0o755))
	if _, err := (tcl.Run{Parts: []string{tcl.Netlist}, Setup: setup, Script: filepath.Join(dir, mmiScript),
		Dir: runs}).Do(t.Context()); err != nil {
		left, _ := filepath.Glob(filepath.Join(dir, "firmware.mmi*"))
		assert.Check(t, len(left) == 0, "%s is left after %v", left, err)
		return memInfo{}, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "firmware.mmi"))
	assert.NilError(t, err)
	var info memInfo
	assert.NilError(t, xml.Unmarshal(text, &info))
	return info, nil
}

// Whatever block RAMs Vivado makes of the memories, each holds afterwards the bits
// of the firmware that its place in the memory says.
func TestFirmwareReachesTheBlockRAMs(t *testing.T) {
	needTcl(t)
	d := designtest.Load(t, "u55c_tcp", nil)
	image, err := emit.FirmwareImage(d)
	assert.NilError(t, err)
	words := strings.Fields(string(image))[1:]
	for name, test := range map[string]struct {
		platform string
		engines  [][]lane
	}{
		"1K x 32": {"u55c_tcp", [][]lane{memory("ccl_offload_0", 1, 1024, 32)}},
		"2K x 16": {"u55c_tcp", [][]lane{memory("ccl_offload_0", 1, 2048, 16)}},
		"4K x 8":  {"u55c_tcp", [][]lane{memory("ccl_offload_0", 1, 4096, 8)}},
		"8K x 4":  {"u55c_tcp", [][]lane{memory("ccl_offload_0", 1, 8192, 4)}},
		"16K x 2": {"u55c_tcp", [][]lane{memory("ccl_offload_0", 1, 16384, 2)}},
		"32K x 1": {"u55c_tcp", [][]lane{memory("ccl_offload_0", 1, 32768, 1)}},
		"64K x 1": {"u55c_tcp", [][]lane{deeper(memory("ccl_offload_0", 1, 32768, 1), 65535)}},
		"RAMB18":  {"u55c_tcp", [][]lane{halves(memory("ccl_offload_0", 1, 2048, 8))}},
		"36 bits": {"u55c_tcp", [][]lane{wider(memory("ccl_offload_0", 1, 1024, 32))}},
		"old":     {"u55c_tcp", [][]lane{aged(memory("ccl_offload_0", 1, 4096, 8))}},
		"mixed":   {"u55c_tcp", [][]lane{mixed()}},
		"engines": {"u280_axis3x", [][]lane{memory("ccl_offload_0", 1, 4096, 8), memory("ccl_offload_1", 2, 1024, 32),
			memory("ccl_offload_2", 3, 16384, 2)}},
		"manually": {"u280_manual", [][]lane{memory("ccl_offload_0", 1, 4096, 8)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info, err := mmi(t, test.platform, routed(append(test.engines, others("ccl_offload_0"))...))
			assert.NilError(t, err)
			assert.Assert(t, len(info.Processors) == len(test.engines),
				"%d processors, and not %d", len(info.Processors), len(test.engines))
			assert.Check(t, len(info.Options) == 1 && info.Options[0].Value == "xcu55c-fsvh2892-2L-e",
				"options %v", info.Options)
			for i, lanes := range test.engines {
				processor := fmt.Sprintf("ccl_offload_%d", i)
				if s := info.Processors[i].Spaces[0]; s.Begin != 0 || s.End != ramBytes-1 || info.Processors[i].Path != processor {
					t.Errorf("%s has bytes %d to %d", info.Processors[i].Path, s.Begin, s.End)
				}
				checkRAMs(t, lanes, updated(t, info, processor, image), words)
			}
		})
	}
}

// checkRAMs holds what is in each block RAM against its place in the memory.
func checkRAMs(t *testing.T, lanes []lane, rams map[string][]uint32, words []string) {
	t.Helper()
	assert.Check(t, len(rams) == len(lanes), "%d block RAMs were written, and there are %d", len(rams), len(lanes))
	for _, l := range lanes {
		last, high := min(l.last, ramWords-1), min(l.high, 31)
		got := rams[l.site]
		assert.Assert(t, len(got) == last-l.first+1, "%s got %d words, and has %d", l.site, len(got), last-l.first+1)
		for a := l.first; a <= last; a++ {
			var word uint64
			if a < len(words) {
				word, _ = strconv.ParseUint(words[a], 16, 32)
			}
			if want := uint32(word>>l.low) & uint32(1<<(high-l.low+1)-1); got[a-l.first] != want {
				t.Fatalf("%s has %#x at %d for bits %d to %d of %#08x, and not %#x", l.site, got[a-l.first],
					a, high, l.low, word, want)
			}
		}
	}
}

// What is not a whole memory is an error that says where.
func TestFirmwareMapIsWholeOrNotThere(t *testing.T) {
	needTcl(t)
	for name, test := range map[string]struct {
		change func(lanes []lane) []lane
		want   string
	}{
		"missing": {func(l []lane) []lane { return l[1:] },
			"hold 1015808 of the 1048576 bits of the memory of ccl_offload_0"},
		"none": {func([]lane) []lane { return nil }, "hold 0 of the 1048576 bits"},
		"twice": {func(l []lane) []lane {
			l[3].first, l[3].last, l[3].high, l[3].low = l[5].first, l[5].last, l[5].high, l[5].low
			return l
		}, "hold the same bits"},
		"overlapping":  {func(l []lane) []lane { l[3].low -= 4 * min(1, l[3].low); return l }, "parity bits"},
		"half as deep": {func(l []lane) []lane { l[3].last -= 2048; return l }, "which a memory map cannot say"},
		"unplaced":     {func(l []lane) []lane { l[3].extra = "LOC {}"; return l }, "is not placed"},
		"same site":    {func(l []lane) []lane { l[3].site = l[4].site; return l }, "are both at RAMB36"},
		"parity":       {func(l []lane) []lane { lowest(l).high++; return l }, "parity bits"},
		"offset":       {func(l []lane) []lane { l[3].extra = "ram_offset 2048"; return l }, "ram_offset"},
		"nameless":     {func(l []lane) []lane { l[3].extra = "ram_slice_end {}"; return l }, "does not say its slice_end"},
		"beyond":       {func(l []lane) []lane { l[3].first, l[3].last = 40000, 50000; return l }, "nothing of the memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mmi(t, "u55c_tcp", routed(test.change(memory("ccl_offload_0", 1, 4096, 8)), others("ccl_offload_0")))
			assert.Check(t, err != nil && strings.Contains(err.Error(), test.want),
				"error %v, which does not say %q", err, test.want)
		})
	}
}

func TestMissingSwitchIsFound(t *testing.T) {
	needTcl(t)
	setup := strings.Replace(routed(memory("ccl_offload_0", 1, 4096, 8)), "poe_switch", "poe_0", 1)
	_, err := mmi(t, "u280_axis3x", setup)
	assert.Check(t, is.ErrorContains(err, "vitis/post_link.tcl has not run"))
}
