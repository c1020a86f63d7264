package accl_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
)

// platformOf is what the driver knows of a shipped platform.
func platformOf(t testing.TB, name string) *accl.Platform {
	t.Helper()
	vars := map[string]cty.Value{}
	if name == "u55c_tcp" || name == "u55c_rdma" {
		vars["host_memory"] = cty.True
	}
	p := driverview.Of(designtest.Load(t, name, vars))
	return &p
}

// One platform for each generation, and for each stack.
var platformNames = []string{"u280_manual", "u280_2022", "u55c_tcp", "u55c_udp", "u55c_rdma"}

// device is an engine that does nothing: it records what is done to it, and
// answers calls.
type device struct {
	platform *accl.Platform

	mu      sync.Mutex
	regs    map[uint32]uint32
	writes  []uint32 // offsets, in order
	next    uint64
	memory  map[uint64]*memory
	calls   []placed
	tickets map[accl.Ticket]*answer
	last    accl.Ticket
	log     []string // copies between host and device, and calls
	refuse  error    // of Start, Alloc and registers

	// reply answers calls that are no config calls; 0 without it.
	reply   func(placed) accl.ReturnCode
	placing func(accl.Call) // before a call is placed
	// hold keeps back answers to calls until it is closed.
	hold chan struct{}
	// cycles is what the performance counter shows after a call.
	cycles uint32
}

// placed is a call as it was placed.
type placed struct {
	accl.Call
	client int
}

type answer struct {
	code  accl.ReturnCode
	ready chan struct{}
	given bool
}

func newDevice(p *accl.Platform) *device {
	d := &device{platform: p, regs: map[uint32]uint32{}, next: 0x1_0000_1000, memory: map[uint64]*memory{},
		tickets: map[accl.Ticket]*answer{}, placing: func(accl.Call) {}}
	d.regs[d.word("hardware_id")] = p.HardwareID.Value | 0xABCDEF<<8 // a source revision
	return d
}

// word is the place of a word of the exchange memory.
func (d *device) word(name string) uint32 {
	for _, w := range d.platform.Exchange.Words {
		if w.Name == name {
			return w.At
		}
	}
	panic("no word " + name)
}

func (d *device) ReadReg(ctx context.Context, off uint32) (uint32, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.regs[off], d.refuse
}

func (d *device) WriteReg(ctx context.Context, off, v uint32) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil {
		return d.refuse
	}
	d.regs[off] = v
	d.writes = append(d.writes, off)
	return nil
}

// reg is a word of the exchange memory.
func (d *device) reg(off uint32) uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.regs[off]
}

func (d *device) setReg(off, v uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.regs[off] = v
}

var errTaken = errors.New("address is taken")

func (d *device) Alloc(ctx context.Context, spec accl.MemSpec) (accl.Memory, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil {
		return nil, d.refuse
	}
	if spec.Bytes < 1 {
		return nil, errors.New("no bytes")
	}
	at := d.next
	if spec.At != nil {
		at = *spec.At
		if d.memory[at] != nil {
			return nil, errTaken
		}
	} else {
		d.next += uint64(spec.Bytes+4095) &^ 4095
	}
	m := &memory{device: d, at: at, host: make([]byte, spec.Bytes)}
	m.mem = m.host
	if !spec.Host {
		m.mem = make([]byte, spec.Bytes)
		for i := range min(len(m.mem), 1<<16) {
			m.mem[i] = 0xEE // what nobody has written
		}
	}
	d.memory[at] = m
	return m, nil
}

// Start places a call and works it out at once.
func (d *device) Start(ctx context.Context, client int, c accl.Call) (accl.Ticket, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	d.placing(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refuse != nil {
		return 0, d.refuse
	}
	p := placed{c, client}
	d.calls = append(d.calls, p)
	a := &answer{ready: make(chan struct{})}
	config := c.Scenario == 0
	switch {
	case config && c.FunctionCode == 0 && d.platform.Features.ConfigReady:
		d.regs[d.word("config_ready")] = 0
	case d.reply != nil && (!config || c.FunctionCode == 4):
		a.code = d.reply(p)
	}
	if !config {
		d.log = append(d.log, "call")
		if d.cycles != 0 {
			d.regs[d.word("performance_counter")] = d.cycles
		}
	}
	if hold := d.hold; hold != nil && !config {
		go func() { <-hold; close(a.ready) }()
	} else {
		close(a.ready)
	}
	d.last++
	d.tickets[d.last] = a
	return d.last, nil
}

func (d *device) Wait(ctx context.Context, t accl.Ticket) (accl.ReturnCode, error) {
	d.mu.Lock()
	a := d.tickets[t]
	d.mu.Unlock()
	select {
	case <-a.ready:
	default:
		select {
		case <-a.ready:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.given {
		return 0, errors.New("the answer was given")
	}
	a.given = true
	return a.code, nil
}

func (d *device) Close() error { return nil }

// taken returns the calls so far, and forgets them.
func (d *device) taken() []placed {
	d.mu.Lock()
	defer d.mu.Unlock()
	calls := d.calls
	d.calls = nil
	return calls
}

// memory is a piece of memory of a device.
type memory struct {
	device    *device
	at        uint64
	host, mem []byte
}

func (m *memory) Addr() uint64  { return m.at }
func (m *memory) Bytes() []byte { return m.host }

func (m *memory) SyncTo(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, "to", m.mem, m.host, offset, bytes)
}

func (m *memory) SyncFrom(ctx context.Context, offset, bytes int) error {
	return m.sync(ctx, "from", m.host, m.mem, offset, bytes)
}

func (m *memory) sync(ctx context.Context, way string, to, from []byte, offset, bytes int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.device.mu.Lock()
	defer m.device.mu.Unlock()
	m.device.log = append(m.device.log, fmt.Sprintf("%s 0x%X+%d %d", way, m.at, offset, bytes))
	copy(to[offset:offset+bytes], from[offset:offset+bytes])
	return nil
}

func (m *memory) Free() error {
	m.device.mu.Lock()
	defer m.device.mu.Unlock()
	if m.device.memory[m.at] != m {
		return errors.New("freed twice")
	}
	delete(m.device.memory, m.at)
	return nil
}

// allocated counts the pieces of memory in use.
func (d *device) allocated() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.memory)
}

// copies returns what was copied and called since the last time.
func (d *device) copies() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	log := d.log
	d.log = nil
	return log
}

// within bounds a test that must not hang.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// opened is rank 1 of 3 on a platform, and its device, whose record is empty.
func opened(t testing.TB, name string, o ...accl.OpenOption) (*accl.Engine, *device) {
	t.Helper()
	p := platformOf(t, name)
	d := newDevice(p)
	e, err := accl.Open(within(t), d, p, accl.LocalRanks(3), 1, o...)
	assert.NilError(t, err)
	d.taken()
	d.copies()
	return e, d
}

// alloc allocates a buffer, and forgets how that was recorded.
func alloc[T accl.Element](t testing.TB, e *accl.Engine, d *device, n int, o ...accl.AllocOption) *accl.Buffer[T] {
	t.Helper()
	b, err := accl.Alloc[T](within(t), e, n, o...)
	assert.NilError(t, err)
	d.copies()
	return b
}
