package xclbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// The file was written by a C program with XRT's own header (two_sections.c.txt).
const sample = "testdata/two_sections.xclbin"

func TestRead(t *testing.T) {
	f, closer, err := Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	defer closer()
	want := File{
		UUID: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", Interface: "10111213-1415-1617-1819-1a1b1c1d1e1f",
		Platform: "xilinx_u55c_gen3x16_xdma_base_3", Mode: PR, Version: "2.13.466", Created: time.Unix(1700000000, 0).UTC(),
	}
	if f.UUID != want.UUID || f.Interface != want.Interface || f.Platform != want.Platform || f.Mode != want.Mode ||
		f.Version != want.Version || !f.Created.Equal(want.Created) {
		t.Errorf("header is %+v, want %+v", f, want)
	}
	if len(f.Sections) != 2 || f.Sections[0].Name != "link" || f.Sections[1].Name != "0123456789abcdef" {
		t.Fatalf("sections are %+v", f.Sections)
	}
	for kind, want := range map[Kind]string{Bitstream: "BITSTREAM-OF-A-TEST", UserMetadata: `{"platform":"u55c_tcp"}`} {
		got, err := io.ReadAll(f.Section(kind))
		if err != nil || string(got) != want {
			t.Errorf("section %d holds %q (%v), want %q", kind, got, err, want)
		}
	}
	if f.Section(IPLayout) != nil {
		t.Error("a section that is not there was found")
	}
}

func TestDamaged(t *testing.T) {
	good, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func([]byte) []byte{
		"empty":                 func(b []byte) []byte { return nil },
		"a byte short":          func(b []byte) []byte { return b[:len(b)-1] },
		"a byte long":           func(b []byte) []byte { return append(b, 0) },
		"header cut":            func(b []byte) []byte { return b[:455] },
		"bitstream":             func(b []byte) []byte { copy(b, "\x00\x09\x0f\xf0"); return b },
		"old format":            func(b []byte) []byte { copy(b, "xclbin1\x00"); return b },
		"too many sections":     func(b []byte) []byte { le.PutUint32(b[448:], 4000); return b },
		"absurdly many":         func(b []byte) []byte { le.PutUint32(b[448:], math.MaxUint32); return b },
		"section beyond":        func(b []byte) []byte { le.PutUint64(b[456+24:], uint64(len(b)+1)); return b },
		"section too long":      func(b []byte) []byte { le.PutUint64(b[456+32:], uint64(len(b))); return b },
		"section wraps":         func(b []byte) []byte { le.PutUint64(b[456+32:], math.MaxUint64-8); return b },
		"offset wraps":          func(b []byte) []byte { le.PutUint64(b[456+24:], math.MaxUint64); return b },
		"over the header":       func(b []byte) []byte { le.PutUint64(b[456+24:], 448); return b },
		"second section beyond": func(b []byte) []byte { le.PutUint64(b[496+24:], 1<<40); return b },
	} {
		t.Run(name, func(t *testing.T) {
			b := damage(slices.Clone(good))
			if f, err := Read(bytes.NewReader(b), int64(len(b))); !errors.Is(err, ErrFormat) {
				t.Errorf("read as %+v, error %v", f, err)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	if _, _, err := Open(filepath.Join(t.TempDir(), "missing.xclbin")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error of a missing file is %v", err)
	}
	if _, _, err := Open(t.TempDir()); !errors.Is(err, ErrFormat) {
		t.Errorf("error of a directory is %v", err)
	}
	pipe := filepath.Join(t.TempDir(), "a.xclbin")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(pipe); !errors.Is(err, ErrFormat) {
		t.Errorf("error of a pipe is %v", err)
	}
}

func TestNoSections(t *testing.T) {
	good, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	b := slices.Clone(good[:456])
	binary.LittleEndian.PutUint64(b[304:], uint64(len(b)))
	binary.LittleEndian.PutUint32(b[448:], 0)
	if f, err := Read(bytes.NewReader(b), int64(len(b))); err != nil || len(f.Sections) != 0 {
		t.Errorf("read as %+v, error %v", f, err)
	}
}

func TestEmulation(t *testing.T) {
	for mode, want := range map[Mode]bool{Flat: false, PR: false, 3: false, HWEmu: true, SWEmu: true, 6: true, 7: false} {
		if mode.Emulation() != want {
			t.Errorf("mode %d: emulation is %t", mode, !want)
		}
	}
}
