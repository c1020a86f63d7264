package xrt

import (
	"slices"
	"strings"
	"syscall"
)

// dispatch does what a function does. Errors are those of XRT's native interface, and
// of its kernel module (xocl, KDS).
func (s *Server) dispatch(p *process, q request) reply {
	switch q.function {
	case boAlloc:
		return s.alloc(p, q)
	case boFree:
		return s.free(p, q)
	case boSync:
		return s.sync(p, q)
	case regRead, regWrite:
		return s.access(p, q)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch q.function {
	case probe:
		return success(uint64(len(s.slots)))
	case deviceOpen:
		if q.arguments[0] >= uint64(len(s.slots)) {
			return failure(syscall.ENOENT)
		}
		return s.open(p, s.slots[q.arguments[0]])
	case deviceOpenByBDF:
		return s.openByBDF(p, string(q.payload))
	case deviceClose:
		return s.close(p, q.arguments[0])
	case boMap, boAddress:
		return lookAt(p, q)
	case ipNameToIndex, openContext, closeContext:
		return s.context(p, q)
	}
	o := p.byHandle(q.arguments[0])
	if o == nil {
		return failure(syscall.EINVAL)
	}
	switch q.function {
	case deviceToXcl:
		return success(o.xcl)
	case deviceLoadXclbin:
		return s.loaded(o.slot, q.payload)
	case deviceLoadXclbinUUID:
		if o.slot.uuid != [uuidBytes]byte(q.payload) || o.slot.layout == nil {
			return failure(syscall.ENODEV)
		}
		return success(0)
	case deviceGetXclbinUUID:
		r := success(0)
		r.payload = slices.Clone(o.slot.uuid[:])
		return r
	}
	return failure(syscall.ENOSYS)
}

// open opens a card once more; s.mu is held.
func (s *Server) open(p *process, c *slot) reply {
	s.handles += 2
	p.opened = append(p.opened, &opened{handle: s.handles - 1, xcl: s.handles, slot: c})
	return success(s.handles - 1)
}

// openByBDF takes "0000:65:00.1", "65:00.1", or the number of a card.
func (s *Server) openByBDF(p *process, bdf string) reply {
	if bdf != "" && strings.Trim(bdf, "0123456789") == "" {
		n := 0
		for _, digit := range bdf {
			n = min(10*n+int(digit-'0'), len(s.slots))
		}
		if n < len(s.slots) {
			return s.open(p, s.slots[n])
		}
		return failure(syscall.EINVAL)
	}
	for _, c := range s.slots {
		if c.BDF == bdf || c.BDF == "0000:"+bdf {
			return s.open(p, c)
		}
	}
	return failure(syscall.EINVAL)
}

// close closes a card. Contexts that are left end with it: they are leaks. Buffers
// remain.
func (s *Server) close(p *process, handle uint64) reply {
	o := p.byHandle(handle)
	if o == nil {
		return failure(syscall.EINVAL)
	}
	s.left = append(s.left, p.contexts(o, true)...)
	o.release()
	p.opened = slices.DeleteFunc(p.opened, func(other *opened) bool { return other == o })
	return success(0)
}

func (p *process) byHandle(handle uint64) *opened {
	i := slices.IndexFunc(p.opened, func(o *opened) bool { return o.handle == handle })
	if i < 0 {
		return nil
	}
	return p.opened[i]
}

func (p *process) byXcl(handle uint64) *opened {
	i := slices.IndexFunc(p.opened, func(o *opened) bool { return o.xcl == handle })
	if i < 0 {
		return nil
	}
	return p.opened[i]
}

// loaded loads an .xclbin; s.mu is held.
func (s *Server) loaded(c *slot, file []byte) reply {
	next, err := c.parse(file)
	switch {
	case err != nil:
		return failure(syscall.EINVAL)
	case c.Platform != "" && next.platform != c.Platform:
		return failure(syscall.EOPNOTSUPP)
	case c.layout != nil && next.uuid == c.uuid:
		return success(0) // it is there already
	case slices.ContainsFunc(c.units, (*unit).busy):
		return failure(syscall.EBUSY)
	case len(c.used) > 0:
		return failure(syscall.EPERM)
	}
	c.take(next)
	return success(0)
}

// context opens and closes contexts; s.mu is held.
func (s *Server) context(p *process, q request) reply {
	o := p.byXcl(q.arguments[0])
	if o == nil {
		return failure(syscall.ENODEV)
	}
	c := o.slot
	if q.function == ipNameToIndex {
		i := slices.IndexFunc(c.units, func(u *unit) bool { return u.name == string(q.payload) })
		if i < 0 {
			return failure(syscall.ENOENT)
		}
		return success(uint64(i))
	}
	same := c.layout != nil && [uuidBytes]byte(q.payload) == c.uuid
	if q.arguments[1] >= uint64(len(c.units)) {
		return failure(syscall.EINVAL)
	}
	u := c.units[q.arguments[1]]
	if q.function == closeContext {
		switch {
		case u.contexts(o) == 0:
			return failure(syscall.EINVAL)
		case !same:
			return failure(syscall.EBUSY)
		}
		u.close(o)
		return success(0)
	}
	// KDS says EBUSY when another has the kernel, which reaches the caller as EINVAL.
	if !same || !u.open(o, q.arguments[2] != 0) {
		return failure(syscall.EINVAL)
	}
	return success(0)
}

func (s *Server) access(p *process, q request) reply {
	s.mu.Lock()
	o := p.byXcl(q.arguments[0])
	if o == nil {
		s.mu.Unlock()
		return failure(syscall.ENODEV)
	}
	var u *unit
	if q.arguments[1] < uint64(len(o.slot.units)) {
		u = o.slot.units[q.arguments[1]]
	}
	allowed := u != nil && u.exclusive == o
	s.mu.Unlock()
	offset := uint32(q.arguments[2])
	if !allowed || offset%4 != 0 || offset >= u.bytes {
		return failure(syscall.EINVAL)
	}
	if q.function == regWrite {
		if err := u.registers.Write(s.life, offset, uint32(q.arguments[3])); err != nil {
			s.faultOf(u, err)
		}
		return success(0)
	}
	value, err := u.registers.Read(s.life, offset)
	if err != nil { // the bus answers with all ones
		s.faultOf(u, err)
		value = 0xFFFFFFFF
	}
	return success(uint64(value))
}
