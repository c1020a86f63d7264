package world

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/gen/lang"
)

const mine = `
variable "clock" {
  default = 200
}

platform "mine" {
  board = "u55c"
  clock = var.clock
  cclo {}
  poe "udp" {}
}
`

// module is a directory with a module, its own platform and a directory deep
// inside.
func module(t *testing.T) (root, deep string) {
	t.Helper()
	root = t.TempDir()
	deep = filepath.Join(root, "a", "b")
	for _, dir := range []string{deep, filepath.Join(root, "platforms")} {
		assert.NilError(t, os.MkdirAll(dir, 0o755))
	}
	for name, text := range map[string]string{"go.mod": "module example.com/user\n", "platforms/mine.hcl": mine} {
		assert.NilError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	return root, deep
}

func TestPlatformsAreFound(t *testing.T) {
	root, deep := module(t)
	t.Setenv(lang.EnvPrefix+"clock", "100") // has no effect
	for _, c := range []struct {
		dir, name, vars string
		clock           int
	}{
		{root, "mine", "", 200},
		{deep, "mine", "", 200},
		{deep, "mine", "{clock = 300}", 300},
		{root, "u55c_tcp", "", 250},
		{t.TempDir(), "u55c_tcp", "", 250},
	} {
		t.Chdir(c.dir)
		p, err := Platform(c.name, c.vars)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		assert.Check(t, p.Name == c.name && p.ClockMHz == c.clock, "%+v: %s at %d MHz", c, p.Name, p.ClockMHz)
	}
}

func TestMistakesOfWhoLoads(t *testing.T) {
	for _, c := range []struct{ name, vars, text string }{
		{"u55c_tpc", "", `no platform is called "u55c_tpc"; did you mean "u55c_tcp"?`},
		{"u55c_tcp", "{host_memry = true}", `a variable "host_memry". Did you mean "host_memory"?`},
		{"u55c_tcp", "{", "vars"},
		{"u55c_tcp", `{ethernet_port = 7}`, "port 7"},
	} {
		_, err := Platform(c.name, c.vars)
		assert.Check(t, errors.Is(err, lang.ErrInvalid) && strings.Contains(err.Error(), c.text),
			"%s %s: %v", c.name, c.vars, err)
	}
	_, err := Load(t.Context(), "u55c_tcp", "", 0, Options{})
	assert.Check(t, err != nil, "a world without ranks")
}

func TestLoadStartsRanks(t *testing.T) {
	w, err := Load(t.Context(), "u280_2022", "", 3, Options{})
	assert.NilError(t, err)
	assert.Check(t, len(w.Devices()) == 3 && len(w.Ranks()) == 3,
		"%d devices of %d ranks", len(w.Devices()), len(w.Ranks()))
	assert.Check(t, w.Close())
}
