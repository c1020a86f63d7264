package platform_test

import (
	"errors"
	"io/fs"
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

// unreadableFS fails to read one file.
type unreadableFS struct {
	fs.FS
	name string
}

var errDisk = errors.New("disk on fire")

func (f unreadableFS) Open(name string) (fs.File, error) {
	if name == f.name {
		return nil, errDisk
	}
	return f.FS.Open(name)
}

func TestLibraryErrors(t *testing.T) {
	board, err := fs.ReadFile(platforms.FS, "boards/u50.hcl")
	assert.NilError(t, err)
	for _, test := range []struct {
		name  string
		layer fs.FS
		want  string
		used  bool // by the platform
	}{
		{"unreadable file", unreadableFS{fstest.MapFS{"boards/x.hcl": {Data: board}}, "boards/x.hcl"},
			"platforms/boards/x.hcl cannot be read: disk on fire", false},
		{"directory that hides a file", fstest.MapFS{"boards/u55c.hcl/y": {Data: board}}, "platforms/boards/u55c.hcl cannot",
			true},
		{"directory in place of a file", fstest.MapFS{"boards/x.hcl/y": {Data: board}},
			"platforms/boards/x.hcl cannot be read: it is a directory", false},
		{"large file", fstest.MapFS{"kernels/x.hcl": {Data: make([]byte, lang.MaxFileBytes+1)}}, "has more than 262144 bytes",
			false},
		{"generation without its parts", fstest.MapFS{"abi/x.hcl": {Data: []byte(`abi "accl-2024" {}`)}}, "accl-2024", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			lib, diags := platform.NewLibrary(lang.NewParser(), test.layer, platforms.FS)
			assert.Check(t, diags.HasErrors() && strings.Contains(diags.Error(), test.want), "%v, want %q", diags, test.want)
			assert.Check(t, lib.Complete() != strings.Contains(test.want, "cannot"), "complete: %v", lib.Complete())
			p, diags := lib.Load("u55c_tcp", lang.Inputs{})
			assert.Check(t, diags.HasErrors() == test.used && test.used != (p != nil), "loaded %v with %v", p, diags)
		})
	}
}

// A file of an earlier layer hides the same one of a later layer.
func TestLayers(t *testing.T) {
	own := fstest.MapFS{
		"boards/u50.hcl": {
			Data: []byte("board \"u50\" {\n  part = \"mine\"\n  platform = \"p\"\n  slrs = 1\n  ports = 1\n}")},
		"extra.hcl": {Data: []byte("platform \"extra\" {}")},
	}
	lib := designtest.Layered(t, own)
	assert.Check(t, is.Equal(lib.Boards["u50"].Part, "mine"))
	assert.Check(t, lib.Boards["u280"] != nil, "boards of the later layer are missing")
	inputs := lib.Inputs("extra")
	if inputs["platforms/extra.hcl"] == nil || inputs["platforms/u55c_tcp.hcl"] != nil ||
		inputs["platforms/kernels/loopback.hcl"] == nil {
		t.Errorf("%d inputs", len(inputs))
	}
	var declared []string
	for _, v := range lib.Declared("u55c_tcp") {
		declared = append(declared, v.Name)
	}
	assert.Check(t, is.Equal(strings.Join(declared, " "), "ethernet_port host_memory hw_emu user_kernel"))
}

func TestUnknownPlatform(t *testing.T) {
	lib, _ := platform.NewLibrary(lang.NewParser(), platforms.FS)
	_, diags := lib.Load("u55c_tpc", lang.Inputs{})
	assert.Check(t, is.Contains(diags.Error(), `Did you mean "u55c_tcp"?`), "%v", diags)
}
