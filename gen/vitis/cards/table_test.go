package cards

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// many are cards with all that can be said of them.
func many() []Found {
	yes, neighbors := true, 15
	id := "b0b1b2b3-b4b5-b6b7-b8b9-babbbcbdbebf"
	about := xclbin.Description{Platform: "u250_axis3x", Design: strings.Repeat("d", 64), Generation: "accl-2024",
		Firmware: strings.Repeat("f", 64), Generator: xclbin.Generator}
	full := &Hardware{ID: "0xABCDEF5E", Stack: "rdma", ExternalDMA: true, Arithmetic: true, Compression: true,
		KernelStreams: true, Revision: "abcdef"}
	return []Found{{
		Card: Card{Index: 10, BDF: "0000:c4:00.1", Name: "u55c", Ready: true, Loaded: id,
			Temperatures: []Temperature{{Sensor: "pcb_bottom_front", Celsius: 105.5}},
			Shell:        "xilinx_u55c_gen3x16_xdma_base_3", Power: 24.87, PowerLimit: 225,
			Link:    &Link{Generation: 3, Lanes: 8, ExpectedGeneration: 3, ExpectedLanes: 16},
			Users:   []Process{{ID: 4194303, Name: "python3"}, {ID: 7, Name: "train"}},
			Running: []string{"vadd_put:vadd_0_0"}},
		Design: &Design{File: "/home/somebody/" + strings.Repeat("x", 40) + "/u250_axis3x.xclbin", Description: about,
			Created: time.Unix(1700000000, 0).UTC()},
		Engines: []Engine{
			{Name: "ccl_offload_0", State: Configured, Configured: &yes, Hardware: full}, {Name: "ccl_offload_1", State: InUse},
			{Name: "ccl_offload_2", State: Other, Hardware: &Hardware{ID: "0xFFFFFFFF"}},
		},
		Networks: []Network{
			{Name: "poe_0", Kind: "udp", Engine: "ccl_offload_0", State: Answers, Address: "255.255.255.255/24",
				MAC:     "00:0a:35:02:9d:15",
				Sockets: &Entries{16, 16}, Neighbors: &neighbors, Link: &MAC{Name: "cmac", FEC: true,
					Says: []string{"local_fault", "remote_fault"}}},
			{Name: "poe_1", Kind: "tcp", Engine: "ccl_offload_1", State: InUse},
			{Name: "poe_2", Kind: "axis", Engine: "ccl_offload_2", State: Answers},
			{Name: "poe_3", Kind: "udp", State: Answers, Link: &MAC{Name: "cmac_1", Up: true}},
			{Name: "poe_4", Kind: "udp", State: Unknown},
		},
		Remarks: []string{strings.Repeat("something is wrong, ", 20), "first line\nsecond line"},
	}, {
		Card: Card{Index: 11, BDF: "0000:81:00.1", Note: "not ready"}, Engines: []Engine{}, Networks: []Network{},
		Remarks: []string{},
	}}
}

func TestTable(t *testing.T) {
	text := table(t, many())
	want := `card  address       board  ready  hottest                      design       interface
10    0000:c4:00.1  u55c   yes    105.5 °C (pcb_bottom_front)  u250_axis3x  accl-2024
11    0000:81:00.1  -      no     -                            -            -

card  engine         state           hardware id  stack  DMA       has
10    ccl_offload_0  configured      0xABCDEF5E   rdma   external  arithmetic, compression, streams
10    ccl_offload_1  in use          -            -      -         -
10    ccl_offload_2  other hardware  0xFFFFFFFF   -      -         -

card  network  kind  link          address             MAC                sockets   ARP
10    poe_0    udp   down, RS-FEC  255.255.255.255/24  00:0a:35:02:9d:15  16 of 16  15
10    poe_1    tcp   in use        -                   -                  -         -
10    poe_2    axis  -             -                   -                  -         -
10    poe_3    udp   up            -                   -                  -         -
10    poe_4    udp   not known     -                   -                  -         -

0000:c4:00.1: holds b0b1b2b3-b4b5-b6b7-b8b9-babbbcbdbebf,
  /home/somebody/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/u250_axis3x.xclbin, design dddddddddddd,
  firmware ffffffffffff
0000:c4:00.1: shell xilinx_u55c_gen3x16_xdma_base_3, 24.9 of 225 W, PCIe gen3 x8 (of gen3 x16)
0000:c4:00.1: used by python3 (4194303), train (7), vadd_put:vadd_0_0
0000:c4:00.1: the link of cmac is down: the receiver says local_fault, remote_fault
`
	assert.Check(t, strings.HasPrefix(text, want), "the table is\n%s\nwant\n%s", text, want)
	if want := "0000:c4:00.1: first line\n  second line\n0000:81:00.1: not ready\n"; !strings.HasSuffix(text, want) {
		t.Errorf("the table is\n%s\nwant at its end\n%s", text, want)
	}
	for line := range strings.Lines(text) {
		n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
		assert.Check(t, n <= 100, "%d columns: %s", n, line)
		assert.Check(t, is.Equal(strings.TrimRight(line, " \n"), strings.TrimSuffix(line, "\n")),
			"blanks at the end of %q", line)
	}
}

// TestKeys: scripts find all keys of engines and networks on all cards, null for what is
// not known.
func TestKeys(t *testing.T) {
	for name, v := range map[string]any{
		"design engines networks region remarks":                                                  Found{},
		"name state configured hardware":                                                          Engine{},
		"id stack internal_dma external_dma arithmetic compression kernel_streams debug revision": Hardware{},
		"name kind engine state address gateway mac sockets arp packets link":                     Network{},
		"used size": Entries{},
		"from_mac arp icmp to_engine from_engine to_mac": Packets{},
		"file number state built address mac":            Region{},
		"regions host_streams card_streams rdma avx":     Built{},
		"name up fec sending says":                       MAC{},
	} {
		text, err := json.Marshal(v)
		var keys map[string]any
		if err == nil {
			err = json.Unmarshal(text, &keys)
		}
		assert.NilError(t, err)
		want := strings.Fields(name)
		if _, of := v.(Found); of {
			want = append(want, "index", "bdf", "name", "shell", "ready")
		}
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(keys)); !slices.Equal(got, want) {
			t.Errorf("%s has the keys %q, want %q", fmt.Sprintf("%T", v), got, want)
		}
	}
}
