package cards

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// sample is for xilinx_u55c_gen3x16_xdma_base_3, with the UUID that the report of
// 2.13 has as loaded.
const sample = "../../../driver/xrt/xclbin/testdata/two_sections.xclbin"

const sampleUUID = "A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF"

func (f *fake) change(name, old, new string) {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	assert.NilError(f.t, err)
	if !strings.Contains(string(text), old) {
		f.t.Fatalf("%s has no %q", name, old)
	}
	f.write(name, strings.ReplaceAll(string(text), old, new), 0o644)
}

// idle is a host whose card holds something else, is at rest, and takes what it
// is loaded with.
func idle(t *testing.T) *fake {
	f := u55c(t)
	f.change("card.json", `"0x1"`, `"0x4"`)
	f.report("after.json", "xbutil-2.13-card.json")
	f.change("after.json", `"0x1"`, `"0x4"`)
	f.change("card.json", sampleUUID, "11111111-2222-3333-4444-555555555555")
	return f
}

func (f *fake) loads() bool { return strings.Contains(f.calls(), "program ") }

func TestProgram(t *testing.T) {
	f := idle(t)
	var said []string
	card, err := f.program(t.Context(), Request{File: sample, Device: "c4:00.1",
		Say: func(s string) { said = append(said, s) }})
	assert.Assert(t, err == nil && strings.EqualFold(card.Loaded, sampleUUID),
		"card has %q, error %v", card.Loaded, err)
	abs, _ := filepath.Abs(sample)
	want := "program --device 0000:c4:00.1 --user " + abs + "\n"
	assert.Check(t, strings.Contains(f.calls(), want), "calls are\n%swithout %q", f.calls(), want)
	assert.Check(t, is.Equal(len(said), 1), "said %q", said)
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fake, *Request)
		want   error
		force  error // with Force
	}{
		"which card":   {func(f *fake, r *Request) { r.Device = "" }, ErrNoCard, ErrNoCard},
		"no such card": {func(f *fake, r *Request) { r.Device = "0000:11:00.1" }, ErrNoCard, ErrNoCard},
		"not ready":    {func(f *fake, r *Request) { r.Device = "1" }, ErrNotReady, ErrNotReady},
		"running": {func(f *fake, r *Request) {
			f.change("card.json", `"usage": "7", "type": "PL", "status": {"bit_mask": "0x4"`,
				`"usage": "7", "type": "PL", "status": {"bit_mask": "0x1"`)
		}, ErrBusy, nil},
		"running and set": {func(f *fake, r *Request) { f.change("card.json", `"0x4"`, `"0x81"`) }, ErrBusy, nil},
		"open": {func(f *fake, r *Request) {
			f.write("root/sys/bus/pci/devices/0000:c4:00.1/drm/renderD129/dev", "", 0o644)
			f.write("root/proc/41/comm", "trainer\n", 0o644)
			assert.NilError(f.t, errors.Join(os.Mkdir(filepath.Join(f.dir, "root/proc/41/fd"), 0o755),
				os.Symlink("/dev/dri/renderD129", filepath.Join(f.dir, "root/proc/41/fd/3"))))
		}, ErrBusy, nil},
		"another shell": {func(f *fake, r *Request) {
			f.change("host.json", "xilinx_u55c_gen3x16_xdma_base_3", "xilinx_u55c_gen3x16_xdma_base_2")
		}, ErrShell, nil},
		"Coyote": {func(f *fake, r *Request) { r.File = filepath.Join(f.dir, "cyt_top.bit") }, ErrFile, ErrFile},
		"missing": {func(f *fake, r *Request) { r.File = filepath.Join(f.dir, "a.xclbin") }, os.ErrNotExist,
			os.ErrNotExist},
		"no such tool": {func(f *fake, r *Request) { os.Remove(filepath.Join(f.dir, "bin/xbutil")) }, ErrNoXRT, ErrNoXRT},
	} {
		for _, force := range []bool{false, true} {
			f := idle(t)
			r := Request{File: sample, Device: "0", Force: force}
			c.change(f, &r)
			want := c.want
			if force {
				want = c.force
			}
			_, err := f.program(t.Context(), r)
			assert.Check(t, errors.Is(err, want), "%s, force %t: error is %v, want %v", name, force, err, want)
			assert.Check(t, is.Equal(f.loads(), (want == nil)), "%s, force %t: it was loaded", name, force)
		}
	}
}

func TestNamesAlike(t *testing.T) {
	f := idle(t)
	f.change("host.json", "xilinx_u55c_gen3x16_xdma_base_3", "xilinx:u55c:gen3x16.xdma_base:3")
	_, err := f.program(t.Context(), Request{File: sample, Device: "0"})
	assert.Check(t, err, "a shell with colons")
	f = idle(t)
	f.change("host.json", "xilinx_u55c_gen3x16_xdma_base_3", "xilinx_u55c_other")
	f.change("host.json", "97088961-FEAE-DA91-52A2-1D9DFD63CCEF", "10111213-1415-1617-1819-1A1B1C1D1E1F")
	_, err = f.program(t.Context(), Request{File: sample, Device: "0"})
	assert.Check(t, err, "a shell with the interface of the file")
}

func TestEmulation(t *testing.T) {
	f := idle(t)
	b, err := os.ReadFile(sample)
	assert.NilError(t, err)
	b[332] = 4 // m_mode
	f.write("emu.xclbin", string(b), 0o644)
	if _, err := f.program(t.Context(), Request{File: filepath.Join(f.dir, "emu.xclbin"), Device: "0",
		Force: true}); !errors.Is(err, ErrFile) || f.loads() {
		t.Errorf("error is %v, loaded %t", err, f.loads())
	}
}

func TestNotLoaded(t *testing.T) {
	f := idle(t)
	os.Remove(filepath.Join(f.dir, "after.json"))
	_, err := f.program(t.Context(), Request{File: sample, Device: "0"})
	if !errors.Is(err, ErrNotLoaded) || !strings.Contains(err.Error(), "11111111-2222-3333-4444-555555555555") {
		t.Errorf("error is %v", err)
	}
	f = idle(t)
	f.change("after.json", sampleUUID, "00000000-0000-0000-0000-000000000000")
	if _, err = f.program(t.Context(), Request{File: sample, Device: "0"}); !errors.Is(err, ErrNotLoaded) ||
		!strings.Contains(err.Error(), "nothing") {
		t.Errorf("error of an empty card is %v", err)
	}
}

func TestToolRefuses(t *testing.T) {
	f := newHost(t, "xbutil",
		`case "$*" in program*) echo "ERROR: xclbin is in use: Device or resource busy"; exit 1;; esac
`+examines)
	f.report("host.json", "xbutil-2.13-host.json")
	f.report("card.json", "xbutil-2.13-card.json")
	f.change("card.json", `"0x1"`, `"0x4"`)
	_, err := f.program(t.Context(), Request{File: sample, Device: "0"})
	assert.Check(t, errors.Is(err, ErrTool) && strings.Contains(err.Error(), "resource busy"), "error is %v", err)
}
