package hls_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/templates"
	"github.com/cclforge/cclforge/verify/hls"
)

// sources are those of a kernel whose component stands whole in a file of testdata.
func sources(t testing.TB, kernel, file string) *hls.Sources {
	t.Helper()
	if err := hls.Available(t.Context()); errors.Is(err, hls.ErrTools) {
		t.Skip(err)
	}
	header, err := templates.FS.ReadFile("hls/sim/component.h")
	assert.NilError(t, err)
	text, err := os.ReadFile(filepath.Join("testdata", file))
	assert.NilError(t, err)
	return &hls.Sources{Kernel: kernel, Files: map[string][]byte{
		"hls/sim/component.h": header, "hls/" + kernel + "/" + kernel + "_component.cpp": text,
	}}
}

// library is built in a cache of its own.
func library(t testing.TB, s *hls.Sources) string {
	t.Helper()
	path, err := s.Library(t.Context())
	assert.NilError(t, err)
	return path
}

func open(t testing.TB, path string, depth int) *hls.Component {
	t.Helper()
	c, err := hls.Open(path, depth)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, c.Close())
	})
	return c
}
