package workspace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/platforms"
)

func TestStartOnEveryBoard(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the library many times")
	}
	lib, err := open("", platforms.FS).Library()
	assert.NilError(t, err)
	for board := range lib.Boards {
		dir := t.TempDir()
		w := opened(t, dir)
		file, err := w.Start("mine_"+board, board)
		assert.NilError(t, err)
		assert.Check(t, is.Equal(file, filepath.Join(dir, "platforms", "mine_"+board+".hcl")))
		text, err := os.ReadFile(file)
		assert.NilError(t, err)
		assert.Check(t, bytes.Equal(hclwrite.Format(text), text), "%s is not in canonical form:\n%s", board, text)
		w = opened(t, dir)
		_, err = w.Validate(t.Context(), Selection{Only: "mine_" + board, Vars: "{clock = 200}"})
		assert.Check(t, err, "%s", board)
		_, err = w.Start("mine_"+board, board)
		assert.Check(t, err != nil && strings.Contains(err.Error(), "already"), "%s: a second start: %v", board, err)
	}
}

func TestStartRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the library many times")
	}
	for _, test := range []struct{ name, board, want string }{
		{"Mine", "u50", "lower-case"},
		{"my-card", "u50", "lower-case"},
		{"../x", "u50", "lower-case"},
		{"", "u50", "lower-case"},
		{"module", "u50", "keyword of SystemVerilog"},
		{"abi", "u50", "directory of the output"},
		{"u50_tcp", "u50", "already"},
		{"mine", "u51", `no board "u51". Did you mean "u50"? Known: u200, u250, u280, u50, u55c.`},
	} {
		dir := t.TempDir()
		w := opened(t, dir)
		if _, err := w.Start(test.name, test.board); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q %q: error %v, want %q", test.name, test.board, err, test.want)
		}
		got := files(t, dir)
		assert.Check(t, len(got) == 0, "%q: wrote %v", test.name, got)
	}
}

func TestFormat(t *testing.T) {
	dir := t.TempDir()
	_, err := Format(dir, true)
	assert.Check(t, err != nil && strings.Contains(err.Error(), "platforms"), "without a folder: %v", err)
	put(t, filepath.Join(dir, "platforms/a.hcl"), "a=1\nlong   =   2\n")
	put(t, filepath.Join(dir, "platforms/boards/b.hcl"), "b {\nc = 1\n}\n")
	put(t, filepath.Join(dir, "platforms/good.hcl"), "a = 1\n")
	put(t, filepath.Join(dir, "platforms/notes.txt"), "a=1\n")
	before := files(t, dir)
	want := []string{filepath.Join(dir, "platforms/a.hcl"), filepath.Join(dir, "platforms/boards/b.hcl")}
	got, err := Format(dir, false)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	same(t, before, files(t, dir))
	got, err = Format(dir, true)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	after := map[string]string{
		"platforms/a.hcl": "a    = 1\nlong = 2\n", "platforms/boards/b.hcl": "b {\n  c = 1\n}\n",
		"platforms/good.hcl": "a = 1\n", "platforms/notes.txt": "a=1\n",
	}
	same(t, after, files(t, dir))
	put(t, filepath.Join(dir, "platforms/bad.hcl"), "a = [1\n")
	put(t, filepath.Join(dir, "platforms/z.hcl"), "a=1\n")
	_, err = Format(dir, true)
	assert.Check(t, errors.Is(err, lang.ErrInvalid), "a file that does not parse: %v", err)
	assert.Check(t, is.Equal(files(t, dir)["platforms/z.hcl"], "a=1\n"),
		"something was written although a file does not parse")
}

func TestTable(t *testing.T) {
	dir := t.TempDir()
	lib := library(t, map[string]string{
		"alpha": small("alpha", "u280"), "beta": small("beta", "u55c"), "broken": small("broken", "u1"),
		"gamma": small("gamma", "u200"),
		"ring": "platform \"ring\" {\n  board = \"u250\"\n  cclo {\n    count = 2\n  }\n  poe \"axis\" {}\n  compression " +
			"\"hp_compression\" {\n    lanes = 2\n  }\n}\n",
	})
	generate(t, dir, lib, Options{Selection: Selection{Only: "alpha,beta"}})
	generate(t, dir, lib, Options{Selection: Selection{Only: "gamma", Vars: "{port = 1}"}})
	put(t, filepath.Join(dir, "out/beta/vitis/link.cfg"), "edited")
	var got strings.Builder
	assert.NilError(t, open(dir, lib).Table(t.Context(), &got))
	want := `NAME    BOARD  ABI        CCLOS  NETWORK  LANES             MEMORY    STATUS
alpha   u280   accl-2024  1      udp:0    none              HBM[0:5]  generated
beta    u55c   accl-2024  1      udp:0    none              HBM[0:5]  out of date
broken  -      -          -      -        -                 -         1 error: validate -only=broken
gamma   u200   accl-2024  1      udp:0    none              DDR[1]    generated, with variables
ring    u250   accl-2024  2      axis     2×hp_compression  DDR[0:1]  not generated

Variables are set with -vars='{port = 0}'.

VARIABLE  TYPE    DEFAULT  PLATFORMS     DESCRIPTION
port      number  0        all but ring  Ethernet port.
`
	same(t, want, got.String())
}
