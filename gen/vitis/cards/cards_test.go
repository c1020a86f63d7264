package cards

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// fake is a host with a tool that a shell script plays.
type fake struct {
	t   *testing.T
	dir string
	*system
}

// tool puts a script in the place of one of XRT's tools. It finds the reports in
// $DIR, its arguments in "$@", and the file to write in $out.
func newHost(t *testing.T, name, script string) *fake {
	t.Helper()
	f := &fake{t: t, dir: t.TempDir()}
	f.system = &system{root: filepath.Join(f.dir, "root"), grace: time.Second, env: func(name string) string {
		return map[string]string{"PATH": filepath.Join(f.dir, "bin")}[name]
	}}
	if name != "" {
		f.write("bin/"+name, "#!/bin/sh\nDIR="+f.dir+
			"\necho \"$@\" >> $DIR/calls\nfor a in \"$@\"; do [ \"$last\" = --output ] && out=$a; last=$a; done\n"+script, 0o755)
	}
	return f
}

func (f *fake) write(name, text string, mode os.FileMode) {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	assert.NilError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	assert.NilError(f.t, os.WriteFile(path, []byte(text), mode))
}

func (f *fake) report(name, from string) {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", from))
	assert.NilError(f.t, err)
	f.write(name, string(text), 0o644)
}

func (f *fake) calls() string {
	text, _ := os.ReadFile(filepath.Join(f.dir, "calls"))
	return string(text)
}

// examines answers with the reports that are in the directory; loading a card
// replaces its report.
const examines = `case "$*" in
*--report*) cat $DIR/card.json > $out;;
examine*) cat $DIR/host.json > $out;;
program*) [ -e $DIR/after.json ] && cp $DIR/after.json $DIR/card.json; exit 0;;
*) exit 2;;
esac
`

func u55c(t *testing.T) *fake {
	f := newHost(t, "xbutil", examines)
	f.report("host.json", "xbutil-2.13-host.json")
	f.report("card.json", "xbutil-2.13-card.json")
	return f
}

func TestList(t *testing.T) {
	f := u55c(t)
	cards, err := f.list(t.Context())
	assert.NilError(t, err)
	want := []Card{{
		Index: 0, BDF: "0000:c4:00.1", Name: "u55c", Shell: "xilinx_u55c_gen3x16_xdma_base_3",
		Interface: []string{"97088961-feae-da91-52a2-1d9dfd63ccef"}, Ready: true,
		Loaded:       "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf",
		Temperatures: []Temperature{{"pcb_top_front", 31}, {"fpga0", 37}, {"fpga_hbm", 36}},
		Power:        24.872573, PowerLimit: 225, Link: &Link{3, 8, 3, 16}, Running: []string{"vadd_put:vadd_0_0"},
	}, {
		Index: 1, BDF: "0000:81:00.1", Name: "u280", Shell: "xilinx_u280_gen3x16_base_1",
		Interface: []string{"283bab8f-654d-8674-968f-4da57f7fa5d7"}, Note: "not ready",
	}}
	assert.Check(t, reflect.DeepEqual(cards, want), "cards are\n%+v, want\n%+v", cards, want)
	says := []string{cards[0].Hottest(), cards[0].Watts(), cards[0].Link.String(), cards[1].Hottest(), cards[1].Watts(),
		cards[1].Link.String()}
	if want := []string{"37 °C (fpga0)", "24.9 of 225 W", "gen3 x8 (of gen3 x16)", "-", "-", "-"}; !slices.Equal(says,
		want) {
		t.Errorf("cards say %q, want %q", says, want)
	}
}

func TestListNewer(t *testing.T) {
	f := newHost(t, "xrt-smi", examines)
	f.report("host.json", "xrt-smi-2.18-host.json")
	f.report("card.json", "xrt-smi-2.18-card.json")
	cards, err := f.list(t.Context())
	assert.NilError(t, err)
	want := []Card{{
		BDF: "0000:65:00.1", Name: "u250", Shell: "xilinx_u250_gen3x16_xdma_shell_4_1", Ready: true,
		Interface:    []string{"12c8fafb-0632-499d-b1c0-c6676271b8a6"},
		Temperatures: []Temperature{{"fpga0", 45}}, Power: 31.5, Link: &Link{Generation: 3, Lanes: 16},
	}}
	assert.Check(t, reflect.DeepEqual(cards, want), "cards are\n%+v, want\n%+v", cards, want)
}

func TestListOdd(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		cards  int
		err    error
	}{
		"no cards":           {`echo '{"system":{"host":{"devices":[]}}}' > $out`, 0, nil},
		"no cards, as text":  {`echo '{"system":{"host":{"devices":""}}}' > $out`, 0, nil},
		"no report":          {`echo "no such file: unwrapped/xbutil2" >&2`, 0, ErrTool},
		"empty report":       {`: > $out`, 0, ErrTool},
		"half a report":      {`echo '{"system":{"host":{"dev' > $out`, 0, ErrTool},
		"another report":     {`echo '{"system":{}}' > $out`, 0, ErrTool},
		"a list":             {`echo '[]' > $out`, 0, ErrTool},
		"fails":              {`echo "ERROR: driver not loaded"; exit 1`, 0, ErrTool},
		"details that fail":  {`case "$*" in *--report*) exit 3;; esac; cat $DIR/host.json > $out`, 2, nil},
		"details that break": {`case "$*" in *--report*) echo x > $out; exit 0;; esac; cat $DIR/host.json > $out`, 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHost(t, "xbutil", c.script)
			f.report("host.json", "xbutil-2.13-host.json")
			cards, err := f.list(t.Context())
			assert.Assert(t, errors.Is(err, c.err) && len(cards) == c.cards,
				"%d cards, error %v; want %d, %v", len(cards), err, c.cards, c.err)
			if c.cards > 0 && !strings.HasPrefix(cards[0].Note, "no details: ") {
				t.Errorf("the note is %q", cards[0].Note)
			}
		})
	}
}

