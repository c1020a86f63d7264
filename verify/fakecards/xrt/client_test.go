package xrt

import (
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"gotest.tools/v3/assert"
)

type client struct {
	t    testing.TB
	here map[string]uintptr
}

func load(t testing.TB, s *Server) *client {
	t.Helper()
	c := &client{t: t, here: map[string]uintptr{}}
	for _, name := range LibraryNames {
		lib, err := purego.Dlopen(filepath.Join(s.Dir(), name), purego.RTLD_NOW|purego.RTLD_LOCAL)
		assert.NilError(t, err)
		for _, f := range names[probe:] {
			at, err := purego.Dlsym(lib, f.name)
			assert.NilError(t, err)
			before, ok := c.here[f.name]
			assert.Assert(t, !ok || before == at, "%s is there twice", f.name)
			c.here[f.name] = at
		}
	}
	return c
}

// do calls a function, with errno 0 before; int results are 64 bits wide here.
func (c *client) do(name string, arguments ...uintptr) (uint64, syscall.Errno) {
	c.t.Helper()
	runtime.LockOSThread() // whose errno it is
	defer runtime.UnlockOSThread()
	at, _, _ := purego.SyscallN(errnoAt())
	errno := *(**int32)(unsafe.Pointer(&at))
	*errno = 0
	r, _, _ := purego.SyscallN(c.here[name], arguments...)
	return uint64(r), syscall.Errno(*errno)
}

// errnoAt is the function that says where a thread's errno is.
var errnoAt = sync.OnceValue(func() uintptr {
	at, err := purego.Dlsym(purego.RTLD_DEFAULT, "__errno_location")
	if err != nil {
		panic(err)
	}
	return at
})

// must calls a function that gives a handle or a value that is not 0.
func (c *client) must(name string, arguments ...uintptr) uintptr {
	c.t.Helper()
	r, err := c.do(name, arguments...)
	if r == 0 {
		c.t.Fatalf("%s%d: %v", name, arguments, err)
	}
	return uintptr(r)
}

// ok calls a function that gives 0 for success.
func (c *client) ok(name string, arguments ...uintptr) {
	c.t.Helper()
	if r, err := c.do(name, arguments...); int32(r) != 0 {
		c.t.Fatalf("%s%d = %d: %v", name, arguments, int32(r), err)
	}
}

func text(s string) (at uintptr, keep func()) {
	b := append([]byte(s), 0)
	return uintptr(unsafe.Pointer(&b[0])), func() { runtime.KeepAlive(b) }
}

func pointer(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func view(at uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n)
}

func (c *client) open(index int) uintptr { return c.must("xrtDeviceOpen", uintptr(index)) }

func (c *client) load(device uintptr, file []byte) {
	c.t.Helper()
	c.ok("xrtDeviceLoadXclbin", device, pointer(file))
	runtime.KeepAlive(file)
}

func (c *client) uuid(device uintptr) []byte {
	c.t.Helper()
	b := make([]byte, 16)
	c.ok("xrtDeviceGetXclbinUUID", device, pointer(b))
	return b
}

// unit opens an exclusive context of a kernel.
func (c *client) unit(device uintptr, name string) (xcl, index uintptr) {
	c.t.Helper()
	xcl = c.must("xrtDeviceToXclDevice", device)
	at, keep := text(name)
	i, _ := c.do("xclIPName2Index", xcl, at)
	keep()
	if int32(i) < 0 {
		c.t.Fatalf("%s: %v", name, syscall.Errno(-int32(i)))
	}
	uuid := c.uuid(device)
	c.ok("xclOpenContext", xcl, pointer(uuid), uintptr(i), 0)
	runtime.KeepAlive(uuid)
	return xcl, uintptr(i)
}

func (c *client) read(xcl, unit uintptr, offset uint32) uint32 {
	c.t.Helper()
	var value uint32
	c.ok("xclRegRead", xcl, unit, uintptr(offset), uintptr(unsafe.Pointer(&value)))
	return value
}

func (c *client) write(xcl, unit uintptr, offset, value uint32) {
	c.t.Helper()
	c.ok("xclRegWrite", xcl, unit, uintptr(offset), uintptr(value))
}

func pointerTo(v *uint32) uintptr { return uintptr(unsafe.Pointer(v)) }
