package store

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func zipped(t *testing.T) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"xo.xml", "k/kernel.xml"} {
		w, err := z.Create(name)
		assert.NilError(t, err)
		_, err = w.Write([]byte(strings.Repeat("<a/>", 100)))
		assert.NilError(t, err)
	}
	assert.NilError(t, z.Close())
	return b.Bytes()
}

func TestCheck(t *testing.T) {
	binary, err := os.ReadFile("../../../driver/xrt/xclbin/testdata/two_sections.xclbin")
	assert.NilError(t, err)
	dir := t.TempDir()
	for name, text := range map[string][]byte{
		"k.xo": zipped(t), "a.xclbin": binary,
		"firmware.mmi":  []byte("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<MemInfo><Processor/></MemInfo>"),
		"emconfig.json": []byte(`{"Version": {"a": [1, 2]}}`),
	} {
		path := filepath.Join(dir, name)
		see := func(text []byte) error {
			assert.NilError(t, os.WriteFile(path, text, 0o666))
			return Check(path)
		}
		assert.Check(t, see(text), "%s, whole", name)
		for _, n := range []int{0, 1, len(text) / 2, len(text) - 1} {
			if err := see(text[:n]); !errors.Is(err, ErrCut) {
				t.Errorf("%s, %d of %d bytes: %v", name, n, len(text), err)
			}
		}
	}
	flipped := zipped(t)
	flipped[38] ^= 1 // behind a local header of 30 bytes and a name of 6
	path := filepath.Join(dir, "flipped.xo")
	assert.NilError(t, os.WriteFile(path, flipped, 0o666))
	assert.Check(t, is.ErrorIs(Check(path), ErrCut), "one bit of a member is wrong")
	err = Check(filepath.Join(dir, "none.xo"))
	assert.Check(t, errors.Is(err, os.ErrNotExist) && !errors.Is(err, ErrCut), "no file: %v", err)
	assert.Check(t, Check(filepath.Join(dir, "report.rpt")), "nothing is known of such files")
}