func TestNoXRT(t *testing.T) {
	f := newHost(t, "", "")
	_, err := f.list(t.Context())
	if !errors.Is(err, ErrNoXRT) || !strings.Contains(err.Error(), "Install") ||
		!strings.Contains(err.Error(), "source /opt/xilinx/xrt/setup.sh") {
		t.Errorf("error is %v", err)
	}
	f.write("root/opt/xilinx/xrt/bin/xbutil", "#!/bin/sh\n", 0o755)
	_, err = f.list(t.Context())
	assert.Check(t, errors.Is(err, ErrNoXRT) && strings.Contains(err.Error(), "source "+f.dir),
		"error with XRT at its usual place is %v", err)
}

// Debian has the script that starts xbutil and not the program: it ends with
// status 0.
func TestDebian(t *testing.T) {
	path, err := exec.LookPath("xbutil")
	if err != nil {
		t.Skip("no xbutil here: apt-get install libxrt-utils")
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "unwrapped") {
		t.Skip("xbutil is not the script that Debian has")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "unwrapped", "xbutil2")); err == nil {
		t.Skip("xbutil is complete here")
	}
	_, err = List(t.Context())
	assert.Check(t, errors.Is(err, ErrTool) && strings.Contains(err.Error(), "installation may be incomplete"),
		"error is %v", err)
}

func TestCancelled(t *testing.T) {
	f := newHost(t, "xbutil", "echo $$ > $DIR/pid\nsleep 1000\n")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := f.list(ctx); done <- err }()
	for {
		if text, err := os.ReadFile(filepath.Join(f.dir, "pid")); err == nil && len(text) > 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	assert.Check(t, is.ErrorIs(<-done, context.Canceled))
	text, err := os.ReadFile(filepath.Join(f.dir, "pid"))
	assert.NilError(t, err)
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	assert.NilError(t, err)
	for range 1000 { // what the script started ends a moment after it was killed
		if errors.Is(syscall.Kill(-id, 0), syscall.ESRCH) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("processes of group %d are still there", id)
}

func TestUsers(t *testing.T) {
	f := u55c(t)
	f.write("root/sys/bus/pci/devices/0000:c4:00.1/drm/renderD129/dev", "", 0o644)
	f.write("root/sys/bus/pci/devices/0000:81:00.1/drm/renderD128/dev", "", 0o644)
	for id, target := range map[int]string{41: "/dev/dri/renderD129", 42: "/dev/dri/renderD128", 7: "/dev/dri/renderD129",
		9: "/dev/null"} {
		f.write(fmt.Sprintf("root/proc/%d/comm", id), fmt.Sprintf("p%d\n", id), 0o644)
		dir := filepath.Join(f.dir, "root/proc", fmt.Sprint(id), "fd")
		assert.NilError(t, os.Mkdir(dir, 0o755))
		for _, link := range []string{"3", "4"} {
			assert.NilError(t, os.Symlink(target, filepath.Join(dir, link)))
		}
	}
	cards, err := f.list(t.Context())
	assert.NilError(t, err)
	want := []Process{{7, "p7"}, {41, "p41"}}
	assert.Check(t, reflect.DeepEqual(cards[0].Users, want), "users are %v, want %v", cards[0].Users, want)
}

func TestSelect(t *testing.T) {
	two := []Card{{Index: 0, BDF: "0000:c4:00.1", Name: "u55c"}, {Index: 1, BDF: "0001:c4:00.1"}}
	if _, err := Select(two, "c4:00.1"); err == nil || !strings.Contains(err.Error(), "not one of the cards only") {
		t.Errorf("two cards that match: %v", err)
	}
	for _, c := range []struct {
		cards     []Card
		selection string
		want      int
	}{
		{two[:1], "", 0}, {two[:1], "c4:00.1", 0}, {two[:1], "C4:00", 0}, {two[:1], "0000:c4:00", 0}, {two[:1], "0", 0},
		{two, "0001:c4:00.1", 1}, {two, "1", 1}, {two, "", -1}, {two, "c4:00.1", -1}, {two, "2", -1}, {two, "-1", -1},
		{two[:1], "c4:00.0", -1}, {two[:1], "4:00.1", -1}, {nil, "", -1}, {nil, "0", -1},
	} {
		got, err := Select(c.cards, c.selection)
		switch {
		case c.want < 0 && !errors.Is(err, ErrNoCard):
			t.Errorf("%q of %d: found %v, error %v", c.selection, len(c.cards), got.BDF, err)
		case c.want >= 0 && (err != nil || got.BDF != c.cards[c.want].BDF):
			t.Errorf("%q of %d: found %q (%v), want %q", c.selection, len(c.cards), got.BDF, err, c.cards[c.want].BDF)
		}
	}
}
