package cards

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// ours is described as u55c_tcp, design d1, firmware f1 of accl-2024. The sample says
// nothing of who made it.
const ours = "../../../driver/xrt/xclbin/testdata/card.xclbin"

func uuidOf(t *testing.T, file string) string {
	t.Helper()
	f, closer, err := xclbin.Open(file)
	assert.NilError(t, err)
	defer closer()
	return f.UUID
}

// fakeHost has XRT's tool say that a U55C holds a UUID, and that a U280 is not ready.
func fakeHost(t *testing.T, uuid string) {
	t.Helper()
	f := u55c(t)
	f.change("card.json", sampleUUID, strings.ToUpper(uuid))
	t.Setenv("PATH", filepath.Join(f.dir, "bin")+":"+os.Getenv("PATH"))
}

func put(t *testing.T, from, to string, edit func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(from)
	assert.NilError(t, err)
	if edit != nil {
		text = edit(text)
	}
	assert.NilError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	assert.NilError(t, os.WriteFile(to, text, 0o644))
}

// nowhere is a cache that is not there, and stays so.
func nowhere(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }

func table(t *testing.T, all []Found) string {
	t.Helper()
	var b strings.Builder
	assert.NilError(t, Table(&b, all))
	return b.String()
}

// unfolded is a text as if its lines had no end, and its columns no width.
func unfolded(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestWhatCardsHold(t *testing.T) {
	out := t.TempDir()
	built := filepath.Join(out, "build", "u55c_tcp", "u55c_tcp.xclbin")
	put(t, ours, built, nil)
	put(t, ours, filepath.Join(out, "build", "broken", "broken.xclbin"), func(b []byte) []byte { return b[:100] })
	for _, test := range []struct {
		name, uuid string
		o          Options
		file       string // that is found
		platform   string
		text       string // of the table
	}{
		{"a result of a build", uuidOf(t, ours), Options{Out: out}, built, "u55c_tcp", "design d1, firmware f1"},
		{"a file that is given", uuidOf(t, ours), Options{Files: []string{sample, ours}}, ours, "u55c_tcp", "u55c_tcp"},
		{"one of others", sampleUUID, Options{Files: []string{sample}, Out: out}, sample, "",
			"two_sections.xclbin, which is not made here or not finished"},
		{"nobody's", sampleUUID, Options{Out: out}, "", "", "of which no file is known; --xclbin names one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fakeHost(t, test.uuid)
			test.o.Cache = nowhere(t)
			all, err := Scan(t.Context(), test.o)
			assert.Assert(t, err == nil && len(all) == 2, "%+v, %v", all, err)
			d := all[0].Design
			switch {
			case all[1].Design != nil || all[1].Note != "not ready":
				t.Errorf("the card that is not ready: %+v", all[1])
			case test.file == "":
				assert.Check(t, d == nil, "%+v", d)
			case d == nil || d.File != test.file || d.Platform != test.platform || len(d.Others) > 0:
				t.Errorf("%+v", d)
			}
			if text := unfolded(table(t, all)); !strings.Contains(text, test.text) || !strings.Contains(text, "0000:c4:00.1") {
				t.Errorf("the table lacks %q:\n%s", test.text, text)
			}
			_, err = os.Stat(test.o.Cache)
			assert.Check(t, errors.Is(err, fs.ErrNotExist), "a cache was made: %v", err)
		})
	}
}

// Two files with one UUID that say different things: firmware was replaced.
func TestOneOfTwo(t *testing.T) {
	fakeHost(t, uuidOf(t, ours))
	out := t.TempDir()
	older := filepath.Join(out, "build", "a", "a.xclbin")
	newer := filepath.Join(out, "build", "b", "b.xclbin")
	same := filepath.Join(out, "build", "c", "c.xclbin")
	put(t, ours, older, func(b []byte) []byte { return bytes.Replace(b, []byte(`"f1"`), []byte(`"f0"`), 1) })
	put(t, ours, newer, nil)
	put(t, ours, same, nil)
	now := time.Now()
	for i, file := range []string{older, same, newer} {
		assert.NilError(t, os.Chtimes(file, now, now.Add(time.Duration(i-5)*time.Hour)))
	}
	all, err := Scan(t.Context(), Options{Out: out, Cache: nowhere(t)})
	assert.NilError(t, err)
	d := all[0].Design
	assert.Check(t, d != nil && d.File == newer && d.Firmware == "f1" && slices.Equal(d.Others, []string{older}),
		"%+v", d)
	text := unfolded(table(t, all))
	assert.Check(t, strings.Contains(text, "perhaps "+newer) && strings.Contains(text, older), "%v", text)
}

type inspector func(c *Found) error

func (f inspector) Inspect(_ context.Context, c *Found) error { return f(c) }

func TestInspectors(t *testing.T) {
	fakeHost(t, uuidOf(t, ours))
	asked := 0
	all, err := Scan(t.Context(), Options{Files: []string{ours}, Cache: nowhere(t), Inspectors: []Inspector{
		inspector(func(c *Found) error {
			asked++
			assert.Check(t, c.Design != nil && c.Design.Platform == "u55c_tcp", "%+v", c.Design)
			c.Engines = append(c.Engines, Engine{Name: "ccl_offload_0", State: NotConfigured})
			c.Networks = append(c.Networks, Network{Name: "poe_0", Kind: "udp", State: Answers,
				Link: &MAC{Name: "cmac", Up: true}})
			return nil
		}),
		inspector(func(*Found) error { return errors.New("no answer") }),
	}})
	if err != nil || asked != 1 {
		t.Fatal(err, asked)
	}
	text := unfolded(table(t, all))
	for _, want := range []string{"0 ccl_offload_0 not configured -", "0 poe_0 udp up -", "0000:c4:00.1: no answer"} {
		assert.Check(t, is.Contains(text, want), "the table lacks")
	}
	line, err := json.Marshal(all[0])
	for _, want := range []string{`"bdf":"0000:c4:00.1"`, `"platform":"u55c_tcp"`, `"generation":"accl-2024"`,
		`"engines":[{"name":"ccl_offload_0","state":"not configured",`, `"networks":[{"name":"poe_0","kind":"udp",`,
		`"remarks":["no answer"]`} {
		assert.Check(t, err == nil && strings.Contains(string(line), want), "%s, %v; expected is %s", line, err, want)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("XILINX_XRT", "")
	_, err := Scan(t.Context(), Options{Cache: nowhere(t)})
	assert.Check(t, errors.Is(err, ErrNoXRT), "%v", err)
	_, err = Scan(t.Context(), Options{Files: []string{"none.xclbin"}})
	assert.Check(t, errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "none.xclbin"), "%v", err)
	damaged := filepath.Join(t.TempDir(), "damaged.xclbin")
	put(t, ours, damaged, func(b []byte) []byte { return b[:100] })
	_, err = Scan(t.Context(), Options{Files: []string{damaged}})
	assert.Check(t, errors.Is(err, xclbin.ErrFormat), "%v", err)
	assert.Check(t, is.Equal(table(t, nil), "XRT sees no card on this host, and no shell's driver shows one.\n"))
}
