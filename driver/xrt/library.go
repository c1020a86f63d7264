package xrt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The libraries that have XRT's functions. The first loads the second by itself, and
// both must speak of the same devices.
const coreUtil = "libxrt_coreutil.so.2"

// coreOf is the library that the first one loads for a mode of emulation, "" for cards.
func coreOf(mode string) string {
	switch mode {
	case "hw_emu":
		return "libxrt_hwemu.so.2"
	case "sw_emu":
		return "libxrt_swemu.so.2"
	}
	return "libxrt_core.so.2"
}

// functions are those of XRT that are used, with their declarations in C.
type functions struct {
	open func(
		index uint32) uintptr `c:"xrtDeviceHandle xrtDeviceOpen(unsigned int)"`
	openBDF func(
		bdf string) uintptr `c:"xrtDeviceHandle xrtDeviceOpenByBDF(const char *)"`
	close func(
		device uintptr) int32 `c:"int xrtDeviceClose(xrtDeviceHandle)"`
	load func(device uintptr,
		file *byte) int32 `c:"int xrtDeviceLoadXclbin(xrtDeviceHandle, const struct axlf *)"`
	attach func(device uintptr,
		uuid *[uuidBytes]byte) int32 `c:"int xrtDeviceLoadXclbinUUID(xrtDeviceHandle, const xuid_t)"`
	loaded func(device uintptr,
		uuid *[uuidBytes]byte) int32 `c:"int xrtDeviceGetXclbinUUID(xrtDeviceHandle, xuid_t)"`
	shim func(
		device uintptr) uintptr `c:"xclDeviceHandle xrtDeviceToXclDevice(xrtDeviceHandle)"`
	alloc func(device, bytes uintptr, flags uint64,
		group uint32) uintptr `c:"xrtBufferHandle xrtBOAlloc(xrtDeviceHandle, size_t, xrtBufferFlags, xrtMemoryGroup)"`
	free func(
		buffer uintptr) int32 `c:"int xrtBOFree(xrtBufferHandle)"`
	sync func(buffer uintptr, direction uint32, bytes,
		offset uintptr) int32 `c:"int xrtBOSync(xrtBufferHandle, enum xclBOSyncDirection, size_t, size_t)"`
	mapped func(
		buffer uintptr) unsafe.Pointer `c:"void * xrtBOMap(xrtBufferHandle)"`
	address func(
		buffer uintptr) uint64 `c:"uint64_t xrtBOAddress(xrtBufferHandle)"`
	probe func() uint32 `c:"unsigned int xclProbe(void)"`
	index func(shim uintptr,
		name string) int32 `c:"int xclIPName2Index(xclDeviceHandle, const char *)"`
	acquire func(shim uintptr, uuid *[uuidBytes]byte, index uint32,
		shared bool) int32 `c:"int xclOpenContext(xclDeviceHandle, const xuid_t, unsigned int, bool)"`
	release func(shim uintptr, uuid *[uuidBytes]byte,
		index uint32) int32 `c:"int xclCloseContext(xclDeviceHandle, const xuid_t, unsigned int)"`
	readReg func(shim uintptr, index, offset uint32,
		value *uint32) int32 `c:"int xclRegRead(xclDeviceHandle, uint32_t, uint32_t, uint32_t *)"`
	writeReg func(shim uintptr, index, offset,
		value uint32) int32 `c:"int xclRegWrite(xclDeviceHandle, uint32_t, uint32_t, uint32_t)"`
}

const (
	uuidBytes = 16
	shared    = true // a context that others may have, too

	toDevice, fromDevice = 0, 1 // enum xclBOSyncDirection

	hostOnly   = 1 << 29 // XCL_BO_FLAGS_HOST_ONLY
	peerToPeer = 1 << 30 // XCL_BO_FLAGS_P2P
)

// library is XRT, loaded.
type library struct {
	functions
	errno func() *int32 // of this thread
}

func name(declaration string) string {
	before, _, _ := strings.Cut(declaration, "(")
	return before[strings.LastIndexAny(before, " *")+1:]
}

var (
	loadedMu  sync.Mutex
	libraries = map[string]*library{} // by where they were looked for
)

// loadLibrary loads XRT from a directory; from that of XILINX_XRT, or where the
// system has libraries, if there is none.
func loadLibrary(directory string) (*library, error) {
	loadedMu.Lock()
	defer loadedMu.Unlock()
	place := directory
	if place == "" {
		place = "XILINX_XRT=" + os.Getenv("XILINX_XRT")
	}
	if l := libraries[place]; l != nil {
		return l, nil
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return nil, fmt.Errorf("%w: not for %s on %s", ErrLibrary, runtime.GOOS, runtime.GOARCH)
	}
	util, err := openLibrary(directory, coreUtil)
	if err != nil {
		return nil, err
	}
	core := coreOf(os.Getenv("XCL_EMULATION_MODE"))
	below, err := openLibrary(directory, core)
	if err != nil {
		return nil, err
	}
	l := &library{}
	v := reflect.ValueOf(&l.functions).Elem()
	for i := range v.NumField() {
		name := name(v.Type().Field(i).Tag.Get("c"))
		from, file := util, coreUtil
		if strings.HasPrefix(name, "xcl") {
			from, file = below, core
		}
		symbol, err := purego.Dlsym(from, name)
		if err != nil {
			return nil, fmt.Errorf("%w: %s has no %s: another version of XRT? %w", ErrLibrary, file, name, err)
		}
		// The fields are of this package alone.
		purego.RegisterFunc(reflect.NewAt(v.Field(i).Type(), v.Field(i).Addr().UnsafePointer()).Interface(), symbol)
	}
	location, err := purego.Dlsym(purego.RTLD_DEFAULT, "__errno_location")
	if err != nil {
		return nil, fmt.Errorf("%w: the C library has no errno: %w", ErrLibrary, err)
	}
	purego.RegisterFunc(&l.errno, location)
	libraries[place] = l
	return l, nil
}

// openLibrary tries the places where a library may be.
func openLibrary(directory, file string) (uintptr, error) {
	places := []string{file}
	switch root := os.Getenv("XILINX_XRT"); {
	case directory != "":
		places = []string{filepath.Join(directory, file)}
	case root != "":
		places = []string{filepath.Join(root, "lib", file), file}
	}
	var errs []error
	for _, place := range places {
		handle, err := purego.Dlopen(place, purego.RTLD_NOW|purego.RTLD_LOCAL)
		if err == nil {
			return handle, nil
		}
		errs = append(errs, err)
	}
	return 0, fmt.Errorf("%w: install XRT, or set XILINX_XRT to where it is: %w", ErrLibrary, errors.Join(errs...))
}

// status is the error of a function that returns 0, an errno, or its negative.
func status(function string, code int32) error {
	if code == 0 {
		return nil
	}
	return &CallError{function, int(code)}
}

// handle is the error of a function that returns nothing. XRT says in errno why, if it
// does.
func (l *library) handle(function string, call func() uintptr) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	*l.errno() = 0
	if h := call(); h != 0 {
		return h, nil
	}
	return 0, &CallError{function, int(*l.errno())}
}

// code is the error of a function that returns -1 whatever has failed. Of what XRT may
// leave in errno, that somebody else is using the card can be trusted, and that it cannot
// do such a thing.
func (l *library) code(function string, call func() int32) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	*l.errno() = 0
	r := call()
	if errno := *l.errno(); r == -1 && (errno == int32(syscall.EBUSY) || errno == int32(syscall.ENOTSUP)) {
		r = -errno
	}
	return status(function, r)
}
