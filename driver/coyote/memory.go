package coyote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"syscall"
	"unsafe"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/layout"
)

// memory is huge pages that the shell knows. It implements accl.Memory.
type memory struct {
	engine.Memory // what the host sees are the pages themselves in host memory
	c             *Card
	pages         []byte     // whole ones
	mapped        int        // bytes of them, from the first on, that the shell knows
	syncing       sync.Mutex // several ranges may have parts of a page
}

// anyBlock has the shell's driver choose memory, where it has a choice.
const anyBlock = math.MaxUint64

// Alloc implements accl.Device. Pages have their addresses in this process: the error is
// ErrMemory for memory at a given address, for host memory that the platform does not
// reach, and for peer-to-peer memory; it is ErrPages if there are too few huge pages.
func (d *Device) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	what := "device memory"
	switch {
	case spec.Bytes <= 0:
		return nil, fmt.Errorf("allocate %d bytes: at least 1 expected", spec.Bytes)
	case spec.At != nil:
		return nil, fmt.Errorf("%w: at 0x%X: in the shell, memory has the addresses of this process", ErrMemory, *spec.At)
	case spec.Peer && !spec.Host:
		return nil, fmt.Errorf("%w: the shell shows device memory to no other device", ErrMemory)
	case spec.Host && !d.host:
		return nil, fmt.Errorf("%w: the platform does not reach host memory", ErrMemory)
	case spec.Host:
		what = "host memory"
	}
	m, err := d.c.alloc(ctx, spec.Bytes, spec.Host)
	if err != nil {
		return nil, fmt.Errorf("allocate %d bytes of %s on %s: %w", spec.Bytes, what, d.c.name, err)
	}
	return m, nil
}

func (c *Card) alloc(ctx context.Context, bytes int, host bool) (*memory, error) {
	done, err := c.use()
	if err != nil {
		return nil, err
	}
	defer done()
	size := int(c.driver.HugePage)
	if bytes > math.MaxInt-3*size {
		return nil, fmt.Errorf("%w: %w", ErrPages, syscall.ENOMEM)
	}
	m := &memory{Memory: engine.Memory{Use: c.use, Direct: host}, c: c}
	if m.pages, err = c.sys.Pages((bytes+size-1)/size*size, size); err != nil {
		if errors.Is(err, syscall.ENOMEM) {
			return nil, fmt.Errorf("%w of %d bytes (sysctl vm.nr_hugepages): %w", ErrPages, size, err)
		}
		return nil, err
	}
	if m.Host = m.pages[:bytes:bytes]; !host {
		m.Host = make([]byte, bytes)
	}
	if err := m.introduce(ctx); err != nil {
		return nil, errors.Join(err, m.unmap(), m.release())
	}
	c.mu.Lock()
	c.buffers[m] = true
	c.mu.Unlock()
	return m, nil
}

// introduce maps all pages in the shell, one by one, because it moves a whole mapping at
// once.
func (m *memory) introduce(ctx context.Context) error {
	for m.mapped < len(m.pages) {
		at := m.mapped
		m.mapped += m.size() // also if it fails, in which case the driver may have it
		if err := m.page(ctx, "map_memory", at, layout.Values{"bytes": uint64(m.size()), "block": anyBlock}); err != nil {
			return err
		}
		if m.Direct {
			continue
		}
		// From now on what the card has of it counts.
		if err := m.move(ctx, "offload", at); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) size() int { return int(m.c.driver.HugePage) }

func (m *memory) page(ctx context.Context, name string, at int, values layout.Values) error {
	values["address"], values["thread"] = m.Addr()+uint64(at), 0
	m.c.transfer.Lock()
	defer m.c.transfer.Unlock()
	_, err := m.c.call(ctx, name, values)
	return err
}

// move moves a page to or from the card. The page must be mapped: the shell's driver
// searches for an unmapped one for ever.
func (m *memory) move(ctx context.Context, name string, at int) error {
	return m.page(ctx, name, at, layout.Values{"bytes": uint64(m.size())})
}

func (m *memory) Addr() uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.pages)))) }

func (m *memory) SyncTo(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, offset, bytes, func(at, from, to int) error {
		if whole := from == at && (to == at+m.size() || to == len(m.Host)); !whole {
			if err := m.move(ctx, "fetch", at); err != nil {
				return err
			}
		}
		copy(m.pages[from:to], m.Host[from:to])
		return m.move(ctx, "offload", at)
	})
}

// SyncFrom leaves the pages with the host. The shell gives them to the card again when
// an engine wants them there.
func (m *memory) SyncFrom(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, offset, bytes, func(at, from, to int) error {
		if err := m.move(ctx, "fetch", at); err != nil {
			return err
		}
		copy(m.Host[from:to], m.pages[from:to])
		return nil
	})
}

// sync does something to each page of a range.
func (m *memory) sync(ctx context.Context, offset, bytes int, do func(at, from, to int) error) error {
	m.syncing.Lock()
	defer m.syncing.Unlock()
	return m.Transfer(ctx, offset, bytes, func() error {
		for from, end := offset, offset+bytes; from < end; {
			at := from / m.size() * m.size()
			to := min(end, at+m.size())
			if err := do(at, from, to); err != nil {
				return err
			}
			from = to
		}
		return nil
	})
}

// Free implements accl.Memory. Its Bytes must not be used any more.
func (m *memory) Free() error {
	return m.Return(m.unmap, func() error {
		m.c.mu.Lock()
		delete(m.c.buffers, m)
		m.c.mu.Unlock()
		return m.release()
	})
}

// unmap makes the shell forget the pages, the first one first: its driver may confuse a
// page with one that ends at its beginning.
func (m *memory) unmap() error {
	for at := 0; at < m.mapped; at += m.size() {
		if err := m.page(context.Background(), "unmap_memory", at, layout.Values{}); err != nil {
			return err
		}
	}
	m.mapped = 0
	return nil
}

// release returns the pages.
func (m *memory) release() error { return m.c.sys.Return(m.pages) }

// holds reports whether an address lies in a buffer.
func (c *Card) holds(address uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return engine.Holds(maps.Keys(c.buffers), address)
}
