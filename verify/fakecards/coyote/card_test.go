package coyote_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	driver "github.com/cclforge/cclforge/driver/coyote"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/fakecards/coyote"
)

func open(t *testing.T, p *coyote.Process, d *layout.Design) *driver.Card {
	t.Helper()
	c, err := driver.Open(t.Context(), d, driver.Options{System: p})
	assert.NilError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestCardsThatCannotBeOpened(t *testing.T) {
	d, _, lies := rdma(t)
	tcp, err := driverview.Card(designtest.Load(t, "u55c_tcp", nil))
	assert.NilError(t, err)
	for name, test := range map[string]struct {
		design *layout.Design
		o      driver.Options
		flags  uint64
		kind   error
		says   []string
	}{
		"no such card": {&lies, driver.Options{Card: 1}, 0, driver.ErrNoCard, []string{"/dev/coyote_fpga_1_v0"}},
		"no card":      {&lies, driver.Options{Card: -1}, 0, driver.ErrNoCard, []string{"card -1"}},
		"no such region": {&lies, driver.Options{Region: 1}, 0, driver.ErrNoCard,
			[]string{"card 0, region 1", "/dev/coyote_fpga_0_v1"}},
		"no shell": {&tcp, driver.Options{}, 0, driver.ErrDesign, []string{"u55c_tcp is linked by v++"}},
		"another shell": {&lies, driver.Options{}, coyote.Flags &^ (1<<16 | 1<<3), driver.ErrDesign,
			[]string{"card 0 does not hold u55c_rdma", "no RDMA", "does not reach the card's memory"}},
		"AVX":              {&lies, driver.Options{}, coyote.Flags | 1, driver.ErrDesign, []string{"EN_AVX"}},
		"shell of nothing": {&lies, driver.Options{}, 1 << 40, driver.ErrDesign, []string{"0 regions"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := coyote.Start(t, d, 1, coyote.HostOptions{Flags: test.flags})
			test.o.System = h.Process()
			_, err := driver.Open(t.Context(), test.design, test.o)
			for _, says := range test.says {
				assert.Check(t, errors.Is(err, test.kind) && strings.Contains(err.Error(), says),
					"%v, want %v with %q", err, test.kind, says)
			}
			coyote.Returned(t, h)
		})
	}
}

// TestARegionBelongsToOneProcess, until that closes it or dies. Whatever was before, the
// next process gets thread 0.
func TestARegionBelongsToOneProcess(t *testing.T) {
	d, p, lies := rdma(t)
	h := coyote.Start(t, d, 1, coyote.HostOptions{})
	for round := range 5 {
		first := h.Process()
		c := open(t, first, &lies)
		dev, err := c.Engine(t.Context(), &p, 0)
		assert.NilError(t, err)
		_, err = c.Engine(t.Context(), &p, 0)
		assert.Check(t, errors.Is(err, driver.ErrOpen), "the same engine again: %v", err)
		_, err = dev.Alloc(t.Context(), accl.MemSpec{Bytes: 1})
		assert.NilError(t, err)
		numbers, err := c.QueuePairs(t.Context(), round+2)
		assert.Assert(t, err == nil && len(numbers) == round+2 && slices.IsSorted(numbers) && numbers[0] == 0,
			"round %d: %v, %v", round, numbers, err)
		_, err = driver.Open(t.Context(), &lies, driver.Options{System: h.Process()})
		assert.Check(t, errors.Is(err, driver.ErrBusy) && strings.Contains(err.Error(), "card 0"),
			"another process: %v", err)
		if round%2 == 0 {
			first.Die() // in which order its threads are taken back is the driver's
		} else if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	c := open(t, h.Process(), &lies)
	_, err := c.QueuePairs(t.Context(), 32)
	assert.Check(t, errors.Is(err, driver.ErrThreads), "more queue pairs than there can be: %v", err)
	assert.NilError(t, c.Close())
	assert.Check(t, c.Close(), "closed again")
	_, err = c.QueuePairs(t.Context(), 1)
	assert.Check(t, errors.Is(err, driver.ErrClosed), "%v", err)
	_, err = c.Engine(t.Context(), &p, 0)
	assert.Check(t, errors.Is(err, driver.ErrClosed), "%v", err)
	coyote.Returned(t, h)
}

// TestAForeignThread0: somebody who does not lock the region has it open, and its
// transfers would be the application's.
func TestAForeignThread0(t *testing.T) {
	d, _, lies := rdma(t)
	h := coyote.Start(t, d, 1, coyote.HostOptions{})
	foreign := h.Process()
	f, err := foreign.Open("/dev/coyote_fpga_0_v0")
	assert.NilError(t, err)
	words := make([]uint64, 32)
	words[0] = uint64(syscall.Getpid())
	if _, err := f.Call(0x40084601, words); err != nil || words[1] != 0 {
		t.Fatal(words[1], err)
	}
	_, err = driver.Open(t.Context(), &lies, driver.Options{System: h.Process()})
	assert.Check(t, errors.Is(err, driver.ErrBusy) && strings.Contains(err.Error(), "thread 0 of card 0"), "%v", err)
	foreign.Die()
	assert.NilError(t, open(t, h.Process(), &lies).Close())
}

// TestMemory looks into device memory as the engine sees it.
func TestMemory(t *testing.T) {
	d, p, lies := rdma(t)
	lies.Driver[0].HugePage = 64 << 10
	const page = 64 << 10
	const size = 3*page - 1000
	h := coyote.Start(t, d, 1, coyote.HostOptions{})
	c := open(t, h.Process(), &lies)
	dev, err := c.Engine(t.Context(), &p, 0)
	assert.NilError(t, err)
	m, err := dev.Alloc(t.Context(), accl.MemSpec{Bytes: size})
	assert.NilError(t, err)
	engine, err := h.World.Engine(0).Memory(false)
	assert.NilError(t, err)
	device := func(at, n int) []byte {
		t.Helper()
		out := make([]byte, n)
		assert.NilError(t, engine.Read(out, m.Addr()+uint64(at)))
		return out
	}
	written := func(at int, b []byte) {
		t.Helper()
		assert.NilError(t, engine.Write(b, m.Addr()+uint64(at)))
	}
	for i := range m.Bytes() {
		m.Bytes()[i] = byte(i%251 + 1)
	}
	// Nothing goes over by itself, and a part leaves what is around it on the device alone.
	assert.Check(t, bytes.Equal(device(0, size), make([]byte, size)), "new memory is not empty")
	written(page-8, []byte("ENGINE"))
	written(2*page+5000, []byte("DEVICE"))
	assert.NilError(t, m.SyncTo(t.Context(), page-2, page+1000))
	want := make([]byte, size)
	copy(want[page-8:], "ENGINE")
	copy(want[2*page+5000:], "DEVICE")
	copy(want[page-2:2*page+998], m.Bytes()[page-2:])
	assert.Check(t, bytes.Equal(device(0, size), want),
		"a part that was given to the device has changed more than itself, or not that")
	for i := range m.Bytes() {
		m.Bytes()[i] = 0xEE
	}
	assert.NilError(t, m.SyncFrom(t.Context(), page-8, 8))
	got := m.Bytes()[page-9 : page+1]
	assert.Check(t, string(got[1:7]) == "ENGINE" && got[0] == 0xEE && got[9] == 0xEE, "%q", got)
	written(page-8, []byte("again!"))
	err = m.SyncFrom(t.Context(), 0, size)
	assert.Check(t, err == nil && bytes.Equal(m.Bytes(), device(0, size)), "all of it: %v", err)
	err = m.SyncTo(t.Context(), 0, size)
	assert.Check(t, err == nil && bytes.Equal(m.Bytes(), device(0, size)), "all of it back: %v", err)
	// Host memory is the same bytes for both.
	shared, err := dev.Alloc(t.Context(), accl.MemSpec{Bytes: size, Host: true})
	assert.NilError(t, err)
	assert.Check(t, shared.SyncTo(t.Context(), 0, size) == nil && shared.SyncFrom(t.Context(), 0, size) == nil,
		"there is nothing to do")
	for _, mem := range []accl.Memory{m, shared} {
		for _, bounds := range [][2]int{{-1, 1}, {0, size + 1}, {size, 1}, {1, -1}} {
			assert.Check(t, mem.SyncTo(t.Context(), bounds[0], bounds[1]) != nil, "%v are within it", bounds)
		}
		assert.NilError(t, mem.Free())
		assert.Check(t, is.ErrorIs(mem.Free(), driver.ErrFreed))
		assert.Check(t, is.ErrorIs(mem.SyncFrom(t.Context(), 0, 1), driver.ErrFreed))
	}
	assert.NilError(t, c.Close())
	coyote.Returned(t, h)
}

func TestMemoryThatThereIsNot(t *testing.T) {
	d := designtest.Load(t, "u55c_rdma", nil) // its engine does not reach host memory
	p := driverview.Of(d)
	lies, err := driverview.Card(d)
	assert.NilError(t, err)
	h := coyote.Start(t, d, 1, coyote.HostOptions{})
	dev, err := open(t, h.Process(), &lies).Engine(t.Context(), &p, 0)
	assert.NilError(t, err)
	at := uint64(4096)
	for name, test := range map[string]struct {
		spec accl.MemSpec
		kind error
		says string
	}{
		"nothing":     {accl.MemSpec{}, nil, "at least 1"},
		"at":          {accl.MemSpec{Bytes: 1, At: &at}, driver.ErrMemory, "0x1000"},
		"peer":        {accl.MemSpec{Bytes: 1, Peer: true}, driver.ErrMemory, "no other device"},
		"host memory": {accl.MemSpec{Bytes: 1, Host: true}, driver.ErrMemory, "host memory"},
		"too much":    {accl.MemSpec{Bytes: 1<<63 - 1}, driver.ErrPages, "allocate"},
	} {
		if _, err := dev.Alloc(t.Context(), test.spec); err == nil || !strings.Contains(err.Error(), test.says) ||
			test.kind != nil && !errors.Is(err, test.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.Fail("mmap(MAP_HUGETLB)", 1, 0, syscall.ENOMEM)
	_, err = dev.Alloc(t.Context(), accl.MemSpec{Bytes: 1})
	assert.Check(t, errors.Is(err, driver.ErrPages) && strings.Contains(err.Error(), "vm.nr_hugepages"),
		"no huge pages: %v", err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = dev.Alloc(ended, accl.MemSpec{Bytes: 1})
	assert.Check(t, errors.Is(err, context.Canceled), "after the end of the context: %v", err)
}

func TestAddressesThatTheShellCannotHave(t *testing.T) {
	d, _, lies := rdma(t)
	h := coyote.Start(t, d, 1, coyote.HostOptions{})
	c := open(t, h.Process(), &lies)
	good, mac := h.Ranks()[0].IP, net.HardwareAddr{2, 0, 0, 0, 0, 1}
	for name, err := range map[string]error{
		"a short MAC address": c.SetAddress(t.Context(), good, mac[:5]),
		"IPv6":                c.SetAddress(t.Context(), netip.IPv6Loopback(), mac),
		"none":                c.Ask(t.Context(), netip.Addr{}),
		"of the other end":    c.Connect(t.Context(), network.QueuePair{}, network.QueuePair{}, 1),
	} {
		assert.Check(t, is.ErrorIs(err, driver.ErrAddress), "%s", name)
	}
	err := c.Connect(t.Context(), network.QueuePair{QPN: 1 << 16}, network.QueuePair{IP: good}, 1)
	assert.Check(t, err != nil && strings.Contains(err.Error(), "local_pair of connection has 16 bits"),
		"a number that is too large: %v", err)
}

// TestTheMACAddressComesFirst: a rank that asks at once shall not be told the one before.
func TestTheMACAddressComesFirst(t *testing.T) {
	d, _, lies := rdma(t)
	h := coyote.Start(t, d, 1, coyote.HostOptions{})
	assert.NilError(t, open(t, h.Process(), &lies).SetAddress(t.Context(), h.Ranks()[0].IP, net.HardwareAddr{2, 0, 0, 0, 0, 1}))
	var order []string
	for _, call := range h.Calls() {
		if strings.HasPrefix(call.Function, "SET_") {
			order = append(order, call.Function)
		}
	}
	assert.Check(t, slices.Equal(order, []string{"SET_MAC_ADDRESS", "SET_IP_ADDRESS"}), "%v", order)
}

func TestRegisters(t *testing.T) {
	d, _, lies := rdma(t)
	h := coyote.Start(t, d, 1, coyote.HostOptions{})
	c := open(t, h.Process(), &lies)
	_, err := c.Registers("poe_0")
	assert.Check(t, errors.Is(err, driver.ErrInstance), "the shell's own: %v", err)
	regs, err := c.Registers("hostctrl_0_0")
	assert.NilError(t, err)
	assert.NilError(t, regs.Write(t.Context(), 0x64, 0x89ABCDEF))
	v, err := regs.Read(t.Context(), 0x64)
	assert.Check(t, err == nil && v == 0x89ABCDEF, "0x%X, %v", v, err)
	for _, at := range []uint32{2, 0x1000, 1 << 31} {
		if _, err := regs.Read(t.Context(), at); !errors.Is(err, driver.ErrRegister) {
			t.Errorf("0x%X: %v", at, err)
		}
	}
	assert.NilError(t, c.Close())
	_, err = regs.Read(t.Context(), 0)
	assert.Check(t, errors.Is(err, driver.ErrClosed), "%v", err)
}
