//go:build linux && (amd64 || arm64)

package coyote

import (
	"fmt"
	"math/bits"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// own is the system that this process runs on.
func own() System { return &linux{reserved: map[*byte]span{}} }

type linux struct {
	mu       sync.Mutex
	reserved map[*byte]span // around pages, by their first byte
}

type span struct{ from, bytes uintptr }

func (*linux) Files(pattern string) ([]string, error) { return filepath.Glob(pattern) }

func (*linux) Open(path string) (File, error) {
	// The shell's own programs open it so that writes are not held back.
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_SYNC|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return file(fd), nil
}

const (
	hugeShift   = 26 // MAP_HUGE_SHIFT: where the bits of a page's size are
	setMask     = 2  // SIG_SETMASK
	maskBytes   = 8  // of a set of signals
	allSignals  = ^uint64(0)
	reservation = syscall.MAP_PRIVATE | syscall.MAP_ANONYMOUS | syscall.MAP_NORESERVE
	hugePages   = syscall.MAP_PRIVATE | syscall.MAP_ANONYMOUS | syscall.MAP_HUGETLB | syscall.MAP_FIXED
)

// Pages reserves addresses around the pages: the shell's driver, when it takes back a
// mapping, may take one for it that ends where it begins.
func (l *linux) Pages(bytes, size int) ([]byte, error) {
	around := span{bytes: uintptr(bytes + 2*size)}
	var err error
	if around.from, err = mmap(0, around.bytes, syscall.PROT_NONE, reservation); err != nil {
		return nil, err
	}
	at := (around.from + uintptr(size)) &^ uintptr(size-1)
	if _, err := mmap(at, uintptr(bytes), syscall.PROT_READ|syscall.PROT_WRITE,
		hugePages|bits.TrailingZeros(uint(size))<<hugeShift); err != nil {
		_ = munmap(around)
		return nil, err
	}
	pages := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), bytes)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reserved[&pages[0]] = around
	return pages, nil
}

func (l *linux) Return(pages []byte) error {
	l.mu.Lock()
	around, known := l.reserved[&pages[0]]
	delete(l.reserved, &pages[0])
	l.mu.Unlock()
	if !known {
		return syscall.EINVAL
	}
	return munmap(around)
}

func mmap(at, bytes uintptr, protection, flags int) (uintptr, error) {
	got, _, errno := syscall.Syscall6(syscall.SYS_MMAP, at, bytes, uintptr(protection), uintptr(flags), ^uintptr(0), 0)
	if errno != 0 {
		return 0, errno
	}
	return got, nil
}

func munmap(s span) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, s.from, s.bytes, 0); errno != 0 {
		return errno
	}
	return nil
}

type file int

func (f file) Lock() error { return syscall.Flock(int(f), syscall.LOCK_EX|syscall.LOCK_NB) }

func (f file) Close() error { return syscall.Close(int(f)) }

// Call blocks all signals, of which the shell's driver takes one for the end of a
// transfer that it waits for; the Go runtime sends some.
func (f file) Call(number uint32, words []uint64) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mask, before := allSignals, uint64(0)
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&mask)),
		uintptr(unsafe.Pointer(&before)), maskBytes, 0, 0); errno != 0 {
		return 0, fmt.Errorf("block signals: %w", errno)
	}
	answer, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(f), uintptr(number), uintptr(unsafe.Pointer(&words[0])))
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&before)), 0,
		maskBytes, 0, 0); errno != 0 {
		return 0, fmt.Errorf("let signals in: %w", errno)
	}
	if errno != 0 {
		return 0, errno
	}
	return int(answer), nil
}

func (f file) Map(offset int64, bytes int) (Window, error) {
	data, err := syscall.Mmap(int(f), offset, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return window(data), nil
}

// window is mapped registers.
type window []byte

func (w window) Load(at uint32) uint64     { return load((*uint64)(unsafe.Pointer(&w[at]))) }
func (w window) Store(at uint32, v uint64) { store((*uint64)(unsafe.Pointer(&w[at])), v) }
func (w window) Unmap() error              { return syscall.Munmap(w) }

// load and store are one access each. Those of sync/atomic are not: on amd64 a store
// there reads the register, too.
//
//go:noinline
func load(p *uint64) uint64 { return *p }

//go:noinline
func store(p *uint64, v uint64) { *p = v }
