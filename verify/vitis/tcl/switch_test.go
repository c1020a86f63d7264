package tcl_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/vitis/tcl"
)

const postLink = "vitis/post_link.tcl"

// linked is the block design that v++ makes of a link configuration, as Tcl: the
// instances, their streams, and one clock and reset for all. Whether a port sends
// is what the lines say.
func linked(t testing.TB, config []byte) string {
	t.Helper()
	streams := map[string]map[string]string{}
	var order []string
	var nets [][2]string
	for line := range strings.Lines(string(config)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "nk":
			parts := strings.Split(value, ":")
			for _, name := range strings.Split(parts[2], ".") {
				order = append(order, name)
				streams[name] = map[string]string{}
			}
		case "stream_connect":
			parts := strings.Split(value, ":")
			for i, mode := range []string{"master", "slave"} {
				instance, port, _ := strings.Cut(parts[i], ".")
				assert.Assert(t, streams[instance] != nil, "%s: there is no %s", line, instance)
				streams[instance][port] = mode
			}
			nets = append(nets, [2]string{parts[0], parts[1]})
		}
	}
	var b strings.Builder
	for _, name := range order {
		fmt.Fprintf(&b, "model::bd_kernel %s {", name)
		for port, mode := range streams[name] {
			fmt.Fprintf(&b, " %s %s", port, mode)
		}
		b.WriteString(" } {ID 0}\n")
	}
	for _, n := range nets {
		pin := func(end string) string { return "/" + strings.Replace(end, ".", "/", 1) }
		fmt.Fprintf(&b, "model::bd_net bd_intf_net %s {%s %s}\n", strings.Replace(n[0], ".", "_", 1), pin(n[0]), pin(n[1]))
	}
	for pin, net := range map[string]string{"ap_clk": "clk_kernel_in", "ap_rst_n": "reset_slr1"} {
		fmt.Fprintf(&b, "model::bd_net bd_net %s {", net)
		for _, name := range order {
			fmt.Fprintf(&b, " /%s/%s", name, pin)
		}
		b.WriteString(" }\n")
	}
	return b.String()
}

// connections are the streams of a block design, from their senders.
func connections(s *tcl.State) map[string]string {
	by := map[string][2]string{}
	for _, p := range s.All("bd_intf_pin") {
		if net := p.Properties["NET"]; net != "" {
			ends := by[net]
			if p.Properties["MODE"] == "master" {
				ends[0] = p.Name
			} else {
				ends[1] = p.Name
			}
			by[net] = ends
		}
	}
	out := map[string]string{}
	for _, ends := range by {
		out[ends[0]] = ends[1]
	}
	return out
}

// taken is where the switch sends a packet; "" if nowhere, which drops it.
func taken(t testing.TB, s *tcl.State, to map[string]string, from string, tdest uint64) string {
	t.Helper()
	in := to[from]
	if !strings.HasPrefix(in, "/poe_switch/S") {
		return in
	}
	cell := s.Object("/poe_switch")
	out := ""
	for i := range 16 {
		port := fmt.Sprintf("M%02d_AXIS", i)
		if s.Object("/poe_switch/"+port) == nil {
			continue
		}
		low, errLow := strconv.ParseUint(cell.Properties["CONFIG."+port+"_BASETDEST"], 0, 32)
		high, errHigh := strconv.ParseUint(cell.Properties["CONFIG."+port+"_HIGHTDEST"], 0, 32)
		assert.Assert(t, errLow == nil && errHigh == nil, "%s: TDESTs %v, %v", port, errLow, errHigh)
		if low <= tdest && tdest <= high {
			assert.Assert(t, out == "", "TDEST %#x leads to %s and %s", tdest, out, port)
			out = to["/poe_switch/"+port]
		}
	}
	return out
}

