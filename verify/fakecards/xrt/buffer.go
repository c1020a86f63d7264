package xrt

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/verify/emu/memory"
)

// Kinds of buffers and directions, as XRT numbers them (xrt_mem.h, xrt.h).
const (
	bankMask  = 0xFFFFFF
	plainKind = 0
	cacheable = 1 << 24
	deviceBO  = 1 << 28
	hostBO    = 1 << 29
	peerBO    = 1 << 30

	toDevice   = 0
	fromDevice = 1

	pageBytes = 4096
)

type buffer struct {
	id, addr, size uint64
	room           uint64 // of whole pages
	slot           *slot
	mapped         bool // the server's lock guards it

	mu     sync.RWMutex
	gone   bool
	shared []byte   // the process's memory, in this one; nil for buffers of the device alone
	file   *os.File // behind it
	memory backing
	untie  func() // nil if it is not tied
}

// sorted lists buffers in the order in which they were made.
func sorted(buffers map[uint64]*buffer) []*buffer {
	return slices.SortedFunc(maps.Values(buffers), func(a, b *buffer) int { return cmp.Compare(a.id, b.id) })
}

func (s *Server) alloc(p *process, q request) reply {
	b, errno := s.reserve(p, q.arguments)
	if errno != 0 {
		return failure(errno)
	}
	if err := b.furnish(q.arguments[2] &^ bankMask); err != nil {
		s.fault(fmt.Errorf("make the buffer at 0x%X: %w", b.addr, err))
		s.drop(b)
		return failure(syscall.ENOMEM)
	}
	s.mu.Lock()
	s.handles++
	b.id = s.handles
	p.buffers[b.id] = b
	s.mu.Unlock()
	r := success(b.id)
	if b.file != nil {
		r.file = int(b.file.Fd())
	}
	return r
}

// reserve finds addresses for a buffer.
func (s *Server) reserve(p *process, arguments [4]uint64) (*buffer, syscall.Errno) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, size, kind := p.byHandle(arguments[0]), arguments[1], arguments[2]&^bankMask
	if o == nil || o.slot.layout == nil || size == 0 {
		return nil, syscall.EINVAL
	}
	c := o.slot
	group := int(arguments[3] & bankMask)
	switch kind {
	case hostBO: // there is one bank of it, whatever is asked for
		group = slices.IndexFunc(c.layout.Groups, func(b xclbin.Bank) bool { return b.Type == xclbin.Host && b.Used })
	case plainKind, cacheable, deviceBO, peerBO:
	default:
		return nil, syscall.EINVAL
	}
	if group < 0 || group >= len(c.layout.Groups) {
		return nil, syscall.EINVAL
	}
	bank := c.layout.Groups[group]
	if !bank.Used || bank.Type.Stream() || (bank.Type == xclbin.Host) != (kind == hostBO) {
		return nil, syscall.EINVAL
	}
	if size > bank.KiB<<10 {
		return nil, syscall.ENOSPC
	}
	b := &buffer{size: size, room: (size + pageBytes - 1) &^ (pageBytes - 1), slot: c}
	var ok bool
	if b.addr, ok = c.find(memory.Extent{From: bank.Base, To: bank.Base + bank.KiB<<10}, b.room); !ok {
		return nil, syscall.ENOSPC
	}
	return b, 0
}

// find takes room in a bank that no buffer has: the first there is.
func (c *slot) find(bank memory.Extent, room uint64) (addr uint64, ok bool) {
	at, place := bank.From, 0
	for _, e := range c.used {
		if e.From >= at && e.From-at >= room {
			break
		}
		at = max(at, e.To)
		place++
	}
	if at > bank.To || bank.To-at < room {
		return 0, false
	}
	c.used = slices.Insert(c.used, place, memory.Extent{From: at, To: at + room})
	return at, true
}

