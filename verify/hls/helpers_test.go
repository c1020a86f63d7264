package hls_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return &hls.Sources{Kernel: kernel, Files: map[string][]byte{
		"hls/sim/component.h": header, "hls/" + kernel + "/" + kernel + "_component.cpp": text,
	}}
}

// library is built in a cache of its own.
func library(t testing.TB, s *hls.Sources) string {
	t.Helper()
	path, err := s.Library(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, depth int) *hls.Component {
	t.Helper()
	c, err := hls.Open(path, depth)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}
