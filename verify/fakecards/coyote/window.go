package coyote

import (
	"syscall"

	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/gen/design"
)

// Map maps a window, of which there are two that programs use.
func (f *file) Map(offset int64, bytes int) (driver.Window, error) {
	var w driver.Window
	_, err := f.p.h.do(f.p, maps, []uint64{uint64(offset), uint64(bytes)}, func() (int, error) {
		f.c.mu.Lock()
		defer f.c.mu.Unlock()
		switch {
		case f.closed:
			return 0, syscall.EBADF
		case bytes != windowBytes || offset%pageBytes != 0:
			return 0, syscall.EINVAL
		case offset == controlPage*pageBytes:
			w = &control{window{f: f}}
		case offset == configPage*pageBytes:
			w = &config{window{f: f}}
		default:
			return 0, syscall.EINVAL
		}
		f.windows++
		return 0, nil
	})
	return w, err
}

type window struct {
	f    *file
	gone bool
}

func (w *window) Unmap() error {
	_, err := w.f.p.h.do(w.f.p, unmaps, nil, func() (int, error) {
		w.f.c.mu.Lock()
		defer w.f.c.mu.Unlock()
		if w.gone {
			return 0, syscall.EINVAL
		}
		w.gone = true
		w.f.windows--
		return 0, nil
	})
	return err
}

// usable tells whether an access is one; others bring the process down.
func (w *window) usable(at uint32) bool {
	w.f.c.mu.Lock()
	defer w.f.c.mu.Unlock()
	if w.gone || at%8 != 0 || at >= windowBytes {
		w.f.p.h.fault("an access at 0x%X of a window: it was unmapped, or has no such register", at)
		return false
	}
	return true
}

// control is the registers of the application: byte o of a kernel is at 2 o.
type control struct{ window }

const allOnes = 1<<64 - 1

func (w *control) at(at uint32) (instance string, offset uint32, ok bool) {
	o := uint64(at) / design.ShellSpacing
	for _, r := range w.f.c.h.design.ShellWindows() {
		if o >= r.Base && o < r.Base+r.Size {
			return r.Instance.Name, uint32(o - r.Base), true
		}
	}
	w.f.p.h.fault("no kernel has a register at 0x%X of the shell's bus", at)
	return "", 0, false
}

func (w *control) Load(at uint32) uint64 {
	if !w.usable(at) {
		return allOnes
	}
	instance, offset, ok := w.at(at)
	if !ok {
		return allOnes
	}
	v, err := w.f.c.registers[instance].Read(w.f.c.h.life, offset)
	if err != nil {
		w.f.p.h.fault("read 0x%X of %s: %w", offset, instance, err)
		return allOnes
	}
	return uint64(v)
}

func (w *control) Store(at uint32, v uint64) {
	if !w.usable(at) {
		return
	}
	if instance, offset, ok := w.at(at); ok {
		if err := w.f.c.registers[instance].Write(w.f.c.h.life, offset, uint32(v)); err != nil {
			w.f.p.h.fault("write 0x%X of %s: %w", offset, instance, err)
		}
	}
}

// config is the registers of the region.
type config struct{ window }

func (w *config) Load(at uint32) uint64 {
	if !w.usable(at) {
		return allOnes
	}
	w.f.c.mu.Lock()
	defer w.f.c.mu.Unlock()
	switch at / 8 {
	case arpRegister, pairRegister + 2, connRegister + 2:
		return 1 // it can be written
	}
	return w.f.c.config[at/8]
}

func (w *config) Store(at uint32, v uint64) {
	if !w.usable(at) {
		return
	}
	c := w.f.c
	c.mu.Lock()
	switch n := at / 8; {
	case n == arpRegister:
		c.mu.Unlock()
		c.h.ether.ask(c, uint32(v))
		return
	case n >= pairRegister && n < pairRegister+3, n >= connRegister && n < connRegister+3:
		c.config[n] = v
		if n == pairRegister+2 {
			c.takePair()
		}
		if n == connRegister+2 {
			c.takeConnection()
		}
	default:
		c.h.fault("register %d of the region is the driver's", n)
	}
	c.mu.Unlock()
}
