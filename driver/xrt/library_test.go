package xrt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// headers is where Debian's libxrt-dev has XRT's headers.
const headers = "/usr/include/xrt"

// TestDeclarations has the compiler compare the declarations of functions with those of
// XRT's headers, and the types of Go with those of C.
func TestDeclarations(t *testing.T) {
	if _, err := os.Stat(filepath.Join(headers, "experimental", "xrt-next.h")); err != nil {
		t.Skip("libxrt-dev is not installed: ", err)
	}
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no compiler: ", err)
	}
	var text strings.Builder
	text.WriteString(`#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "xrt.h"
#include "experimental/xrt-next.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_bo.h"
#define SAME(a, b) _Static_assert(__builtin_types_compatible_p(a, b), #b)
#define SIZE(a, n) _Static_assert(sizeof(a) == n, #a)
`)
	v := reflect.TypeFor[functions]()
	for i := range v.NumField() {
		declaration := v.Field(i).Tag.Get("c")
		function := name(declaration)
		fmt.Fprintf(&text, "%s;\nSAME(__typeof__(%s), %s);\n", declaration, function,
			strings.Replace(declaration, function, "", 1))
		result, parameters, _ := strings.Cut(strings.TrimSuffix(declaration, ")"), function+"(")
		var types []string
		if parameters != "void" {
			types = strings.Split(parameters, ", ")
		}
		f := v.Field(i).Type
		if f.NumIn() != len(types) || f.NumOut() != 1 {
			t.Fatalf("%s is %s in Go", declaration, f)
		}
		for n, c := range types {
			sizes(&text, t, function, c, f.In(n))
		}
		sizes(&text, t, function, result, f.Out(0))
	}
	for _, constant := range []string{
		fmt.Sprintf("XCL_BO_FLAGS_HOST_ONLY == %du", uint32(hostOnly)),
		fmt.Sprintf("XCL_BO_FLAGS_P2P == %du", uint32(peerToPeer)),
		fmt.Sprintf("XCL_BO_SYNC_BO_TO_DEVICE == %d", toDevice), fmt.Sprintf("XCL_BO_SYNC_BO_FROM_DEVICE == %d", fromDevice),
		fmt.Sprintf("sizeof(xuid_t) == %d", uuidBytes), "(xrtDeviceHandle)0 == NULL",
	} {
		fmt.Fprintf(&text, "_Static_assert(%s, %q);\n", constant, constant)
	}
	source := filepath.Join(t.TempDir(), "declarations.c")
	assert.NilError(t, os.WriteFile(source, []byte(text.String()), 0o644))
	out, err := exec.CommandContext(t.Context(), compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
		"-I"+headers, source).CombinedOutput()
	assert.Assert(t, err == nil, "%v\n%s", err, out)
	// The test would see a difference.
	wrong := strings.Replace(text.String(), "(xrtDeviceHandle, size_t, xrtBufferFlags, xrtMemoryGroup)",
		"(xrtDeviceHandle, size_t, uint32_t, xrtMemoryGroup)", 1)
	assert.NilError(t, os.WriteFile(source, []byte(wrong), 0o644))
	if err := exec.CommandContext(t.Context(), compiler, "-std=gnu11", "-fsyntax-only", "-I"+headers,
		source).Run(); err == nil {
		t.Error("a wrong declaration is not seen")
	}
}

// sizes asserts that a type has as many bytes in C as in Go, and is a pointer in both.
func sizes(text *strings.Builder, t *testing.T, function, c string, golang reflect.Type) {
	t.Helper()
	c = strings.TrimSpace(strings.TrimPrefix(c, "const "))
	size := golang.Size()
	switch golang.Kind() {
	case reflect.String: // a pointer in C
		size = unsafe.Sizeof(uintptr(0))
		assert.Check(t, c == "char *", "%s: %s is a string in Go", function, c)
	case reflect.Pointer, reflect.UnsafePointer:
		assert.Check(t, strings.HasSuffix(c, "*") || c == "xuid_t", "%s: %s is a pointer in Go", function, c)
		if c == "xuid_t" { // an array, as a parameter
			return
		}
	}
	fmt.Fprintf(text, "SIZE(%s, %d);\n", c, size)
}

// library is XRT's own, or skips the test.
func installed(t *testing.T) {
	t.Helper()
	if _, err := loadLibrary(""); err != nil {
		t.Skip("XRT is not installed: ", err)
	}
}

// TestNoCard asks XRT's own library, on a machine without a card.
func TestNoCard(t *testing.T) {
	installed(t)
	l, err := loadLibrary("")
	assert.NilError(t, err)
	if n := l.probe(); n > 0 {
		t.Skipf("this machine has %d cards", n)
	}
	for selection, want := range map[string]string{
		"0": "no such card: card 0: XRT sees 0",
		"7": "no such card: card 7: XRT sees 0",
		"":  "no such card: the first card: XRT sees 0",
		"0000:65:00.1": "no such card: open card 0000:65:00.1, of 0 that XRT sees: xrtDeviceOpenByBDF fails; its message " +
			"is on standard error",
	} {
		c := &Card{name: "card " + selection, l: l}
		if selection == "" {
			c.name = "the first card"
		}
		if err := c.find(selection); !errors.Is(err, ErrNoCard) || err.Error() != want {
			t.Errorf("%q: %v, want %s", selection, err, want)
		}
	}
}

func TestNoLibrary(t *testing.T) {
	dir := t.TempDir()
	_, err := loadLibrary(dir)
	assert.Check(t, errors.Is(err, ErrLibrary) && strings.Contains(err.Error(), dir), "%v", err)
	assert.NilError(t, os.WriteFile(filepath.Join(dir, coreUtil), []byte("no library"), 0o644))
	_, err = loadLibrary(dir)
	assert.Check(t, is.ErrorIs(err, ErrLibrary))
}

// TestEmulationMode: what emulates hardware has the lower functions in a library of its
// own, which is not there without Vitis.
func TestEmulationMode(t *testing.T) {
	installed(t)
	dir := t.TempDir()
	for _, name := range []string{coreUtil, "libxrt_core.so.2"} {
		assert.NilError(t, os.Symlink(filepath.Join("/usr/lib/x86_64-linux-gnu", name), filepath.Join(dir, name)))
	}
	if _, err := loadLibrary(dir); err != nil {
		t.Skip("XRT is elsewhere: ", err)
	}
	for mode, want := range map[string]string{"hw_emu": "libxrt_hwemu.so.2", "sw_emu": "libxrt_swemu.so.2"} {
		t.Setenv("XCL_EMULATION_MODE", mode)
		_, err := loadLibrary(dir + "/.")
		assert.Check(t, errors.Is(err, ErrLibrary) && strings.Contains(err.Error(), want), "%s: %v", mode, err)
	}
}

func TestCallError(t *testing.T) {
	for code, want := range map[int]string{
		-16: "f: device or resource busy", 16: "f: device or resource busy",
		-1: "f: -1; its message is on standard error", 0: "f fails; its message is on standard error",
	} {
		err := error(&CallError{"f", code})
		assert.Check(t, err.Error() == want && errors.Is(err, ErrRefused), "%d: %v, want %s", code, err, want)
	}
}