func axisPlatform(t testing.TB, engines int) *design.Design {
	t.Helper()
	return designtest.Made(t, "several", map[string]string{"several.hcl": fmt.Sprintf(`
platform "several" {
  board = "u55c"
  clock = 250
  cclo { count = %d }
  poe "axis" {}
}
`, engines)})
}

// A packet goes to the engine whose number is in bits 15:8 of its TDEST, from every
// engine, on all shipped platforms and with other numbers of engines.
func TestSwitchTakesPacketsWhereTDESTSays(t *testing.T) {
	needTcl(t)
	designs := map[string]*design.Design{}
	for _, name := range shipped(t) {
		if strings.Contains(name, "axis") {
			designs[name] = designtest.Load(t, name, nil)
			designs[name+" hw_emu"] = designtest.Load(t, name, map[string]cty.Value{"hw_emu": cty.True})
		}
	}
	for _, n := range []int{2, 4, 5} {
		designs[fmt.Sprintf("%d engines", n)] = axisPlatform(t, n)
	}
	for name, d := range designs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := rendered(t, d)
			dir := place(t, files, postLink)
			setup := linked(t, files["vitis/link.cfg"])
			before := connections(must(t, tcl.Run{Parts: []string{tcl.BD}, Setup: setup,
				Script: filepath.Join(place(t, map[string][]byte{"nothing.tcl": nil}, "nothing.tcl"), "nothing.tcl"), Dir: dir}))
			s := must(t, tcl.Run{Parts: []string{tcl.BD}, Setup: setup, Script: filepath.Join(dir, postLink), Dir: dir})
			checkSwitch(t, s, d.Platform.CCLO.Count, before)
		})
	}
}

func checkSwitch(t *testing.T, s *tcl.State, engines int, before map[string]string) {
	t.Helper()
	to := connections(s)
	for i := range engines {
		from := fmt.Sprintf("/poe_%d/net_tx", i)
		assert.Equal(t, before[from], fmt.Sprintf("/poe_%d/net_rx", (i+1)%engines), "%s was linked to", from)
		for j := range engines + 1 {
			want := fmt.Sprintf("/poe_%d/net_rx", j)
			if j == engines {
				want = ""
			}
			for _, low := range []uint64{0, 1, 0x7F, 0x80, 0xFF} {
				if got := taken(t, s, to, from, uint64(j)<<8|low); got != want {
					t.Errorf("TDEST %#x of %s leads to %q, and not to %q", uint64(j)<<8|low, from, got, want)
				}
			}
		}
		id := s.Object(fmt.Sprintf("/poe_%d", i)).Properties["CONFIG.ID"]
		assert.Check(t, id == fmt.Sprint(i), "engine %d is told that it is %s", i, id)
	}
	for from, was := range before {
		if !strings.HasSuffix(from, "/net_tx") && to[from] != was {
			t.Errorf("%s led to %s, and leads to %s", from, was, to[from])
		}
	}
	cell := s.Object("/poe_switch")
	for name, want := range map[string]string{"TDATA_NUM_BYTES": "64", "TDEST_WIDTH": "16", "HAS_TKEEP": "1",
		"HAS_TLAST": "1", "ARB_ON_TLAST": "1", "ARB_ON_MAX_XFERS": "0"} {
		assert.Check(t, is.Equal(cell.Properties["CONFIG."+name], want), "the switch has %s", name)
	}
	for pin, of := range map[string]string{"aclk": "ap_clk", "aresetn": "ap_rst_n"} {
		if got, want := s.Object("/poe_switch/" + pin).Properties["NET"], s.Object("/poe_0/" +
			of).Properties["NET"]; got != want || got == "" {
			t.Errorf("%s of the switch is at %q, and %s of the first engine at %q", pin, got, of, want)
		}
	}
}

