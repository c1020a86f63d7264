package verbs

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
	"github.com/cclforge/cclforge/verify/fakecards/xrt"
)

// TestScan scans a host with two cards that are not there.
func TestScan(t *testing.T) {
	h := xrt.Start(t, designtest.Load(t, "u55c_udp", nil), 2, xrt.HostOptions{})
	h.Networks[1].Ethernet["cmac"].Cut(true)
	f, closer, err := xclbin.Open(h.Xclbin)
	must(t, err)
	uuid := f.UUID
	closer()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	var devices []string
	for _, bdf := range h.BDFs() {
		devices = append(devices, fmt.Sprintf(`{"bdf":%q,"vbnv":"xilinx_u55c_gen3x16_xdma_base_3","is_ready":"true"}`, bdf))
	}
	write("host.json", `{"system":{"host":{"devices":[`+strings.Join(devices, ",")+`]}}}`)
	write("card.json", `{"devices":[{"dynamic_regions":[{"xclbin_uuid":"`+strings.ToUpper(uuid)+
		`"}],"thermals":[{"location_id":"fpga0","temp_C":"41","is_present":"true"}]}]}`)
	write("xbutil", "#!/bin/sh\nfor a in \"$@\"; do [ \"$last\" = --output ] && out=$a; last=$a; done\n"+
		"case \"$*\" in *--report*) r=card;; *) r=host;; esac\nwhile read -r line || [ -n \"$line\" ]; do echo \"$line\"; "+
		"done < "+dir+"/$r.json > $out\n")
	t.Setenv("PATH", dir)
	t.Setenv("CCLFORGE_CACHE", filepath.Join(dir, "none"))
	scan := func(args ...string) (code int, says string) {
		t.Helper()
		code, out, remarks := call(t, append([]string{"scan", "--xclbin=" + h.Xclbin, "--out=" + dir}, args...)...)
		return code, out + remarks
	}
	if code, says := scan("--vars={clock"); code == good || !strings.Contains(says, "--vars") {
		t.Errorf("code %d, %s", code, says)
	}
	must(t, os.Symlink(h.Dir(), filepath.Join(dir, "lib")))
	t.Setenv("XILINX_XRT", dir)
	code, says := scan()
	for _, want := range []string{"41 °C (fpga0)", "u55c_udp", "accl-2024", "ccl_offload_0  not configured  0x",
		"poe_0    udp   up    192.168.0.5/24", "poe_0    udp   down  192.168.0.5/24", "the link of cmac is down"} {
		assert.Check(t, code == good && strings.Contains(says, want),
			"code %d, it does not say %q:\n%s", code, want, says)
	}
	code, says = scan("--json")
	var all []struct {
		BDF      string
		Networks []struct{ Link struct{ Up bool } }
		Engines  []struct{ State string }
		Remarks  []string
	}
	err = json.Unmarshal([]byte(says), &all)
	assert.Assert(t, err == nil && code == good && len(all) == 2, "code %d, %v: %s", code, err, says)
	for i, c := range all {
		if c.BDF != h.BDFs()[i] || len(c.Networks) != 1 || c.Networks[0].Link.Up != (i == 0) ||
			c.Engines[0].State != "not configured" || len(c.Remarks) > 0 {
			t.Errorf("%+v", c)
		}
	}
	// Variables that this design was not built with do no harm.
	if code, says := scan("--vars={host_memory = true}"); code != good ||
		!strings.Contains(says, "ccl_offload_0  not configured") {
		t.Errorf("code %d, %s", code, says)
	}
	xrt.Returned(t, h)
}

// TestScanOfShells scans hosts without XRT: cards in a shell do not need it.
func TestScanOfShells(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("XILINX_XRT", "")
	t.Setenv("CCLFORGE_CACHE", filepath.Join(dir, "none"))
	h := coyote.Start(t, designtest.Load(t, "u55c_rdma", nil), 1, coyote.HostOptions{})
	shellSystem = h.Process()
	t.Cleanup(func() { shellSystem = nil })
	code, out, remarks := call(t, "scan", "--platform=u55c_rdma", "--json", "--out="+dir)
	var all []struct {
		Region  struct{ File string }
		Engines []struct{ State string }
	}
	err := json.Unmarshal([]byte(out), &all)
	assert.Assert(t, err == nil && code == good && len(all) == 1 && strings.Contains(remarks, "XRT is not there"),
		"code %d, %v: %s%s", code, err, out, remarks)
	if all[0].Region.File != "/dev/coyote_fpga_0_v0" || len(all[0].Engines) != 1 ||
		all[0].Engines[0].State != "not configured" {
		t.Errorf("%+v", all)
	}
	coyote.Returned(t, h)
	h.Fail("open", 1, 0, syscall.EACCES)
	if code, out, _ := call(t, "scan", "--out="+dir); code != good ||
		!strings.Contains(out, "coyote_fpga_0_v0  coyote  0       0       not known") ||
		!strings.Contains(out, "permission denied") {
		t.Errorf("code %d, %s", code, out)
	}
	shellSystem = nothing{}
	if code, out, remarks := call(t, "scan", "--out="+dir); code == good || out != "" ||
		!strings.Contains(remarks, "XRT is not there") || !strings.Contains(remarks, "no shell's driver shows a card") {
		t.Errorf("code %d, %s%s", code, out, remarks)
	}
}

// nothing is a system without files.
type nothing struct{ driver.System }

func (nothing) Files(string) ([]string, error) { return nil, nil }
