package designtest

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/platforms"
)

// Layered is a library whose layers lie over the shipped files, the first one on top.
func Layered(t testing.TB, layers ...fs.FS) *platform.Library {
	t.Helper()
	lib, diags := platform.NewLibrary(lang.NewParser(), append(layers, platforms.FS)...)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return lib
}

// Files are those of an archive (txtar) in a test's folder.
func Files(t testing.TB, archive string) map[string]string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// Made elaborates a platform of a test's own: files, by their paths below
// platforms/, lie over the shipped ones.
func Made(t testing.TB, name string, files map[string]string) *design.Design {
	t.Helper()
	layer := fstest.MapFS{}
	for path, text := range files {
		layer[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return Of(t, Layered(t, layer), name, nil)
}

// Text elaborates a platform of a test's own that needs no more than its text.
func Text(t testing.TB, name, text string) *design.Design {
	t.Helper()
	return Of(t, Library(t).With(name, []byte(text)), name, nil)
}

// UDP2022 is the text of a platform of 2022 on UDP, which none of the shipped ones is.
const UDP2022 = `
platform "udp_2022" {
  board = "u280"
  abi   = "accl-2022"
  clock = 250
  cclo { kernel_stream = "loopback" }
  poe "udp" {}
  arithmetic "reduce_ops" {}
  compression "hp_compression" { lanes = 3 }
}
`