// A block design that is not the one that was linked is an error, and not a switch
// in the wrong place.
func TestSwitchRefusesAnotherRing(t *testing.T) {
	needTcl(t)
	files := rendered(t, designtest.Load(t, "u55c_axis3x", nil))
	whole := linked(t, files["vitis/link.cfg"])
	for name, test := range map[string]struct{ old, new, want string }{
		"other order": {"/poe_0/net_tx /poe_1/net_rx", "/poe_0/net_tx /poe_2/net_rx", "the net at poe_0/net_tx joins"},
		"no net": {"model::bd_net bd_intf_net poe_1_net_tx {/poe_1/net_tx /poe_2/net_rx}\n", "",
			"there are 0 of nets at poe_1/net_tx"},
		"no clock": {"bd_net clk_kernel_in {", "bd_net clk_kernel_in {} ; list {", "there are 0 of nets at poe_0/ap_clk"},
	} {
		t.Run(name, func(t *testing.T) {
			setup := strings.Replace(whole, test.old, test.new, 1)
			assert.Assert(t, setup != whole, "%q is not in the block design", test.old)
			dir := place(t, files, postLink)
			_, err := tcl.Run{Parts: []string{tcl.BD}, Setup: setup, Script: filepath.Join(dir, postLink),
				Dir: dir}.Do(t.Context())
			assert.Check(t, err != nil && strings.Contains(err.Error(), test.want),
				"error %v, which does not say %q", err, test.want)
		})
	}
}

// A switch has 16 ports at most (PG085). u55c has no memory for so many engines, and
// the platform one of its own.
func TestSwitchRefusesMoreEnginesThanItHasPorts(t *testing.T) {
	needTcl(t)
	const board = `
board "large" {
  part     = "xcu55c-fsvh2892-2L-e"
  platform = "large_1"
  slrs     = 1
  ports    = 1
  slr {
    mac  = 0
    poe  = 0
    cclo = 0
  }
  memory "HBM" {
    banks = 256
    cclo  = [6 * cclo.index, 6 * cclo.index + 5]
    poe   = [0]
  }
}
`
	for engines, refused := range map[int]bool{16: false, 17: true} {
		d := designtest.Made(t, "several", map[string]string{"boards/large.hcl": board, "several.hcl": fmt.Sprintf(`
platform "several" {
  board = "large"
  cclo { count = %d }
  poe "axis" {}
}
`, engines)})
		files := rendered(t, d)
		dir := place(t, files, postLink)
		_, err := tcl.Run{Parts: []string{tcl.BD}, Setup: linked(t, files["vitis/link.cfg"]),
			Script: filepath.Join(dir, postLink), Dir: dir}.Do(t.Context())
		if refused != (err != nil) || refused &&
			!strings.Contains(err.Error(), "17 network engines are in a ring, and a switch has 16 ports") {
			t.Errorf("%d engines: %v", engines, err)
		}
	}
}

// What kernels of others and the platform bring runs after it, in order, where the
// variables of v++ are to be seen.
func TestScriptsOfOthersRunAfterTheSwitch(t *testing.T) {
	needTcl(t)
	d := designtest.Load(t, "u280_tcp", nil)
	files := rendered(t, d)
	dir := place(t, files, postLink)
	links := d.PostLinks()
	assert.Assert(t, len(links) != 0, "no kernel of u280_tcp brings Tcl")
	for i, p := range links {
		write(t, filepath.Join(dir, p.Path), fmt.Sprintf("model::make seen {%d %s} [list SEES $config_info]\n", i, p.Path))
	}
	s := must(t, tcl.Run{Parts: []string{tcl.BD}, Setup: "set config_info {of v++}", Script: filepath.Join(dir, postLink),
		Dir: t.TempDir()})
	seen := s.All("seen")
	assert.Assert(t, len(seen) == len(links), "%d scripts ran, and not %d", len(seen), len(links))
	for i, o := range seen {
		if want := fmt.Sprintf("%d %s", i, links[i].Path); o.Name != want || o.Properties["SEES"] != "of v++" {
			t.Errorf("%s, sees %q; not %s", o.Name, o.Properties["SEES"], want)
		}
	}
}
