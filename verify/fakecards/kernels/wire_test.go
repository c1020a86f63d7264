package kernels

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/layout"
)

func get(t *testing.T, r layout.Registers, offset uint32) uint32 {
	t.Helper()
	v, err := r.Read(t.Context(), offset)
	assert.NilError(t, err)
	return v
}

func put(t *testing.T, r layout.Registers, offset, v uint32) {
	t.Helper()
	assert.NilError(t, r.Write(t.Context(), offset, v))
}

// PG203: bits of the state are latched until they are read; statistics are those between
// two ticks.
func TestEthernet(t *testing.T) {
	m := NewWire(false).UDP(true).Ethernet
	if first, second := get(t, m, 0x204), get(t, m, 0x204); first != 0x40 || second != 3 {
		t.Errorf("after loading the state reads 0x%X and 0x%X", first, second)
	}
	m.Cut(true)
	m.Cut(false)
	if first, second := get(t, m, 0x204), get(t, m, 0x204); first != 0x40 || second != 3 {
		t.Errorf("after a moment without cable it reads 0x%X and 0x%X", first, second)
	}
	m.Count(0x608, 1<<33)
	v := get(t, m, 0x60C)
	assert.Check(t, v == 0, "a counter shows %d before the tick", v)
	put(t, m, 0x2B0, 1)
	if low, high := get(t, m, 0x608), get(t, m, 0x60C); low != 0 || high != 2 {
		t.Errorf("the counter shows %d, %d", low, high)
	}
	put(t, m, 0x2B0, 1)
	assert.Check(t, is.Equal(get(t, m, 0x60C), uint32(0)), "after another tick it shows")
	put(t, m, 0x107C, 3)
	get(t, m, 0x204)
	assert.Check(t, is.Equal(get(t, m, 0x204), uint32(3)), "before a reset RS-FEC is taken over: the state is 0x")
	put(t, m, 0x4, 0xC0000000)
	put(t, m, 0x4, 0)
	get(t, m, 0x204)
	assert.Check(t, is.Equal(get(t, m, 0x204), uint32(0x40)), "with RS-FEC at one end the state is 0x")
}

// arp_server.cpp: a rising edge asks for what is not in the table; who has the address
// answers; the table has addresses with the first octet lowest.
func TestARP(t *testing.T) {
	w := NewWire(false)
	a, b := w.UDP(true), w.UDP(true)
	for i, c := range []*UDP{a, b} {
		put(t, c.Registers(), 0x10, 0x35029D10+uint32(i))
		put(t, c.Registers(), 0x18, 0x0A000010+uint32(i))
	}
	w.Host(netip.MustParseAddr("10.0.1.18"), MAC{1: 9}) // not in the network that is asked
	put(t, a.Registers(), 0x1010, 1)
	put(t, a.Registers(), 0x1010, 1)
	assert.Check(t, a.Scans() == 1, "%d scans without an edge", a.Scans())
	assert.Check(t, is.Equal(get(t, a.Registers(), 0x1110), uint32(0x00000100)), "entries 16 to 19 are 0x")
	if ip, low, high := get(t, a.Registers(), 0x1400+4*17), get(t, a.Registers(), 0x1800+8*17), get(t, a.Registers(),
		0x1804+8*17); ip != 0x1100000A || low != 0x02350A00 || high != 0x119D {
		t.Errorf("the entry is 0x%08X, 0x%08X, 0x%08X", ip, low, high)
	}
	assert.Check(t, is.Equal(get(t, b.Registers(), 0x1110), uint32(0)), "who was asked has learnt something")
	put(t, b.Registers(), 0x10, 0x35029D77)
	put(t, a.Registers(), 0x1010, 0)
	put(t, a.Registers(), 0x1010, 1)
	assert.Check(t, is.Equal(get(t, a.Registers(), 0x1804+8*17), uint32(0x119D)), "a valid entry was asked for: 0x")
}

// network_stack.sv, network_control_s_axi.sv: addresses are taken over by a start, arp
// reads reversed. session_lookup_controller.cpp: numbers are given in order, those that
// are free again come last. port_table.cpp: ports below 32768, each once.
func TestTCP(t *testing.T) {
	w := NewWire(false)
	a, b := w.TCP(), w.TCP()
	for i, c := range []*TCP{a, b} {
		r := c.Registers()
		put(t, r, 0x10, 0x0A000010+uint32(i))
		put(t, r, 0x18, uint32(i+12))
		put(t, r, 0x20, 0x0A000001)
		assert.Check(t, is.Equal(get(t, r, 0x20), uint32(0x0100000A)), "arp reads 0x")
		assert.Check(t, c.OpenPort(t.Context(), 5000) != nil, "a stack that was not started listens")
		put(t, r, 0, 1)
		for v := get(t, r, 0); v&2 == 0; v = get(t, r, 0) {
			if v&5 == 4 {
				t.Fatal("idle without having been done")
			}
		}
		v := get(t, r, 0)
		assert.Check(t, v == 4, "control is 0x%X after done was read", v)
	}
	if mac, ok := b.arp(0x0A000011); !ok || mac.String() != "00:0A:35:02:9D:E2" { // 5 + 13, without carry
		t.Errorf("%v, %t", mac, ok)
	}
	connect := func(from *TCP, ip uint32, port uint16) (uint32, error) {
		return from.OpenConnection(context.Background(), ip, port)
	}
	_, err := connect(a, 0x0A000011, 5000)
	assert.Check(t, errors.Is(err, ErrRefused), "%v", err)
	_, err = connect(a, 0x0A000099, 5000)
	assert.Check(t, errors.Is(err, ErrSilent), "%v", err)
	for port, good := range map[uint16]bool{32768: false, 5000: true} {
		err := b.OpenPort(t.Context(), port)
		assert.Check(t, (err == nil) == good, "port %d: %v", port, err)
	}
	assert.Check(t, is.ErrorIs(b.OpenPort(t.Context(), 5000), ErrPort))
	for want := range uint32(3) {
		if s, err := connect(a, 0x0A000011, 5000); err != nil || s != 2+want || w.Connections()[want].ToSession != want {
			t.Errorf("session %d, %v; %v", s, err, w.Connections())
		}
	}
}
