package coyote

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	driver "github.com/cclforge/cclforge/driver/coyote"
)

// Process is a process on a host. It implements driver/coyote's operating system.
type Process struct {
	h      *Host
	number int

	mu    sync.Mutex
	files map[*file]bool
	taken map[*byte]*taken
}

type taken struct {
	around, data []byte
	shared       bool // an engine has seen them
}

var _ driver.System = (*Process)(nil)

// Process starts a process.
func (h *Host) Process() *Process {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.processes++
	p := &Process{h: h, number: h.processes, files: map[*file]bool{}, taken: map[*byte]*taken{}}
	h.open[p] = true
	return p
}

type file struct {
	p       *Process
	c       *Card
	locked  bool
	windows int
	closed  bool
}

// Files returns the device files of all cards that match the pattern, and others with
// similar names.
func (p *Process) Files(pattern string) (out []string, err error) {
	all := []string{"/dev/coyote_fpga_0_pr", "/dev/coyote_fpga_x_v0", "/dev/coyote_fpga_0_v00"}
	for number := range p.h.cards {
		all = append(all, fmt.Sprintf("/dev/coyote_fpga_%d_v0", number))
	}
	for _, file := range all {
		matches, err := filepath.Match(pattern, file)
		if err != nil {
			return nil, err
		}
		if matches {
			out = append(out, file)
		}
	}
	return out, nil
}

// Open opens "/dev/coyote_fpga_0_v0": there is a region on each card.
func (p *Process) Open(path string) (driver.File, error) {
	var f *file
	_, err := p.h.do(p, opens, nil, func() (int, error) {
		var number, region int
		_, err := fmt.Sscanf(path, "/dev/coyote_fpga_%d_v%d", &number, &region)
		if err != nil || path != fmt.Sprintf("/dev/coyote_fpga_%d_v%d", number, region) || number < 0 ||
			number >= len(p.h.cards) || region != 0 {
			return 0, syscall.ENOENT
		}
		f = &file{p: p, c: p.h.cards[number]}
		f.c.mu.Lock()
		defer f.c.mu.Unlock()
		f.c.files[f] = true
		return 0, nil
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[f] = true
	return f, nil
}

// Pages returns memory that is not in huge pages: programs see no difference.
func (p *Process) Pages(bytes, size int) ([]byte, error) {
	var data []byte
	_, err := p.h.do(p, pages, []uint64{uint64(bytes), uint64(size)}, func() (int, error) {
		if bytes <= 0 || bytes%size != 0 {
			return 0, syscall.EINVAL
		}
		around, err := syscall.Mmap(-1, 0, bytes+2*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|
			syscall.MAP_ANONYMOUS|syscall.MAP_NORESERVE)
		if err != nil {
			return 0, err
		}
		at := size - int(uintptr(unsafe.Pointer(&around[0]))%uintptr(size))
		data = around[at : at+bytes : at+bytes]
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken[&data[0]] = &taken{around: around, data: data}
		return 0, nil
	})
	return data, err
}

// Return frees pages. Pages that an engine has seen stay mapped, as a call that has not
// ended may use them.
func (p *Process) Return(data []byte) error {
	_, err := p.h.do(p, returns, nil, func() (int, error) {
		p.mu.Lock()
		t := p.taken[&data[0]]
		delete(p.taken, &data[0])
		p.mu.Unlock()
		switch {
		case t == nil || len(t.data) != len(data):
			return 0, syscall.EINVAL
		case t.shared:
			return 0, nil
		}
		return 0, syscall.Munmap(t.around)
	})
	return err
}

// find finds the pages that bytes at an address are in.
func (p *Process) find(addr, bytes uint64) (*taken, []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for first, t := range p.taken {
		from := uint64(uintptr(unsafe.Pointer(first)))
		if addr >= from && addr-from < uint64(len(t.data)) && bytes <= uint64(len(t.data))-(addr-from) {
			return t, t.data[addr-from : addr-from+bytes]
		}
	}
	return nil, nil
}

// Die ends a process: the operating system closes its files.
func (p *Process) Die() {
	p.mu.Lock()
	files := p.files
	p.files = map[*file]bool{}
	p.taken = map[*byte]*taken{}
	p.mu.Unlock()
	for f := range files {
		f.c.release(f)
	}
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	delete(p.h.open, p)
}

func (p *Process) holds() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for range p.taken {
		out = append(out, fmt.Sprintf("process %d: pages", p.number))
	}
	for f := range p.files {
		out = append(out, fmt.Sprintf("process %d: the file of card %d", p.number, f.c.number))
		out = append(out, f.c.holds(f)...)
	}
	return out
}

func (f *file) Lock() error {
	_, err := f.p.h.do(f.p, locks, nil, func() (int, error) {
		f.c.mu.Lock()
		defer f.c.mu.Unlock()
		for other := range f.c.files {
			if other != f && other.locked {
				return 0, syscall.EWOULDBLOCK
			}
		}
		f.locked = true
		return 0, nil
	})
	return err
}

var errClosed = errors.New("the file is closed")

func (f *file) Close() error {
	_, err := f.p.h.do(f.p, closes, nil, func() (int, error) {
		if f.closed {
			return 0, errClosed
		}
		f.closed = true
		f.p.h.noteLeft(f.c.holds(f))
		f.c.release(f)
		f.p.mu.Lock()
		defer f.p.mu.Unlock()
		delete(f.p.files, f)
		return 0, nil
	})
	return err
}

func (h *Host) noteLeft(what []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = append(h.left, what...)
}
