package capi

import (
	"fmt"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
)

// Failure is what a thread of C hears of an error: the return code of the engine, and a text that ends with 0.
type Failure struct {
	Bits uint32
	Text [1020]byte
}

// Function is a function of C. All return 0 or the number of an error.
type Function struct {
	Name string
	Doc  string
	// Params are declarations of C. Pointers must not be NULL unless the name ends with "?".
	Params []string
	do     func(a slots) error
}

// slots are the arguments of a function, 8 bytes each.
type slots struct{ first unsafe.Pointer }

func at[T any](s slots, i int) T { return *(*T)(unsafe.Add(s.first, 8*i)) }

func (s slots) number(i int) int64 { return at[int64](s, i) }

// pointer is an argument that points to a value.
func pointer[T any](s slots, i int) *T { return at[*T](s, i) }

// Enter calls a function by its place in Functions. Nothing panics across it.
func Enter(function int, first unsafe.Pointer, failure *Failure) (number int32) {
	defer func() {
		if p := recover(); p != nil {
			number = failure.set(fmt.Errorf("%w: %v: %s", errPanic, p, debug.Stack()))
		}
	}()
	// Memory of C that is not there is a panic, too.
	debug.SetPanicOnFault(true)
	if function < 0 || function >= len(Functions) {
		return failure.set(fmt.Errorf("%w: function %d", ErrBuild, function))
	}
	f, s := &Functions[function], slots{first}
	for i, p := range f.Params {
		if strings.Contains(p, "*") && !strings.HasSuffix(p, "?") && at[unsafe.Pointer](s, i) == nil {
			return failure.set(fmt.Errorf("cclf_%s: %w: %s is NULL", f.Name, accl.ErrArgument, p[strings.LastIndex(p, "*")+1:]))
		}
	}
	if err := f.do(s); err != nil {
		return failure.set(fmt.Errorf("cclf_%s: %w", f.Name, err))
	}
	return 0
}

func (f *Failure) set(err error) (number int32) {
	n := copy(f.Text[:len(f.Text)-1], err.Error())
	f.Text[n] = 0
	number, f.Bits = codeOf(err)
	return number
}

// text is a string of C; "" for NULL.
func text(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
