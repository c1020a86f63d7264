package compare

import (
	"bytes"
	"context"
	"sync"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/emu/memory"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// host is what the host of a rank has done.
type host struct {
	engine engine.Engine
	device engine.Device // not the one that notes
	cycle  func() uint64 // of the hardware; 0 for an emulator

	mu      sync.Mutex
	called  uint64 // cycle of the last call
	beats   []beat
	written map[uint32]bool   // words of the exchange memory, by offset
	rewrote bool              // some of those, since they were read
	words   map[uint32]uint32 // of the exchange memory, as they were read
	comms   map[uint32]bool   // communicators and arithmetic configurations of calls, by offset
	configs map[uint32]bool
	used    memory.Extents // of device memory, with what lies around
	blocks  []*block       // of memory, in the order of their allocation; those that are freed until the next step
}

// block is memory that the host has allocated.
type block struct {
	addr  uint64
	bytes int
	host  bool // it is host memory
	mem   accl.Memory
	last  []byte // what was in host memory when it was freed
	freed bool
}

// Device is how the host of a rank reaches its engine, which must be done before
// it does anything.
func (l *Log) Device(rank int, e engine.Engine) engine.Device {
	h := &l.hosts[rank]
	h.engine, h.device = e, e.Device()
	if clock, ok := e.(interface{ Cycle() uint64 }); ok {
		h.cycle = clock.Cycle
	}
	return &device{h.device, h}
}

// device notes what the host does with an engine.
type device struct {
	engine.Device
	host *host
}

// WriteReg implements accl.Device.
func (d *device) WriteReg(ctx context.Context, off, v uint32) error {
	d.host.mu.Lock()
	d.host.written[off], d.host.rewrote = true, true
	d.host.mu.Unlock()
	return d.Device.WriteReg(ctx, off, v)
}

// Start implements accl.Device. An offset of 0 in a call is that of nothing.
func (d *device) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	called := uint64(0)
	if d.host.cycle != nil {
		called = d.host.cycle()
	}
	d.host.mu.Lock()
	d.host.called = called
	if c.Comm != 0 {
		d.host.comms[c.Comm] = true
	}
	if c.ArithCfg != 0 {
		d.host.configs[c.ArithCfg] = true
	}
	d.host.mu.Unlock()
	return d.Device.Start(ctx, client, c)
}

// Alloc implements accl.Device.
func (d *device) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	m, err := d.Device.Alloc(ctx, spec)
	if err != nil {
		return nil, err
	}
	b := &block{addr: m.Addr(), bytes: spec.Bytes, host: spec.Host, mem: m}
	d.host.mu.Lock()
	defer d.host.mu.Unlock()
	d.host.blocks = append(d.host.blocks, b)
	if !b.host {
		from, to := b.addr&^(around-1), b.addr+uint64(b.bytes)
		d.host.used.Add(memory.Extent{From: from - min(from, around), To: (to+around-1)&^(around-1) + around})
	}
	return &kept{m, d.host, b}, nil
}

// kept is memory whose content is noted when it is freed.
type kept struct {
	accl.Memory
	host  *host
	block *block
}

// Mirrored implements accl.Mirrored.
func (k *kept) Mirrored() bool { return mirrored(k.Memory) }

func mirrored(m accl.Memory) bool {
	copied, ok := m.(accl.Mirrored)
	return ok && copied.Mirrored()
}

// Free implements accl.Memory. Device memory keeps what it holds, host memory is
// gone.
func (k *kept) Free() error {
	var last []byte
	if k.block.host {
		var err error
		if last, err = k.block.content(context.Background()); err != nil {
			return err
		}
	}
	if err := k.Memory.Free(); err != nil {
		return err
	}
	k.host.mu.Lock()
	defer k.host.mu.Unlock()
	k.block.last, k.block.freed = last, true
	return nil
}

// content is what is in host memory, as the engine sees it. The host's copy stays
// as it is.
func (b *block) content(ctx context.Context) ([]byte, error) {
	if b.freed {
		return b.last, nil
	}
	if !mirrored(b.mem) {
		return bytes.Clone(b.mem.Bytes()), nil
	}
	mine := b.mem.Bytes()
	before := bytes.Clone(mine)
	if err := b.mem.SyncFrom(ctx, 0, b.bytes); err != nil {
		return nil, err
	}
	now := bytes.Clone(mine)
	copy(mine, before)
	return now, nil
}

// take returns the beats and the blocks, and forgets what is over.
func (h *host) take() ([]beat, []*block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	beats, blocks := h.beats, h.blocks
	h.beats, h.blocks = nil, nil
	for _, b := range blocks {
		if !b.freed {
			h.blocks = append(h.blocks, b)
		}
	}
	return beats, blocks
}
