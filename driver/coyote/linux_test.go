//go:build linux && (amd64 || arm64)

package coyote

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// opened is a file of 64 KiB as the driver opens those of a shell.
func opened(t *testing.T) (File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "region")
	assert.NilError(t, os.WriteFile(path, make([]byte, 64<<10), 0o600))
	f, err := own().Open(path)
	assert.NilError(t, err)
	t.Cleanup(func() { f.Close() })
	return f, path
}

func TestFilesOfLinux(t *testing.T) {
	f, path := opened(t)
	assert.NilError(t, f.Lock())
	second, err := own().Open(path)
	assert.NilError(t, err)
	defer second.Close()
	assert.Check(t, is.ErrorIs(second.Lock(), syscall.EWOULDBLOCK), "locked twice")
	w, err := f.Map(4096, 8192)
	assert.NilError(t, err)
	w.Store(4096+8, 0x0123456789ABCDEF)
	assert.Check(t, is.Equal(w.Load(4096+8), uint64(0x0123456789ABCDEF)))
	assert.NilError(t, w.Unmap())
	content, err := os.ReadFile(path)
	assert.Check(t, err == nil && binary.NativeEndian.Uint64(content[8192+8:]) == 0x0123456789ABCDEF,
		"the file does not have what was stored: %v", err)
	_, err = own().Open(path + " that is not there")
	assert.Check(t, errors.Is(err, os.ErrNotExist), "%v", err)
}

// TestCallsOfLinux asks a pipe how much is in it.
func TestCallsOfLinux(t *testing.T) {
	const readable = 0x541B // FIONREAD
	r, w, err := os.Pipe()
	assert.NilError(t, err)
	defer r.Close()
	defer w.Close()
	_, err = w.WriteString("12345")
	assert.NilError(t, err)
	words := make([]uint64, 32)
	answer, err := file(r.Fd()).Call(readable, words)
	assert.Check(t, answer == 0 && err == nil && words[0] == 5, "%d, %v: %d bytes", answer, err, words[0])
	_, err = file(r.Fd()).Call(0x40084601, words)
	assert.Check(t, errors.Is(err, syscall.ENOTTY), "%v", err)
	// Signals come through again.
	assert.NilError(t, syscall.Kill(syscall.Getpid(), syscall.SIGURG))
	var mask uint64
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, 0, uintptr(unsafe.Pointer(&mask)), maskBytes, 0,
		0); errno != 0 || mask == allSignals {
		t.Errorf("%v: blocked are 0x%X", errno, mask)
	}
}

func TestPagesOfLinux(t *testing.T) {
	const size = 2 << 20
	sys := own()
	var all [][]byte
	for range 3 {
		pages, err := sys.Pages(2*size, size)
		if errors.Is(err, syscall.ENOMEM) {
			t.Skip("NOT TESTED: this machine has no huge pages")
		}
		assert.NilError(t, err)
		for _, other := range all {
			if distance := int64(uintptr(unsafe.Pointer(&other[0]))) - int64(
				uintptr(unsafe.Pointer(&pages[0]))); distance == 2*size || distance == -2*size {
				t.Error("pages are next to others")
			}
		}
		at := uintptr(unsafe.Pointer(&pages[0]))
		assert.Check(t, at%size == 0, "pages at 0x%X", at)
		pages[0], pages[len(pages)-1] = 1, 2
		all = append(all, pages)
	}
	for _, pages := range all {
		assert.Check(t, sys.Return(pages))
	}
	assert.Check(t, is.ErrorIs(sys.Return(make([]byte, 1)), syscall.EINVAL))
}
