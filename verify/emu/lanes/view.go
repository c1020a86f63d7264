package lanes

import (
	"encoding/binary"
	"sync"
	"unsafe"
)

// blockWords is the size of a block in 8-byte words: small enough that the
// blocks of both operands and the result stay in the first-level cache.
const blockWords = 512

type block [blockWords]uint64

// blocks are reused, because kernels are called through values, which would
// put every block on the heap.
var blocks = sync.Pool{New: func() any { return new([2]block) }}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func width[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// usable reports whether memory can be viewed as elements of the given size.
func usable(b []byte, size int) bool {
	return littleEndian && uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(size) == 0
}

// view is the memory of b as n elements, without copying: decoding elements
// one by one costs a multiple of adding them.
func view[T number](b []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// elements is the start of a block as n elements.
func elements[T number](b *block, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(b)), n)
}

// load copies elements out of unaligned memory, or of the other byte order.
func load[T number](dst []T, src []byte) {
	raw := raw(dst)
	copy(raw, src)
	if !littleEndian {
		swap(raw, width[T]())
	}
}

// store is the inverse of load; it spoils src.
func store[T number](dst []byte, src []T) {
	raw := raw(src)
	if !littleEndian {
		swap(raw, width[T]())
	}
	copy(dst, raw)
}

func raw[T number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*width[T]())
}

// swap reverses the bytes of each element.
func swap(b []byte, size int) {
	for ; len(b) >= size; b = b[size:] {
		for i, j := 0, size-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
}

// reducer runs a kernel on memory: in place if it is aligned, else block by
// block through copies.
func reducer[T number](kernel func(dst, a, b []T)) Reducer {
	size := width[T]()
	return func(dst, a, b []byte) {
		n := min(len(dst), len(a), len(b)) / size
		if n == 0 {
			return
		}
		if usable(dst, size) && usable(a, size) && usable(b, size) {
			kernel(view[T](dst, n), view[T](a, n), view[T](b, n))
			return
		}
		buffers := blocks.Get().(*[2]block)
		defer blocks.Put(buffers)
		for n > 0 {
			m := min(n, blockWords*8/size)
			x, y := elements[T](&buffers[0], m), elements[T](&buffers[1], m)
			load(x, a)
			load(y, b)
			kernel(x, x, y)
			store(dst, x)
			dst, a, b, n = dst[m*size:], a[m*size:], b[m*size:], n-m
		}
	}
}

// converter is reducer for conversions.
func converter[D, S number](kernel func(dst []D, src []S)) Converter {
	sizeD, sizeS := width[D](), width[S]()
	return func(dst, src []byte) {
		n := min(len(dst)/sizeD, len(src)/sizeS)
		if n == 0 {
			return
		}
		if usable(dst, sizeD) && usable(src, sizeS) {
			kernel(view[D](dst, n), view[S](src, n))
			return
		}
		buffers := blocks.Get().(*[2]block)
		defer blocks.Put(buffers)
		for n > 0 {
			m := min(n, blockWords*8/max(sizeD, sizeS))
			x, y := elements[S](&buffers[0], m), elements[D](&buffers[1], m)
			load(x, src)
			kernel(y, x)
			store(dst, y)
			dst, src, n = dst[m*sizeD:], src[m*sizeS:], n-m
		}
	}
}