// give gives back the addresses of a buffer.
func (c *slot) give(b *buffer) {
	c.used = slices.DeleteFunc(c.used, func(e memory.Extent) bool { return e.From == b.addr })
}

// furnish gives a buffer its memory.
func (b *buffer) furnish(kind uint64) (err error) {
	if kind != deviceBO {
		if b.file, b.shared, err = pages(b.room); err != nil {
			return err
		}
	}
	if b.memory, err = b.slot.memoryAt(b, kind == hostBO); err != nil {
		return err
	}
	if kind == peerBO || kind == hostBO && !b.memory.shares() {
		// What others have left there is not what the process begins with.
		if err := b.memory.write(b.slot.s.life, make([]byte, b.room), 0); err != nil {
			return err
		}
		b.memory = b.slot.tie(b, b.memory)
	}
	return nil
}

// free gives a buffer's memory back, but not its addresses.
func (b *buffer) free() error {
	if b.untie != nil {
		b.untie()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	var errs []error
	kept := false
	if b.memory != nil {
		kept = b.memory.shares()
		errs = append(errs, b.memory.release())
	}
	if b.file != nil {
		errs = append(errs, b.file.Close())
	}
	// What an engine sees may be written to by a call that has not ended.
	if b.shared != nil && !kept {
		errs = append(errs, syscall.Munmap(b.shared))
	}
	b.shared, b.file, b.memory = nil, nil, nil
	return errors.Join(errs...)
}

// free is xrtBOFree.
func (s *Server) free(p *process, q request) reply {
	s.mu.Lock()
	b := p.buffers[q.arguments[0]]
	delete(p.buffers, q.arguments[0])
	s.mu.Unlock()
	if b == nil {
		return failure(syscall.EINVAL)
	}
	s.drop(b)
	return success(0)
}

// drop gives back memory and addresses of a buffer.
func (s *Server) drop(b *buffer) {
	if err := b.free(); err != nil {
		s.fault(fmt.Errorf("give back the buffer at 0x%X: %w", b.addr, err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b.slot.give(b)
}

// sync is xrtBOSync.
func (s *Server) sync(p *process, q request) reply {
	s.mu.Lock()
	b := p.buffers[q.arguments[0]]
	s.mu.Unlock()
	direction, size, offset := q.arguments[1], q.arguments[2], q.arguments[3]
	if b == nil || direction > fromDevice || offset > b.size || size > b.size-offset {
		return failure(syscall.EINVAL)
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.gone || b.shared == nil {
		return failure(syscall.EINVAL)
	}
	if size == 0 {
		return success(0)
	}
	transfer := b.memory.read
	if direction == toDevice {
		transfer = b.memory.write
	}
	if err := transfer(s.life, b.shared[offset:offset+size], offset); err != nil {
		s.fault(fmt.Errorf("sync the buffer at 0x%X: %w", b.addr, err))
		return failure(syscall.EIO)
	}
	return success(0)
}

// lookAt is xrtBOMap and xrtBOAddress; the server's lock is held.
func lookAt(p *process, q request) reply {
	b := p.buffers[q.arguments[0]]
	if b == nil || q.function == boMap && b.shared == nil {
		return failure(syscall.EINVAL)
	}
	if q.function == boMap {
		b.mapped = true
	}
	return success(b.addr)
}

// sharedMemory is where files are memory.
const sharedMemory = "/dev/shm"

// pages are memory behind a file that has no name any more.
func pages(bytes uint64) (*os.File, []byte, error) {
	dir := os.TempDir()
	var there syscall.Statfs_t
	if syscall.Statfs(sharedMemory, &there) == nil && there.Bavail*uint64(there.Bsize) > 2*bytes {
		dir = sharedMemory
	}
	file, err := os.CreateTemp(dir, "xrt-buffer-")
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(os.Remove(file.Name()), file.Truncate(int64(bytes))); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	data, err := syscall.Mmap(int(file.Fd()), 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, data, nil
}
