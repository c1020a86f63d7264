package xclbin

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// The file was written by a C program with XRT's own header (two_sections.c.txt).
const sample = "testdata/two_sections.xclbin"

func TestRead(t *testing.T) {
	f, closer, err := Open(sample)
	assert.NilError(t, err)
	defer closer()
	want := File{
		UUID: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", Interface: "10111213-1415-1617-1819-1a1b1c1d1e1f",
		Platform: "xilinx_u55c_gen3x16_xdma_base_3", Mode: PR, Version: "2.13.466", Created: time.Unix(1700000000, 0).UTC(),
	}
	if f.UUID != want.UUID || f.Interface != want.Interface || f.Platform != want.Platform || f.Mode != want.Mode ||
		f.Version != want.Version || !f.Created.Equal(want.Created) {
		t.Errorf("header is %+v, want %+v", f, want)
	}
	assert.Assert(t, len(f.Sections) == 2 && f.Sections[0].Name == "link" && f.Sections[1].Name == "0123456789abcdef",
		"sections are %+v", f.Sections)
	for kind, want := range map[Kind]string{Bitstream: "BITSTREAM-OF-A-TEST", UserMetadata: `{"platform":"u55c_tcp"}`} {
		got, err := f.Metadata(kind)
		assert.Check(t, err == nil && string(got) == want, "section %d holds %q (%v), want %q", kind, got, err, want)
	}
}

func TestOpen(t *testing.T) {
	_, _, err := Open(filepath.Join(t.TempDir(), "missing.xclbin"))
	assert.Check(t, is.ErrorIs(err, os.ErrNotExist), "error of a missing file")
	_, _, err = Open(t.TempDir())
	assert.Check(t, is.ErrorIs(err, ErrFormat), "error of a directory")
	pipe := filepath.Join(t.TempDir(), "a.xclbin")
	assert.NilError(t, syscall.Mkfifo(pipe, 0o600))
	_, _, err = Open(pipe)
	assert.Check(t, is.ErrorIs(err, ErrFormat), "error of a pipe")
}

func TestNoSections(t *testing.T) {
	good, err := os.ReadFile(sample)
	assert.NilError(t, err)
	b := slices.Clone(good[:456])
	binary.LittleEndian.PutUint64(b[304:], uint64(len(b)))
	binary.LittleEndian.PutUint32(b[448:], 0)
	f, err := Read(bytes.NewReader(b), int64(len(b)))
	assert.Check(t, err == nil && len(f.Sections) == 0, "read as %+v, error %v", f, err)
}

func TestEmulation(t *testing.T) {
	for mode, want := range map[Mode]bool{Flat: false, PR: false, 3: false, HWEmu: true, SWEmu: true, 6: true, 7: false} {
		assert.Check(t, mode.Emulation() == want, "mode %d: emulation is %t", mode, !want)
	}
}
