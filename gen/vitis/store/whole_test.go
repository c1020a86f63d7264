package store

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func zipped(t *testing.T) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"xo.xml", "k/kernel.xml"} {
		w, err := z.Create(name)
		check(t, err)
		if _, err := w.Write([]byte(strings.Repeat("<a/>", 100))); err != nil {
			t.Fatal(err)
		}
	}
	check(t, z.Close())
	return b.Bytes()
}

func TestCheck(t *testing.T) {
	binary, err := os.ReadFile("../../../driver/xrt/xclbin/testdata/two_sections.xclbin")
	check(t, err)
	dir := t.TempDir()
	for name, text := range map[string][]byte{
		"k.xo": zipped(t), "a.xclbin": binary,
		"firmware.mmi":  []byte("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<MemInfo><Processor/></MemInfo>"),
		"emconfig.json": []byte(`{"Version": {"a": [1, 2]}}`),
	} {
		path := filepath.Join(dir, name)
		see := func(text []byte) error {
			check(t, os.WriteFile(path, text, 0o666))
			return Check(path)
		}
		if err := see(text); err != nil {
			t.Errorf("%s, whole: %v", name, err)
		}
		for _, n := range []int{0, 1, len(text) / 2, len(text) - 1} {
			if err := see(text[:n]); !errors.Is(err, ErrCut) {
				t.Errorf("%s, %d of %d bytes: %v", name, n, len(text), err)
			}
		}
	}
	flipped := zipped(t)
	flipped[38] ^= 1 // behind a local header of 30 bytes and a name of 6
	path := filepath.Join(dir, "flipped.xo")
	check(t, os.WriteFile(path, flipped, 0o666))
	if err := Check(path); !errors.Is(err, ErrCut) {
		t.Errorf("one bit of a member is wrong: %v", err)
	}
	if err := Check(filepath.Join(dir, "none.xo")); !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrCut) {
		t.Errorf("no file: %v", err)
	}
	if err := Check(filepath.Join(dir, "report.rpt")); err != nil {
		t.Errorf("nothing is known of such files: %v", err)
	}
}
