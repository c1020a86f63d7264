package coyote

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/verify/fakecards/kernels"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Card is a card with one region, as the shell's driver has it.
type Card struct {
	h         *Host
	number    int
	flags     uint64
	engine    engine.Engine
	memory    engine.Memory // of the card
	registers map[string]layout.Registers

	mu       sync.Mutex
	files    map[*file]bool
	chunks   [ctids]chunk // numbers of threads
	next     int          // of chunks; nobody for none
	threads  map[uint64]*file
	order    []uint64 // in which threads were registered
	mappings map[uint64]*mapping
	config   map[uint32]uint64 // registers of the region
	station
	pairs map[uint32]queuePair  // by number
	conns map[uint32]connection // likewise
	lost  atomic.Int64          // packets
}

// chunk is a number of the list of free ones.
type chunk struct {
	id   uint64
	next int
}

const nobody = -1

func newCard(h *Host, number int, flags uint64) *Card {
	c := &Card{
		h: h, number: number, flags: flags, files: map[*file]bool{}, threads: map[uint64]*file{},
		mappings: map[uint64]*mapping{},
		config:   map[uint32]uint64{}, pairs: map[uint32]queuePair{}, conns: map[uint32]connection{},
	}
	c.up = true
	// The last chunk is never given a number.
	for i := range c.chunks {
		c.chunks[i] = chunk{uint64(i), i + 1}
	}
	c.chunks[ctids-1] = chunk{0, nobody}
	h.ether.join(c)
	return c
}

func (c *Card) start(e engine.Engine) (err error) {
	c.engine = e
	if c.memory, err = e.Memory(false); err != nil {
		return err
	}
	models := &kernels.Card{
		Design: c.h.design, Engines: []engine.Engine{e}, Life: c.h.life,
		Fault: func(err error) { c.h.fault("card %d: %w", c.number, err) },
	}
	c.registers = map[string]layout.Registers{}
	for _, w := range c.h.design.ShellWindows() {
		if c.registers[w.Instance.Name], err = models.Model(w.Instance.Name); err != nil {
			return err
		}
	}
	return nil
}

// Call is an ioctl.
func (f *file) Call(number uint32, words []uint64) (int, error) {
	name, known := names[number]
	if !known {
		name = fmt.Sprintf("0x%X", number)
	}
	if len(words) < maxUserArgs {
		f.p.h.fault("%s: the driver may write %d words, and there are %d", name, maxUserArgs, len(words))
		return 0, syscall.EFAULT
	}
	return f.p.h.do(f.p, name, words, func() (int, error) {
		f.c.mu.Lock()
		defer f.c.mu.Unlock()
		if f.closed {
			return 0, syscall.EBADF
		}
		switch number {
		case registerCTID:
			return f.c.register(f, words)
		case unregisterCTID:
			return f.c.unregister(f, words[0])
		case mapUserMem:
			return f.c.mapMemory(f, words[0], words[1], words[2])
		case unmapUserMem:
			return f.c.unmapMemory(f, words[0], words[1])
		case offloadReq, syncReq:
			return f.c.move(words[0], words[1], words[2], number == offloadReq)
		case setIPAddress:
			f.c.ip = uint32(words[0])
		case setMACAddress:
			f.c.mac = words[0]
		case getIPAddress:
			words[0] = uint64(f.c.ip)
		case getMACAddress:
			words[0] = f.c.mac
		case readConfig:
			words[0] = f.c.flags
		case netStats:
			f.c.counters(words)
		default:
			return 1, nil
		}
		return 0, nil
	})
}

// register gives a process a thread; c.mu is held.
func (c *Card) register(f *file, words []uint64) (int, error) {
	if words[0] != uint64(os.Getpid()) {
		c.h.fault("register: process %d is none", words[0])
		return 0, syscall.EFAULT
	}
	if c.next == nobody {
		c.h.fault("register: the driver falls when it has no thread left")
		return 0, syscall.EFAULT
	}
	id := c.chunks[c.next].id
	c.next = c.chunks[c.next].next
	if c.threads[id] != nil {
		c.h.fault("register: thread %d is given a second time", id)
	}
	c.threads[id], c.order = f, append(c.order, id)
	words[1] = id
	return 0, nil
}

// unregister takes a thread back; c.mu is held.
func (c *Card) unregister(f *file, id uint64) (int, error) {
	if c.threads[id] == nil || c.threads[id].p != f.p {
		c.h.fault("unregister: thread %d is not this process's", id)
		return 0, nil
	}
	c.forget(id)
	return 0, nil
}

// forget takes a thread back with its memory; c.mu is held.
func (c *Card) forget(id uint64) {
	for _, m := range c.mappings {
		if m.thread == id {
			c.drop(m)
		}
	}
	delete(c.threads, id)
	for i, other := range c.order {
		if other == id {
			c.order = append(c.order[:i:i], c.order[i+1:]...)
			break
		}
	}
	c.chunks[id].next, c.next = c.next, int(id)
}

// release closes a file. Only the last one takes what processes have left.
func (c *Card) release(f *file) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.files, f)
	f.closed = true
	if len(c.files) > 0 {
		return
	}
	for len(c.order) > 0 {
		c.forget(c.order[0])
	}
}

// holds lists what a file's process has of the card.
func (c *Card) holds(f *file) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for id, owner := range c.threads {
		if owner == f {
			out = append(out, fmt.Sprintf("process %d: thread %d of card %d", f.p.number, id, c.number))
		}
	}
	for addr, m := range c.mappings {
		if m.owner == f {
			out = append(out, fmt.Sprintf("process %d: memory at 0x%X of card %d", f.p.number, addr, c.number))
		}
	}
	if f.windows > 0 {
		out = append(out, fmt.Sprintf("process %d: %d windows of card %d", f.p.number, f.windows, c.number))
	}
	return out
}
