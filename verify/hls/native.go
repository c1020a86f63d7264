package hls

import (
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// version is that of the C interface: CCLO_COMPONENT_VERSION.
const version = 1

// nativePort is a cclo_port.
type nativePort struct {
	name                    *byte
	output, width, destBits uint32
}

// nativeArgument is a cclo_argument.
type nativeArgument struct {
	name                  *byte
	offset, bits, pointer uint32
}

// nativeState is a cclo_state.
type nativeState struct {
	doing uint32
	port  int32
	calls uint64
	text  *byte
}

// functions are where those of a library are.
type functions struct {
	version, kernel, freeRunning, ports, arguments uintptr
	open, close                                    uintptr
	put, get, count, moved                         uintptr
	start, run                                     uintptr
}

// find looks them up in a library, and checks its version.
func (f *functions) find(handle uintptr) (err error) {
	for _, s := range []struct {
		name string
		to   *uintptr
	}{
		{"version", &f.version}, {"kernel", &f.kernel}, {"free_running", &f.freeRunning}, {"ports", &f.ports},
		{"arguments", &f.arguments},
		{"open", &f.open}, {"close", &f.close}, {"put", &f.put}, {"get", &f.get}, {"count", &f.count}, {"moved", &f.moved},
		{"start", &f.start}, {"run", &f.run},
	} {
		if *s.to, err = purego.Dlsym(handle, "cclo_"+s.name); err != nil {
			return err
		}
		if s.to == &f.version {
			if v := uint32(f.call(f.version)); v != version {
				return fmt.Errorf("%w: %d, where %d is expected", ErrVersion, v, version)
			}
		}
	}
	return nil
}

// call calls a function of the library. Addresses of Go memory are valid during the
// call where they are converted among the arguments.
//
//go:uintptrescapes
func (f *functions) call(function uintptr, arguments ...uintptr) uintptr {
	result, _, _ := purego.SyscallN(function, arguments...)
	return result
}

// text is what a result of a function that is a string holds.
func text(result uintptr) string { return cString(*(**byte)(unsafe.Pointer(&result))) }

// cString copies a string that ends with 0.
func cString(s *byte) string {
	if s == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(s), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(s, n))
}
