//go:build cclforge_library

package capi

/*
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import "unsafe"

// C changes its environment without Go.
func init() {
	lookup = func(name string) (string, bool) {
		key := C.CString(name)
		defer C.free(unsafe.Pointer(key))
		value := C.getenv(key)
		return C.GoString(value), value != nil
	}
}

//export cclf_engines_enter
func cclf_engines_enter(function C.int, slots, failure unsafe.Pointer) C.int {
	return C.int(Enter(int(function), slots, (*Failure)(failure)))
}

//export cclf_engines_build
func cclf_engines_build() C.uint64_t { return C.uint64_t(Build()) }
