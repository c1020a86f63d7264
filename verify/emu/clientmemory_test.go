package emu

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
)

func TestMemoryIsThereWhereClientsOrTheEngineHaveBeen(t *testing.T) {
	_, r := newRig(t, worldOptions{buffers: 1})
	m, err := r.Memory(false)
	assert.NilError(t, err)
	can := func(addr, bytes uint64, want bool) {
		t.Helper()
		err := m.Read(make([]byte, bytes), addr)
		if (err == nil) != want || err != nil && !errors.Is(err, ErrNoMemory) {
			t.Errorf("reading %d bytes at 0x%X: %v", bytes, addr, err)
		}
	}
	can(0x1000, 1, false)
	can(0x1000, 0, true)
	assert.NilError(t, m.Reserve(0x1000, 100))
	can(0x1000, 100, true)
	can(0x1000, 101, false)
	can(0xFFF, 2, false)
	assert.NilError(t, m.Write([]byte("beyond"), 0x1064))
	can(0x1000, 106, true)
	got := make([]byte, 8)
	if err := m.Read(got, 0x1062); err != nil || string(got) != "\x00\x00beyond" {
		t.Errorf("%q, %v", got, err)
	}
	// The engine sees what clients write, and they what it writes.
	assert.NilError(t, m.Write(random(1, 5000), 1<<39))
	assert.Check(t, bytes.Equal(r.read(1<<39, 5000), random(1, 5000)), "the engine reads something else")
	can(0x7000_0000, 64, false)
	assert.NilError(t, copyIn(r.space(false), 0x7000_0FC0, random(2, 64)))
	can(0x7000_0FC0, 64, true)
	can(0x7000_0FC0, 65, false)
	assert.NilError(t, m.Reserve(0x7000_1000, 1))
	can(0x7000_0FC0, 65, true) // partly the engine's, partly a client's
	for _, far := range []uint64{1 << 40, 1<<64 - 1} {
		can(far, 2, false)
		assert.Check(t, is.ErrorIs(m.Write([]byte{1}, far), ErrFull), "writing at 0x%X", far)
		assert.Check(t, is.ErrorIs(m.Reserve(far, 1<<63), ErrFull), "reserving at 0x%X", far)
	}
}

func TestMemoryTakesNoMoreRoomThanAllowed(t *testing.T) {
	_, r := newRig(t, worldOptions{engine: Options{ResidentBytes: 3 * pageBytes}})
	m, err := r.Memory(false)
	assert.NilError(t, err)
	for i := range uint64(3) {
		assert.NilError(t, m.Write([]byte{byte(i + 1)}, i*tableBytes))
	}
	assert.Check(t, is.ErrorIs(m.Write([]byte{1}, 1<<38), ErrFull), "a fourth page")
	assert.Check(t, is.ErrorIs(copyIn(r.space(false), 1<<38, []byte{1}), ErrNoMemory),
		"the engine writes to a fourth page")
	assert.Check(t, m.Write([]byte{9}, tableBytes+5), "a page that is there")
	if n := r.device.pages.Load(); n != 3 {
		t.Errorf("%d pages", n)
	}
}

func TestHostMemoryOfClients(t *testing.T) {
	host := map[string]cty.Value{"host_memory": cty.True}
	shared := newWorld(t, worldOptions{engines: 1, vars: host, engine: Options{SharedHost: true}}).rigs[0]
	m, err := shared.Memory(true)
	assert.NilError(t, err)
	assert.NilError(t, m.Write([]byte("host"), 0))
	got := make([]byte, 4)
	if err := copyOut(got, shared.space(true), 0); err != nil || string(got) != "host" {
		t.Errorf("the engine reads %q, %v", got, err)
	}
	assert.Check(t, is.ErrorIs(m.Read(got, 4), ErrNoMemory), "what was not written")
	for name, o := range map[string]worldOptions{
		"without host memory": {engines: 1, engine: Options{SharedHost: true}},
		"with its own":        {engines: 1, vars: host},
	} {
		if _, err := newWorld(t, o).rigs[0].Memory(true); !errors.Is(err, ErrNoMemory) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPortsLearnWhereSessionsLead(t *testing.T) {
	for _, platform := range []string{"u55c_tcp", "u280_2022", "u280_manual"} {
		_, r := newRig(t, worldOptions{platform: platform})
		port := &told{Port: r.port}
		r.Engine.port = port
		r.routes = newRoutes(r.exchange, &r.n.comm.routeWords, port)
		g := r.d.ABI()
		h := host{t, g, g.Memory(abi.Exchange), &r.n.comm.routeWords, r.exchange.Set}
		h.communicator(h.behind(3), 3)
		r.set("network", "control", 1)
		port.expect(t, platform+" before there is a table of rx buffers")
		h.buffers(3)
		r.set("network", "control", 1)
		r.set("network", "control", 1)
		port.expect(t, platform, three...)
	}
}

func TestFraming(t *testing.T) {
	for platform, types := range map[string][]int{"u55c_tcp": {100, 100, 0, 0}, "u280_2022": {100}} {
		_, r := newRig(t, worldOptions{platform: platform})
		framing, err := Framing(r.d)
		assert.NilError(t, err)
		for code, want := range types {
			var h header
			h[0], h[22] = 100, byte(code) // count and msg_type, as the contract has them
			if got := framing(&h); got != want {
				t.Errorf("%s: %d bytes follow a header of type %d, not %d", platform, got, code, want)
			}
		}
	}
}
